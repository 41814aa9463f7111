"""Stores Gram matrices in files that all processes map: built once, used by all later runs.

The default folder is in shared memory (``/dev/shm``) if there is any, else in the per-user cache on disk. Its size is
limited by the memory limit of a run: the least recently used matrices are removed for a new one.

A file has the values, then their checksum, which a process verifies when it first maps the file: a tenth of a second
for each GB. XXH3 detects changes by a disk, a crash or another program. The time of the last change cannot replace it:
in shared memory, a write through a mapping does not change it.
"""

from __future__ import annotations

import contextlib
import errno
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
import xxhash
from numpy.typing import NDArray

from svm_cost_curves.solvers import _core
from svm_cost_curves.solvers.errors import SettingsError
from svm_cost_curves.support.disk_cache import check, checksummed, default_cache_dir
from svm_cost_curves.support.files import (
    DRAFT,
    LOCK,
    POLL_SECONDS,
    entries_of,
    keyed,
    locked,
    new_file,
    remove_drafts,
    remove_locks,
)

log = logging.getLogger(__name__)

Progress = Callable[[float], None]
GramMatrix = np.memmap[tuple[int, int], np.dtype[np.float32]]

_SHARED = Path("/dev/shm")
_FILE_MODE, _FOLDER_MODE = 0o600, 0o700

_MATRIX = ".f32"
_MATRIX_FILE = keyed(_MATRIX)
_MADV_POPULATE_WRITE = 23  # of Linux, which Python's mmap does not name: maps all pages of a range at once
_MARGIN = 256 << 20  # bytes left free on the file system
_LIMIT = 1 << 16  # largest size in bytes of what follows the values

_verified: set[tuple[int, int, int, int]] = set()
"""Files that this process has verified: device, inode, size, time of the last change."""


class UnusableFileError(Exception):
    """A file that must not be used; the message is the reason."""


class NoRoomError(SettingsError):
    """A Gram matrix does not fit into its folder."""


def default_directory() -> Path:
    """Return the default folder of Gram matrices: $SVM_GRAM_DIR, else shared memory, else the cache on disk."""
    if named := os.environ.get("SVM_GRAM_DIR"):
        return Path(named)
    if _SHARED.is_dir() and os.access(_SHARED, os.W_OK):
        return _SHARED / f"svm-cost-curves-{os.geteuid()}"
    return default_cache_dir() / "gram"


def make_directory(directory: Path) -> None:
    """Make the folder of Gram matrices if it is missing; raises OSError.

    All users can write to shared memory: a folder there must belong to this user, and others must not read it.
    SettingsError is raised if it is a link, or belongs to another user.
    """
    directory.mkdir(mode=_FOLDER_MODE, parents=True, exist_ok=True)
    if directory.parent != _SHARED:
        return
    status = directory.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
        whose = f"belongs to the user {status.st_uid}" if stat.S_ISDIR(status.st_mode) else "is a link"
        raise SettingsError(f"{directory} {whose}, and could be used to change results: set SVM_GRAM_DIR to a folder")
    if stat.S_IMODE(status.st_mode) != _FOLDER_MODE:
        directory.chmod(_FOLDER_MODE)


def _in_memory(directory: Path) -> bool:
    return _SHARED in [directory, *directory.parents]


def _free_bytes(directory: Path) -> int:
    """Return the bytes that can be written below an existing folder; in shared memory at most the available memory."""
    free = shutil.disk_usage(directory).free
    if _in_memory(directory):
        import psutil

        free = min(free, psutil.virtual_memory().available)
    return max(free - _MARGIN, 0)


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
    """A folder of Gram matrices, made when it is missing.

    The size of all matrices in it is limited to `limit_bytes`; other files there are not counted, and stay.
    """

    def __init__(self, directory: Path, limit_bytes: int) -> None:
        self.directory = directory
        self.limit_bytes = limit_bytes

    def room_for(self, n: int) -> str | None:
        """Return None if a matrix of n x n float32 fits, else the reason why it does not.

        Raises SettingsError if the folder cannot be read.
        """
        size = 4 * n * n
        if size > self.limit_bytes:
            return f"{size / 1e9:.1f} GB are more than the memory limit leaves ({self.limit_bytes / 1e9:.1f} GB)"
        try:
            existing = self.directory
            while not existing.exists():
                existing = existing.parent
            reclaimable = _bytes(self.directory, _MATRIX_FILE) + _bytes(self.directory, DRAFT)
            free = _free_bytes(existing) + reclaimable
        except OSError as error:
            raise self._unusable(error) from error
        if size > free:
            return f"{size / 1e9:.1f} GB are more than {self.directory} has room for ({free / 1e9:.1f} GB)"
        return None

    def get(
        self,
        key: str,
        n: int,
        fill: Callable[[NDArray[np.float32], Progress], None],
        progress: Progress,
    ) -> GramMatrix:
        """Map the matrix `key`, (n, n) float32, read-only; build it by `fill` first if it is missing.

        If another process is building it, this one waits. A new file is renamed to its final name once it is complete,
        so an unfinished one is never read. A damaged file is built again. A matrix that another process removes stays
        mapped here. `key` is as `gram_key` returns it: only files that are named by such a key are removed to make
        room. `progress` takes the part that is done, from 0 to 1.

        Raises
        ------
        NoRoomError
            If there is no room for it.
        SettingsError
            If the folder cannot be written, or belongs to another user.
        """
        path = self.directory / f"{key}{_MATRIX}"
        try:
            make_directory(self.directory)
            matrix = self._read(path, key, n)  # without the lock: several processes can verify checksums at once
            if matrix is None:
                with locked(
                    self.directory / f"{key}{LOCK}",
                    lambda holder: log.warning("waiting for %s, which builds the Gram matrix %s", holder, path),
                    mode=_FILE_MODE,
                ):
                    matrix = self._read(path, key, n, warn=True)
                    if matrix is None:
                        matrix = self._build(path, key, n, fill, progress)
            with contextlib.suppress(OSError):  # another process may have removed it
                os.utime(path, ns=(time.time_ns(), path.stat().st_mtime_ns), follow_symlinks=False)
        except OSError as error:
            raise self._unusable(error) from error
        return matrix

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
        with contextlib.ExitStack() as stack:
            file = self._allocate(path, 4 * n * n, stack)
            pages = mmap.mmap(file.fileno(), 4 * n * n)
            with contextlib.suppress(OSError):  # Linux before 5.14, and other systems: one page fault for each page
                pages.madvise(_MADV_POPULATE_WRITE)
            matrix = np.frombuffer(pages, dtype=np.float32).reshape(n, n)
            fill(matrix, progress)
            file.seek(matrix.nbytes)
            with checksummed(file):
                file.write(json.dumps({"key": key, "n": n, "xxh3": xxh3(matrix)}).encode())
            file.flush()
            del matrix
            return np.memmap(file, dtype=np.float32, mode="r", shape=(n, n))

    def _allocate(self, path: Path, size: int, stack: contextlib.ExitStack) -> BinaryIO:
        """Open a new file of this size; remove older matrices for it, and wait while other processes build theirs."""
        warned = False
        while True:
            with locked(
                self.directory / "room.lock",
                lambda holder: log.warning("waiting for %s, which makes room in %s", holder, self.directory),
                mode=_FILE_MODE,
            ):
                remove_drafts(self.directory)
                remove_locks(self.directory)
                # before the eviction, for which one that is finished makes room
                building = entries_of(self.directory, DRAFT)
                if self._evict(size):
                    file = stack.enter_context(new_file(path, mode=_FILE_MODE, sync=False))
                    _reserve(file, size)
                    return file
            if not building:
                raise NoRoomError(f"the Gram matrix does not fit: {self._shortage(size)}")
            if not warned:
                log.warning("waiting for room in %s, where other processes build Gram matrices", self.directory)
                warned = True
            time.sleep(POLL_SECONDS)

    def _shortage(self, size: int) -> str:
        free = min(_free_bytes(self.directory), self.limit_bytes)
        return f"{size / 1e9:.1f} GB are more than {self.directory} has room for ({free / 1e9:.1f} GB)"

    def _unusable(self, error: OSError) -> SettingsError:
        return SettingsError(f"the Gram matrix cannot be kept in {self.directory}: {error.strerror}; set SVM_GRAM_DIR")

    def make_room_in_memory(self, size: int) -> None:
        """Remove matrices from shared memory until they and `size` bytes of something else are within the limit.

        Without this, several processes could use more than the machine's memory while each respects its own limit.
        Raises SettingsError if the folder belongs to another user, or cannot be read.
        """
        if _in_memory(self.directory):
            try:
                make_directory(self.directory)
                self._evict(size)
            except OSError as error:
                raise self._unusable(error) from error

    def _evict(self, size: int) -> bool:
        """Remove the least recently used matrices until `size` more bytes fit; return whether they fit."""
        # in this order, as a draft that another process finishes in between would be missed in the other one
        needed = size + _bytes(self.directory, DRAFT)
        states = _states(self.directory, _MATRIX_FILE)
        needed += sum(state.st_size for state in states.values())
        for path in sorted(states, key=lambda path: states[path].st_atime_ns):
            if needed <= self.limit_bytes and size <= _free_bytes(self.directory):
                return True
            needed -= states[path].st_size
            path.unlink(missing_ok=True)  # a process that has mapped it can still read it
        return needed <= self.limit_bytes and size <= _free_bytes(self.directory)


def _states(folder: Path, names: re.Pattern[str]) -> dict[Path, os.stat_result]:
    """Return the files with such a name in a folder that still exist."""
    states = {}
    for path in entries_of(folder, names):
        with contextlib.suppress(FileNotFoundError):
            states[path] = path.lstat()
    return states


def _bytes(folder: Path, names: re.Pattern[str]) -> int:
    """Return the size of the files with such a name in a folder."""
    return sum(state.st_size for state in _states(folder, names).values())


def _reserve(file: BinaryIO, size: int) -> None:
    """Allocate all pages of a new file.

    One call is several times faster than touching page by page. And a full file system is reported here; otherwise it
    would kill the process with a signal while the matrix is written.
    """
    try:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file.fileno(), 0, size)
        else:  # macOS
            file.truncate(size)
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise NoRoomError(f"the Gram matrix does not fit: {error.strerror} for {size / 1e9:.1f} GB") from error


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
