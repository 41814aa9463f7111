"""Sections 4.3, 4.5 and Theorem D.4: numbers of support vectors, and the Perceptron's mistakes in its first pass."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd

from svm_cost_curves.experiments.curve import column, cost_to_reach
from svm_cost_curves.experiments.papers import layout
from svm_cost_curves.experiments.papers.cases import MISSING, Case, Choice, Findings, case_on, judge_claims, under_bound
from svm_cost_curves.experiments.papers.effort import Effort, effort_of, ratio_of
from svm_cost_curves.experiments.papers.panels import MEASURE, heading, name_of
from svm_cost_curves.experiments.papers.sbp.comparisons import (
    COST,
    METHODS,
    epoch_cost,
    last,
    measure_at,
    method_name,
    missing_case,
)
from svm_cost_curves.experiments.plotting import STYLES
from svm_cost_curves.experiments.reproduction.evidence import Evidence, Panel
from svm_cost_curves.experiments.reproduction.figure_result import FigureResult, Table
from svm_cost_curves.experiments.reproduction.statistics import Interval

if TYPE_CHECKING:
    from matplotlib.figure import Figure, SubFigure

SUPPORT: Final = "support_vectors"
RIVALS: Final[Mapping[str, tuple[str, ...]]] = {"smo": ("smo",), "all": ("smo", "sdca", "pegasos")}
"""Values of the option ``rivals``."""


def sparser(evidence: Evidence, choice: Choice) -> Findings:
    """Judge sbp.sparsity: the SBP's predictor has no more support vectors than the others."""
    near = choice["near"] if choice.option("where") == "equal_error" else None
    rivals = RIVALS[choice.option("rivals")]
    return Findings([_sparsity_case(panel, rival, near) for panel in evidence.panels for rival in rivals])


def _sparsity_case(panel: Panel, rival: str, near: float | None) -> Case:
    curves = {name: panel.curves(name) for name in ("sbp", rival)}
    ends = {name: [last(frame) for frame in frames] for name, frames in curves.items()}
    if not all(ends.values()):
        return missing_case(panel, rival, ("sbp", rival))
    target = None if near is None else (1 + near) * max(float(np.nanmean(errors)) for errors in ends.values())
    own, other = (support_at(frames, target) for frames in curves.values())
    ratio = ratio_of(own, other)
    if ratio is None:
        return case_on(panel, rival, MISSING, note="neither reaches the error")
    where = "at the end" if target is None else f"at {100 * target:.2f} %"
    counts = [f"{method_name(name)} {_count(effort)}" for name, effort in (("sbp", own), (rival, other))]
    measured = f"{', '.join(counts)} support vectors {where}, ratio {ratio.text()}"
    statistic = {"ratio": ratio.as_dict(), "target": target, "sbp": own.median, rival: other.median}
    return case_on(panel, rival, ratio.at_most(1.0), measured, statistic)


def support_at(frames: Sequence[pd.DataFrame], target: float | None) -> Effort:
    """Return each run's support vectors at its first evaluation at or below an error; None: at its last evaluation."""
    found: list[float | None] = []
    for frame in frames:
        cost = math.inf if target is None else cost_to_reach(column(frame, COST), column(frame, MEASURE), target)
        found.append(None if cost is None else measure_at(frame, cost, measure=SUPPORT))
    return effort_of(found, max(last(frame, SUPPORT) for frame in frames))


def _count(effort: Effort) -> str:
    return effort.text(lambda count: f"{count:,.0f}")


@dataclass(frozen=True)
class FirstPass:
    """The Perceptron's first pass on one data set, and the bound on its mistakes.

    Attributes
    ----------
    panel : Panel
    mistakes : list of float
        By run: support vectors at the first evaluation after the first epoch, not less than the mistakes until its end.
    bound : float
        n L + r ‖u‖ sqrt(n L) + r^2 ‖u‖^2 (equation D.7) for SMO's last predictor u with mean hinge loss L.
    """

    panel: Panel
    mistakes: list[float]
    bound: float


def mistake_bound(losses: float, norm: float) -> float:
    """Return equation D.7's bound for the sum of the hinge losses and the norm of any u, and K(x, x) <= 1."""
    return losses + norm * math.sqrt(losses) + norm**2


def first_pass(panel: Panel) -> FirstPass | None:
    """Return the Perceptron's first pass; None without runs that end it, or without SMO's run."""
    ends = [(frame, epoch_cost(frame)) for frame in panel.curves("perceptron")]
    mistakes = [measure_at(frame, end, measure=SUPPORT) for frame, end in ends if end is not None]
    smo = next(iter(panel.runs.get("smo", ())), None)
    if not mistakes or smo is None or not panel.n:
        return None
    final = smo.result["final"]
    bound = mistake_bound(panel.n * float(final["hinge"]), float(final["norm"]))
    return FirstPass(panel, mistakes, bound)


def few_mistakes(evidence: Evidence, choice: Choice) -> Findings:
    """Judge sbp.mistakes: the Perceptron's mistakes in its first pass are at most equation D.7's bound."""
    return Findings([_pass_case(panel) for panel in evidence.panels])


def _pass_case(panel: Panel) -> Case:
    found = first_pass(panel)
    if found is None:
        return missing_case(panel, "mistakes", ("perceptron", "smo"), "no run ends its first epoch")
    most = max(found.mistakes)
    measured = f"at most {most:,.0f} mistakes in the first pass, the bound {found.bound:,.0f}"
    statistic = {"mistakes": found.mistakes, "bound": found.bound}
    return case_on(panel, "mistakes", under_bound(Interval(most, most, most), found.bound), measured, statistic)


_HEAD: Final = 0.62  # inches
_CAPTION: Final = (
    "Support vectors of each run at its first evaluation at or below an error, median over the runs and range; errors "
    "below that of a constant prediction."
)
TARGETS: Final = 25
"""Errors for which the numbers of support vectors are drawn."""
OPTIONS = {"sbp.sparsity": {"rivals": tuple(RIVALS), "where": ("equal_error", "end")}}
JUDGES: Final = {"sbp.sparsity": sparser, "sbp.mistakes": few_mistakes}


def make(evidence: Evidence) -> FigureResult:
    """Draw numbers of support vectors at errors, and judge the claims."""
    panels = [panel for panel in evidence.panels if any(panel.runs.values())]
    paths = [_paths(panel) for panel in panels]
    return FigureResult(
        pd.DataFrame([row for panel, own in zip(panels, paths, strict=True) for row in _records(panel, own)]),
        partial(_draw, panels=list(zip(panels, paths, strict=True))),
        layout.size(len(panels), _HEAD),
        table=_table(panels),
        claims=judge_claims(evidence, JUDGES),
    )


Paths = Mapping[str, Mapping[float, Effort]]
"""Support vectors at errors, in falling order, by method."""


def _paths(panel: Panel) -> Paths:
    curves = {name: panel.curves(name) for name in METHODS if panel.curves(name)}
    lowest = min(float(np.nanmin(column(frame, MEASURE))) for frames in curves.values() for frame in frames)
    targets = np.geomspace(panel.trivial_error or 1.0, max(lowest, 1e-6), TARGETS)[1:]
    paths = {name: {error: support_at(frames, error) for error in targets} for name, frames in curves.items()}
    return {name: {error: each for error, each in path.items() if each.known} for name, path in paths.items()}


def _draw(figure: Figure | SubFigure, panels: Sequence[tuple[Panel, Paths]]) -> None:
    """Draw one panel per data set, on logarithmic axes, smaller errors to the right."""
    # these points are no curve against a cost: nothing is dashed after the first epoch
    styles = {name: STYLES[name] for name in METHODS}
    styles["perceptron"] = replace(styles["perceptron"], name="online Perceptron")
    names = "Test error (%)", "Support vectors"
    for axes, (panel, paths) in layout.each_panel(figure, panels, styles.values(), [_CAPTION], _HEAD, names):
        for name, path in paths.items():
            layout.draw_efforts(axes, {100 * error: effort for error, effort in path.items()}, styles[name])
        axes.invert_xaxis()
        layout.plain_ticks(axes.xaxis)
        heading(axes, panel)


def _records(panel: Panel, paths: Paths) -> list[dict[str, Any]]:
    common = {"panel": panel.paper_dataset, "dataset": panel.dataset}
    return [
        common | {"series": name, "error": error} | effort.columns(SUPPORT)
        for name, path in paths.items()
        for error, effort in path.items()
    ]


def _table(panels: Sequence[Panel]) -> Table:
    rows = []
    for panel in panels:
        found = first_pass(panel)
        ends = {name: support_at(panel.curves(name), None) for name in METHODS if panel.curves(name)}
        rows.append(
            [
                name_of(panel),
                *(_count(ends[name]) if name in ends else "" for name in METHODS),
                "" if found is None else f"{max(found.mistakes):,.0f}",
                "" if found is None else f"{found.bound:,.0f}",
            ]
        )
    columns = ["data set", *(f"{method_name(name)}" for name in METHODS), "mistakes in the first pass", "bound (D.7)"]
    return Table(columns, rows, ["Support vectors at the end of the runs, medians; mistakes: the most of any run."])
