"""Estimates of runs: their seconds, their memory, and which of them share a Gram matrix.

Expected seconds are those of the most similar finished run, in the store or in the published evidence. They order the
runs of a figure and show the time left; results and run keys do not depend on them. Of 3,000 published runs the
expected seconds are 1.00 times the measured ones in the median if another seed of the same settings is known (99 % are
within a factor of two), 0.99 times if only other settings are (86 %; of runs longer than a second 0.71 times, 61 %),
and 1.00 times if only other data sets are (76 %).
"""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Final

from svm_cost_curves.datasets import size_of, training_rows
from svm_cost_curves.experiments import provenance
from svm_cost_curves.experiments.configuration.budget import BUDGET_LIMITS
from svm_cost_curves.experiments.configuration.schema import kernel_name
from svm_cost_curves.experiments.configuration.settings import RunSettings
from svm_cost_curves.experiments.reproduction.published import EVIDENCE, EvidenceError, published_runs
from svm_cost_curves.experiments.run.curve_builder import PENDING_BYTES
from svm_cost_curves.experiments.store import Store
from svm_cost_curves.solvers.passes import Passes

Seconds = Callable[[RunSettings], float]
"""Returns the seconds that a run will probably take on one core, without its Gram matrix: `Durations.seconds`."""
START_SECONDS: Final = 0.2
"""What a published run took besides its solver."""
DEFAULT_SECONDS: Final = 2.0
"""Of a solver that has no run anywhere: the mean of the published runs."""
DIFFERENT: Final = 3.0
"""Distance of two values of a setting that are not equal and not both positive numbers."""
PROCESS_BYTES: Final = 600 * 2**20
"""Memory of a process with its libraries, without data."""
_AMOUNTS: Final = [f"budget.{name}" for name in BUDGET_LIMITS]
_Known = tuple[dict[str, Any], float]  # settings of a finished run by names with dots, and its seconds
_Runs = dict[tuple[str, str], list[tuple[Path | str, float]]]  # by solver and data set: result.json, and seconds


class Durations:
    """Seconds of runs by those of the most similar run of the same solver, on the same data set if there is one.

    The distance of two runs is the sum over their settings of the |log| of the ratio. The seconds of the nearest run
    are multiplied by the ratios of the budgets and of the numbers of training examples. Of a store the finished runs on
    this model of processor count, of any build, and those that are published in the folder `evidence`.
    """

    def __init__(self, store: Store | None = None, evidence: Path = EVIDENCE) -> None:
        self._store = store
        self._evidence = evidence
        self._known: dict[tuple[str, str], list[_Known]] = {}
        self._seconds: dict[str, float] = {}

    def seconds(self, run: RunSettings) -> float:
        """Return the seconds that a run will probably take on one core, without its Gram matrix."""
        wanted = _values(run.identity(), training_rows(run.dataset))
        key = f"{run.dataset.name} {wanted}"
        if key not in self._seconds:
            known = self._runs_of(run.algo, run.dataset.name)
            self._seconds[key] = _by_nearest(wanted, known) if known else DEFAULT_SECONDS
        return self._seconds[key]

    @cached_property
    def _runs(self) -> list[tuple[tuple[str, str], list[tuple[Path | str, float]]]]:
        """All finished runs, the store's first: reading thousands takes a second, and not every command estimates."""
        of_store: Mapping[Any, Any] = {} if self._store is None else self._store.durations(provenance.cpu_model())
        return [*of_store.items(), *_published(self._evidence).items()]

    def _runs_of(self, algo: str, dataset: str) -> list[_Known]:
        """Return the finished runs of a solver on a data set; on all data sets if there are none."""
        if (algo, dataset) not in self._known:
            near = [run for place, here in self._runs if place == (algo, dataset) for run in here]
            self._known[algo, dataset] = _read(
                near or [run for place, here in self._runs if place[0] == algo for run in here]
            )
        return self._known[algo, dataset]


def expected_seconds(runs: Sequence[RunSettings], jobs: int, seconds: Seconds) -> float:
    """Wall seconds that runs will probably take, `jobs` at a time, with the Gram matrices that they share."""
    times = [seconds(run) for run in runs]
    grams = {repr(run.dataset): gram_seconds(run) for run in sorted(runs, key=gram_seconds)}
    return max(sum(times) / jobs, max(times, default=0.0)) + sum(grams.values())


def gram_seconds(run: RunSettings) -> float:
    """Seconds that building the Gram matrix of a run's data takes; 0 where none is built."""
    return gram_bytes(run) * (1e-9 + (0.004e-9 * size_of(run.dataset).d + 0.13e-9) / run.building_threads)


def _by_nearest(wanted: Mapping[str, Any], known: Sequence[_Known]) -> float:
    values, seconds = min(known, key=lambda run: _distance(wanted, run[0]))
    amounts = [name for name in _AMOUNTS if wanted.get(name) and values.get(name)]
    ratios: list[float] = [wanted[name] / values[name] for name in (*amounts[:1], "n") if wanted[name]]
    return seconds * math.prod(ratios)


def _distance(wanted: Mapping[str, Any], other: Mapping[str, Any]) -> float:
    """Return how far settings are from those of a finished run; what follows from the data is None in `wanted`."""
    given = (name for name, value in wanted.items() if value is not None or name.startswith("budget."))
    return sum(_apart(wanted[name], other.get(name)) for name in given if wanted[name] != other.get(name))


def _apart(one: Any, other: Any) -> float:
    numbers = all(isinstance(value, int | float) and value > 0 for value in (one, other))
    return abs(math.log(one / other)) if numbers else DIFFERENT


def _values(settings: Mapping[str, Any], n: int | None) -> dict[str, Any]:
    """Return the settings that may change the time, by names with dots, and ``n``."""
    groups = [group for group in ("algo", "kernel", "problem", "budget", "engine") if group in settings]
    return {f"{group}.{name}": value for group in groups for name, value in settings[group].items()} | {"n": n}


def _read(runs: Iterable[tuple[Path | str, float]]) -> list[_Known]:
    """Read the settings in result.json, from a file or as text, of one run of those that differ in their seeds only."""
    known: dict[str, _Known] = {}
    for source, seconds in runs:
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):  # damaged, or of an older version
            result = json.loads(source if isinstance(source, str) else source.read_bytes())
            values = _values(result["settings"], int(result["provenance"]["data"]["counts"]["train"]["n"]))
            known.setdefault(str(values), (values, seconds))
    return [*known.values()]


@cache
def _published(folder: Path) -> _Runs:
    """Return the published runs as `Store.durations` returns the store's, with settings and provenance as text."""
    runs: _Runs = {}
    with contextlib.suppress(EvidenceError):  # damaged: other estimates are as good
        for run in published_runs(folder).to_dict("records"):
            text = f'{{"settings": {run["settings"]}, "provenance": {run["provenance"]}}}'
            seconds = START_SECONDS + float(run["wall_seconds"])
            runs.setdefault((run["algo"], run["dataset"]), []).append((text, seconds))
    return runs


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
