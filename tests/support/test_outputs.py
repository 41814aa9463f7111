"""Paths that the user names, and folders that are replaced as a whole."""

from __future__ import annotations

import errno
import multiprocessing
import os
import signal
import threading
from pathlib import Path
from typing import Any

import pytest

from svm_cost_curves.support.files import new_file, new_folder, remove_drafts, write_output

FORK = multiprocessing.get_context("fork")


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


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
    with pytest.raises(IsADirectoryError):
        write_output(tmp_path, b"content")


def made(folder: Path, name: str) -> None:
    with new_folder(folder) as draft:
        (draft / name).touch()


def stay_in_new_folder(folder: Path, inside: Any) -> None:
    with new_folder(folder) as draft:
        (draft / "half").touch()
        inside.set()
        signal.pause()


def test_the_draft_of_a_killed_process_is_removed_and_a_living_ones_is_not(tmp_path: Path) -> None:
    inside = [FORK.Event(), FORK.Event()]
    living, killed = (FORK.Process(target=stay_in_new_folder, args=(tmp_path / "demo", one)) for one in inside)
    try:
        for child, event in zip((living, killed), inside, strict=True):
            child.start()
            assert event.wait(60)
        killed.kill()
        killed.join()
        assert len(names(tmp_path)) == 2
        made(tmp_path / "other", "whole")
        assert [name[:6] for name in names(tmp_path)] == [".demo.", "other"]
    finally:
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
