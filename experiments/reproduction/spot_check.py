"""Chooses published runs, makes them again, and compares: costs exactly, measures within their scatter."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ... import datasets
from ...datasets import DataError
from ...support.files import temporary_folder
from ..columns import COUNTS
from ..curve import column
from ..processes.outcome import Outcome
from ..run.console import note
from ..run.meter import Meter
from ..store import Store
from .checks import CheckOutcome, Comparison, differing
from .evidence import Run
from .execute import execute
from .plan import Plan, PlannedRun, Planner

SHORT_SECONDS: Final = 60.0
"""Of one run of every figure, solver and data set only such are made again whose published solver took less."""
TIMES: Final = ("cpu_seconds", "wall_seconds")
RELATIVE: Final = 1e-4
"""What a final measure may differ by where the published runs of its series do not scatter; see `agreeing`."""
ABSOLUTE: Final = float(np.finfo(np.float32).eps)
"""The same for measures near 0: kernel rows, about 1, have single precision."""
SCALES: Final = {"gap": "primal", "relative_gap": None}
"""Measures that are differences of nearly equal numbers, and the measure that `RELATIVE` is a share of; None: of 1."""


@dataclass(frozen=True, eq=False)
class Candidate:
    """A published run of a figure, ``run.recorded``, with all published runs of its series on its data set."""

    figure: str
    run: PlannedRun
    series: tuple[Run, ...]
    timed: bool
    """Whether the figure is of running times."""

    @property
    def case(self) -> tuple[str, str, str]:
        """Figure, solver and data set."""
        return self.figure, self.run.settings.algo, self.run.settings.dataset.name

    @property
    def published(self) -> Run:
        """The published run."""
        assert self.run.recorded is not None
        return self.run.recorded


def candidates_of(plan: Plan) -> list[Candidate]:
    """Return the published runs of a figure that can be compared: not those that end after a given time."""
    candidates: list[Candidate] = []
    for panel in plan.panels:
        series: dict[str, list[Run]] = {}
        for run in panel.runs:
            series.setdefault(run.series, []).extend([] if run.recorded is None else [run.recorded])
        candidates += [
            Candidate(plan.spec.id, run, tuple(series[run.series]), plan.spec.timed)
            for run in panel.runs
            if run.recorded is not None and run.recorded.result["settings"]["budget"].get("seconds") is None
        ]
    return candidates


def choose_runs(candidates: Sequence[Candidate], count: int, seed: int) -> list[Candidate]:
    """Draw at most `count` runs at random, as evenly as possible over pairs of solver and data set.

    A run of several figures counts once.
    """
    generator = np.random.Generator(np.random.Philox(seed))
    drawn: Counter[tuple[str, ...]] = Counter()
    turns = []
    for candidate in {candidate.run.key: candidate for candidate in _shuffled(candidates, generator)}.values():
        pair = candidate.case[1:]
        turns.append((drawn[pair], generator.random(), candidate))  # the k-th run of every pair before any further one
        drawn[pair] += 1
    return [candidate for *_, candidate in sorted(turns, key=lambda turn: turn[:2])[:count]]


def choose_each(candidates: Sequence[Candidate], seed: int) -> list[Candidate]:
    """Draw one run of every figure, solver and data set: not of figures of times, and only runs of `SHORT_SECONDS`.

    Figures with the same runs get the same one.
    """
    allowed = [
        candidate
        for candidate in candidates
        if not candidate.timed and candidate.published.result["wall_seconds"] < SHORT_SECONDS
    ]
    drawn: dict[tuple[str, str, str], Candidate] = {}
    for candidate in _shuffled(allowed, np.random.Generator(np.random.Philox(seed))):
        drawn.setdefault(candidate.case, candidate)
    return [drawn[case] for case in dict.fromkeys(candidate.case for candidate in allowed)]


def _shuffled(candidates: Sequence[Candidate], generator: np.random.Generator) -> list[Candidate]:
    """Return candidates in a random order of their runs; those of one run follow each other."""
    keys = dict.fromkeys(candidate.run.key for candidate in candidates)
    order = dict(zip(keys, generator.permutation(len(keys)), strict=True))
    return sorted(candidates, key=lambda candidate: int(order[candidate.run.key]))


def with_differing(
    chosen: Sequence[Candidate], candidates: Iterable[Candidate], checks: Iterable[Mapping[str, Any]]
) -> list[Candidate]:
    """Return the chosen runs and those whose last check differed, so that this check can clear them."""
    open_, there = differing(checks), {(candidate.figure, candidate.published.key) for candidate in chosen}
    published = {(candidate.figure, candidate.published.key): candidate for candidate in candidates}
    return [*chosen, *(candidate for run, candidate in published.items() if run in open_ and run not in there)]


def spot_check(
    chosen: Sequence[Candidate],
    jobs: int,
    command: Sequence[str],
    meter: Meter,
    folder: Path | None = None,
) -> tuple[list[Comparison], dict[str, str], list[Outcome]]:
    """Make published runs again, as `execute` does, and compare them; a run of several figures is made once.

    The new runs are in a store that is deleted, or in one in a folder, where those of an interrupted check are found.
    Return the comparisons, the data sets that are not available, whose runs are left out, and why, and failed runs.
    """
    with contextlib.ExitStack() as open_:
        store_folder = folder or Path(open_.enter_context(temporary_folder()))
        store = Store.open(store_folder)  # before data are fetched
        absent = _unavailable(candidate.run for candidate in chosen)
        planner = Planner(store.find_all_finished)
        again: dict[str, list[Candidate]] = {}
        for candidate in chosen:
            if candidate.run.settings.dataset.name not in absent:
                settings = replace(candidate.run.settings, store_root=store_folder, store_uri=None)
                key = planner.key(settings)
                new = replace(candidate, run=replace(candidate.run, settings=settings, key=key))
                again.setdefault(key, []).append(new)
        there = store.find_all_finished(list(again))
        missing = [members[0].run for key, members in again.items() if key not in there]
        outcomes = execute(missing, jobs, command, meter)
        made = store.find_all_finished(list(again))
        comparisons = [compare(candidate, run) for key, run in made.items() for candidate in again[key]]
    comparisons.sort(key=lambda comparison: comparison.figure)
    return comparisons, absent, [outcome for outcome in outcomes.values() if outcome.exit_code]


def _unavailable(runs: Iterable[PlannedRun]) -> dict[str, str]:
    """Return the data sets of some runs that cannot be loaded, and why."""
    absent: dict[str, str] = {}
    for spec in {repr(run.settings.dataset): run.settings.dataset for run in runs}.values():
        try:
            datasets.load(spec, cache_dir=datasets.default_cache_dir(), note=note)
        except DataError as error:
            absent[spec.name] = str(error).partition(": ")[0]
    return absent


def compare(candidate: Candidate, again: Run) -> Comparison:
    """Compare a published run with the same run made again.

    Made by the same build and Python code, with the same instruction set and the same recorded loops of BLAS, it has
    the same bits. Otherwise every counter in every row is equal, and every final measure is `agreeing`.
    """
    published = candidate.published
    outcome, difference = _compared(candidate, again)
    now, then = (float(run.result["cpu_seconds"]) for run in (again, published))
    ratio = now / then if then > 0 else None
    return Comparison(candidate.figure, candidate.run.settings.label(), published.key, outcome, difference, ratio)


def _compared(candidate: Candidate, again: Run) -> tuple[CheckOutcome, str]:
    published = candidate.published
    if len(published.curve) != len(again.curve):
        return "DIFFERS", f"{len(again.curve)} evaluations, not {len(published.curve)}"
    columns = [name for name in published.curve.columns if name not in TIMES]
    old, new = _values(published, columns), _values(again, columns)
    changed = [name for name, values in old.items() if not np.array_equal(values, new[name], equal_nan=True)]
    if not changed:
        return "equal", ""
    counted = [name for name in changed if name.removeprefix("final ") in (*COUNTS, "epochs")]
    if counted or _arithmetic(published) == _arithmetic(again):
        return "DIFFERS", _difference((counted or changed)[0], old, new)
    ranges = {name: agreeing(candidate, name.removeprefix("final ")) for name in changed if name.startswith("final ")}
    shares = {name: _share(float(new[name][0]), *limits) for name, limits in ranges.items()}
    most = max(shares, key=shares.__getitem__, default=changed[0])
    text = _difference(most, old, new)
    if shares.get(most, 0.0) <= 1:
        return "agrees", text
    low, high = ranges[most]
    return "DIFFERS", f"{text}; {low:.9g} to {high:.9g} agrees"


def _values(run: Run, columns: Iterable[str]) -> dict[str, NDArray[np.float64]]:
    """Return the columns of a curve, and the last counters and measures, which evidence has of every run."""
    last = run.result["counters"] | run.result["final"]
    last_values = {f"final {name}": np.array([value], dtype=np.float64) for name, value in last.items()}
    return {name: column(run.curve, name) for name in columns} | last_values


def _arithmetic(run: Run) -> tuple[Any, ...]:
    """Return what determines a run's bits: core build, instruction set, Python code, and recorded BLAS."""
    made = run.result["provenance"]
    return made["build"]["build_id"], made["build"]["isa"], made["build"].get("code"), made.get("blas")


def _difference(name: str, old: Mapping[str, NDArray[np.float64]], new: Mapping[str, NDArray[np.float64]]) -> str:
    """Write the first difference of a column, or of a final value."""
    unequal = (old[name] != new[name]) & ~(np.isnan(old[name]) & np.isnan(new[name]))
    row = int(np.argmax(unequal))
    where = "" if name.startswith("final ") else f" in row {row + 1}"
    return f"{name}{where}: {new[name][row]:.9g}, not {old[name][row]:.9g}"


def _share(value: float, low: float, high: float) -> float:
    """Return how far a final measure is from the middle of what agrees, over the half of that range."""
    distance, half = abs(value - (low + high) / 2), (high - low) / 2
    return distance / half if half else np.inf if distance or np.isnan(distance) else 0.0


def agreeing(candidate: Candidate, measure: str) -> tuple[float, float]:
    """Return the least and the largest final value of a measure that agrees with the published one.

    They are the least and the largest value of the published runs of the series, widened on each side by the largest of

    - the distance of the two: a run on the path of rounding of another processor is at most a run of another seed,
      whose value lies outside the range of the others in two of n + 1 cases;
    - `RELATIVE` times the published value, which is all that a series of a single run has. Of a gap it is `RELATIVE`
      times the primal objective, of a relative gap `RELATIVE`;
    - `ABSOLUTE`;
    - one example of an error, or one support vector: rounding decides on which side of 0 it lies.

    NaN if the published value is missing.
    """
    final = candidate.published.result["final"]
    if final.get(measure) is None:
        return np.nan, np.nan
    values = [run.result["final"].get(measure) for run in candidate.series]
    measured = np.array([value for value in values if value is not None], dtype=np.float64)
    scale = SCALES.get(measure, measure)
    least = RELATIVE * abs(float(1.0 if scale is None else final[scale]))
    rows = candidate.published.result["provenance"]["data"]["counts"]
    example = {"test_error": 1 / rows["test"]["n"], "train_error": 1 / rows["train"]["n"], "support_vectors": 1.0}
    width = max(float(np.ptp(measured)), least, ABSOLUTE, (1 + RELATIVE) * example.get(measure, 0.0))
    return float(measured.min()) - width, float(measured.max()) + width
