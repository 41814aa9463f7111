"""Chooses published runs and makes them again."""

from __future__ import annotations

import contextlib
import dataclasses
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from svm_cost_curves import datasets
from svm_cost_curves.datasets import DataError
from svm_cost_curves.experiments.processes.outcome import Outcome
from svm_cost_curves.experiments.reproduction.checks import differing
from svm_cost_curves.experiments.reproduction.durations import Seconds
from svm_cost_curves.experiments.reproduction.execute import execute
from svm_cost_curves.experiments.reproduction.figure_runs import make_runs
from svm_cost_curves.experiments.reproduction.plan import Plan, PlannedRun, Planner
from svm_cost_curves.experiments.reproduction.run_comparison import Candidate, Comparison, compare
from svm_cost_curves.experiments.run.meter import Meter
from svm_cost_curves.experiments.store import Store

SHORT_SECONDS: Final = 60.0
"""Of one run of every figure, solver and data set only such are made again whose published solver took less."""


def candidates_of(plan: Plan) -> list[Candidate]:
    """Return the published runs of a figure that can be compared: not those that end after a given time."""
    candidates = []
    for panel in plan.panels:
        for run in panel.runs:
            if run.found is not None and run.found.result["settings"]["budget"].get("seconds") is None:
                series = tuple(
                    other.found for other in panel.runs if other.series == run.series and other.found is not None
                )
                candidates.append(Candidate(plan.spec.id, run, series, plan.spec.timed))
    return candidates


def choose_runs(candidates: Sequence[Candidate], count: int, seed: int) -> list[Candidate]:
    """Draw runs at random, as evenly as possible over pairs of solver and data set.

    Parameters
    ----------
    candidates : sequence of Candidate
        A run of several figures counts once.
    count : int
        Runs to draw; at most all of them.
    seed : int
        Of the draw.
    """
    generator = np.random.Generator(np.random.Philox(seed))
    strata: dict[tuple[str, str], list[Candidate]] = {}
    for candidate in {candidate.run.key: candidate for candidate in candidates}.values():
        strata.setdefault((candidate.run.settings.algo, candidate.run.settings.dataset.name), []).append(candidate)
    groups = list(strata.values())
    for group in groups:
        generator.shuffle(group)
    chosen: list[Candidate] = []
    while groups and len(chosen) < count:
        places = generator.permutation(len(groups))[: count - len(chosen)]
        chosen += [groups[place].pop() for place in places]
        groups = [group for group in groups if group]
    return chosen


def choose_each(candidates: Sequence[Candidate], seed: int) -> list[Candidate]:
    """Draw one run of every figure, solver and data set: not of figures of times, and only runs of `SHORT_SECONDS`.

    A run that is drawn for one figure is taken for all others that have it.
    """
    generator = np.random.Generator(np.random.Philox(seed))
    groups: dict[tuple[str, str, str], list[Candidate]] = {}
    for candidate in candidates:
        if not candidate.timed and candidate.published.result["wall_seconds"] < SHORT_SECONDS:
            groups.setdefault(candidate.case, []).append(candidate)
    drawn: dict[tuple[str, str, str], Candidate] = {}
    keys: set[str] = set()
    cases = list(groups)
    for place in generator.permutation(len(cases)):
        group = groups[cases[place]]
        among = [candidate for candidate in group if candidate.run.key in keys] or group
        taken = among[generator.integers(len(among))]
        keys.add(taken.run.key)
        drawn[cases[place]] = taken
    return [drawn[case] for case in cases]


def with_differing(
    chosen: Sequence[Candidate], candidates: Iterable[Candidate], checks: Iterable[Mapping[str, Any]]
) -> list[Candidate]:
    """Add to some runs those that differed when they were last made again: only so can a later check clear them."""
    open_, there = differing(checks), {(candidate.figure, candidate.published.key) for candidate in chosen}
    known = {(candidate.figure, candidate.published.key): candidate for candidate in candidates}
    return [*chosen, *(candidate for place, candidate in known.items() if place in open_ and place not in there)]


@dataclass(frozen=True)
class SpotCheck:
    """Result of a check.

    Attributes
    ----------
    comparisons : tuple of Comparison
    absent : mapping of str to str
        Data sets that are not available, and why: their runs are left out.
    wrong : tuple of Outcome
        Runs that failed.
    """

    comparisons: tuple[Comparison, ...]
    absent: Mapping[str, str]
    wrong: tuple[Outcome, ...]


def spot_check(
    chosen: Sequence[Candidate],
    jobs: int,
    command: Sequence[str],
    meter: Meter,
    seconds: Seconds,
    folder: Path | None = None,
) -> SpotCheck:
    """Make published runs again, and compare them.

    Parameters
    ----------
    chosen : sequence of Candidate
        A run that is there for several figures is made once.
    jobs : int
        Runs at a time.
    command : sequence of str
        For the record.
    meter : Meter
        Shows the progress.
    seconds : callable
        Returns the seconds that a run will probably take.
    folder : Path, optional
        Store of the new runs, in which those of an interrupted check are found; by default one that is deleted.
    """
    absent = _unavailable(candidate.run for candidate in chosen)
    with contextlib.ExitStack() as open_:
        place = folder or Path(open_.enter_context(tempfile.TemporaryDirectory()))
        store = Store.open(place)
        planner = Planner(store)
        again: dict[str, list[Candidate]] = {}
        new: dict[str, PlannedRun] = {}
        for candidate in chosen:
            if candidate.run.settings.dataset.name not in absent:
                settings = dataclasses.replace(candidate.run.settings, store_root=place, store_uri=None)
                key = planner.key(settings)
                again.setdefault(key, []).append(candidate)
                new[key] = dataclasses.replace(candidate.run, settings=settings, key=key, found=None)
        there = store.find_all_finished(list(new))
        outcomes = execute(
            [run for key, run in new.items() if key not in there], jobs, command, meter, make_runs, seconds
        )
        found = store.find_all_finished(list(new))
        comparisons = [compare(candidate, run) for key, run in found.items() for candidate in again[key]]
    comparisons.sort(key=lambda comparison: comparison.figure)
    return SpotCheck(tuple(comparisons), absent, tuple(outcome for outcome in outcomes.values() if outcome.exit_code))


def _unavailable(runs: Iterable[PlannedRun]) -> dict[str, str]:
    """Return the data sets of some runs that cannot be loaded, and why."""
    absent: dict[str, str] = {}
    for spec in {repr(run.settings.dataset): run.settings.dataset for run in runs}.values():
        try:
            datasets.load(spec, cache_dir=datasets.default_cache_dir())
        except DataError as error:
            absent[spec.name] = str(error).partition(": ")[0]
    return absent
