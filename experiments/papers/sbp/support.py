"""Sections 4.3, 4.5 and Theorem D.4: numbers of support vectors, and the Perceptron's mistakes in its first pass."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final, Literal

import numpy as np
import pandas as pd

from ...columns import MEASURE
from ...curve import column, epoch_cost
from ...plotting import STYLES
from ...reproduction.evidence import Evidence, FigureResult, Panel, Table
from ...reproduction.statistics.interval import MISSING, Interval, under_bound
from ...reproduction.statistics.ratio import ratio_of
from ...reproduction.statistics.target import Effort, cost_to_target, effort_of
from .. import layout
from ..cases import Case, Statistic, case_on, judge_claims
from ..kinds.limits import Limits, last, measure_at, missing_runs, name_of_series
from ..panels import heading, name_of
from .methods import COST, METHODS, POINT_STYLES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SUPPORT: Final = "support_vectors"


@dataclass(frozen=True, kw_only=True)
class SupportRatio(Limits, kind="support_ratio"):
    """Support vectors of a series over those of each other: the ratio of the medians over their runs."""

    first: str
    """Series."""
    others: list[str]
    """Series; one case for each."""
    where: Literal["equal_error", "end"] = "equal_error"
    """Where the support vectors of a run are counted: at its first good error, or at its last evaluation."""
    near: float
    """An error is good up to this share above the larger one of the two series' mean last errors."""

    def cases(self, panel: Panel, evidence: Evidence) -> list[Case]:
        """Compare the first series with each other one."""
        return [self._case(evidence, panel, second) for second in self.others]

    def _case(self, evidence: Evidence, panel: Panel, second: str) -> Case:
        curves = {name: panel.curves(name) for name in (self.first, second)}
        if not all(curves.values()):
            return missing_runs(evidence, panel, second, (self.first, second))
        target = None
        if self.where == "equal_error":
            last_errors = [float(np.nanmean([last(frame, MEASURE) for frame in frames])) for frames in curves.values()]
            target = (1 + self.near) * max(last_errors)
        efforts = {name: support_at(frames, target) for name, frames in curves.items()}
        ratio = ratio_of(efforts[self.first], efforts[second])
        if ratio is None:
            return case_on(panel, second, MISSING, note="neither reaches the error")
        where = "at the end" if target is None else f"at {100 * target:.2f} %"
        counts = [f"{name_of_series(evidence.spec, name)} {_count(effort)}" for name, effort in efforts.items()]
        text = f"{', '.join(counts)} support vectors {where}, ratio {ratio.text()}"
        medians = {name: effort.median for name, effort in efforts.items()}
        return case_on(panel, second, self.decide(ratio), text, {"ratio": ratio.as_dict(), "target": target} | medians)


def support_at(frames: Sequence[pd.DataFrame], target: float | None) -> Effort:
    """Return each run's support vectors at its first evaluation at or below an error; None: at its last evaluation."""
    if target is None:
        counts = [last(frame, SUPPORT) for frame in frames]
        return effort_of(counts, max(counts))
    effort = cost_to_target(frames, SUPPORT, MEASURE, target)
    assert effort is not None  # there are runs
    return effort


def _count(effort: Effort) -> str:
    return effort.text(lambda count: f"{count:,.0f}")


def mistake_bound(losses: float, norm: float) -> float:
    """Return equation D.7's bound for the sum of the hinge losses and the norm of any u, and K(x, x) <= 1."""
    return losses + norm * math.sqrt(losses) + norm**2


def first_pass(panel: Panel) -> tuple[list[float], float] | None:
    """Return the Perceptron's mistakes in its first pass, by run, and the bound on them.

    A run's support vectors at its first evaluation after the first epoch are no fewer than its mistakes until then. The
    bound is n L + r ‖u‖ sqrt(n L) + r^2 ‖u‖^2 (equation D.7) for SMO's last predictor u with mean hinge loss L. None
    without runs that end their first epoch, or without SMO's run.
    """
    epoch_ends = [(frame, epoch_cost(frame, COST)) for frame in panel.curves("perceptron")]
    mistakes = [measure_at(frame, COST, SUPPORT, end) for frame, end in epoch_ends if end is not None]
    smo = next(iter(panel.runs.get("smo", ())), None)
    if not mistakes or smo is None or not panel.n:
        return None
    final = smo.result["final"]
    return mistakes, mistake_bound(panel.n * float(final["hinge"]), float(final["norm"]))


@dataclass(frozen=True, kw_only=True)
class FirstPassMistakes(Statistic, kind="first_pass_mistakes"):
    """The Perceptron's mistakes in its first pass are at most equation D.7's bound."""

    def case(self, panel: Panel, evidence: Evidence) -> Case:
        """Compare the most mistakes of any run with the bound."""
        first = first_pass(panel)
        if first is None:
            return missing_runs(evidence, panel, "mistakes", ("perceptron", "smo"), "no run ends its first epoch")
        mistakes, bound = first
        most = max(mistakes)
        text = f"at most {most:,.0f} mistakes in the first pass, the bound {bound:,.0f}"
        decision = under_bound(Interval(most, most, most), bound)
        return case_on(panel, "mistakes", decision, text, {"mistakes": mistakes, "bound": bound})


_CAPTION: Final = (
    "Support vectors of each run at its first evaluation at or below an error, median over the runs and range; errors "
    "below that of a constant prediction."
)
TARGETS: Final = 25
"""Errors for which the numbers of support vectors are drawn."""
Paths = Mapping[str, Mapping[float, Effort]]
"""Support vectors at errors, in falling order, by method."""


def make(evidence: Evidence) -> FigureResult:
    """Draw numbers of support vectors at errors, and judge the claims."""
    drawn = [(panel, _paths(panel)) for panel in evidence.panels if any(panel.runs.values())]
    rows = [
        {"panel": panel.paper_dataset, "dataset": panel.dataset, "series": name, "error": error}
        | effort.columns(SUPPORT)
        for panel, paths in drawn
        for name, path in paths.items()
        for error, effort in path.items()
    ]
    return FigureResult(
        lambda: pd.DataFrame(rows),
        *layout.drawing(drawn, POINT_STYLES.values(), _CAPTION, ("Test error (%)", "Support vectors"), _draw),
        table=partial(_table, [panel for panel, _ in drawn]),
        claims=judge_claims(evidence),
    )


def _paths(panel: Panel) -> Paths:
    curves = {name: panel.curves(name) for name in METHODS if panel.curves(name)}
    lowest = min(float(np.nanmin(column(frame, MEASURE))) for frames in curves.values() for frame in frames)
    targets = np.geomspace(panel.trivial_error or 1.0, max(lowest, 1e-6), TARGETS)[1:]
    paths = {name: {error: support_at(frames, error) for error in targets} for name, frames in curves.items()}
    return {
        name: {error: effort for error, effort in path.items() if effort.mostly_reached} for name, path in paths.items()
    }


def _draw(axes: Axes, drawn: tuple[Panel, Paths]) -> None:
    """Draw one data set, smaller errors to the right."""
    panel, paths = drawn
    for name, path in paths.items():
        layout.draw_efforts(axes, {100 * error: effort for error, effort in path.items()}, POINT_STYLES[name])
    axes.invert_xaxis()
    layout.plain_ticks(axes.xaxis)
    heading(axes, panel)


def _table(panels: Sequence[Panel]) -> Table:
    rows = []
    for panel in panels:
        curves, first = [panel.curves(name) for name in METHODS], first_pass(panel)
        counts = [_count(support_at(frames, None)) if frames else "" for frames in curves]
        mistakes = ["", ""] if first is None else [f"{max(first[0]):,.0f}", f"{first[1]:,.0f}"]
        rows.append([name_of(panel), *counts, *mistakes])
    columns = ["data set", *(STYLES[name].name for name in METHODS), "mistakes in the first pass", "bound (D.7)"]
    return Table(columns, rows, ["Support vectors at the end of the runs, medians; mistakes: the most of any run."])
