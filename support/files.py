"""Atomic writes of files and folders, and removal of the drafts of killed processes.

A file or folder is written as a draft beside its place, then renamed. The writer holds an flock on the draft, which
ends with the process. So a draft without a lock belongs to a process that has ended, also in other containers and on
other machines, where process numbers are not comparable. A temporary folder is a draft that is never renamed.

Folders that the user names may hold any files. Only files with the program's own names are ever removed: drafts, and
files that are named by a key.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import secrets
import shutil
import stat
import tempfile
from collections.abc import Collection, Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import BinaryIO

LOCK = ".lock"
"""Suffix of lock files."""
_DRAFT = re.compile(r"\.(?P<name>.+)\.[0-9a-f]{16}\.(part|old)", re.DOTALL)
"""Names of drafts (part), and of folders that a draft is about to replace (old)."""
TEMPORARY = "svm-cost-curves"
"""Name in the drafts that are temporary folders."""


@contextlib.contextmanager
def new_file(path: Path, *, mode: int = 0o666, sync: bool = True) -> Iterator[BinaryIO]:
    """Open a draft for writing and reading that is renamed to `path` when the block ends without an error.

    If the block raises, or the process is killed, an earlier file stays. Drafts of killed processes in the folder,
    which exists, are removed first. A link, a device or a pipe of this name is replaced; `write_output` writes through
    it. With `sync` the content is flushed to disk before the rename. OSError: the folder cannot be written.
    """
    remove_drafts(path.parent)
    file, draft = _open_draft(path, mode)
    try:
        with _named_in_errors(path), file:
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


def write_output(path: Path, content: bytes | memoryview) -> None:
    """Write to a path that the user has named, or raise OSError.

    A plain file, also the one that a link names, is replaced atomically. A device or a pipe gets the content.
    """
    if path.exists() and not path.is_file():
        with _named_in_errors(path), path.open("wb") as file:
            file.write(content)
    else:
        write_file(Path(os.path.realpath(path)), content)


@contextlib.contextmanager
def new_folder(folder: Path, own: Collection[str] = ("*",)) -> Iterator[Path]:
    """Yield an empty folder that replaces `folder` when the block ends; after an error `folder` stays.

    Drafts of killed processes beside it are removed first. Its parents are made. If it is a link, the folder that it
    names is replaced. `own` has patterns of the names that are replaced; other entries are someone else's and stay.
    OSError: the folder cannot be written.
    """
    folder = Path(os.path.realpath(folder))
    folder.parent.mkdir(parents=True, exist_ok=True)
    remove_drafts(folder.parent)
    with contextlib.ExitStack() as stack:
        stack.enter_context(_named_in_errors(folder))
        draft = _make_draft(folder, stack)
        old = draft.with_suffix(".old")
        try:
            yield draft
            if folder.is_dir():
                _lock(folder, stack)
                _link_others(folder, draft, own)
                folder.rename(old)
            draft.rename(folder)
        finally:
            if old.exists() and not folder.exists():
                old.rename(folder)
            shutil.rmtree(draft, ignore_errors=True)
            shutil.rmtree(old, ignore_errors=True)


@contextlib.contextmanager
def temporary_folder() -> Iterator[Path]:
    """Make an empty folder, removed at the end of the block, or by `remove_temporary_folders` after a kill."""
    with contextlib.ExitStack() as stack:
        folder = _make_draft(Path(tempfile.gettempdir(), TEMPORARY), stack, mode=0o700)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def remove_temporary_folders() -> None:
    """Remove the temporary folders of this program's ended processes."""
    remove_drafts(Path(tempfile.gettempdir()))


def sync_folder(folder: Path) -> None:
    """Flush the renames of files in a folder to disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def drafts(folder: Path) -> list[Path]:
    """Return all drafts in a folder; none if the folder is missing or cannot be read."""
    return _entries(folder, _DRAFT)


def keyed(folder: Path, suffix: str) -> list[Path]:
    """Return the files in a folder that are named by a key, with this suffix; none if the folder cannot be read."""
    return _entries(folder, re.compile(rf"[0-9a-f]{{32}}{re.escape(suffix)}"))


def _entries(folder: Path, name: re.Pattern[str]) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            return [Path(entry.path) for entry in entries if name.fullmatch(entry.name)]
    except OSError:
        return []


def remove_drafts(folder: Path) -> None:
    """Remove the drafts of ended processes in a folder. Other users' drafts and links stay."""
    for path in drafts(folder):
        place = path.with_name(_DRAFT.sub(r"\g<name>", path.name))
        with contextlib.suppress(OSError), _unlocked(path):
            if path.suffix == ".old" and not os.path.lexists(place):
                path.rename(place)  # the process was killed before its draft had this name
            elif path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink()


def remove_locks(folder: Path) -> None:
    """Remove the lock files (`support.locks.locked`) of ended processes that are named by a key."""
    for path in keyed(folder, LOCK):
        with contextlib.suppress(OSError), _unlocked(path):
            path.unlink()


def same_file(descriptor: int, path: Path) -> bool:
    """Whether a path is still the name of an open file."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.lstat())
    except FileNotFoundError:
        return False


def check_writable(folder: Path) -> None:
    """Raise OSError, with its `filename`, if no file can be created in a folder or its nearest existing parent."""
    while not os.path.lexists(folder):
        folder = folder.parent
    try:
        # permissions say nothing about a read-only or full file system
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(folder)) from error


def _draft_name(path: Path) -> Path:
    return path.with_name(f".{path.name}.{secrets.token_hex(8)}.part")


def _open_draft(path: Path, mode: int) -> tuple[BinaryIO, Path]:
    while True:
        draft = _draft_name(path)
        descriptor = os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
        with contextlib.suppress(OSError):  # without locks on this file system drafts are never removed
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        if same_file(descriptor, draft):
            return os.fdopen(descriptor, "w+b"), draft
        os.close(descriptor)  # another process removed it before it was locked


def _make_draft(folder: Path, stack: contextlib.ExitStack, mode: int = 0o777) -> Path:
    """Make a draft of a folder, which is locked until the stack is closed."""
    while True:
        draft = _draft_name(folder)
        draft.mkdir(mode)
        with contextlib.suppress(FileNotFoundError):  # another process removed it before it was locked
            if same_file(_lock(draft, stack), draft):
                return draft


def _lock(folder: Path, stack: contextlib.ExitStack) -> int:
    """Lock a folder until the stack is closed; return its descriptor."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    stack.callback(os.close, descriptor)
    with contextlib.suppress(OSError):
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    return descriptor


@contextlib.contextmanager
def _unlocked(path: Path) -> Iterator[None]:
    """Lock a file or folder, to remove it; raise OSError if it is locked, not this user's, or a link or a pipe."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        status = os.fstat(descriptor)
        if status.st_uid != os.geteuid() or not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
            raise PermissionError(f"{path} is not a file of this user")
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not same_file(descriptor, path):
            raise FileNotFoundError(path)
        yield
    finally:
        os.close(descriptor)


def _link_others(folder: Path, draft: Path, own: Collection[str]) -> None:
    """Give the entries of a folder that match no pattern a second name in its draft."""

    def matching(place: str, names: list[str]) -> list[str]:
        return [name for name in names if place == str(folder) and any(fnmatch(name, one) for one in own)]

    def link(source: str, target: str) -> None:
        try:
            os.link(source, target, follow_symlinks=False)
        except OSError:  # a file system without links
            shutil.copy2(source, target)

    shutil.copytree(folder, draft, symlinks=True, ignore=matching, copy_function=link, dirs_exist_ok=True)


@contextlib.contextmanager
def _named_in_errors(path: Path) -> Iterator[None]:
    """Name a path in errors that name none, such as that of a full disk."""
    try:
        yield
    except OSError as error:
        if error.filename is None and error.errno is not None:
            error.filename = str(path)
        raise
