"""Where kernel rows come from: the whole Gram matrix, a cache of rows, or the data, chosen by what fits."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from solvers import _core, blas
from solvers.errors import SettingsError
from solvers.gram_store import GramStore, NoRoomError, default_directory, gram_key
from solvers.kernels import Kernel

Provider = Literal["auto", "gram", "cache", "on_the_fly"]

WORKING_BYTES = 1 << 30  # what a run needs besides its Gram matrix or row cache


@dataclass(frozen=True)
class RowPolicy:
    """How to provide kernel rows.

    Parameters
    ----------
    provider : {"auto", "gram", "cache", "on_the_fly"}
        auto takes the Gram matrix when it fits, else the row cache.
    memory_bytes : int
        What the whole run may use.
    gram_dir : Path
        Folder of Gram matrices.
    threads : int
        For building a Gram matrix and evaluating predictors.
    progress : callable
        Told the fraction of the Gram matrix that is done.

    Raises
    ------
    SettingsError
        If there is no such provider, or threads < 1.
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
    """A source of rows, and what to say about it."""

    source: _core.RowSource
    description: str


def threads_refused(refused: int, asked: int) -> str:
    """Say that the system has not started all threads: with fewer the results are the same bits, later."""
    return f"{refused} of {asked} threads could not be started (a limit of processes or of memory), the others go on"


def make_rows(
    kernel: Kernel,
    matrix: _core.Matrix,
    arrays: tuple[NDArray[np.generic], ...],
    positives: int,
    policy: RowPolicy,
) -> Rows:
    """Return the rows of class-ordered training points under a policy.

    Parameters
    ----------
    kernel : Kernel
    matrix : _core.Matrix
        n training points, the `positives` of class +1 first.
    arrays : tuple of arrays
        The arrays behind `matrix`, for the Gram matrix's identity.
    positives : int
    policy : RowPolicy

    Raises
    ------
    SettingsError
        If the provider asked for by name does not fit.
    CoreError
        If float32 cannot hold the kernel's values.
    """
    n = matrix.rows
    function = kernel.core()
    store = GramStore(policy.gram_dir, max(policy.memory_bytes - WORKING_BYTES, 0), policy.threads)
    refusal = store.room_for(n) if policy.provider in ("auto", "gram") else ""
    if refusal is None:
        refused = 0

        def fill(out: NDArray[np.float32], progress: Callable[[float], None]) -> None:
            nonlocal refused
            with blas.connected():
                refused = _core.fill_gram(function, matrix, out, policy.threads, progress)

        try:
            gram = store.get(gram_key(kernel, arrays), n, fill, policy.progress)
        except NoRoomError as error:  # taken by other processes since the room was asked for
            refusal = str(error)
        else:
            text = f"whole Gram matrix, {4 * n * n / 1e9:.2f} GB, kept in {policy.gram_dir}"
            if refused:
                text += f"; {threads_refused(refused, policy.threads)}"
            return Rows(_core.GramRows(function, matrix, positives, gram), text)
    if policy.provider == "gram":
        raise SettingsError(f"rows.provider=gram: {refusal}; raise memory=, or take rows.provider=cache")
    if policy.provider == "on_the_fly":
        return Rows(_core.CachedRows(function, matrix, positives, 2), "each row computed when it is asked for")
    data_bytes = 2 * sum(array.nbytes for array in arrays)  # a second copy by columns, at most
    capacity = (policy.memory_bytes - WORKING_BYTES - data_bytes) // (4 * n)
    if capacity < 2:
        raise SettingsError(
            f"memory = {policy.memory_bytes / 1e9:.1f} GB is too little: the data take {data_bytes / 1e9:.1f} GB, "
            f"the run {WORKING_BYTES / 1e9:.1f} GB, and two kernel rows {8 * n / 1e9:.3f} GB"
        )
    capacity = min(capacity, n)
    store.make_room_in_memory(4 * n * capacity)
    why = f" (no Gram matrix: {refusal})" if refusal else ""
    text = f"row cache, {capacity} of {n} rows in {4 * n * capacity / 1e9:.2f} GB{why}"
    return Rows(_core.CachedRows(function, matrix, positives, capacity), text)
