"""What a run will probably take, before it is made: seconds and memory, to order runs and to tell the time left.

A model with few terms, good to a factor of about two: kernel evaluations at the speed at which this machine adds rows,
the evaluation of checkpoints, and what every run pays for its start. Nothing but messages depends on it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from datasets import DatasetSpec
from datasets.transforms import is_dense
from experiments.configuration.schedule import EvaluationSchedule
from experiments.configuration.schema import kernel_name
from experiments.configuration.settings import RunSettings
from experiments.run.recorder import PENDING_BYTES
from solvers import Limit

REFERENCE_SECONDS = 0.9e-9
"""Per kernel evaluation of an SBP iteration on rows in memory, on the machine that the other constants are from."""
START_SECONDS = 1.0
"""Loading, the record, the first picture."""
PROCESS_BYTES = 600 * 2**20
"""Of a process with the libraries loaded, besides its data."""

_IMAGE_SECONDS = 35e-6
"""Of an image that is made when it is needed, which solvers do not pay for."""
_EVALUATIONS = {"sbp": 1.0, "smo": 0.8, "perceptron": 0.05, "averaged_perceptron": 0.1, "pegasos": 0.15, "sdca": 0.12}
"""Share of a full row's time that an example presentation takes: most ask for no row, or for a part of one."""
_ACCESS_SECONDS = {"simba": 28e-9, "pegasos": 1.5e-9, "sgd_m": 0.8e-9}
"""Per feature access; SIMBA spends most of it on the importance of all examples, SGD-m looks once for several."""
_OTHER_ACCESS_SECONDS = 2.0e-9
_OWN_END: Mapping[str, Callable[[float, float], float]] = {
    "smo": lambda C, eps: 9.0,
    "lasvm": lambda C, eps: 0.7 * C**0.4,
    "svmlight": lambda C, eps: 1.8 * C**0.3,
    "sgd_s": lambda C, eps: 2.5 * C / eps,
    "sgd_m": lambda C, eps: 8.5 * C / eps,
    "dcd": lambda C, eps: 5.0 * C**0.8 * math.log(1 / eps),
    "mpu": lambda C, eps: 0.3 * C / eps,
    "ocas": lambda C, eps: 3.0 * math.sqrt(C / eps),
    "svmperf": lambda C, eps: 5.0 * math.sqrt(C / eps),
    "cpny": lambda C, eps: 2.0 * math.sqrt(C / eps),
    "cpsp": lambda C, eps: 2.0 * math.sqrt(C / eps),
}
"""Epochs after which a method has stopped by itself, for C and eps: fitted to six data sets, each off by up to six."""
_AGAIN = ("liblinear", "sklearn_sgd", "sklearn_nystroem")
"""Count passes as iterations, and are made anew for each checkpoint."""


@dataclass(frozen=True)
class Size:
    """Of a data set, as far as its specification tells; unknown sizes are those of a small set."""

    n: int
    n_test: int
    d: int
    stored: float
    """Coordinates of a row that are stored: d where rows are dense."""


@dataclass(frozen=True)
class Estimate:
    """Seconds of one core, and bytes of one process besides a Gram matrix."""

    seconds: float
    memory: float


def size_of(spec: DatasetSpec) -> Size:
    """Sizes after split and sampling; unknown ones are guessed."""
    n, n_test, d = rows_of(spec), spec.expected_test.n, spec.d or 100
    if spec.parts is not None:
        n_test = spec.parts[1 if spec.validate else 2]
    elif spec.kind in ("synthetic", "elastic"):
        n_test = spec.n_test
    elif spec.expected_train.n is not None and n_test is None:
        n_test = _held_out(spec, spec.expected_train.n)
    n_test = n_test or 500
    return Size(n or min(1500, spec.max_train or 1500), min(n_test, spec.max_test or n_test), d, _stored(spec, d))


def rows_of(spec: DatasetSpec) -> int | None:
    """Training rows after split and sampling; None where the specification does not tell."""
    if spec.parts is not None:
        return min(spec.parts[0], spec.max_train or spec.parts[0])
    n = spec.n if spec.kind in ("synthetic", "elastic") else spec.expected_train.n
    if n is None:
        return None
    if spec.kind != "synthetic" and spec.expected_test.n is None:
        n -= _held_out(spec, n)
    return min(n, spec.max_train or n)


def _held_out(spec: DatasetSpec, n: int) -> int:
    """Test rows of a data set without a test file, of `n` rows."""
    return spec.test_count if spec.test_count is not None else round(n * spec.test_fraction)


def _stored(spec: DatasetSpec, d: int) -> float:
    rows, nonzero = spec.expected_train.n, spec.expected_train.nnz
    if rows is None or nonzero is None or is_dense(nonzero, rows, d, spec.storage):
        return d
    return nonzero / rows


def _read(spec: DatasetSpec, size: Size) -> float:
    """Coordinates of a row that methods with explicit weights read: those that are not zero, unless most are."""
    rows, nonzero = spec.expected_train.n, spec.expected_train.nnz
    if rows is None or nonzero is None or 2 * nonzero > rows * size.d:
        return size.stored
    return nonzero / rows


def estimate(run: RunSettings) -> Estimate:
    """Estimate one run, without the Gram matrix."""
    size = size_of(run.dataset)
    n = size.n
    presentations = _presentations(run, n)
    if run.algo == "fourier":
        # features, some hundred passes of coordinate descent at the largest k, which cost as much as all smaller ones
        pairs = float(getattr(run.solver_settings, "pairs", 1024))
        work = n * pairs * (0.1e-9 * size.d + 100e-9)
        memory = 4.0 * n * 2 * pairs * 1.5
    elif approximates(run):
        work, memory = _approximate(run, size, presentations)
    elif run.algo == "libsvm":
        work = 1.4e-9 * n**2 * 30 * max(1.0, (run.problem.C or 1.0)) ** 0.25
        memory = 0.75 * run.memory_bytes
    elif explicit(run):
        work = _ACCESS_SECONDS.get(run.algo, _OTHER_ACCESS_SECONDS) * _accesses(run, size, presentations)
        memory = 8.0 * size.stored * n + 24.0 * size.d + PENDING_BYTES
    else:
        rows = 2 if run.problem.bias and run.algo in ("sbp", "smo") else 1
        work = REFERENCE_SECONDS * _EVALUATIONS.get(run.algo, 1.0) * presentations * n * rows
        memory = 0.0
    if explicit(run):
        evaluated = run.budget.evaluations * (2e-9 * size.stored * (n + size.n_test) + 5e-9 * size.d)
    elif approximates(run):
        features = float(run.solver_settings.features)
        evaluated = features * ((n + size.n_test) * (0.03e-9 * size.d + 6e-9) + 0.06e-9 * n * _looks(run))
    else:
        evaluated = min(0.5 * n, presentations) * size.n_test * (0.03e-9 * size.d + 6e-9)
    if run.budget.limit.cpu_seconds is not None:
        work = min(work, run.budget.limit.cpu_seconds / machine_factor())
    if run.dataset.kind == "elastic":
        work += _IMAGE_SECONDS * (n if run.dataset.max_train is not None else presentations)
    bytes_per_value = 4.0 if size.stored == size.d else 8.0  # the place of a value is stored beside it
    memory += bytes_per_value * size.stored * (n + 2 * size.n_test) + PROCESS_BYTES
    return Estimate(machine_factor() * (work + evaluated) + START_SECONDS, memory)


def _looks(run: RunSettings) -> float:
    """How often a run is looked at, those at even steps included."""
    budget = run.budget
    even = 0.0 if budget.every is None else min(budget.epochs or 0.0, budget.tail or math.inf) / budget.every
    return budget.evaluations + even


def _approximate(run: RunSettings, size: Size, presentations: float) -> tuple[float, float]:
    """Return seconds and bytes of a method that makes features of the kernel, once or anew for each presentation."""
    features, stream = float(run.solver_settings.features), run.algo.endswith("online")
    each = size.d + 50.0 + (0.0 if stream else features)  # products and one function; a second product for a sample
    work = 0.02e-9 * features * each * (presentations if stream else size.n) + 0.6e-9 * features * presentations
    memory = 4.0 * features * (size.d + 1024.0) if stream else 4.0 * features * size.n + 40.0 * features**2
    return work, memory


def expected_seconds(runs: Sequence[RunSettings], jobs: int) -> float:
    """Wall seconds that runs will probably take, `jobs` at a time, with the Gram matrices that they share."""
    each = [estimate(run).seconds for run in runs]
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
    if run.algo in ("fourier", "libsvm") or approximates(run) or explicit(run) or run.rows in ("cache", "on_the_fly"):
        return 0.0
    full = 4.0 * size_of(run.dataset).n ** 2
    return full if full <= run.memory_bytes else 0.0


def explicit(run: RunSettings) -> bool:
    """Whether a run keeps explicit weights, and so asks for no kernel rows."""
    return kernel_name(run.kernel) in run.solver.explicit


def approximates(run: RunSettings) -> bool:
    """Whether a run makes features of the kernel, and so asks for no kernel rows."""
    return run.algo.startswith("asset") or run.algo in ("cpny", "cpsp", "sklearn_nystroem")


def together(run: RunSettings) -> tuple[str, bool]:
    """Return what runs have in common that are made at the same time: their data, and whether by a Gram matrix.

    Those without one may need the memory that it takes.
    """
    return repr(run.dataset), gram_bytes(run) == 0.0


def working_memory(runs: Iterable[RunSettings], jobs: int) -> float:
    """Bytes of the `jobs` largest processes, without the Gram matrix that they share."""
    return sum(sorted((estimate(run).memory for run in runs), reverse=True)[:jobs])


def peak_memory(runs: Iterable[RunSettings], jobs: int) -> float:
    """Bytes that the runs need at worst, `jobs` of those at a time that are made `together`."""
    groups: dict[tuple[str, bool], list[RunSettings]] = {}
    for run in runs:
        groups.setdefault(together(run), []).append(run)
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
    # SIMBA's column is about as long as its row
    return presentations * _read(run.dataset, size) * (2 if run.algo == "simba" else 1)


def _presentations(run: RunSettings, n: int) -> float:
    budget = run.budget
    if run.algo in _AGAIN and budget.limit.iterations is not None:
        passes = EvaluationSchedule(budget.evaluations).limits(Limit(iterations=budget.limit.iterations))
        return float(n * sum(limit.iterations or 0 for limit in passes))
    limits = [float("inf") if budget.epochs is None else budget.epochs * n]
    if budget.limit.iterations is not None:
        limits.append(float(budget.limit.iterations * getattr(run.solver_settings, "batch_size", 1)))
    if budget.limit.kernel_evaluations is not None:
        limits.append(budget.limit.kernel_evaluations / n)
    if run.algo in _OWN_END:
        C = run.problem.C or 1 / (n * (run.problem.lambda_ or 1 / n))
        limits.append(n * max(1.0, _OWN_END[run.algo](C, getattr(run.solver_settings, "eps", 1.0))))
    shortest = min(limits)
    return shortest if shortest < float("inf") else 10.0 * n
