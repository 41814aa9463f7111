"""Makes published runs again and compares them: costs exactly, measures within their scatter, times side by side."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import tempfile
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

import datasets
import solvers
from datasets import DataError
from experiments import provenance
from experiments.columns import COUNTS
from experiments.curve import column
from experiments.processes.outcome import Outcome
from experiments.reproduction.execute import execute
from experiments.reproduction.figure_runs import make_runs
from experiments.reproduction.plan import Plan, PlannedRun, Planner
from experiments.reproduction.published import read_verified, write_sums
from experiments.run.console import Meter
from experiments.store import FinishedRun, Store
from support.files import write_file

CHECKS: Final = "checks.json"
TIMES: Final = ("cpu_seconds", "wall_seconds")
SHORT_SECONDS: Final = 60.0
"""Of one run of every figure, solver and data set only such are made again whose published solver took less."""
RELATIVE: Final = 1e-4
"""What a final measure may differ by where the published runs of its series do not scatter; see `agreeing`."""
ABSOLUTE: Final = float(np.finfo(np.float32).eps)
"""The same for measures near 0: kernel rows, about 1, have single precision."""
SCALES: Final = {"gap": "primal", "relative_gap": None}
"""Measures that are differences of nearly equal numbers, and the measure that `RELATIVE` is a share of; None: of 1."""
OUTCOMES: Final = ("equal", "agrees", "DIFFERS")


@dataclass(frozen=True, eq=False)
class Candidate:
    """A published run that can be made again.

    Attributes
    ----------
    figure : str
    run : PlannedRun
        With `found`.
    series : tuple of FinishedRun
        All published runs of its series on its data set, itself among them.
    timed : bool
        Whether the figure is of running times.
    """

    figure: str
    run: PlannedRun
    series: tuple[FinishedRun, ...]
    timed: bool

    @property
    def case(self) -> tuple[str, str, str]:
        """Figure, solver and data set."""
        return self.figure, self.run.settings.algo, self.run.settings.dataset.name

    @property
    def published(self) -> FinishedRun:
        """The published run."""
        assert self.run.found is not None
        return self.run.found


@dataclass(frozen=True)
class Comparison:
    """A published run and the same run made again.

    Attributes
    ----------
    figure, label, key : str
        The figure that was checked, the run's short name, and its key when it was published.
    outcome : str
        ``equal``: every bit, except for times; ``agrees`` as far as another build, instruction set or BLAS allows
        (`compare`); ``DIFFERS``.
    difference : str
        What differs most; empty if nothing does.
    time_ratio : float or None
        CPU seconds now over the published ones.
    """

    figure: str
    label: str
    key: str
    outcome: Literal["equal", "agrees", "DIFFERS"]
    difference: str
    time_ratio: float | None

    @property
    def agrees(self) -> bool:
        """Whether it does not differ."""
        return self.outcome != "DIFFERS"


def candidates_of(plan: Plan) -> list[Candidate]:
    """Return the published runs of a figure that can be compared: not those that end after a given time."""
    found = []
    for panel in plan.panels:
        for run in panel.runs:
            if run.found is not None and run.found.result["settings"]["budget"].get("seconds") is None:
                series = tuple(own.found for own in panel.runs if own.series == run.series and own.found is not None)
                found.append(Candidate(plan.spec.id, run, series, plan.spec.timed))
    return found


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
    for own in {own.run.key: own for own in candidates}.values():
        strata.setdefault((own.run.settings.algo, own.run.settings.dataset.name), []).append(own)
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
    for own in candidates:
        if not own.timed and own.published.result["wall_seconds"] < SHORT_SECONDS:
            groups.setdefault(own.case, []).append(own)
    drawn: dict[tuple[str, str, str], Candidate] = {}
    keys: set[str] = set()
    cases = list(groups)
    for place in generator.permutation(len(cases)):
        group = groups[cases[place]]
        among = [own for own in group if own.run.key in keys] or group
        taken = among[generator.integers(len(among))]
        keys.add(taken.run.key)
        drawn[cases[place]] = taken
    return [drawn[case] for case in cases]


def with_differing(
    chosen: Sequence[Candidate], candidates: Iterable[Candidate], checks: Iterable[Mapping[str, Any]]
) -> list[Candidate]:
    """Add to some runs those that differed when they were last made again: only so can a later check clear them."""
    open_, there = differing(checks), {(own.figure, own.published.key) for own in chosen}
    known = {(own.figure, own.published.key): own for own in candidates}
    return [*chosen, *(own for place, own in known.items() if place in open_ and place not in there)]


def compare(candidate: Candidate, again: FinishedRun) -> Comparison:
    """Compare a published run with the same run made again.

    Made by the same build and Python code, with the same instruction set and the same recorded loops of BLAS, it has
    the same bits. Otherwise every counter in every row is equal, and every final measure is `agreeing`.
    """
    published = candidate.published
    outcome, difference = _compared(candidate, again)
    seconds = [float(each.result["cpu_seconds"]) for each in (again, published)]
    ratio = seconds[0] / seconds[1] if seconds[1] > 0 else None
    return Comparison(candidate.figure, candidate.run.settings.label(), published.key, outcome, difference, ratio)


def _compared(candidate: Candidate, again: FinishedRun) -> tuple[Literal["equal", "agrees", "DIFFERS"], str]:
    published = candidate.published
    if len(published.curve) != len(again.curve):
        return "DIFFERS", f"{len(again.curve)} evaluations, not {len(published.curve)}"
    columns = [name for name in published.curve.columns if name not in TIMES]
    old, new = _values(published, columns), _values(again, columns)
    changed = [name for name, values in old.items() if not np.array_equal(values, new[name], equal_nan=True)]
    if not changed:
        return "equal", ""
    counted = [name for name in changed if name.removeprefix("final ") in (*COUNTS, "epochs")]
    if counted or _same_arithmetic(published.result["provenance"], again.result["provenance"]):
        return "DIFFERS", _difference((counted or changed)[0], old, new)
    shares = {name: _share(candidate, name, new) for name in changed if name.startswith("final ")}
    most = max(shares, key=shares.__getitem__, default=changed[0])
    text = _difference(most, old, new)
    if shares.get(most, 0.0) <= 1:
        return "agrees", text
    low, high = agreeing(candidate, most.removeprefix("final "))
    return "DIFFERS", f"{text}; {low:.9g} to {high:.9g} agrees"


def _values(run: FinishedRun, columns: Iterable[str]) -> dict[str, NDArray[np.float64]]:
    """Return the columns of a curve, and the last counters and measures, which evidence has of every run."""
    last = run.result["counters"] | run.result["final"]
    ends = {f"final {name}": np.array([value], dtype=np.float64) for name, value in last.items()}
    return {name: column(run.curve, name) for name in columns} | ends


def _difference(name: str, old: Mapping[str, NDArray[np.float64]], new: Mapping[str, NDArray[np.float64]]) -> str:
    """Write the first difference of a column, or of a final value."""
    unequal = (old[name] != new[name]) & ~(np.isnan(old[name]) & np.isnan(new[name]))
    row = int(np.argmax(unequal))
    where = "" if name.startswith("final ") else f" in row {row + 1}"
    return f"{name}{where}: {new[name][row]:.9g}, not {old[name][row]:.9g}"


def _share(candidate: Candidate, name: str, new: Mapping[str, NDArray[np.float64]]) -> float:
    """Return how far a final measure is from the middle of what agrees, over the half of that range."""
    low, high = agreeing(candidate, name.removeprefix("final "))
    middle, half = (low + high) / 2, (high - low) / 2
    distance = abs(float(new[name][0]) - middle)
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
    values = [each.result["final"].get(measure) for each in candidate.series]
    known = np.array([value for value in values if value is not None], dtype=np.float64)
    scale = SCALES.get(measure, measure)
    least = RELATIVE * abs(float(1.0 if scale is None else final[scale]))
    rows = candidate.published.result["provenance"]["data"]["counts"]
    example = {"test_error": 1 / rows["test"]["n"], "train_error": 1 / rows["train"]["n"], "support_vectors": 1.0}
    width = max(float(np.ptp(known)), least, ABSOLUTE, (1 + RELATIVE) * example.get(measure, 0.0))
    return float(known.min()) - width, float(known.max()) + width


def _same_arithmetic(published: Mapping[str, Any], again: Mapping[str, Any]) -> bool:
    """Whether two runs are of the same core build, instruction set, Python code and recorded BLAS."""
    made = [
        (each["build"]["build_id"], each["build"]["isa"], each["build"].get("code"), each.get("blas"))
        for each in (published, again)
    ]
    return made[0] == made[1]


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
    chosen: Sequence[Candidate], jobs: int, command: Sequence[str], meter: Meter, folder: Path | None = None
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
    folder : Path, optional
        Store of the new runs, in which those of an interrupted check are found; by default one that is deleted.
    """
    absent = _unavailable(own.run for own in chosen)
    with contextlib.ExitStack() as open_:
        place = folder or Path(open_.enter_context(tempfile.TemporaryDirectory()))
        store = Store.open(place)
        store.create()
        planner = Planner(store)
        again: dict[str, list[Candidate]] = {}
        new: dict[str, PlannedRun] = {}
        for own in chosen:
            if own.run.settings.dataset.name not in absent:
                settings = dataclasses.replace(own.run.settings, store_root=place, store_uri=None)
                key = planner.key(settings)
                again.setdefault(key, []).append(own)
                new[key] = dataclasses.replace(own.run, settings=settings, key=key, found=None)
        there = store.find_all_finished(list(new))
        outcomes = execute([run for key, run in new.items() if key not in there], jobs, command, meter, make_runs)
        found = store.find_all_finished(list(new))
        comparisons = [compare(own, run) for key, run in found.items() for own in again[key]]
    comparisons.sort(key=lambda each: each.figure)
    return SpotCheck(tuple(comparisons), absent, tuple(each for each in outcomes.values() if each.exit_code))


def _unavailable(runs: Iterable[PlannedRun]) -> dict[str, str]:
    """Return the data sets of some runs that cannot be loaded, and why."""
    absent: dict[str, str] = {}
    for spec in {repr(run.settings.dataset): run.settings.dataset for run in runs}.values():
        try:
            datasets.load(spec, cache_dir=datasets.default_cache_dir())
        except DataError as error:
            absent[spec.name] = str(error).partition(": ")[0]
    return absent


def record_check(folder: Path, figure: str, comparisons: Sequence[Comparison]) -> None:
    """Add a check to ``checks.json``: which figures, how many runs, when, on which machine, and each run."""
    own = {name: value for name, value in provenance.machine().items() if name in ("cpu", "cores")}
    own |= {"isa": solvers.build_info()["isa"], "blas": provenance.blas()}
    made = datetime.now(UTC).isoformat(timespec="seconds")
    agree = sum(each.agrees for each in comparisons)
    made_again = [
        {
            "figure": each.figure,
            "run": each.label,
            "key": each.key,
            "outcome": each.outcome,
            "difference": each.difference,
            "time_ratio": each.time_ratio,
        }
        for each in comparisons
    ]
    entry = {"figure": figure, "runs": len(comparisons), "agree": agree, "made": made, **own, "made_again": made_again}
    text = json.dumps([*recorded_checks(folder), entry], indent=1, ensure_ascii=False) + "\n"
    write_file(folder / CHECKS, text.encode())
    write_sums(folder, CHECKS)


def recorded_checks(folder: Path) -> list[dict[str, Any]]:
    """Return the checks that were recorded beside the evidence, oldest first.

    Raises
    ------
    EvidenceError
        The file is damaged.
    """
    if not (folder / CHECKS).exists():
        return []
    checks: list[dict[str, Any]] = json.loads(read_verified(folder, CHECKS))
    return checks


def differing(checks: Iterable[Mapping[str, Any]]) -> dict[tuple[str, str], str]:
    """Return the runs that differed when they were last made again: by figure and published key, the short name."""
    last = {(run["figure"], run["key"]): run for check in checks for run in check.get("made_again", ())}
    return {place: run["run"] for place, run in last.items() if run["outcome"] == "DIFFERS"}


def to_make_again(
    checks: Iterable[Mapping[str, Any]], published: Mapping[str, Collection[FinishedRun]]
) -> dict[str, list[str]]:
    """Return the figures of which a run that is still published differed when it was last made again, and these runs.

    Parameters
    ----------
    checks : iterable of mapping
        As `recorded_checks` gives them.
    published : mapping of str to collection of FinishedRun
        The published runs of each figure.
    """
    places = {(figure, run.key) for figure, runs in published.items() for run in runs}
    found: dict[str, list[str]] = {}
    for place, label in differing(checks).items():
        if place in places:
            found.setdefault(place[0], []).append(label)
    return found


def counts(outcomes: Iterable[tuple[str, str]]) -> dict[str, Counter[str]]:
    """Count outcomes by figure; from pairs of figure and outcome."""
    found: dict[str, Counter[str]] = {}
    for figure, outcome in outcomes:
        found.setdefault(figure, Counter(dict.fromkeys(OUTCOMES, 0)))[outcome] += 1
    return found


def in_words(found: Mapping[str, int]) -> str:
    """Say what the runs of a figure show: ``equal bits``, ``agrees`` or ``differs``."""
    return "differs" if found["DIFFERS"] else "agrees" if found["agrees"] else "equal bits"


def by_figure(comparisons: Collection[Comparison]) -> list[str]:
    """Return a line of text for each figure, and then one for each run that differs."""
    found = counts((each.figure, each.outcome) for each in comparisons)
    width = max(map(len, found), default=0)
    lines = [f"  {'figure':<{width}}  runs  equal  agree  differ"]
    for figure, own in found.items():
        numbers = f"{own.total():>4}  {own['equal']:>5}  {own['agrees']:>5}  {own['DIFFERS']:>6}"
        lines.append(f"  {figure:<{width}}  {numbers}  {in_words(own)}")
    return [*lines, *table([each for each in comparisons if not each.agrees])]


def table(comparisons: Sequence[Comparison]) -> list[str]:
    """Return the comparisons as lines of text."""
    width = max((len(each.label) for each in comparisons), default=0)
    figures = max((len(each.figure) for each in comparisons), default=0)
    lines = []
    for each in comparisons:
        time = "" if each.time_ratio is None else f"  CPU time {each.time_ratio:.2f} times"
        lines.append(
            f"  {each.figure:<{figures}}  {each.label:<{width}}  {each.outcome:<7}{time}  {each.difference}".rstrip()
        )
    return lines
