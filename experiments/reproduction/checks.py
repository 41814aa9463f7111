"""The record of published runs that were made again, ``checks.json``, and its text."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Literal

from ... import solvers
from ...support.files import write_file
from .. import provenance
from .evidence import Run
from .published import CHECKS, changing, read_verified, write_sums

CheckOutcome = Literal["equal", "agrees", "DIFFERS"]
"""``equal``: every bit, except for times; ``agrees`` as far as another build, instruction set or BLAS allows."""
OUTCOMES: Final[tuple[CheckOutcome, ...]] = ("equal", "agrees", "DIFFERS")


@dataclass(frozen=True)
class Comparison:
    """A published run of a figure, by its short name and its published key, and the same run made again."""

    figure: str
    run: str
    key: str
    outcome: CheckOutcome
    difference: str
    """What differs most; empty if nothing does."""
    time_ratio: float | None
    """CPU seconds now over the published ones."""

    @property
    def agrees(self) -> bool:
        """Whether it does not differ."""
        return self.outcome != "DIFFERS"


def record_check(folder: Path, figure: str, comparisons: Sequence[Comparison]) -> None:
    """Add a check to ``checks.json``: which figures, how many runs, when, on which machine, and each run."""
    machine = provenance.machine()
    entry = {
        "figure": figure,
        "runs": len(comparisons),
        "agree": sum(comparison.agrees for comparison in comparisons),
        "made": datetime.now(UTC).isoformat(timespec="seconds"),
        "cpu": machine["cpu"],
        "cores": machine["cores"],
        "isa": solvers.build_info()["isa"],
        "blas": provenance.blas(),
        "made_again": list(map(asdict, comparisons)),
    }
    with changing(folder) as draft:
        text = json.dumps([*recorded_checks(draft), entry], indent=1, ensure_ascii=False) + "\n"
        write_file(draft / CHECKS, text.encode())
        write_sums(draft, CHECKS)


def recorded_checks(folder: Path) -> list[dict[str, Any]]:
    """Return the checks that were recorded beside the evidence, oldest first; EvidenceError if the file is damaged."""
    if not (folder / CHECKS).exists():
        return []
    checks: list[dict[str, Any]] = json.loads(read_verified(folder, CHECKS))
    return checks


def differing(checks: Iterable[Mapping[str, Any]]) -> dict[tuple[str, str], str]:
    """Return the runs that differed when they were last made again: by figure and published key, the short name."""
    last = {(run["figure"], run["key"]): run for check in checks for run in check.get("made_again", ())}
    return {run_key: run["run"] for run_key, run in last.items() if run["outcome"] == "DIFFERS"}


def to_make_again(
    checks: Iterable[Mapping[str, Any]], published: Mapping[str, Collection[Run]]
) -> dict[str, list[str]]:
    """Return of each figure the `differing` runs that are still among its published runs."""
    labels: dict[str, list[str]] = {}
    for (figure, key), name in differing(checks).items():
        if any(run.key == key for run in published.get(figure, ())):
            labels.setdefault(figure, []).append(name)
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
    width = max((len(comparison.run) for comparison in comparisons), default=0)
    figures = max((len(comparison.figure) for comparison in comparisons), default=0)
    lines = []
    for comparison in comparisons:
        time = "" if comparison.time_ratio is None else f"  CPU time {comparison.time_ratio:.2f} times"
        names = f"{comparison.figure:<{figures}}  {comparison.run:<{width}}"
        lines.append(f"  {names}  {comparison.outcome:<7}{time}  {comparison.difference}".rstrip())
    return lines
