"""Lock files."""

from __future__ import annotations

import errno
import fcntl
import multiprocessing
import os
import signal
import threading
import time
from pathlib import Path

import pytest
from waiting import PATIENCE

from svm_cost_curves.support import files
from svm_cost_curves.support.files import locked

FORK = multiprocessing.get_context("fork")


def count_up(folder: Path, times: int) -> None:
    for _ in range(times):
        with locked(folder / "a.lock", lambda _: None):
            number = int((folder / "number").read_text())
            time.sleep(0.001)
            (folder / "number").write_text(str(number + 1))


def test_processes_wait_for_each_other_and_leave_no_file(tmp_path: Path) -> None:
    (tmp_path / "number").write_text("0")
    children = [FORK.Process(target=count_up, args=(tmp_path, 20)) for _ in range(5)]
    for child in children:
        child.start()
    for child in children:
        child.join(PATIENCE)
    assert (tmp_path / "number").read_text() == "100"
    assert [path.name for path in tmp_path.iterdir()] == ["number"]


def hold(path: Path, taken: object) -> None:
    with locked(path, lambda _: None):
        taken.set()  # type: ignore[attr-defined]
        signal.pause()


@pytest.fixture
def holder(tmp_path: Path) -> object:
    taken = FORK.Event()
    child = FORK.Process(target=hold, args=(tmp_path / "a.lock", taken))
    child.start()
    assert taken.wait(PATIENCE)
    yield child
    child.kill()
    child.join()


def test_a_waiting_process_reports_the_holder_once_and_continues_after_its_death(
    tmp_path: Path, holder: multiprocessing.Process, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "QUIET_SECONDS", 0.0)
    told: list[str] = []

    def tell(text: str) -> None:
        told.append(text)
        assert holder.pid is not None
        threading.Timer(0.2, os.kill, (holder.pid, signal.SIGKILL)).start()

    with locked(tmp_path / "a.lock", tell):
        pass
    assert len(told) == 1
    assert told[0].startswith(f"process {holder.pid} on ")


def test_ctrl_c_ends_the_wait(tmp_path: Path, holder: multiprocessing.Process) -> None:
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt), locked(tmp_path / "a.lock", lambda _: None):
        pytest.fail("the lock is held")
    assert holder.is_alive()


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS])
def test_a_file_system_without_locks_is_named_and_no_lock_file_stays(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(fcntl, "flock", refuse)
    with (
        pytest.raises(OSError, match="file system has no locks") as error,
        locked(tmp_path / "a.lock", lambda _: None),
    ):
        pass
    assert error.value.errno == number
    assert list(tmp_path.iterdir()) == []


def test_a_lock_that_is_held_is_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "a.lock"
    with locked(path, lambda _: None), pytest.raises(BlockingIOError), locked(path, lambda _: None, wait=False):
        pass
    with locked(path, lambda _: None, wait=False):
        assert path.exists()
