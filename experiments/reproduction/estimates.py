"""Estimates of the memory that runs need, and which of them share a Gram matrix."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from ...datasets import size_of
from ...solvers.passes import Passes
from ..configuration.schema import kernel_name
from ..configuration.settings import RunSettings
from ..run.curve_builder import PENDING_BYTES

PROCESS_BYTES: Final = 600 * 2**20
"""Memory of a process with its libraries, without data."""


def process_bytes(run: RunSettings) -> float:
    """Bytes of a run's process besides a Gram matrix."""
    size = size_of(run.dataset)
    bytes_per_value = 4.0 if size.stored == size.d else 8.0  # a sparse value has an index
    return PROCESS_BYTES + bytes_per_value * size.stored * (size.n + 2 * size.n_test) + _solver_bytes(run)


def _solver_bytes(run: RunSettings) -> float:
    size, features = size_of(run.dataset), _features(run)
    if kernel_name(run.kernel) in run.solver.explicit:
        return 8.0 * size.stored * size.n + 24.0 * size.d + PENDING_BYTES
    if features and _asks_no_rows(run) and not issubclass(run.solver, Passes):  # made for each presentation
        return 4.0 * features * (size.d + 1024.0)
    if features:
        return 4.0 * features * size.n + 40.0 * features**2
    if run.solver.timed:  # a library with its own cache of kernel rows
        return 0.75 * run.memory_bytes
    return 12.0 * size.n * float(getattr(run.solver_settings, "pairs", 0.0))  # of random features


def gram_bytes(run: RunSettings) -> float:
    """Bytes of the Gram matrix that all runs on the same data share; 0 where there is none."""
    if _asks_no_rows(run) or _features(run) or run.rows in ("cache", "on_the_fly"):
        return 0.0
    full = 4.0 * size_of(run.dataset).n ** 2
    return full if full <= run.memory_bytes else 0.0


def batch_key(run: RunSettings) -> tuple[str, bool]:
    """Return what the runs of one batch share: the data, and whether they do without a Gram matrix."""
    return repr(run.dataset), gram_bytes(run) == 0.0


def working_memory(runs: Iterable[RunSettings], jobs: int) -> float:
    """Bytes of the `jobs` largest processes, without the Gram matrix that they share."""
    return sum(sorted(map(process_bytes, runs), reverse=True)[:jobs])


def peak_memory(runs: Iterable[RunSettings], jobs: int) -> float:
    """Bytes that the runs need at worst, `jobs` at a time of each batch."""
    groups: dict[tuple[str, bool], list[RunSettings]] = {}
    for run in runs:
        groups.setdefault(batch_key(run), []).append(run)
    return max((working_memory(group, jobs) + max(map(gram_bytes, group)) for group in groups.values()), default=0.0)


def _features(run: RunSettings) -> float:
    """Return the number of features with which a run approximates the kernel; 0 where it does not."""
    return float(getattr(run.solver_settings, "features", 0.0))


def _asks_no_rows(run: RunSettings) -> bool:
    return "kernel_evaluations" in run.solver.not_counted(kernel_name(run.kernel))
