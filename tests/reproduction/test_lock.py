"""One reproduce per store."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from experiments.reproduction.lock import FILE, alone


def test_the_second_waits_and_says_so(tmp_path: Path) -> None:
    said: list[str] = []
    order: list[str] = []

    def second() -> None:
        with alone(tmp_path, said.append):
            order.append("second")

    with alone(tmp_path, said.append):
        thread = threading.Thread(target=second)
        thread.start()
        deadline = time.monotonic() + 10
        while not said and time.monotonic() < deadline:
            time.sleep(0.01)
        order.append("first")
    thread.join(10)
    assert order == ["first", "second"]
    assert len(said) == 1
    assert "reproducing from the store" in said[0]


def test_a_dead_holder_holds_nothing(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("12345\n")
    with alone(tmp_path, pytest.fail):
        pass


def test_it_is_let_go_after_an_error(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), alone(tmp_path, pytest.fail):
        raise RuntimeError
    with alone(tmp_path, pytest.fail):
        pass
