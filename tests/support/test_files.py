"""Atomic files and folders, paths that the user names, and removal of the drafts of killed processes."""

from __future__ import annotations

import errno
import multiprocessing
import os
import signal
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from waiting import PATIENCE

from svm_cost_curves.support.files import (
    TEMPORARY,
    append,
    new_file,
    new_folder,
    remove_drafts,
    remove_locks,
    temporary_folder,
    write_file,
    write_output,
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
    (tmp_path / "other").mkdir()
    mine = hold(stay_in_temporary_folder)
    remove_drafts(tmp_path)
    (folder,) = tmp_path.glob(f".{TEMPORARY}.*")
    assert names(folder) == ["content"]
    assert folder.stat().st_mode & 0o777 == 0o700
    mine.kill()
    mine.join()
    owner = os.geteuid()
    with monkeypatch.context() as other:
        other.setattr(os, "geteuid", lambda: owner + 1)
        remove_drafts(tmp_path)
    assert folder.exists()
    remove_drafts(tmp_path)
    assert names(tmp_path) == ["other"]
    with temporary_folder() as folder:
        assert folder.parent == tmp_path
        assert names(folder) == []
    assert not folder.exists()


def test_a_lock_without_a_process_is_removed(tmp_path: Path) -> None:
    key = "0123456789abcdef" * 2
    (tmp_path / f"{key}.lock").write_text("process 1 on nowhere\n")
    (tmp_path / "poetry.lock").write_text("mine")
    remove_locks(tmp_path)
    assert names(tmp_path) == ["poetry.lock"]


def test_a_link_stays_and_the_file_that_it_names_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    target, link = tmp_path / "elsewhere" / "target", tmp_path / "link"
    link.symlink_to(target)
    for content in (b"first", b"second"):  # the target is missing at first
        write_output(link, content)
        assert link.is_symlink()
        assert target.read_bytes() == content
    assert names(target.parent) == ["target"]


def test_a_pipe_gets_the_content(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append((tmp_path / "pipe").read_bytes()), daemon=True)
    reader.start()
    write_output(tmp_path / "pipe", b"content")
    reader.join(60)
    assert got == [b"content"]
    assert (tmp_path / "pipe").is_fifo()
    assert names(tmp_path) == ["pipe"]


def test_a_device_gets_the_content(tmp_path: Path) -> None:
    master, slave = os.openpty()
    try:
        (tmp_path / "link").symlink_to(os.ttyname(slave))
        for path in (Path(os.ttyname(slave)), tmp_path / "link"):
            write_output(path, b"content")
            assert os.read(master, 100) == b"content"
            assert path.is_char_device()
    finally:
        os.close(master)
        os.close(slave)


def test_a_folder_is_no_output(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError, match=rf"'{tmp_path}'$"):
        write_output(tmp_path, b"content")


def test_lines_are_added_to_plain_files_only(tmp_path: Path) -> None:
    for _ in range(2):
        append(tmp_path / "list", b"a\n")
    assert (tmp_path / "list").read_bytes() == b"a\na\n"
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for name in ("pipe", "folder", "none/list"):
        with pytest.raises(OSError, match=name):
            append(tmp_path / name, b"a\n")


def made(folder: Path, name: str) -> None:
    with new_folder(folder) as draft:
        (draft / name).touch()


def stay_in_new_folder(folder: Path, wait: Callable[[], None]) -> None:
    with new_folder(folder) as draft:
        (draft / "half").touch()
        wait()


def test_the_folder_of_a_killed_process_is_removed_and_a_living_ones_is_not(
    tmp_path: Path, hold: Callable[..., Any]
) -> None:
    living, killed = hold(stay_in_new_folder, tmp_path / "demo"), hold(stay_in_new_folder, tmp_path / "demo")
    killed.kill()
    killed.join()
    assert len(names(tmp_path)) == 2
    made(tmp_path / "other", "whole")
    assert [name[:6] for name in names(tmp_path)] == [".demo.", "other"]
    living.kill()
    living.join()
    made(tmp_path / "demo", "whole")
    assert names(tmp_path) == ["demo", "other"]
    assert names(tmp_path / "demo") == ["whole"]


def test_a_folder_whose_replacement_was_killed_half_way_comes_back(tmp_path: Path) -> None:
    old = tmp_path / ".demo.0123456789abcdef.old"
    for content in ("first", "second"):
        old.mkdir()
        (old / content).touch()
        remove_drafts(tmp_path)  # the second time the folder is there
        assert names(tmp_path) == ["demo"]
        assert names(tmp_path / "demo") == ["first"]


def test_a_link_to_a_folder_stays(tmp_path: Path) -> None:
    (tmp_path / "target").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "target")
    made(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert names(tmp_path / "target") == ["new"]
    assert names(tmp_path) == ["link", "target"]


def test_entries_of_others_stay_and_an_error_changes_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "demo"
    (folder / "notes").mkdir(parents=True)
    (folder / "notes" / "a.txt").write_text("mine")
    (folder / "link").symlink_to("notes")
    (folder / "a.txt").write_text("of the program")

    def fail() -> None:
        with new_folder(folder, ("*.txt",)):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert names(folder) == ["a.txt", "link", "notes"]
    with new_folder(folder, ("*.txt",)) as draft:
        (draft / "b.txt").touch()
    assert names(folder) == ["b.txt", "link", "notes"]
    assert (folder / "link").is_symlink()
    assert (folder / "notes" / "a.txt").read_text() == "mine"
    assert names(tmp_path) == ["demo"]


@pytest.mark.parametrize("new", [new_file, new_folder])
def test_the_error_of_a_full_disk_names_the_place(tmp_path: Path, new: Any) -> None:
    def fail() -> None:
        with new(tmp_path / "place"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.raises(OSError, match="place") as caught:
        fail()
    assert caught.value.filename == str(tmp_path / "place")
    assert names(tmp_path) == []
