"""Files, folders and locks that processes share: atomic writes, and removal of what killed processes have left.

A file or folder is written as a draft beside its place, then renamed. The writer holds an flock on the draft, which
ends with the process. So a draft without a lock belongs to a process that has ended, also in other containers and on
other machines, where process numbers are not comparable. A temporary folder is a draft that is never renamed.

Folders that the user names may hold any files. Only files with the program's own names are ever removed: drafts, and
files that are named by a key.

A lock file ends with its process, too, and names the process that holds it.

An OSError that is raised here names the file that was asked for, never its draft.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import math
import os
import re
import secrets
import shutil
import socket
import stat
import tempfile
import time
from collections.abc import Callable, Collection, Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import BinaryIO

LOCK = ".lock"
"""Suffix of lock files."""
DRAFT = re.compile(r"\.(?P<name>.+)\.[0-9a-f]{16}\.(part|old)", re.DOTALL)
"""Names of drafts (part), and of folders that a draft is about to replace (old)."""
TEMPORARY = "svm-cost-curves"
"""Name in the drafts that are temporary folders."""
_OF_A_WRITE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""Errors of a write, which name no file."""
_NO_LOCKS = (errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS)
"""Errors of flock on a file system without locks."""
FIRST_POLL_SECONDS, POLL_SECONDS = 0.001, 0.1
"""First and longest pause between two attempts."""
QUIET_SECONDS = 1.0
"""Shorter work, and a shorter wait, show no message."""


@contextlib.contextmanager
def new_file(path: Path, *, mode: int = 0o666, sync: bool = True) -> Iterator[BinaryIO]:
    """Open a draft for writing and reading that is renamed to `path` when the block ends without an error.

    If the block raises, or the process is killed, an earlier file stays. Drafts of killed processes in the folder,
    which exists, are removed first. A link, a device or a pipe of this name is replaced; `write_output` writes through
    it. With `sync` the content is flushed to disk before the rename. OSError: the folder cannot be written.
    """
    remove_drafts(path.parent)
    with _named_in_errors(path):
        while True:
            draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}.part")
            descriptor = os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
            with contextlib.suppress(OSError):  # without locks on this file system drafts are never removed
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            if same_file(descriptor, draft):
                break
            os.close(descriptor)  # another process removed it before it was locked
        try:
            with os.fdopen(descriptor, "w+b") as file:
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


def append(path: Path, content: bytes) -> None:
    """Write at the end of a plain file, which is made if it is missing; OSError: it cannot be written, or is a pipe."""
    with _named_in_errors(path):
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK | os.O_CLOEXEC, 0o666)
        with os.fdopen(descriptor, "ab") as file:
            _check_plain(descriptor, path)
            file.write(content)


def _check_plain(descriptor: int, path: Path | str) -> os.stat_result:
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "Not a plain file", str(path))
    return status


def write_output(path: Path, content: bytes | memoryview) -> None:
    """Write to a path that the user has named, or raise OSError, which names this path.

    A plain file, also the one that a link names, is replaced atomically. A device or a pipe gets the content.
    """
    with _named_in_errors(path, Path(os.path.realpath(path))):
        if path.exists() and not path.is_file():
            with path.open("wb") as file:
                file.write(content)
        else:
            write_file(Path(os.path.realpath(path)), content)


@contextlib.contextmanager
def open_plain(path: Path | str, limit: int | None = None) -> Iterator[BinaryIO]:
    """Open a plain file, or one that a link names, for reading; a pipe or a device, which may never end, is refused.

    OSError: there is no such file, it cannot be read or is no plain file, or it has more than `limit` bytes.
    """
    with _named_in_errors(Path(path)):
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            status = _check_plain(descriptor, path)
            if limit is not None and status.st_size > limit:
                raise OSError(errno.EFBIG, f"Larger than {limit:,} bytes", str(path))
        except OSError:
            os.close(descriptor)
            raise
        with os.fdopen(descriptor, "rb") as file:
            yield file


def read_plain(path: Path, limit: int | None = None) -> bytes:
    """Return the content of a plain file; errors are those of `open_plain`."""
    with open_plain(path, limit) as file:
        return file.read()


@contextlib.contextmanager
def new_folder(folder: Path, replaced: Collection[str] = ("*",)) -> Iterator[Path]:
    """Yield an empty folder that replaces `folder` when the block ends; after an error or a kill `folder` stays.

    The two change places in one step; on file systems that cannot do this there is no `folder` for a moment, and
    `remove_drafts` brings it back after a kill. Drafts of killed processes beside it are removed first. Its parents are
    made. If it is a link, the folder that it names is replaced. `replaced` has patterns of names; entries that match
    none are someone else's and stay. OSError: the folder cannot be written.
    """
    folder = Path(os.path.realpath(folder))
    with _named_in_errors(folder), contextlib.ExitStack() as stack:
        folder.parent.mkdir(parents=True, exist_ok=True)
        remove_drafts(folder.parent)
        draft = _make_draft(folder, stack)
        old = draft.with_suffix(".old")
        try:
            yield draft
            if folder.is_dir():
                _lock(folder, stack)
                _link_others(folder, draft, replaced)
            if not (folder.is_dir() and _exchange(draft, folder)):
                if folder.is_dir():
                    folder.rename(old)
                draft.rename(folder)
        finally:
            if old.exists() and not folder.exists():
                old.rename(folder)
            shutil.rmtree(draft, ignore_errors=True)
            shutil.rmtree(old, ignore_errors=True)


@contextlib.contextmanager
def temporary_folder(parent: Path | None = None) -> Iterator[Path]:
    """Make an empty folder, removed at the end of the block, or by `remove_drafts` after a kill.

    It is in the folder `parent`, so that its files can be renamed to there; None: in that of temporary files. OSError,
    also of the block for a file in it: that folder, which it names, cannot be written.
    """
    parent_folder = parent or Path(tempfile.gettempdir())
    with _named_in_errors(parent_folder, parent_folder / TEMPORARY), contextlib.ExitStack() as stack:
        folder = _make_draft(parent_folder / TEMPORARY, stack, mode=0o700)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def keyed(suffix: str) -> re.Pattern[str]:
    """Return the names of files that are named by a key, with this suffix."""
    return re.compile(rf"[0-9a-f]{{32}}{re.escape(suffix)}")


def entries_of(folder: Path, names: re.Pattern[str]) -> list[Path]:
    """Return the entries of a folder with such a name; none if the folder is missing or cannot be read."""
    try:
        with os.scandir(folder) as entries:
            return [Path(entry.path) for entry in entries if names.fullmatch(entry.name)]
    except OSError:
        return []


def remove_drafts(folder: Path) -> None:
    """Remove the drafts of ended processes in a folder. Other users' drafts and links stay."""
    for path in entries_of(folder, DRAFT):
        target = path.with_name(DRAFT.sub(r"\g<name>", path.name))
        with contextlib.suppress(OSError), unlocked(path):
            if path.suffix == ".old" and not os.path.lexists(target):
                path.rename(target)  # the process was killed before its draft had this name
            elif path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink()


def remove_locks(folder: Path) -> None:
    """Remove the lock files (`locked`) of ended processes that are named by a key."""
    for path in entries_of(folder, keyed(LOCK)):
        with contextlib.suppress(OSError), unlocked(path):
            path.unlink()


@contextlib.contextmanager
def locked(
    path: Path, notify: Callable[[str], None], *, mode: int = 0o666, wait: bool = True, stalled: float = math.inf
) -> Iterator[None]:
    """Hold a lock; wait while another process holds it. Ctrl-C and SIGTERM end the wait.

    Works on one machine, and between machines on file systems that support flock. The file, in a folder that exists,
    exists while the lock is held or waited for. `notify` is called once, after `QUIET_SECONDS`, with the holder:
    ``process 123 on HOST``. OSError: the file cannot be created or locked, is a link, or has several names.
    BlockingIOError: another process holds the lock, and not `wait`. TimeoutError: the file has not been
    touched for `stalled` seconds; a new holder touches it, too.
    """
    descriptor = _acquire(path, notify, mode, wait=wait, stalled=stalled)
    try:
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"process {os.getpid()} on {socket.gethostname()}\n".encode(), 0)
        yield
    finally:
        with contextlib.suppress(OSError):
            if same_file(descriptor, path):
                path.unlink()  # waiting processes see that the file has lost its name, and open a new one
        os.close(descriptor)


def _acquire(path: Path, notify: Callable[[str], None], mode: int, *, wait: bool, stalled: float) -> int:
    began, notified, pause = time.monotonic(), False, FIRST_POLL_SECONDS
    touched, since = 0, began
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, mode)
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:  # its content is overwritten
                raise OSError(errno.EINVAL, "Not a plain file with one name", str(path))
            while True:
                try:
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    if not wait:
                        raise
                now, holder = time.monotonic(), os.pread(descriptor, 200, 0).decode("ascii", "replace").strip()
                if not notified and now - began >= QUIET_SECONDS:
                    notify(holder or "another process")
                    notified = True
                if touched != (touched := os.fstat(descriptor).st_mtime_ns):
                    since = now
                elif now - since >= stalled:
                    text = f"{holder or 'another process'} makes no progress for {stalled:g} s"
                    raise TimeoutError(errno.ETIMEDOUT, text, str(path))
                time.sleep(pause)
                pause = min(2 * pause, POLL_SECONDS)
            if same_file(descriptor, path):
                return descriptor
        except OSError as error:
            if error.errno in _NO_LOCKS:
                if not os.fstat(
                    descriptor
                ).st_size:  # no process has ever held it, and it would pass for a killed one's
                    path.unlink(missing_ok=True)
                error.strerror = "The file system has no locks (flock)"
            error.filename = error.filename or str(path)
            os.close(descriptor)
            raise
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


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


def _make_draft(folder: Path, stack: contextlib.ExitStack, mode: int = 0o777) -> Path:
    """Make a draft of a folder, which is locked until the stack is closed."""
    while True:
        draft = folder.with_name(f".{folder.name}.{secrets.token_hex(8)}.part")
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
def unlocked(path: Path) -> Iterator[None]:
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


def _link_others(folder: Path, draft: Path, replaced: Collection[str]) -> None:
    """Give the entries of a folder that match no pattern a second name in its draft."""

    def matching(visited: str, names: list[str]) -> list[str]:
        return [
            name for name in names if visited == str(folder) and any(fnmatch(name, pattern) for pattern in replaced)
        ]

    link_tree(folder, draft, matching)


def link_tree(folder: Path, target: Path, ignore: Callable[[str, list[str]], list[str]] | None = None) -> None:
    """Give the files of a folder second names in another one; they are copied where the file system has no links.

    `ignore` as in `shutil.copytree`. OSError: a file cannot be linked or copied.
    """

    def link(source: str, target: str) -> None:
        try:
            os.link(source, target, follow_symlinks=False)
        except OSError:
            shutil.copy2(source, target)

    try:
        shutil.copytree(folder, target, symlinks=True, ignore=ignore, copy_function=link, dirs_exist_ok=True)
    except shutil.Error as error:  # a list of errors as text
        source, _, why = error.args[0][0]
        raise OSError(errno.EIO, f"cannot be copied: {why.partition(': ')[0]}", str(source)) from error


def _exchange(first: Path, second: Path) -> bool:
    """Let two paths change places in one step; return False where the system or the file system cannot."""
    rename = getattr(ctypes.CDLL(None), "renameat2", None)  # of Linux; the module os does not have it
    here, exchange = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
    return rename is not None and rename(here, os.fsencode(first), here, os.fsencode(second), exchange) == 0


@contextlib.contextmanager
def _named_in_errors(path: Path, temporary: Path | None = None) -> Iterator[None]:
    """Name a path in the errors of a write that name none, such as that of a full disk, or name a draft.

    It is also named in place of a file at `temporary` or below.
    """
    try:
        yield
    except OSError as error:
        if error.filename is None and error.errno in _OF_A_WRITE:
            error.filename = str(path)
        elif isinstance(error.filename, str):
            parts = [DRAFT.sub(r"\g<name>", part) for part in Path(error.filename).parts]
            named = Path(*parts)
            error.filename = str(path if temporary is not None and named.is_relative_to(temporary) else named)
            del error.filename2  # None would be shown, too
        raise
