"""The files of evidence change together: after a kill or a full disk, and beside another process."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import threading
from pathlib import Path

import pytest

from svm_cost_curves.experiments.reproduction.published import SUMS, EvidenceError, changing, read_verified, write_sums
from svm_cost_curves.support.files import write_file

NAMES = ("figure.json", "paper/runs.parquet", "paper/points.parquet")
CREATING = ("open", "os.link", "os.mkdir", "os.rename")
CHANGING = (*CREATING, "os.remove", "os.rmdir")
KILLED = -signal.SIGKILL


def put(folder: Path, content: bytes) -> None:
    """Write the content into all files of the evidence."""
    with changing(folder) as draft:
        (draft / "paper").mkdir(exist_ok=True)
        for name in NAMES:
            write_file(draft / name, content)
        write_sums(draft, *NAMES)


def whole(folder: Path) -> bytes:
    """Return the content that all files have; their checksums are right, also for others."""
    subprocess.run(["sha256sum", "--check", "--strict", "--quiet", SUMS], cwd=folder, check=True)
    (content,) = {read_verified(folder, name) for name in NAMES}
    return content


def put_in_child(folder: Path, last: int, how: str) -> int:
    """Write new content in a child that is killed, or whose disk is full, before a change of names; return its end."""

    def disturb(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal count
        writes = event != "open" or (isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR))
        exchanges = event == "ctypes.dlsym"
        if exchanges or (event in CHANGING and writes and str(arguments[0]).startswith(str(folder.parent))):
            count += 1
            if how == "killed" and count == last:
                os.kill(os.getpid(), signal.SIGKILL)
            if how == "full" and count >= last and event in CREATING:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    count, child = 0, os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    import sys

    try:
        sys.addaudithook(disturb)
        put(folder, b"new")
        os._exit(0)
    except OSError as error:
        os._exit(2 if error.errno in (errno.ENOSPC, errno.EIO) and ".part" not in str(error.filename) else 1)
    except BaseException:
        os._exit(3)


@pytest.mark.parametrize(("how", "status"), [("killed", KILLED), ("full", 2)])
def test_evidence_is_the_old_or_the_new_one(how: str, status: int, tmp_path: Path) -> None:
    folder, ends, last = tmp_path / "evidence", set(), 0
    while status in ends or not last:
        put(folder, b"old")
        (folder / "notes.txt").write_text("of the user")
        last += 1
        ends = {put_in_child(folder, last, how)}
        assert ends <= {0, status}
        assert whole(folder) in ((b"new",) if ends == {0} else (b"old", b"new"))
        put(folder, b"newer")
        assert whole(folder) == b"newer"
        assert (folder / "notes.txt").read_text() == "of the user"
        assert [path.name for path in tmp_path.iterdir()] == ["evidence"]
    assert last > 15


def test_two_changes_at_once_are_both_made(tmp_path: Path) -> None:
    folder, second_began, second_has_it = tmp_path / "evidence", threading.Event(), threading.Event()
    put(folder, b"old")

    def add(name: str) -> None:
        if name == "second":
            second_began.set()
        with changing(folder) as draft:
            before = read_verified(draft, NAMES[0])
            if name == "second":
                second_has_it.set()
            else:
                second.start()
                second_began.wait()
                second_has_it.wait(0.2)  # only without a lock
            write_file(draft / NAMES[0], before + name.encode())
            write_sums(draft, NAMES[0])

    second = threading.Thread(target=add, args=("second",))
    add("first")
    second.join()
    assert read_verified(folder, NAMES[0]) == b"oldfirstsecond"


def test_a_change_by_another_program_is_not_lost(tmp_path: Path) -> None:
    folder = tmp_path / "evidence"
    put(folder, b"old")

    def change() -> None:
        with changing(folder) as draft:
            write_file(draft / NAMES[0], b"mine")
            write_sums(draft, NAMES[0])
            write_file(folder / NAMES[0], b"theirs")
            write_sums(folder, NAMES[0])

    with pytest.raises(EvidenceError, match="has been changed meanwhile"):
        change()
    assert read_verified(folder, NAMES[0]) == b"theirs"
