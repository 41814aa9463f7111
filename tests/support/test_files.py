"""Atomic files, and removal of the drafts of killed processes."""

from __future__ import annotations

import multiprocessing
import os
import signal
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from waiting import PATIENCE

from svm_cost_curves.support.files import (
    ALIVE,
    FOLDER_PREFIX,
    new_file,
    remove_drafts,
    remove_locks,
    remove_temporary_folders,
    temporary_folder,
    write_file,
)

FORK = multiprocessing.get_context("fork")


@pytest.fixture
def hold() -> Iterator[Callable[..., Any]]:
    """Call a function in another process, which is stopped within it: it calls what it gets as its last argument."""
    children: list[Any] = []

    def start(function: Callable[..., None], *words: Any) -> Any:
        inside = FORK.Event()

        def wait() -> None:
            inside.set()
            signal.pause()

        child = FORK.Process(target=function, args=(*words, wait))
        child.start()
        children.append(child)
        assert inside.wait(PATIENCE)
        return child

    yield start
    for child in children:
        child.kill()
        child.join()


def write_half(path: Path, wait: Callable[[], None]) -> None:
    with new_file(path) as file:
        file.write(b"half")
        file.flush()
        wait()


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_is_whole_or_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "a"
    write_file(path, b"first")

    def fail() -> None:
        with new_file(path) as file:
            file.write(b"second")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert path.read_bytes() == b"first"
    assert names(tmp_path) == ["a"]
    write_file(path, b"third")
    assert path.read_bytes() == b"third"
    assert path.stat().st_mode & 0o777 == 0o666 & ~_umask()


def _umask() -> int:
    os.umask(before := os.umask(0))
    return before


def test_a_killed_writers_draft_is_removed_and_a_living_ones_is_not(tmp_path: Path, hold: Callable[..., Any]) -> None:
    living, killed = hold(write_half, tmp_path / "a"), hold(write_half, tmp_path / "b")
    assert len(names(tmp_path)) == 2
    killed.kill()
    killed.join()
    write_file(tmp_path / "c", b"")
    assert [name[:3] for name in names(tmp_path)] == [".a.", "c"]
    living.kill()
    living.join()
    remove_drafts(tmp_path)
    assert names(tmp_path) == ["c"]


def test_what_is_no_draft_of_ours_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outside = tmp_path / "outside"
    outside.write_bytes(b"mine")
    folder = tmp_path / "folder"
    folder.mkdir()
    link, pipe, draft = (f".{name}.0123456789abcdef.part" for name in ("link", "pipe", "x"))
    (folder / link).symlink_to(outside)
    os.mkfifo(folder / pipe)
    (folder / "movie.mkv.part").write_bytes(b"unfinished")
    (folder / ".part").mkdir()
    remove_drafts(folder)
    assert names(folder) == sorted([link, pipe, "movie.mkv.part", ".part"])
    assert outside.read_bytes() == b"mine"
    (folder / draft).write_bytes(b"another user's")
    owner = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    remove_drafts(folder)
    assert draft in names(folder)
    remove_drafts(tmp_path / "missing")


def stay_in_temporary_folder(wait: Callable[[], None]) -> None:
    with temporary_folder() as folder:
        (folder / "content").touch()
        wait()


def test_temporary_folders_of_killed_processes_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hold: Callable[..., Any]
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for name in ("other", f"{FOLDER_PREFIX}new"):
        (tmp_path / name).mkdir()
    mine = hold(stay_in_temporary_folder)
    assert remove_temporary_folders() == []
    assert len(names(tmp_path)) == 3
    mine.kill()
    mine.join()
    owner = os.geteuid()
    with monkeypatch.context() as other:
        other.setattr(os, "geteuid", lambda: owner + 1)
        assert remove_temporary_folders() == []
    assert remove_temporary_folders() == [mine.pid]
    assert names(tmp_path) == ["other", f"{FOLDER_PREFIX}new"]
    with temporary_folder() as folder:
        assert folder.parent == tmp_path
        assert names(folder) == [ALIVE]
    assert not folder.exists()


def test_a_lock_without_a_process_is_removed(tmp_path: Path) -> None:
    key = "0123456789abcdef" * 2
    (tmp_path / f"{key}.lock").write_text("process 1 on nowhere\n")
    (tmp_path / "poetry.lock").write_text("mine")
    remove_locks(tmp_path)
    assert names(tmp_path) == ["poetry.lock"]
