"""Chooses the source of kernel rows: the whole Gram matrix, a cache of rows, or computation on the fly."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ..support.text import size_text
from . import _core, blas
from .errors import SettingsError
from .gram_store import GramStore, Progress, UnavailableError, default_directory, gram_key
from .kernels import Kernel

log = logging.getLogger(__name__)

Provider = Literal["auto", "gram", "cache", "on_the_fly"]

MAX_THREADS = 1024
"""As many as the core starts."""
WORKING_BYTES = 1 << 30  # memory of a run besides its Gram matrix or row cache
PRIVATE_BYTES = 32 << 20
"""Largest Gram matrix that a process always keeps in its own memory: 2,896 points, built in 0.04 to 0.2 s."""


@dataclass(frozen=True)
class RowPolicy:
    """How to provide kernel rows.

    Parameters
    ----------
    provider : {"auto", "gram", "cache", "on_the_fly"}
        auto: the Gram matrix if it fits, else the row cache.
    memory_bytes : int
        Memory limit of the whole run: of what it builds or maps, not of the folder of Gram matrices.
    gram_dir : Path
        Folder of Gram matrices of more than `PRIVATE_BYTES`.
    threads : int
        Number of threads that build a Gram matrix and evaluate predictors.
    progress : callable
        Called with the fraction of the Gram matrix that is done.
    """

    provider: Provider = "auto"
    memory_bytes: int = 4 << 30
    gram_dir: Path = field(default_factory=default_directory)
    threads: int = field(default_factory=lambda: os.cpu_count() or 1)
    progress: Callable[[float], None] = lambda _: None

    def __post_init__(self) -> None:
        providers = get_args(Provider)
        if self.provider not in providers:
            raise SettingsError(f"rows.provider = {self.provider!r}: it must be one of {', '.join(providers)}")
        if self.threads < 1:
            raise SettingsError(f"threads = {self.threads}: it must be at least 1")


@dataclass(frozen=True)
class Rows:
    """A source of rows, and its description for the user."""

    source: _core.RowSource
    description: str


def threads_refused(refused: int, asked: int) -> str:
    """Return a sentence: some threads could not be started. The results have the same bits but take longer."""
    return f"{refused} of {asked} threads could not be started (a limit of processes or of memory), the others go on"


def make_rows(
    kernel: Kernel,
    matrix: _core.Matrix,
    arrays: tuple[NDArray[np.generic], ...],
    positives: int,
    policy: RowPolicy,
) -> Rows:
    """Return a source of kernel rows of n training points, the `positives` of class +1 first.

    The `arrays` of the matrix identify the Gram matrix. Raises SettingsError if the requested provider does not fit in
    memory, CoreError if float32 cannot hold the kernel's values.
    """
    n = matrix.rows
    function = kernel.core()
    refusal = ""
    if policy.provider in ("auto", "gram"):
        refused = 0

        def fill(out: NDArray[np.float32], progress: Progress) -> None:
            nonlocal refused
            with blas.connected():
                refused = _core.fill_gram(function, matrix, out, policy.threads, progress)

        try:
            gram, where = _gram_matrix(n, lambda: gram_key(kernel, arrays), fill, policy)
        except UnavailableError as error:
            refusal = str(error)
        else:
            text = f"whole Gram matrix, {size_text(4 * n * n)}, {where}"
            if refused:
                text += f"; {threads_refused(refused, policy.threads)}"
            return Rows(_core.GramRows(function, matrix, positives, gram), text)
    if policy.provider == "gram":
        raise SettingsError(f"rows.provider=gram: {refusal}; raise memory=, or take rows.provider=cache")
    if policy.provider == "on_the_fly":
        return Rows(_core.CachedRows(function, matrix, positives, 2), "each row computed when it is needed")
    data_bytes = 2 * sum(array.nbytes for array in arrays)  # at most: with a second copy, by columns
    if len(arrays) > 1:  # sparse: this copy has d offsets instead of n
        data_bytes += 8 * (matrix.columns + 2)
    capacity = (policy.memory_bytes - WORKING_BYTES - data_bytes) // (4 * n)
    if capacity < 2:
        raise SettingsError(
            f"memory = {policy.memory_bytes / 1e9:.1f} GB is too little: the data take {data_bytes / 1e9:.1f} GB, "
            f"the run {WORKING_BYTES / 1e9:.1f} GB, and two kernel rows {8 * n / 1e9:.3f} GB"
        )
    capacity = min(capacity, n)
    GramStore(policy.gram_dir).make_room_in_memory(4 * n * capacity)
    why = f" (no Gram matrix: {refusal})" if refusal else ""
    text = f"row cache, {capacity} of {n} rows in {size_text(4 * n * capacity)}{why}"
    return Rows(_core.CachedRows(function, matrix, positives, capacity), text)


def _gram_matrix(
    n: int, key: Callable[[], str], fill: Callable[[NDArray[np.float32], Progress], None], policy: RowPolicy
) -> tuple[NDArray[np.float32], str]:
    """Return the Gram matrix, (n, n) read-only, and where it is: its values are the same everywhere.

    Raises UnavailableError if it is larger than the policy allows, or has no room in its folder nor in memory.
    """
    size, allowed = 4 * n * n, max(policy.memory_bytes - WORKING_BYTES, 0)
    if size > allowed:
        raise UnavailableError(f"{size / 1e9:.1f} GB are more than the memory limit leaves ({allowed / 1e9:.1f} GB)")
    where = "in this process's memory"
    if size > PRIVATE_BYTES:
        store = GramStore(policy.gram_dir)
        try:
            return store.get(key(), n, fill, policy.progress), f"kept in {policy.gram_dir}"
        except UnavailableError as error:
            if not store.make_room_in_memory(size):
                raise UnavailableError(f"{error}, and more than is free in memory") from error
            log.warning("The Gram matrix is built in this process's memory: %s.", error)
            where += f": {error}"
    try:
        matrix = np.empty((n, n), dtype=np.float32)
    except MemoryError as error:
        raise UnavailableError(f"{size / 1e9:.1f} GB are more than this process may allocate") from error
    fill(matrix, policy.progress)
    matrix.flags.writeable = False
    return matrix, where
