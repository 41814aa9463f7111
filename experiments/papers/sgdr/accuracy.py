"""Accuracy study: epochs of SGD-s against the accuracy that it reaches, for several C."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from svm_cost_curves.experiments.curve import column, cost_to_reach
from svm_cost_curves.experiments.papers import layout
from svm_cost_curves.experiments.papers.bands import Band, band, band_table
from svm_cost_curves.experiments.papers.cases import (
    MISSING,
    UNCLEAR,
    Case,
    Choice,
    Findings,
    above,
    at_most,
    case_on,
    interval_text,
    judge_claims,
)
from svm_cost_curves.experiments.papers.optimum import Optimum, accuracy, optimum_of
from svm_cost_curves.experiments.papers.panels import heading, name_of
from svm_cost_curves.experiments.papers.sgdr import NO_PRINTED_VALUES
from svm_cost_curves.experiments.papers.sgdr.comparisons import geometric_interval
from svm_cost_curves.experiments.plotting import INK, Style
from svm_cost_curves.experiments.reproduction.evidence import Evidence, Panel
from svm_cost_curves.experiments.reproduction.figure_result import FigureResult, Table
from svm_cost_curves.experiments.reproduction.spec import FigureSpec
from svm_cost_curves.experiments.reproduction.statistics import Interval, bootstrap_mean, loglog_slope

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

SERIES: Final = "sgd_s"
TARGETS: Final = (1e-1, 1e-2, 1e-3, 1e-4)
FITTED: Final = 1e-1
"""The exponent is fitted to accuracies at or below this."""
SMALLEST: Final = 1e-7
"""Smaller values are drawn and judged as this: the optimum is not known much better."""

Values = NDArray[np.float64]


@dataclass(frozen=True)
class Study:
    """SGD-s on one data set with one C.

    Attributes
    ----------
    panel : Panel
    C : float
    frames : tuple of DataFrame
        Curves of its runs, at least one.
    optimum : Optimum or None
    """

    panel: Panel
    C: float
    frames: tuple[pd.DataFrame, ...]
    optimum: Optimum | None

    @cached_property
    def lengths(self) -> list[float]:
        """Return the epochs of each run."""
        return [float(column(frame, "epochs")[-1]) for frame in self.frames]

    @cached_property
    def accuracy(self) -> Band | None:
        """Return (J - L) / L against epochs; None before the first lower bound."""
        return band([(column(frame, "epochs"), accuracy(frame)) for frame in self.frames])

    @cached_property
    def excess(self) -> Band | None:
        """Return (J - J_opt) / J_opt against epochs; None if the optimum is not known."""
        if self.optimum is None:
            return None
        return band([(column(frame, "epochs"), self.optimum.excess(column(frame, "primal"))) for frame in self.frames])

    def epochs_to(self, target: float) -> list[float]:
        """Epochs of each run to its first evaluation with (J - L) / L <= target, rising; inf: not within its budget."""
        found = [cost_to_reach(column(frame, "epochs"), accuracy(frame), target) for frame in self.frames]
        return sorted(np.inf if epochs is None else epochs for epochs in found)

    @cached_property
    def exponent(self) -> Interval | None:
        """Return a of (J - L) / L ~ epochs^-a, mean over the runs with its interval; None if no line can be laid."""
        return self._exponent(lambda epochs, values: values <= FITTED)

    @cached_property
    def last_exponent(self) -> Interval | None:
        """Return the same for the last tenfold of the epochs."""
        return self._exponent(lambda epochs, values: epochs >= epochs[-1] / 10)

    def _exponent(self, chosen: Callable[[Values, Values], NDArray[np.bool_]]) -> Interval | None:
        slopes: list[float] = []
        for frame in self.frames:
            epochs, values = column(frame, "epochs"), accuracy(frame)
            fitted = (values > 0) & chosen(epochs, values)
            if len(np.unique(epochs[fitted])) >= 2:
                slopes.append(-loglog_slope(epochs[fitted], values[fitted]))
        return bootstrap_mean(slopes) if slopes else None

    def reached(self, measure: str) -> Interval | None:
        """Return the last value of a measure, geometric mean over the runs; None if no run has one."""
        if measure == "accuracy":
            ends = [float(accuracy(frame)[-1]) for frame in self.frames]
        elif self.optimum is None:
            return None
        else:
            ends = [float(self.optimum.excess(column(frame, "primal"))[-1]) for frame in self.frames]
        known = [math.log(max(end, SMALLEST)) for end in ends if math.isfinite(end)]
        return geometric_interval(known) if known else None


def studies(panels: Sequence[Panel], spec: FigureSpec) -> list[Study]:
    """Return all data sets and values of C that there are runs of SGD-s for, in the figure's order."""
    optima = spec.members("optimum")
    return [
        Study(panel, C, frames, optimum_of(panel, optima[C]) if C in optima else None)
        for panel in panels
        for C, series in spec.members(SERIES).items()
        if (frames := panel.curves(series))
    ]


def judge_accurate(evidence: Evidence, choice: Choice, found: Sequence[Study]) -> Findings:
    """Judge whether SGD-s obtains extremely accurate solutions, by the measure of the reading."""
    return Findings(_cases(evidence, choice, found, _accurate_case))


def _accurate_case(study: Study, choice: Choice) -> Case:
    what, limit = f"C={study.C:g}", choice["accuracy"]
    reached = study.reached(choice.option("measure"))
    if reached is None:
        return case_on(study.panel, what, MISSING, note="no value at the end of a run")
    decision, falls = at_most(reached, limit), study.last_exponent
    text = f"C = {study.C:g}: {interval_text(reached, '.2g')} after {max(study.lengths):,.0f} epochs"
    if decision.ruling == "fails" and falls is not None and falls.low > 0:
        decision = UNCLEAR
        more = max(study.lengths) * (reached.estimate / limit) ** (1 / falls.estimate)
        text += f", and falls; {limit:g} after some {more:,.0f}"
    return case_on(study.panel, what, decision, text, {"reached": reached.as_dict()}, text)


def judge_vanishing(evidence: Evidence, choice: Choice, found: Sequence[Study]) -> Findings:
    """Judge whether the duality gap still falls as a power of the epochs at the end."""
    return Findings(_cases(evidence, choice, found, _vanishing_case))


def _vanishing_case(study: Study, choice: Choice) -> Case:
    what, exponent = f"C={study.C:g}", study.last_exponent
    if exponent is None:
        return case_on(study.panel, what, MISSING, note="too few evaluations with a lower bound")
    text = f"C = {study.C:g}: epochs^-{interval_text(exponent, '.2f')}"
    return case_on(study.panel, what, above(exponent, choice["exponent"]), text, exponent.as_dict(), text)


def _cases(
    evidence: Evidence, choice: Choice, found: Sequence[Study], judge: Callable[[Study, Choice], Case]
) -> list[Case]:
    known = {(study.panel.paper_dataset, study.C) for study in found}
    missing = [
        case_on(panel, f"C={C:g}", MISSING, note=f"no finished runs with C = {C:g}")
        for panel in evidence.panels
        for C in evidence.spec.members(SERIES)
        if (panel.paper_dataset, C) not in known
    ]
    return [*(judge(study, choice) for study in found), *missing]


_HEAD: Final = 0.62  # inches
_CAPTION: Final = (
    r"SGD-s, medians over the runs, bands from the least to the largest. Full: $(J - L)\,/\,L$, which the method knows "
    r"itself; dashed: $(J - J_{\mathrm{opt}})\,/\,J_{\mathrm{opt}}$. Dotted: 1 / epochs."
)
_COLORS_AND_MARKERS: Final = (("#d95f02", "o"), ("#1b9e77", "s"), ("#54479e", "^"), ("#e7298a", "D"), ("#666666", "v"))
"""Colours and markers of the values of C in order, used again after the last."""
_DASHES: Final = (0, (4.0, 1.6))
_LARGEST: Final = 30.0


def _draw(figure: Figure | SubFigure, panels: Sequence[Panel], found: Sequence[Study]) -> None:
    """Draw one panel per data set."""
    values = dict.fromkeys(study.C for study in found)
    looks = {C: _COLORS_AND_MARKERS[k % len(_COLORS_AND_MARKERS)] for k, C in enumerate(values)}
    styles = {C: Style(f"C = {C:g}", color, "-", marker) for C, (color, marker) in looks.items()}
    for place, panel in layout.each_panel(
        figure, panels, styles.values(), [_CAPTION], _HEAD, ("Epochs", "Relative accuracy")
    ):
        _draw_one(place, [study for study in found if study.panel is panel], styles)
        heading(place, panel)


def _draw_one(axes: Axes, own: Sequence[Study], styles: dict[float, Style]) -> None:
    last = 1.0
    for study in own:
        style = styles[study.C]
        if study.accuracy is not None:
            layout.draw_band(axes, study.accuracy.at_least(SMALLEST), style)
            last = max(last, float(study.accuracy.cost[-1]))
        if study.excess is not None:
            thin = replace(style, line=_DASHES, width=0.6 * style.width)
            layout.draw_line(axes, study.excess.at_least(SMALLEST), thin)
    low, high = axes.get_ylim()
    first, last = 0.8, 1.3 * last
    axes.plot([first, last], [1 / first, 1 / last], color=INK, linewidth=1.0, linestyle=(0, (1.0, 2.0)), zorder=1)
    axes.set_xlim(first, last)  # the first lower bound comes at the end of the first epoch
    axes.set_ylim(low, min(high, _LARGEST))


COLUMNS: Final = ("panel", "dataset", "C", "measure", "epochs", "median", "low", "high", "runs")
MEASURES: Final = ("accuracy", "excess")
"""(J - L) / L, and (J - J_opt) / J_opt."""


OPTIONS = {"sgdr.accurate": {"measure": ("accuracy", "excess")}}


def make(evidence: Evidence) -> FigureResult:
    """Draw the figure and judge the claims."""
    found = studies(evidence.panels, evidence.spec)
    shown = [panel for panel in evidence.panels if any(study.panel is panel for study in found)]
    return FigureResult(
        _data(found),
        partial(_draw, panels=shown, found=found),
        layout.size(len(shown), _HEAD),
        table=_table(found),
        claims=judge_claims(
            evidence,
            {
                "sgdr.accurate": lambda evidence, choice: judge_accurate(evidence, choice, found),
                "sgdr.vanishing": lambda evidence, choice: judge_vanishing(evidence, choice, found),
            },
        ),
    )


def _data(found: Sequence[Study]) -> pd.DataFrame:
    rows = [
        ({"panel": study.panel.paper_dataset, "dataset": study.panel.dataset, "C": study.C, "measure": measure}, own)
        for study in found
        for measure in MEASURES
        if (own := getattr(study, measure)) is not None
    ]
    return band_table(rows, "epochs", COLUMNS)


def _table(found: Sequence[Study]) -> Table:
    columns = ["data set", "C", "J_opt", *(f"epochs to {target:g}" for target in TARGETS), "last accuracy", "exponent"]
    rows = [
        [
            name_of(study.panel),
            f"{study.C:g}",
            "" if study.optimum is None else f"{study.optimum.upper:.6f}",
            *(_epochs(study.epochs_to(target)) for target in TARGETS),
            "" if study.accuracy is None else f"{study.accuracy.median[-1]:.1e}",
            "" if study.exponent is None else interval_text(study.exponent, ".2f"),
        ]
        for study in found
    ]
    notes = [
        "J: objective; L: lower bound of SGD-s at the end of each epoch; J_opt: from a run of dual coordinate descent.",
        "Epochs to the first evaluation with (J - L) / L at or below the accuracy: median over the runs (least to "
        "largest); a dash if half of the runs or more miss it.",
        "Last accuracy: (J - L) / L at the end, median. Exponent: a of (J - L) / L ~ epochs^-a from "
        f"{FITTED:g} on, mean over the runs with its 95 % interval.",
        NO_PRINTED_VALUES,
    ]
    return Table(columns, rows, notes)


def _epochs(values: Sequence[float]) -> str:
    middle = float(np.median(values))
    if not np.isfinite(middle):
        return "-"
    low, high = (_count(value) if np.isfinite(value) else "not reached" for value in (values[0], values[-1]))
    return _count(middle) if low == high else f"{_count(middle)} ({low} to {high})"


def _count(epochs: float) -> str:
    return f"{epochs:,.0f}" if epochs >= 10 else f"{epochs:.2g}"
