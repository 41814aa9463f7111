"""Chooses the source of kernel rows: the whole Gram matrix, a cache of rows, or computation on the fly."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from svm_cost_curves.solvers import _core, blas
from svm_cost_curves.solvers.errors import SettingsError
from svm_cost_curves.solvers.gram_store import GramStore, NoRoomError, default_directory, gram_key
from svm_cost_curves.solvers.kernels import Kernel

Provider = Literal["auto", "gram", "cache", "on_the_fly"]

WORKING_BYTES = 1 << 30  # memory of a run besides its Gram matrix or row cache


@dataclass(frozen=True)
class RowPolicy:
    """How to provide kernel rows.

    Parameters
    ----------
    provider : {"auto", "gram", "cache", "on_the_fly"}
        auto: the Gram matrix if it fits, else the row cache.
    memory_bytes : int
        Memory limit of the whole run.
    gram_dir : Path
        Folder of Gram matrices.
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
    store = GramStore(policy.gram_dir, max(policy.memory_bytes - WORKING_BYTES, 0))
    refusal = store.room_for(n) if policy.provider in ("auto", "gram") else ""
    if refusal is None:
        refused = 0

        def fill(out: NDArray[np.float32], progress: Callable[[float], None]) -> None:
            nonlocal refused
            with blas.connected():
                refused = _core.fill_gram(function, matrix, out, policy.threads, progress)

        try:
            gram = store.get(gram_key(kernel, arrays), n, fill, policy.progress)
        except NoRoomError as error:  # another process has used the room since `room_for`
            refusal = str(error)
        else:
            text = f"whole Gram matrix, {4 * n * n / 1e9:.2f} GB, kept in {policy.gram_dir}"
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
    store.make_room_in_memory(4 * n * capacity)
    why = f" (no Gram matrix: {refusal})" if refusal else ""
    text = f"row cache, {capacity} of {n} rows in {4 * n * capacity / 1e9:.2f} GB{why}"
    return Rows(_core.CachedRows(function, matrix, positives, capacity), text)
