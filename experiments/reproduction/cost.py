"""Estimates of the seconds and the memory of runs that have not been made, to order them and to show the time left.

A model with few terms, good to a factor of about two: kernel evaluations at the speed at which this machine adds rows,
evaluations of the curve, and the start of a process. Results and run keys do not depend on it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from datasets import size_of
from datasets.sizes import Size
from experiments.configuration.schedule import EvaluationSchedule
from experiments.configuration.schema import kernel_name
from experiments.configuration.settings import RunSettings
from experiments.reproduction.speeds import DEFAULT, SPEEDS, Speed
from experiments.run.recorder import PENDING_BYTES
from solvers import Limit
from solvers.passes import Passes

Seconds = Callable[[RunSettings], float]
"""Returns the seconds that a run will probably take: `estimated_seconds`, or `calibration.Calibration.seconds`."""
REFERENCE_SECONDS = 0.9e-9
"""Seconds per kernel evaluation of an SBP iteration on rows in memory, on the machine of all other constants."""
START_SECONDS = 0.2
"""The record, and what a run cannot share with the one before it in its process."""
RANKS_SECONDS = 3.0
"""The start of the ranks of a run on MPI, which load libraries and data; they end with the run."""
PROCESS_BYTES = 600 * 2**20
"""Memory of a process with its libraries, without data."""

_ROW_ACCESSES = 15.0
"""Time of a presentation with explicit weights beside its accesses, in accesses: a row elsewhere in memory is read."""
_WORDS, _TEXT = 10_000, 0.1
"""Rows with more features are texts, of length 1. A linear method ends there as it does elsewhere with a tenth of C."""
_IMAGE_SECONDS = 35e-6
"""Seconds to make one deformed image, which the solver's clock does not count."""


@dataclass(frozen=True)
class Estimate:
    """Cost of one run.

    Attributes
    ----------
    seconds : float
        Of one core, from the begin of the record to its end.
    memory : float
        Bytes of the process besides a Gram matrix.
    start : float
        Seconds before the record begins.
    """

    seconds: float
    memory: float
    start: float = 0.0


def estimate(run: RunSettings) -> Estimate:
    """Estimate one run, without the Gram matrix."""
    size, speed = size_of(run.dataset), _speed(run)
    n = size.n
    presentations = _presentations(run, size)
    features = _features(run)
    if explicit(run):
        work = speed.access_seconds * _accesses(run, size, presentations)
        memory = 8.0 * size.stored * n + 24.0 * size.d + PENDING_BYTES
        evaluated = run.budget.evaluations * (2e-9 * size.stored * (n + size.n_test) + 5e-9 * size.d)
    elif features:
        work, memory = _approximate(run, size, presentations)
        held = 0 if run.dataset.kind == "elastic" and run.dataset.max_train is None else n  # not of a stream
        evaluated = features * ((held + size.n_test) * _kernel_seconds(size) + 0.06e-9 * held * _evaluations(run))
    else:
        work, memory = _exact(run, n, presentations)
        evaluated = min(0.5 * n, presentations) * size.n_test * _kernel_seconds(size)
        if hasattr(run.solver_settings, "pairs"):
            # passes of coordinate descent over pairs of random features, twice those at the largest number of pairs
            pairs = float(run.solver_settings.pairs)
            work, memory = n * pairs * (0.1e-9 * size.d + 100e-9), 4.0 * n * 2 * pairs * 1.5
    if run.budget.limit.cpu_seconds is not None:
        work = min(work, run.budget.limit.cpu_seconds / machine_factor())
    if run.dataset.kind == "elastic":
        work += _IMAGE_SECONDS * (n if run.dataset.max_train is not None else presentations)
    bytes_per_value = 4.0 if size.stored == size.d else 8.0  # a sparse value has an index
    memory += bytes_per_value * size.stored * (n + 2 * size.n_test) + PROCESS_BYTES
    start = 0.0 if run.engine == "local" else RANKS_SECONDS
    return Estimate(machine_factor() * (work + evaluated) + START_SECONDS, memory, start)


def _kernel_seconds(size: Size) -> float:
    """Seconds of a kernel value in a block of them: an inner product and one function."""
    return _product_seconds(size) + 6e-9


def _product_seconds(size: Size) -> float:
    """Seconds of an inner product in a block of them; sparse rows are multiplied value by value."""
    return 0.03e-9 * size.d if size.stored == size.d else 0.3e-9 * size.stored


def _speed(run: RunSettings) -> Speed:
    return SPEEDS.get(run.algo, DEFAULT)


def _features(run: RunSettings) -> float:
    """Return the number of features with which a run approximates the kernel; 0 where it does not."""
    return float(getattr(run.solver_settings, "features", 0.0))


def _evaluations(run: RunSettings) -> float:
    """Return the number of evaluations of a run, those at even steps included."""
    budget = run.budget
    even = 0.0 if budget.every is None else min(budget.epochs or 0.0, budget.tail or math.inf) / budget.every
    return budget.evaluations + even


def _exact(run: RunSettings, n: int, presentations: float) -> tuple[float, float]:
    """Return seconds and bytes of a method that works with the exact kernel."""
    if run.solver.timed:  # a library with its own cache of kernel rows
        return 12e-9 * n**2 * max(1.0, (run.problem.C or 1.0)) ** 0.25, 0.75 * run.memory_bytes
    speed = _speed(run)
    rows = speed.rows_with_bias if run.problem.bias else 1
    return REFERENCE_SECONDS * speed.row_share * presentations * n * rows, 0.0


def _approximate(run: RunSettings, size: Size, presentations: float) -> tuple[float, float]:
    """Return seconds and bytes of a method that makes features of the kernel, once or anew for each presentation."""
    features, speed = _features(run), _speed(run)
    stream = _asks_no_rows(run) and not issubclass(run.solver, Passes)
    each = _product_seconds(size) + 1e-9 + (0.0 if stream else 0.02e-9 * features)  # a second product for a sample
    work = features * each * (presentations if stream else size.n) + speed.access_seconds * features * presentations
    memory = 4.0 * features * (size.d + 1024.0) if stream else 4.0 * features * size.n + 40.0 * features**2
    return work, memory


def estimated_seconds(run: RunSettings) -> float:
    """Seconds of one run on one core, without the Gram matrix."""
    cost = estimate(run)
    return cost.start + cost.seconds


def expected_seconds(runs: Sequence[RunSettings], jobs: int, seconds: Seconds = estimated_seconds) -> float:
    """Wall seconds that runs will probably take, `jobs` at a time, with the Gram matrices that they share."""
    each = [seconds(run) for run in runs]
    grams: dict[str, float] = {}
    for run in runs:
        grams[repr(run.dataset)] = max(gram_seconds(run), grams.get(repr(run.dataset), 0.0))
    return max(sum(each) / jobs, max(each, default=0.0)) + sum(grams.values())


def gram_seconds(run: RunSettings) -> float:
    """Seconds that building the Gram matrix of a run's data takes; 0 where none is built."""
    bytes_ = gram_bytes(run)
    if not bytes_:
        return 0.0
    size = size_of(run.dataset)
    return machine_factor() * 0.5 * size.n**2 * (0.03e-9 * size.d + 1e-9) / run.building_threads + 1e-9 * bytes_


def gram_bytes(run: RunSettings) -> float:
    """Bytes of the Gram matrix that all runs on the same data share; 0 where there is none."""
    if _asks_no_rows(run) or _features(run) or run.rows in ("cache", "on_the_fly"):
        return 0.0
    full = 4.0 * size_of(run.dataset).n ** 2
    return full if full <= run.memory_bytes else 0.0


def explicit(run: RunSettings) -> bool:
    """Whether a run keeps explicit weights, and so asks for no kernel rows."""
    return kernel_name(run.kernel) in run.solver.explicit


def _asks_no_rows(run: RunSettings) -> bool:
    return "kernel_evaluations" in run.solver.not_counted(kernel_name(run.kernel))


def batch_key(run: RunSettings) -> tuple[str, bool]:
    """Return what the runs of one batch share: the data, and whether they use a Gram matrix.

    Runs without one may need its memory.
    """
    return repr(run.dataset), gram_bytes(run) == 0.0


def working_memory(runs: Iterable[RunSettings], jobs: int) -> float:
    """Bytes of the `jobs` largest processes, without the Gram matrix that they share."""
    return sum(sorted((estimate(run).memory for run in runs), reverse=True)[:jobs])


def peak_memory(runs: Iterable[RunSettings], jobs: int) -> float:
    """Bytes that the runs need at worst, `jobs` at a time of each batch."""
    groups: dict[tuple[str, bool], list[RunSettings]] = {}
    for run in runs:
        groups.setdefault(batch_key(run), []).append(run)
    return max(
        (working_memory(members, jobs) + max(map(gram_bytes, members)) for members in groups.values()), default=0.0
    )


@cache
def machine_factor() -> float:
    """Time that this machine takes for a memory-bound addition, over that of the reference machine."""
    rows = np.ones((256, 32_768), dtype=np.float32)
    total = np.zeros(32_768, dtype=np.float32)
    best = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        for row in rows:
            total += row
        best = min(best, time.perf_counter() - start)
    return float(np.clip(best / rows.size / 0.24e-9, 0.2, 5.0))


def _accesses(run: RunSettings, size: Size, presentations: float) -> float:
    if run.budget.limit.feature_accesses is not None:
        return float(run.budget.limit.feature_accesses)
    return presentations * (size.nonzero + _ROW_ACCESSES) * _speed(run).accesses


def _presentations(run: RunSettings, size: Size) -> float:
    budget, n = run.budget, size.n
    if issubclass(run.solver, Passes) and budget.limit.iterations is not None:  # it starts anew for each evaluation
        passes = EvaluationSchedule(budget.evaluations).limits(Limit(iterations=budget.limit.iterations))
        end = _own_end(run, size)
        before = sum((each.iterations or 0) <= end for each in passes)
        return float(n * sum(min(each.iterations or 0, end) for each in passes[: before + 1]))
    limits = [float("inf") if budget.epochs is None else budget.epochs * n]
    if budget.limit.iterations is not None:
        limits.append(float(budget.limit.iterations * getattr(run.solver_settings, "batch_size", 1)))
    if budget.limit.kernel_evaluations is not None:
        limits.append(budget.limit.kernel_evaluations / n)
    limits.append(n * _own_end(run, size))
    shortest = min(limits)
    return shortest if shortest < float("inf") else 10.0 * n


def _own_end(run: RunSettings, size: Size) -> float:
    """Return the epochs after which the solver stops by itself; infinite if it does not."""
    own_end = _speed(run).own_end
    if own_end is None:
        return math.inf
    C = run.problem.C or 1 / (size.n * (run.problem.lambda_ or 1 / size.n))
    if explicit(run) and size.stored < size.d and size.d > _WORDS:
        C *= _TEXT
    return max(1.0, own_end(C, getattr(run.solver_settings, "eps", 1.0)))
