"""The record of published runs that were made again, ``checks.json``, and its text."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from svm_cost_curves import solvers
from svm_cost_curves.experiments import provenance
from svm_cost_curves.experiments.reproduction.evidence import Run
from svm_cost_curves.experiments.reproduction.published import CHECKS, read_verified, write_sums
from svm_cost_curves.experiments.reproduction.run_comparison import Comparison
from svm_cost_curves.support.files import write_file

OUTCOMES: Final = ("equal", "agrees", "DIFFERS")


def record_check(folder: Path, figure: str, comparisons: Sequence[Comparison]) -> None:
    """Add a check to ``checks.json``: which figures, how many runs, when, on which machine, and each run."""
    machine = {name: value for name, value in provenance.machine().items() if name in ("cpu", "cores")}
    machine |= {"isa": solvers.build_info()["isa"], "blas": provenance.blas()}
    made = datetime.now(UTC).isoformat(timespec="seconds")
    agree = sum(comparison.agrees for comparison in comparisons)
    made_again = [
        {
            "figure": comparison.figure,
            "run": comparison.label,
            "key": comparison.key,
            "outcome": comparison.outcome,
            "difference": comparison.difference,
            "time_ratio": comparison.time_ratio,
        }
        for comparison in comparisons
    ]
    entry = {
        "figure": figure,
        "runs": len(comparisons),
        "agree": agree,
        "made": made,
        **machine,
        "made_again": made_again,
    }
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
    checks: Iterable[Mapping[str, Any]], published: Mapping[str, Collection[Run]]
) -> dict[str, list[str]]:
    """Return the figures of which a run that is still published differed when it was last made again, and these runs.

    Parameters
    ----------
    checks : iterable of mapping
        As `recorded_checks` gives them.
    published : mapping of str to collection of Run
        The published runs of each figure.
    """
    places = {(figure, run.key) for figure, runs in published.items() for run in runs}
    labels: dict[str, list[str]] = {}
    for place, name in differing(checks).items():
        if place in places:
            labels.setdefault(place[0], []).append(name)
    return labels


def counts(outcomes: Iterable[tuple[str, str]]) -> dict[str, Counter[str]]:
    """Count outcomes by figure; from pairs of figure and outcome."""
    counted: dict[str, Counter[str]] = {}
    for figure, outcome in outcomes:
        counted.setdefault(figure, Counter(dict.fromkeys(OUTCOMES, 0)))[outcome] += 1
    return counted


def in_words(counted: Mapping[str, int]) -> str:
    """Say what the runs of a figure show: ``equal bits``, ``agrees`` or ``differs``."""
    return "differs" if counted["DIFFERS"] else "agrees" if counted["agrees"] else "equal bits"


def by_figure(comparisons: Collection[Comparison]) -> list[str]:
    """Return a line of text for each figure, and then one for each run that differs."""
    counted = counts((comparison.figure, comparison.outcome) for comparison in comparisons)
    width = max(map(len, counted), default=0)
    lines = [f"  {'figure':<{width}}  runs  equal  agree  differ"]
    for figure, outcomes in counted.items():
        numbers = f"{outcomes.total():>4}  {outcomes['equal']:>5}  {outcomes['agrees']:>5}  {outcomes['DIFFERS']:>6}"
        lines.append(f"  {figure:<{width}}  {numbers}  {in_words(outcomes)}")
    return [*lines, *table([comparison for comparison in comparisons if not comparison.agrees])]


def table(comparisons: Sequence[Comparison]) -> list[str]:
    """Return the comparisons as lines of text."""
    width = max((len(comparison.label) for comparison in comparisons), default=0)
    figures = max((len(comparison.figure) for comparison in comparisons), default=0)
    lines = []
    for comparison in comparisons:
        time = "" if comparison.time_ratio is None else f"  CPU time {comparison.time_ratio:.2f} times"
        names = f"{comparison.figure:<{figures}}  {comparison.label:<{width}}"
        lines.append(f"  {names}  {comparison.outcome:<7}{time}  {comparison.difference}".rstrip())
    return lines
