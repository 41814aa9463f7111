"""Gram matrices in files that all processes map, built once and reused by every later run.

The default place is shared memory (``/dev/shm``) where there is one, else the per-user cache on disk. The folder holds
at most what a run's memory limit allows: the least recently used matrices make room for a new one.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from solvers import _core
from solvers.errors import SettingsError

Progress = Callable[[float], None]

_MARGIN = 256 << 20  # bytes left free on the file system


def default_directory() -> Path:
    """Return where Gram matrices are kept unless told otherwise: $SVM_GRAM_DIR, shared memory, or the user's cache."""
    if named := os.environ.get("SVM_GRAM_DIR"):
        return Path(named)
    shared = Path("/dev/shm")
    if shared.is_dir() and os.access(shared, os.W_OK):
        return shared / f"svm-cost-curves-{os.getuid()}"
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    return cache / "svm-cost-curves" / "gram"


def _in_memory(directory: Path) -> bool:
    return Path("/dev/shm") in [directory, *directory.parents]


def _free_bytes(directory: Path) -> int:
    """Return what may still be written below an existing folder; in shared memory, no more than is free of that."""
    free = shutil.disk_usage(directory).free
    if _in_memory(directory):
        import psutil

        free = min(free, psutil.virtual_memory().available)
    return max(free - _MARGIN, 0)


def gram_key(kernel: object, arrays: tuple[NDArray[np.generic], ...]) -> str:
    """Return the identity of a Gram matrix: the kernel's parameters, the ordered data, the core's build."""
    return checksum(f"{kernel!r} {_core.build_info()['build_id']} {_core.build_info()['isa']}", arrays)


def checksum(label: str, arrays: tuple[NDArray[np.generic], ...]) -> str:
    """Return a checksum of some words and the arrays' types, shapes and values."""
    digest = hashlib.blake2b(label.encode(), digest_size=16)
    for array in arrays:
        digest.update(f"{array.dtype} {array.shape}".encode())
        digest.update(np.ascontiguousarray(array).data.cast("B"))
    return digest.hexdigest()


class GramStore:
    """A folder of Gram matrices.

    Parameters
    ----------
    directory : Path
        Made when it is missing.
    limit_bytes : int
        What the folder may hold in all.
    """

    def __init__(self, directory: Path, limit_bytes: int) -> None:
        self.directory = directory
        self.limit_bytes = limit_bytes

    def room_for(self, n: int) -> str | None:
        """Return None when a matrix of n x n float32 can be kept here, else the reason why not."""
        size = 4 * n * n
        if size > self.limit_bytes:
            return f"{size / 1e9:.1f} GB are more than the memory limit leaves ({self.limit_bytes / 1e9:.1f} GB)"
        existing = self.directory
        while not existing.exists():
            existing = existing.parent
        reclaimable = sum(path.stat().st_size for path in self._matrices())
        free = _free_bytes(existing) + reclaimable
        if size > free:
            return f"{size / 1e9:.1f} GB are more than {self.directory} has room for ({free / 1e9:.1f} GB)"
        return None

    def get(
        self,
        key: str,
        n: int,
        fill: Callable[[NDArray[np.float32], Progress], None],
        progress: Progress,
    ) -> np.memmap[tuple[int, int], np.dtype[np.float32]]:
        """Map the matrix `key`, (n, n) float32, read-only; build it first when it is not there.

        A process that finds another one building waits for it. An unfinished file is never taken for a matrix: it is
        built beside and renamed when it is whole.

        Raises
        ------
        SettingsError
            If there is no room for it, or the folder cannot be written.
        """
        path = self.directory / f"{key}.f32"
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
            with self._locked(key):
                if not (path.exists() and path.stat().st_size == 4 * n * n):
                    self._build(path, n, fill, progress)
                os.utime(path)
        except OSError as error:
            raise SettingsError(
                f"the Gram matrix cannot be kept in {self.directory}: {error.strerror}; set SVM_GRAM_DIR"
            ) from error
        return np.memmap(path, dtype=np.float32, mode="r", shape=(n, n))

    def _build(
        self, path: Path, n: int, fill: Callable[[NDArray[np.float32], Progress], None], progress: Progress
    ) -> None:
        if reason := self.room_for(n):
            raise SettingsError(f"the Gram matrix does not fit: {reason}")
        self._evict(4 * n * n)
        partial = path.with_suffix(".partial")
        try:
            # Allocated in one call: touching a new file page by page costs several times as much, and a file system
            # without room says so here instead of killing the process in the middle.
            with partial.open("wb") as file:
                os.posix_fallocate(file.fileno(), 0, 4 * n * n)
            matrix = np.memmap(partial, dtype=np.float32, mode="r+", shape=(n, n))
            fill(matrix, progress)
            del matrix
            partial.rename(path)
        finally:
            partial.unlink(missing_ok=True)

    def _matrices(self) -> list[Path]:
        """All matrices, the least recently used first."""
        found = self.directory.glob("*.f32") if self.directory.is_dir() else []
        return sorted(found, key=lambda path: path.stat().st_mtime)

    def make_room_in_memory(self, size: int) -> None:
        """Let matrices go that lie in memory and would not fit the limit together with `size` bytes of something else.

        They would push the machine beyond its memory, and no limit of a single process would show it.
        """
        if _in_memory(self.directory):
            self._evict(size)

    def _evict(self, size: int) -> None:
        matrices = self._matrices()
        held = sum(path.stat().st_size for path in matrices)
        for path in matrices:
            if held + size <= self.limit_bytes and size <= _free_bytes(self.directory):
                return
            held -= path.stat().st_size
            path.unlink(missing_ok=True)  # a process that has it mapped keeps its copy

    @contextlib.contextmanager
    def _locked(self, key: str) -> Iterator[None]:
        with (self.directory / f"{key}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
