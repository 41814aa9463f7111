"""Stores Gram matrices in files that all processes map: built once, used by all later runs.

The default folder is in shared memory (``/dev/shm``) if there is any, else in the per-user cache on disk. One limit
belongs to the folder, whatever memory a run may use: the least recently used matrices that no process uses are removed
for a new one. A process that uses a matrix holds a shared flock on its file, which ends with the process.

The folder is optional: a process that does not get its matrix there is told why and goes on by itself.

A file has the values, then their checksum, which a process verifies when it first maps the file: a tenth of a second
for each GB. XXH3 detects changes by a disk, a crash or another program. The time of the last change cannot replace it:
in shared memory, a write through a mapping does not change it.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import io
import json
import logging
import mmap
import os
import re
import shutil
import stat
import time
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import numpy as np
import psutil
import xxhash
from numpy.typing import NDArray

from ..support.disk_cache import check, checksummed, default_cache_dir
from ..support.files import DRAFT, LOCK, entries_of, keyed, locked, new_file, remove_drafts, remove_locks, unlocked
from ..support.memory import container_memory
from ..support.paths import expanded
from . import _core

log = logging.getLogger(__name__)

Progress = Callable[[float], None]
GramMatrix = np.memmap[tuple[int, int], np.dtype[np.float32]]

_SHARED = Path("/dev/shm")
_FILE_MODE, _FOLDER_MODE = 0o600, 0o700

_MATRIX = ".f32"
_MATRIX_FILE = keyed(_MATRIX)
_MADV_POPULATE_WRITE = 23  # of Linux, which Python's mmap does not name: maps all pages of a range at once
_MARGIN = 256 << 20  # bytes left free on the file system, and in memory
_SHARE_OF_MEMORY, _SHARE_OF_FILE_SYSTEM = 0.75, 0.875  # the rest is for other programs
STALLED_SECONDS = 30.0
"""A process that holds a lock and makes no progress for so long is not waited for any longer."""
_LIMIT = 1 << 16  # largest size in bytes of what follows the values

_verified: set[tuple[int, int, int, int]] = set()
"""Files that this process has verified: device, inode, size, time of the last change."""


class UnusableFileError(Exception):
    """A file that must not be used; the message is the reason."""


class UnavailableError(Exception):
    """A Gram matrix cannot be had; the message is the reason."""


def default_directory() -> Path:
    """Return the default folder of Gram matrices: $SVM_GRAM_DIR, else shared memory, else the cache on disk."""
    if named := os.environ.get("SVM_GRAM_DIR"):
        return expanded(named, "SVM_GRAM_DIR")
    if _SHARED.is_dir() and os.access(_SHARED, os.W_OK):
        return _SHARED / f"svm-cost-curves-{os.geteuid()}"
    return default_cache_dir() / "gram"


def make_directory(directory: Path) -> None:
    """Make the folder of Gram matrices if it is missing; raises OSError.

    All users can write to shared memory: a folder there must belong to this user, and others must not read it.
    UnavailableError is raised if it is a link, or belongs to another user.
    """
    directory.mkdir(mode=_FOLDER_MODE, parents=True, exist_ok=True)
    if directory.parent != _SHARED:
        return
    status = directory.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
        whose = f"belongs to the user {status.st_uid}" if stat.S_ISDIR(status.st_mode) else "is a link"
        raise UnavailableError(f"{directory} {whose}, and could be used to change results: set SVM_GRAM_DIR")
    if stat.S_IMODE(status.st_mode) != _FOLDER_MODE:
        directory.chmod(_FOLDER_MODE)


def _in_memory(directory: Path) -> bool:
    return _SHARED in [directory, *directory.parents]


def _free_memory() -> int:
    return max(psutil.virtual_memory().available - _MARGIN, 0)


def _free_bytes(directory: Path) -> int:
    """Return the bytes that can be written to a folder; in shared memory at most the available memory."""
    free = shutil.disk_usage(directory).free - _MARGIN
    return min(free, _free_memory()) if _in_memory(directory) else free


def folder_limit(directory: Path) -> int:
    """Return the most bytes of all matrices in a folder: a part of the machine's memory and of the file system."""
    return int(min(_SHARE_OF_MEMORY * container_memory(), _SHARE_OF_FILE_SYSTEM * shutil.disk_usage(directory).total))


def gram_key(kernel: object, arrays: tuple[NDArray[np.generic], ...]) -> str:
    """Return the identity of a Gram matrix: a checksum of kernel, ordered data, core build and instruction set."""
    return checksum(f"{kernel!r} {_core.build_info()['build_id']} {_core.build_info()['isa']}", arrays)


def checksum(label: str, arrays: tuple[NDArray[np.generic], ...]) -> str:
    """Return a checksum of a text and of the arrays' types, shapes and values."""
    digest = hashlib.blake2b(label.encode(), digest_size=16)
    for array in arrays:
        digest.update(f"{array.dtype} {array.shape}".encode())
        digest.update(np.ascontiguousarray(array).data.cast("B"))
    return digest.hexdigest()


class GramStore:
    """A folder of Gram matrices, made when it is missing. Other files there are not counted, and stay."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def get(
        self,
        key: str,
        n: int,
        fill: Callable[[NDArray[np.float32], Progress], None],
        progress: Progress,
    ) -> GramMatrix:
        """Map the matrix `key`, (n, n) float32, read-only; build it by `fill` first if it is missing.

        If another process is building it, this one waits as long as that one makes progress. A new file is renamed to
        its final name once it is complete, so an unfinished one is never read. A damaged file is built again. A matrix
        is not removed while it is mapped here. `key` is as `gram_key` returns it: only files that are named by such a
        key are removed to make room. `progress` takes the part that is done, from 0 to 1.

        Raises UnavailableError if there is no room, the folder cannot be written or belongs to another user, or the
        process that builds the matrix makes no progress.
        """
        path = self.directory / f"{key}{_MATRIX}"
        try:
            make_directory(self.directory)
            matrix = self._read(path, key, n)  # without the lock: several processes can verify checksums at once
            if matrix is None:
                lock = self.directory / f"{key}{LOCK}"

                def report(done: float) -> None:
                    with contextlib.suppress(OSError):
                        os.utime(lock)  # for those that wait
                    progress(done)

                with self._locked(lock, f"builds the Gram matrix {path}"):
                    matrix = self._read(path, key, n, warn=True)
                    if matrix is None:
                        matrix = self._build(path, key, n, fill, report)
            with contextlib.suppress(OSError):  # the folder may be read-only
                os.utime(path, ns=(time.time_ns(), path.stat().st_mtime_ns), follow_symlinks=False)
        except TimeoutError as error:
            raise UnavailableError(f"{error.strerror}, and holds {error.filename}") from error
        except OSError as error:
            raise UnavailableError(f"{self.directory} cannot keep it: {error.strerror}") from error
        return matrix

    def _locked(self, path: Path, purpose: str) -> contextlib.AbstractContextManager[None]:
        return locked(
            path,
            lambda holder: log.warning("waiting for %s, which %s", holder, purpose),
            mode=_FILE_MODE,
            stalled=STALLED_SECONDS,
        )

    def _read(self, path: Path, key: str, n: int, *, warn: bool = False) -> GramMatrix | None:
        try:
            return read_matrix(path, key, n)
        except UnusableFileError as error:
            if warn:
                log.warning("The Gram matrix %s %s: it is built again.", path, error)
            return None

    def _build(
        self, path: Path, key: str, n: int, fill: Callable[[NDArray[np.float32], Progress], None], progress: Progress
    ) -> GramMatrix:
        size = 4 * n * n
        with contextlib.ExitStack() as renamed, contextlib.ExitStack() as stack:
            file = self._new_file(path, size, stack)
            if hasattr(os, "posix_fallocate"):  # fast, and a full file system is an error here and no signal later
                os.posix_fallocate(file.fileno(), 0, size)
            pages = mmap.mmap(file.fileno(), size)
            with contextlib.suppress(OSError):  # Linux before 5.14, and other systems: one page fault for each page
                pages.madvise(_MADV_POPULATE_WRITE)
            matrix = np.frombuffer(pages, dtype=np.float32).reshape(n, n)
            fill(matrix, progress)
            file.seek(matrix.nbytes)
            with checksummed(file):
                file.write(json.dumps({"key": key, "n": n, "xxh3": xxh3(matrix)}).encode())
            file.flush()
            del matrix
            descriptor = os.dup(file.fileno())
            renamed.callback(os.close, descriptor)
            renamed.callback(_mark_as_used, descriptor)  # the lock of a draft is exclusive
            return np.memmap(file, dtype=np.float32, mode="r", shape=(n, n))

    def _new_file(self, path: Path, size: int, stack: contextlib.ExitStack) -> BinaryIO:
        """Open a new file; remove older matrices for it.

        It has its size at once, so that other processes count it; its pages are allocated without the lock.
        """
        with self._locked(self.directory / "room.lock", f"makes room in {self.directory}"):
            remove_drafts(self.directory)
            remove_locks(self.directory)
            # drafts first: one that another process finishes in between would be missed in the other order
            drafts = _states(self.directory, DRAFT).values()
            promised = sum(max(state.st_size - 512 * state.st_blocks, 0) for state in drafts)
            used = sum(state.st_size for state in (*drafts, *_states(self.directory, _MATRIX_FILE).values()))
            room = max(min(_free_bytes(self.directory) - promised, folder_limit(self.directory) - used), 0)
            if not self._remove_unused(size - room):
                raise UnavailableError(
                    f"{size / 1e6:,.0f} MB are more than {self.directory} has room for ({room / 1e6:,.0f} MB besides "
                    "matrices that are in use)"
                )
            file = stack.enter_context(new_file(path, mode=_FILE_MODE, sync=False))
            file.truncate(size)
            return file

    def make_room_in_memory(self, size: int) -> bool:
        """Remove unused matrices from shared memory until `size` bytes of something else fit; return whether they do.

        Matrices that other processes left there would otherwise take memory that this one needs.
        """
        missing = size - _free_memory()
        if missing > 0 and _in_memory(self.directory):
            with contextlib.suppress(OSError, UnavailableError):
                make_directory(self.directory)
                return self._remove_unused(missing, partly=True)
        return missing <= 0

    def _remove_unused(self, missing: int, *, partly: bool = False) -> bool:
        """Remove the least recently used matrices that no process uses, of `missing` bytes; return whether there are.

        If there are not, nothing is removed, or with `partly` what there is.
        """
        states = _states(self.directory, _MATRIX_FILE)
        with contextlib.ExitStack() as held:
            unused = []
            for path in sorted(states, key=lambda path: states[path].st_atime_ns):
                if missing <= 0:
                    break
                with contextlib.suppress(OSError):  # in use, or not a file of this user
                    held.enter_context(unlocked(path))
                    unused.append(path)
                    missing -= states[path].st_size
            if missing <= 0 or partly:
                for path in unused:
                    path.unlink(missing_ok=True)
        return missing <= 0


def _mark_as_used(descriptor: int) -> None:
    """Share the lock on a file: mappings keep it, until the last one has ended."""
    with contextlib.suppress(OSError):
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)


def _states(folder: Path, names: re.Pattern[str]) -> dict[Path, os.stat_result]:
    """Return the files with such a name in a folder that still exist."""
    states = {}
    for path in entries_of(folder, names):
        with contextlib.suppress(FileNotFoundError):
            states[path] = path.lstat()
    return states


def read_matrix(path: Path, key: str, n: int) -> GramMatrix | None:
    """Map the matrix in a file, (n, n) float32, read-only; None if there is no file.

    Raises UnusableFileError if it cannot be read, belongs to another user, or is damaged.
    """
    try:
        # do not follow a link, and do not wait for a pipe
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UnusableFileError(f"cannot be read ({error.strerror})") from error
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise UnusableFileError("is not a file")
        if status.st_uid != os.geteuid():
            raise UnusableFileError(f"belongs to another user (uid {status.st_uid})")
        _mark_as_used(descriptor)
        checksum = _read_checksum(file, key, n)
        matrix: GramMatrix = np.memmap(file, dtype=np.float32, mode="r", shape=(n, n))
    state = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
    if state not in _verified:
        if xxh3(matrix) != checksum:
            raise UnusableFileError("does not hold the values that were written")
        _verified.add(state)
    return matrix


def _read_checksum(file: BinaryIO, key: str, n: int) -> str:
    file.seek(4 * n * n)
    content = io.BytesIO(file.read(_LIMIT))
    try:
        check(content)
        noted = json.load(content)
        written, checksum = (noted["key"], noted["n"]), str(noted["xxh3"])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise UnusableFileError("has no checksum, or a damaged one") from error
    if written != (key, n):
        raise UnusableFileError(f"holds the matrix {noted['key']}")
    return checksum


def xxh3(matrix: NDArray[np.float32]) -> str:
    """Return the checksum of the values of a matrix, (n, n) float32."""
    return xxhash.xxh3_128_hexdigest(matrix.reshape(-1).view(np.uint8).data)
