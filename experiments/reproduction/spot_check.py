"""Makes published runs again and compares them: costs exactly, measures within a tolerance, times side by side."""

from __future__ import annotations

import dataclasses
import json
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import numpy as np

import datasets
import solvers
from datasets import DataError
from experiments import provenance
from experiments.columns import COUNTS
from experiments.curve import column
from experiments.processes.outcome import Outcome
from experiments.reproduction.execute import execute
from experiments.reproduction.figure_runs import make_runs
from experiments.reproduction.plan import PlannedRun, Planner
from experiments.run.console import Meter
from experiments.store import FinishedRun, Store
from support.files import write_file

CHECKS: Final = "checks.json"
TIMES: Final = ("cpu_seconds", "wall_seconds")
RELATIVE: Final = 1e-4
"""Largest relative difference of a measure between two builds or instruction sets; of the same build it is 0."""


@dataclass(frozen=True)
class Comparison:
    """A published run and the same run made again.

    Attributes
    ----------
    figure, label, key : str
        The figure that was checked, the run's short name, and its key when it was published.
    same_build : bool
        Whether build, instruction set and BLAS are the same, so that every bit must be.
    agrees : bool
    difference : str
        What differs most; empty if nothing does.
    time_ratio : float or None
        CPU seconds now over the published ones.
    """

    figure: str
    label: str
    key: str
    same_build: bool
    agrees: bool
    difference: str
    time_ratio: float | None

    @property
    def outcome(self) -> str:
        """``equal`` (every bit), ``agrees`` (of another build, instruction set or BLAS), or ``DIFFERS``."""
        return "equal" if self.agrees and self.same_build else "agrees" if self.agrees else "DIFFERS"


def choose_runs(runs: Sequence[tuple[str, PlannedRun]], count: int, seed: int) -> list[tuple[str, PlannedRun]]:
    """Draw runs at random, as evenly as possible over pairs of solver and data set.

    Parameters
    ----------
    runs : sequence of (str, PlannedRun)
        Figure and run; a run of several figures counts once.
    count : int
        Runs to draw; at most all of them.
    seed : int
        Of the draw.
    """
    generator = np.random.Generator(np.random.Philox(seed))
    strata: dict[tuple[str, str], list[tuple[str, PlannedRun]]] = {}
    for figure, run in {run.key: (figure, run) for figure, run in runs}.values():
        strata.setdefault((run.settings.algo, run.settings.dataset.name), []).append((figure, run))
    groups = [list(group) for group in strata.values()]
    for group in groups:
        generator.shuffle(group)
    chosen: list[tuple[str, PlannedRun]] = []
    while groups and len(chosen) < count:
        places = generator.permutation(len(groups))[: count - len(chosen)]
        chosen += [groups[place].pop() for place in places]
        groups = [group for group in groups if group]
    return chosen


def compare(figure: str, run: PlannedRun, again: FinishedRun) -> Comparison:
    """Compare a published run with the same run made again."""
    assert run.found is not None
    published = run.found
    same = _same_arithmetic(published.result["provenance"], again.result["provenance"])
    difference = _difference(published, again, 0.0 if same else RELATIVE)
    seconds = [float(each.result["cpu_seconds"]) for each in (again, published)]
    ratio = seconds[0] / seconds[1] if seconds[1] > 0 else None
    return Comparison(figure, run.settings.label(), published.key, same, not difference, difference, ratio)


def _same_arithmetic(published: Mapping[str, Any], again: Mapping[str, Any]) -> bool:
    """Whether two runs are of the same core build, instruction set, Python code and, as far as recorded, BLAS."""
    made = [(each["build"]["build_id"], each["build"]["isa"], each["build"].get("code")) for each in (published, again)]
    return made[0] == made[1] and published.get("blas", again["blas"]) == again["blas"]


def _difference(published: FinishedRun, again: FinishedRun, relative: float) -> str:
    names = [name for name in published.curve.columns if name not in TIMES]
    if again.result["settings"]["budget"].get("seconds") is not None:
        return ""  # how far it comes depends on the machine
    if len(published.curve) != len(again.curve):
        return f"{len(again.curve)} evaluations, not {len(published.curve)}"
    for name in names:
        old, new = column(published.curve, name), column(again.curve, name)
        allowed = 0.0 if name in COUNTS else relative * np.maximum(np.abs(old), np.finfo(np.float32).tiny)
        wrong = ~((np.abs(new - old) <= allowed) | (np.isnan(old) & np.isnan(new)))
        if wrong.any():
            row = int(np.argmax(wrong))
            return f"{name} in row {row + 1}: {new[row]:.9g}, not {old[row]:.9g}"
    return ""


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


def spot_check(chosen: Sequence[tuple[str, PlannedRun]], jobs: int, command: Sequence[str], meter: Meter) -> SpotCheck:
    """Make published runs again, in a store that is deleted afterwards, and compare them.

    Parameters
    ----------
    chosen : sequence of (str, PlannedRun)
        Figures and runs with `found`.
    jobs : int
        Runs at a time.
    command : sequence of str
        For the record.
    meter : Meter
        Shows the progress.
    """
    absent = _unavailable(run for _, run in chosen)
    with tempfile.TemporaryDirectory() as place:
        store = Store.open(Path(place))
        store.create()
        planner = Planner(store)
        again: dict[str, tuple[str, PlannedRun, PlannedRun]] = {}
        for figure, run in chosen:
            if run.settings.dataset.name not in absent:
                settings = dataclasses.replace(run.settings, store_root=Path(place), store_uri=None)
                key = planner.key(settings)
                again[key] = (figure, run, dataclasses.replace(run, settings=settings, key=key, found=None))
        outcomes = execute([new for _, _, new in again.values()], jobs, command, meter, make_runs)
        found = store.find_all_finished(list(again))
        comparisons = [compare(*again[key][:2], run) for key, run in found.items()]
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


def recorded_checks(folder: Path) -> list[dict[str, Any]]:
    """Return the checks that were recorded beside the evidence, oldest first; a damaged file counts as empty."""
    try:
        checks: list[dict[str, Any]] = json.loads((folder / CHECKS).read_bytes())
    except (FileNotFoundError, ValueError):
        return []
    return checks


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
