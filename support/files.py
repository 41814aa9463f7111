"""Files that are written whole or not at all, and the removal of what killed processes leave of them.

A file is written under another name beside its place, its draft, and renamed. The writer holds an flock on the draft,
which ends with the process however it ends: a draft without a lock belongs to a process that is gone. This is true
across containers and machines, where process numbers say nothing. So is a temporary folder, by a file in it.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

DRAFT = ".part"
"""How the name of a draft ends."""
LOCK = ".lock"
"""How the name of a lock's file ends."""

FOLDER_PREFIX = "svm-cost-curves-"
ALIVE = ".alive"
"""File in a temporary folder that is locked while the folder is in use."""

_in_use: list[int] = []
"""Descriptors of the locks on folders that are in use until this process ends."""


@contextlib.contextmanager
def new_file(path: Path, *, mode: int = 0o666, sync: bool = True) -> Iterator[BinaryIO]:
    """Open a file for writing and reading that takes the name `path` when the block ends without an error.

    If the block raises, or the process is killed, what was at `path` stays. Drafts that killed processes have left in
    the folder are removed first.

    Parameters
    ----------
    path : Path
        In a folder that exists.
    mode : int
        Permissions, as far as the umask allows them.
    sync : bool
        Wait until the content is on disk before the file is renamed.

    Raises
    ------
    OSError
        The folder cannot be written, or has no room.
    """
    remove_drafts(path.parent)
    file, draft = _open_draft(path, mode)
    try:
        with file:
            yield file
            file.flush()
            if sync:
                os.fsync(file.fileno())
            draft.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            draft.unlink(missing_ok=True)
        raise


def write_file(path: Path, content: bytes | memoryview, *, sync: bool = True) -> None:
    """Write a file whole; see `new_file`."""
    with new_file(path, sync=sync) as file:
        file.write(content)


def sync_folder(folder: Path) -> None:
    """Wait until files that were renamed into this folder are on disk under their new names."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def drafts(folder: Path) -> list[Path]:
    """Drafts in a folder, of living processes and of others; none if the folder is missing or cannot be read."""
    return _named(folder, DRAFT)


def remove_drafts(folder: Path) -> None:
    """Remove the drafts in a folder whose processes have ended. Other users' drafts, links and folders stay."""
    _remove_unlocked(folder, DRAFT)


def remove_locks(folder: Path) -> None:
    """Remove the files of locks (`support.locks.locked`) that processes have left which are gone."""
    _remove_unlocked(folder, LOCK)


@contextlib.contextmanager
def temporary_folder() -> Iterator[Path]:
    """Make an empty folder that is removed when the block ends; by `remove_temporary_folders` if the process dies."""
    with tempfile.TemporaryDirectory(prefix=FOLDER_PREFIX, ignore_cleanup_errors=True) as name:
        descriptor = _lock_folder(Path(name))
        try:
            yield Path(name)
        finally:
            os.close(descriptor)


def keep_folder(folder: Path) -> None:
    """Lock a temporary folder that a library has made for this process, until the process ends."""
    _in_use.append(_lock_folder(folder))


def remove_temporary_folders(*prefixes: str) -> list[int]:
    """Remove the temporary folders of this program whose processes are gone.

    Parameters
    ----------
    *prefixes : str
        How the names of folders begin that libraries have made (`keep_folder`). Those without our lock file stay.

    Returns
    -------
    list of int
        Numbers of the processes.
    """
    processes = []
    with contextlib.suppress(OSError), os.scandir(tempfile.gettempdir()) as entries:
        for entry in entries:
            if entry.name.startswith((FOLDER_PREFIX, *prefixes)) and _is_own_folder(entry):
                with contextlib.suppress(OSError, ValueError):
                    number = Path(entry.path, ALIVE).read_text(encoding="ascii")
                    _remove_if_unlocked(Path(entry.path, ALIVE))
                    shutil.rmtree(entry.path, ignore_errors=True)
                    processes.append(int(number))
    return processes


def same_file(descriptor: int, path: Path) -> bool:
    """Whether an open file still has this name."""
    try:
        named = path.lstat()
    except FileNotFoundError:
        return False
    return os.path.samestat(os.fstat(descriptor), named)


def _open_draft(path: Path, mode: int) -> tuple[BinaryIO, Path]:
    while True:
        draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}{DRAFT}")
        descriptor = os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
        with contextlib.suppress(OSError):  # a file system without locks: drafts there are never removed
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        if same_file(descriptor, draft):
            return os.fdopen(descriptor, "w+b"), draft
        os.close(descriptor)  # another process took it for abandoned before it was locked


def _lock_folder(folder: Path) -> int:
    descriptor = os.open(folder / ALIVE, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    with contextlib.suppress(OSError):
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.write(descriptor, str(os.getpid()).encode())
    return descriptor


def _is_own_folder(entry: os.DirEntry[str]) -> bool:
    """Whether this is a folder of this user: another one might hold a pipe, which would be waited for."""
    try:
        return entry.is_dir(follow_symlinks=False) and entry.stat(follow_symlinks=False).st_uid == os.geteuid()
    except FileNotFoundError:
        return False


def _named(folder: Path, ending: str) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            return [Path(entry.path) for entry in entries if entry.name.endswith(ending)]
    except OSError:
        return []


def _remove_unlocked(folder: Path, ending: str) -> None:
    for path in _named(folder, ending):
        with contextlib.suppress(OSError):
            _remove_if_unlocked(path)


def _remove_if_unlocked(path: Path) -> None:
    """Remove a file of this user that no process has locked.

    Raises
    ------
    OSError
        It is locked, is another user's, or is no plain file.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        found = os.fstat(descriptor)
        if found.st_uid != os.geteuid() or not stat.S_ISREG(found.st_mode):
            raise PermissionError(f"{path} is not a file of this user")
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if same_file(descriptor, path):
            path.unlink()
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """Open an empty folder that takes the name `folder` when the block ends; after an error `folder` stays."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    draft = folder.with_name(f".{folder.name}.{os.getpid()}.part")
    old = folder.with_name(f".{folder.name}.{os.getpid()}.old")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir()
    try:
        yield draft
        if folder.exists():
            folder.rename(old)
        draft.rename(folder)
    finally:
        if old.exists() and not folder.exists():
            old.rename(folder)
        shutil.rmtree(draft, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)


def check_writable(folder: Path) -> None:
    """Check that a file can be made in a folder, or in the nearest folder above it that exists; leaves nothing there.

    Raises
    ------
    OSError
        It cannot; `filename` is the folder that was tried.
    """
    while not os.path.lexists(folder):
        folder = folder.parent
    try:
        # permissions say nothing about a read-only or full file system
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(folder)) from error
