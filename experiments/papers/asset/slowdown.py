"""Section 4.2: epochs to a test error as lambda, the strong convexity, goes to 0."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from svm_cost_curves.experiments.curve import column
from svm_cost_curves.experiments.papers import layout
from svm_cost_curves.experiments.papers.asset import sweep
from svm_cost_curves.experiments.papers.cases import Case, Findings, Statistic, case_on, judge_claims
from svm_cost_curves.experiments.papers.panels import heading, name_of
from svm_cost_curves.experiments.plotting import STYLES
from svm_cost_curves.experiments.reproduction.evidence import Evidence
from svm_cost_curves.experiments.reproduction.figure_result import FigureResult, Table
from svm_cost_curves.experiments.reproduction.statistics import (
    FAILS,
    MISSING,
    Effort,
    cost_to_target,
    multiple_text,
    ratio_of,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure, SubFigure

METHODS: Final = ("asset", "asset_star")
LINEAR: Final = ("pegasos", "svmsgd")
"""Methods with the linear kernel."""
LAST: Final = 0.1
"""The last error of a run is its mean over this last share of the epochs: single evaluations are noisy."""


Study = sweep.Swept[sweep.Frames]
"""One data set: by method and C = 1/(lambda m) its runs."""


def last_errors(runs: sweep.Frames) -> NDArray[np.float64]:
    """Return the last errors in per cent, (runs,)."""
    curves = [(column(run, "epochs"), 100 * column(run, "test_error")) for run in runs]
    return np.array([errors[epochs >= (1 - LAST) * epochs[-1]].mean() for epochs, errors in curves])


def target(study: Study, method: str, C: float, margin: float) -> float:
    """Return the test error to reach: the better last error of a method and its rival, plus the margin."""
    runs = [study.get(name, C) for name in (LINEAR if method in LINEAR else METHODS)]
    return min(float(np.median(last_errors(frames))) for frames in runs if frames) + margin


def epochs_to_target(study: Study, method: str, C: float, margin: float, *, settled: bool) -> Effort:
    """Return the epochs to the target, or until the error stays at or below it, of runs that there are."""
    error = target(study, method, C, margin) / 100
    effort = cost_to_target(study.of[method][C], "epochs", "test_error", error, settled=settled)
    assert effort is not None  # no curve is empty
    return effort


@dataclass(frozen=True, kw_only=True)
class SlowDown(Statistic):
    """Epochs of a method with the smallest lambda, over its epochs with the largest and over those of others.

    Attributes
    ----------
    methods : list of str
        Series.
    over : list of str
        Series with which each method is compared besides, at the smallest lambda of both.
    factor : float
        The ratio of the epochs is above this.
    margin : float
        Percentage points above the better last error at which the epochs are counted.
    settled : bool
        Whether the error must stay within the margin.
    """

    methods: list[str]
    over: list[str] = field(default_factory=list)
    factor: float
    margin: float
    settled: bool = False

    def findings(self, data: Sequence[Study], evidence: Evidence) -> Findings:
        """Compare the epochs on each data set."""
        cases = []
        for study in data:
            for method in self.methods:
                cases += [self._case(study, method, other, max) for other in self.over]
                cases.append(self._case(study, method, method, min))
        return Findings(cases)

    def _case(self, study: Study, first: str, second: str, pick: Callable[[Iterable[float]], float]) -> Case:
        """Compare a method at its largest C, the smallest lambda, with another or itself at the C that is picked."""
        key, values = f"{first} over {second}", [study.of.get(name, {}) for name in (first, second)]
        if not all(values) or (first == second and len(values[0]) < 2):
            return case_on(study.panel, key, MISSING, note="no finished runs to compare")
        C = max(values[0])
        efforts = [
            epochs_to_target(study, name, value, self.margin, settled=self.settled)
            for name, value in ((first, C), (second, pick(values[1])))
        ]
        ratio = ratio_of(*efforts)
        if ratio is None:
            return case_on(study.panel, key, FAILS, note="neither reaches the target within its epochs")
        names = f"{STYLES[first].name} over {STYLES[second].name}"
        if first == second:
            names = f"{STYLES[first].name}, smallest over largest lambda"
        text = f"{names} {ratio.text()}"
        return case_on(study.panel, key, ratio.above(self.factor), text, {"C": C, "ratio": ratio.as_dict()})


STATISTICS = {"slow_down": SlowDown}
_MARGIN: Final = 1.0
"""Margin of the picture and the table, in percentage points."""
_CAPTION: Final = (
    f"Above: epochs to within {_MARGIN:g} point of the better method's last test error, for linear kernels until it "
    "stays so; arrows: most runs missed it. Below: last errors."
)


def _effort(study: Study, method: str, C: float) -> Effort:
    return epochs_to_target(study, method, C, _MARGIN, settled=method in LINEAR)


def _draw(figure: Figure | SubFigure, shown: Sequence[Study]) -> None:
    """Draw two panels per data set, one above the other."""
    items = [(study, below) for below in (False, True) for study in shown]
    styles = [STYLES[name] for name in (*METHODS, *LINEAR) if any(name in study.of for study in shown)]
    names, columns = (r"$C = 1 / (\lambda m)$", "Epochs"), len(shown) or 1
    for axes, (study, below) in layout.each_panel(figure, items, styles, [_CAPTION], sweep.HEAD, names, columns):
        for name, runs in study.of.items():
            if below:
                ends = {C: last_errors(frames) for C, frames in runs.items()}
                layout.draw_band(axes, sweep.band_of(ends, np.median), STYLES[name], steps=False)
            else:
                layout.draw_efforts(axes, {C: _effort(study, name, C) for C in runs}, STYLES[name])
        if below:
            axes.set_yscale("linear")
            axes.set_ylabel(axes.get_ylabel() and "Test error, %")
        heading(axes, study.panel)


def make(evidence: Evidence) -> FigureResult:
    """Draw the figure and judge its claims."""
    data: list[Study] = sweep.measured(evidence, (*METHODS, *LINEAR), lambda frames: frames)
    shown = [study for study in data if study.of]
    rows = [
        (
            study.panel,
            {"C": C, "series": name, "target": target(study, name, C, _MARGIN)}
            | sweep.error_columns(last_errors(runs))
            | _effort(study, name, C).columns("epochs"),
        )
        for study in shown
        for name, C, runs in study.items()
    ]
    return FigureResult(
        sweep.points(rows, "C series target epochs least largest runs reached error sd"),
        partial(_draw, shown=shown),
        (layout.WIDTH, sweep.HEAD + max(1, 2 * bool(shown)) * layout.height(1)),
        table=partial(_table, shown),
        claims=judge_claims(evidence, data=data),
    )


def _table(shown: Sequence[Study]) -> Table:
    methods = (*METHODS, *LINEAR)
    quantities = [f"{what}, {STYLES[name].name}" for what in ("epochs", "last error") for name in methods]
    rows = []
    for study in shown:
        for C in study.values:
            runs = {name: study.get(name, C) for name in methods}
            epochs = [_effort(study, name, C).text(multiple_text) if frames else "" for name, frames in runs.items()]
            errors = [sweep.error_text(last_errors(frames)) if frames else "" for frames in runs.values()]
            rows.append([name_of(study.panel), f"{C:g}", *epochs, *errors])
    notes = [
        "Epochs: medians over the runs, to the first evaluation, of ten per epoch, with a test error within "
        f"{_MARGIN:g} percentage point of the better last error of ASSET and ASSET* for this C; for linear kernels, "
        "until it stays within that of Pegasos' and SVMSGD's. >: half of the runs or more missed it. Last "
        "error: mean over the last tenth of the epochs, in per cent; mean over the runs ± standard deviation.",
        "Printed are C = 1000 for Adult, 100 for MNIST and IJCNN.",
    ]
    return Table(["data set", "C = 1/(lambda m)", *quantities], rows, notes)
