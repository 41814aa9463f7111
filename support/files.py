"""Atomic writes of files and folders, and removal of the drafts of killed processes.

A file is written to a draft in the same folder, then renamed. The writer holds an flock on the draft, which ends with
the process. So a draft without a lock belongs to a process that has ended, also in other containers and on other
machines, where process numbers are not comparable. A temporary folder has a lock file for the same purpose.
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
"""Suffix of drafts."""
LOCK = ".lock"
"""Suffix of lock files."""

FOLDER_PREFIX = "svm-cost-curves-"
ALIVE = ".alive"
"""Lock file in a temporary folder."""

_in_use: list[int] = []
"""Descriptors of locks that are held until this process ends."""


@contextlib.contextmanager
def new_file(path: Path, *, mode: int = 0o666, sync: bool = True) -> Iterator[BinaryIO]:
    """Open a draft for writing and reading that is renamed to `path` when the block ends without an error.

    If the block raises, or the process is killed, an earlier file stays. Drafts of killed processes in the folder are
    removed first.

    Parameters
    ----------
    path : Path
        In a folder that exists.
    mode : int
        Permissions, before the umask.
    sync : bool
        Flush the content to disk before the rename.

    Raises
    ------
    OSError
        The folder cannot be written.
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
    """Write a file atomically; see `new_file`."""
    with new_file(path, sync=sync) as file:
        file.write(content)


def sync_folder(folder: Path) -> None:
    """Flush the renames of files in a folder to disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def drafts(folder: Path) -> list[Path]:
    """Return all drafts in a folder; none if the folder is missing or cannot be read."""
    return _named(folder, DRAFT)


def remove_drafts(folder: Path) -> None:
    """Remove the drafts of ended processes in a folder. Other users' drafts, links and folders stay."""
    _remove_unlocked(folder, DRAFT)


def remove_locks(folder: Path) -> None:
    """Remove the lock files (`support.locks.locked`) of ended processes."""
    _remove_unlocked(folder, LOCK)


@contextlib.contextmanager
def temporary_folder() -> Iterator[Path]:
    """Make an empty folder, removed at the end of the block, or by `remove_temporary_folders` after a kill."""
    with tempfile.TemporaryDirectory(prefix=FOLDER_PREFIX, ignore_cleanup_errors=True) as name:
        descriptor = _lock_folder(Path(name))
        try:
            yield Path(name)
        finally:
            os.close(descriptor)


def keep_folder(folder: Path) -> None:
    """Lock a temporary folder that a library has made, until this process ends."""
    _in_use.append(_lock_folder(folder))


def remove_temporary_folders(*prefixes: str) -> list[int]:
    """Remove the temporary folders of this program's ended processes.

    Parameters
    ----------
    *prefixes : str
        Prefixes of folders that libraries have made (`keep_folder`). Folders without a lock file stay.

    Returns
    -------
    list of int
        Process numbers.
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
    """Whether a path is still the name of an open file."""
    try:
        named = path.lstat()
    except FileNotFoundError:
        return False
    return os.path.samestat(os.fstat(descriptor), named)


def _open_draft(path: Path, mode: int) -> tuple[BinaryIO, Path]:
    while True:
        draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}{DRAFT}")
        descriptor = os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
        with contextlib.suppress(OSError):  # without locks on this file system drafts are never removed
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        if same_file(descriptor, draft):
            return os.fdopen(descriptor, "w+b"), draft
        os.close(descriptor)  # another process removed it before it was locked


def _lock_folder(folder: Path) -> int:
    descriptor = os.open(folder / ALIVE, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    with contextlib.suppress(OSError):
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.write(descriptor, str(os.getpid()).encode())
    return descriptor


def _is_own_folder(entry: os.DirEntry[str]) -> bool:
    """Whether this is a folder of this user: opening a pipe in another user's folder could block."""
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
    """Remove an unlocked file of this user.

    Raises
    ------
    OSError
        The file is locked, another user's, or not a plain file.
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
    """Yield an empty folder that replaces `folder` when the block ends; after an error `folder` stays."""
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
    """Check that a file can be created in a folder, or in its nearest existing parent; leaves nothing there.

    Raises
    ------
    OSError
        It cannot; `filename` is that folder.
    """
    while not os.path.lexists(folder):
        folder = folder.parent
    try:
        # permissions say nothing about a read-only or full file system
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(folder)) from error
