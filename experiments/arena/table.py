"""The arena's table: costs of all entrants to each level, and the shares of solved problems."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from ..papers.panels import called
from ..papers.times import seconds_text
from ..plotting import axis_name, styles_for
from ..reproduction.evidence import Bold, Table
from ..reproduction.report.labels import NOTHING, quantity
from ..reproduction.statistics.target import Effort
from .comparison import Comparison, Profile
from .options import COSTS, TIME

NOT_COUNTED = "not counted"


def table(comparisons: Sequence[Comparison], profiles: Mapping[str, Mapping[str, Profile]]) -> Table:
    """Make the table; the profiles are by cost and entrant."""
    rows = [row for comparison in comparisons for level in comparison.judged for row in _rows(comparison, level)]
    stays = all(comparison.targets.stays for comparison in comparisons)
    target = "stays at or below" if stays else "target"
    head = ("data set", target, "solver", "runs there", *map(axis_name, COSTS))
    return Table(head, rows, [*_profile_notes(profiles), *remarks(comparisons), _STAYS if stays else _FIRST])


_STAYS = (
    "Cost from which the mean over the runs stays at or below the target, with the least and the largest of single "
    "runs in brackets; bold: the least. >: the mean ends above the target, at this cost. The mean can get there "
    "before every single run."
)
_FIRST = (
    "Medians over the runs, with the least and the largest in brackets; bold: the least median. >: most runs ended "
    "before the target, at this cost. Costs are those of the first evaluation at or below the target."
)


def remarks(comparisons: Sequence[Comparison]) -> list[str]:
    """Return notes: entrants left out and why, bounds on the optimum, targets that were not judged."""
    said = []
    for comparison in comparisons:
        name = called(comparison.panel)
        names = styles_for(comparison.panel.left_out)
        said += [
            f"Left out on {name}: {names[entrant].name}: {why}." for entrant, why in comparison.panel.left_out.items()
        ]
        said += [f"Missing on {name}: {entrant}: {why}." for entrant, why in comparison.panel.missing.items()]
        if comparison.targets.kind == "best" and comparison.least_error is not None:
            said.append(f"Least test error on {name}: {100 * comparison.least_error:.3g} %.")
        if comparison.targets.kind == "gap" and comparison.optimum is not None:
            low, high = comparison.optimum.lower, comparison.optimum.upper
            said.append(f"Optimum on {name}: between {low:.7g} and {high:.7g}.")
        if lost := [level for level in comparison.targets.levels if level not in comparison.judged]:
            why = "no bound is known" if comparison.optimum is None else "it is not known so well"
            said.append(
                f"Not decided on {name}: {', '.join(map(comparison.targets.text, lost))}: of the optimum {why}."
            )
    return said


def _rows(comparison: Comparison, level: float) -> list[tuple[str | Bold, ...]]:
    names = styles_for(comparison.entrants)
    stays = comparison.targets.stays
    efforts = {
        cost: {name: comparison.effort(name, cost, level, of_mean=stays) for name in comparison.entrants}
        for cost in COSTS
    }
    least = {
        cost: min(
            (effort.median for effort in by_name.values() if effort is not None and effort.mostly_reached), default=None
        )
        for cost, by_name in efforts.items()
    }
    head = (called(comparison.panel), comparison.targets.text(level))
    rows = []
    for name, runs in comparison.runs.items():
        there = sum(comparison.reach(run, "iterations", level) < math.inf for run in runs)
        cells = [_cell(comparison, name, cost, level, efforts[cost][name], least[cost]) for cost in COSTS]
        rows.append((*head, names[name].name, f"{there} of {len(runs)}", *cells))
    return rows


def _cell(
    comparison: Comparison, name: str, cost: str, level: float, stated: Effort | None, least: float | None
) -> str | Bold:
    """Write a cost to a level, and the range of the single runs."""
    single = comparison.effort(name, cost, level)
    if stated is None or single is None:
        return NOT_COUNTED if comparison.runs[name] else NOTHING
    written = seconds_text if cost == TIME else _count
    text = stated.text(written)
    low, high = min(single.costs), max(single.costs)
    if stated.mostly_reached and low < high:
        text += f" [{written(low)}, {written(high) if all(single.reached) else '>' + written(high)}]"
    return Bold(text) if stated.mostly_reached and stated.median == least else text


def _count(value: float) -> str:
    """Write a count with three digits, the precision of the distance between evaluations."""
    return quantity(float(f"{value:.3g}"))


def _profile_notes(profiles: Mapping[str, Mapping[str, Profile]]) -> list[str]:
    notes = []
    for cost, by_name in profiles.items():
        names = styles_for(by_name)
        shares = [
            f"{names[name].name} {100 * profile.share[0]:.0f} % ({100 * profile.solved:.0f} %)"
            for name, profile in by_name.items()
        ]
        if shares:
            said = "share of problems with the least cost (share solved)"
            notes.append(f"{axis_name(cost)}: {said}: {', '.join(shares)}.")
    return notes
