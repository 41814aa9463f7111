"""Accuracy study: epochs of SGD-s against the accuracy that it reaches, for several C."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import cycle
from typing import TYPE_CHECKING, Final, Literal

import numpy as np
from numpy.typing import NDArray

from svm_cost_curves.experiments.curve import column
from svm_cost_curves.experiments.papers import layout
from svm_cost_curves.experiments.papers.cases import Case, Findings, Statistic, interval_text, judge_claims
from svm_cost_curves.experiments.papers.kinds import Limits
from svm_cost_curves.experiments.papers.optimum import accuracy
from svm_cost_curves.experiments.papers.panels import heading, name_of
from svm_cost_curves.experiments.papers.sgdr import NO_PRINTED_VALUES
from svm_cost_curves.experiments.papers.sgdr.comparisons import case_at
from svm_cost_curves.experiments.papers.sgdr.timing import ProblemRuns, after_run, end_of, problem_runs
from svm_cost_curves.experiments.plotting import INK, Style
from svm_cost_curves.experiments.plotting.bands import Band, band, band_table
from svm_cost_curves.experiments.reproduction.evidence import Evidence, Panel
from svm_cost_curves.experiments.reproduction.figure_result import FigureResult, Table
from svm_cost_curves.experiments.reproduction.statistics import (
    LEAST_RUNS,
    MISSING,
    UNCLEAR,
    Interval,
    at_most,
    bootstrap_geometric_mean,
    cost_to_target,
    mean_exponent,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

METHOD: Final = "sgd_s"
TARGETS: Final = (1e-1, 1e-2, 1e-3, 1e-4)
FITTED: Final = 1e-1
"""The exponent is fitted to accuracies at or below this."""
SMALLEST: Final = 1e-7
"""Smaller values are drawn and judged as this: the optimum is not known much better."""


class Study(ProblemRuns):
    """SGD-s on one data set with one C."""

    @cached_property
    def accuracy(self) -> Band | None:
        """Return (J - L) / L against epochs; None before the first lower bound."""
        return band([(column(frame, "epochs"), accuracy(frame)) for frame in self.frames(METHOD)])

    @cached_property
    def exponent(self) -> Interval | None:
        """Return a of (J - L) / L ~ epochs^-a, mean over the runs with its interval; None if no line can be laid."""
        return self._exponent(lambda epochs, values: values <= FITTED)

    @cached_property
    def last_exponent(self) -> Interval | None:
        """Return the same for the last tenfold of the epochs."""
        return self._exponent(lambda epochs, values: epochs >= epochs[-1] / 10)

    def _exponent(self, chosen: Callable[..., NDArray[np.bool_]]) -> Interval | None:
        runs = [(column(frame, "epochs"), accuracy(frame)) for frame in self.frames(METHOD)]
        # y falls, so its reciprocal has the exponent a
        return mean_exponent((epochs, 1 / np.where((y > 0) & chosen(epochs, y), y, np.nan)) for epochs, y in runs)

    def reached(self, measure: str) -> Interval | None:
        """Return the last value of a measure of `LastValue`, geometric mean over the runs; None if no run has one."""
        if measure == "gap":
            ends = [float(accuracy(frame)[-1]) for frame in self.frames(METHOD)]
        else:
            ends = [] if self.optimum is None else [after_run(run, self.optimum) for run in self.runs[METHOD]]
        known = [math.log(max(end, SMALLEST)) for end in ends if math.isfinite(end)]
        return bootstrap_geometric_mean(known) if known else None


@dataclass(frozen=True, kw_only=True)
class LastValue(Statistic):
    """What runs reach at their end is small; while it still falls, it is not known whether it becomes small.

    Attributes
    ----------
    measure : str
        ``gap``: (J - L) / L, which the method knows; ``excess``: (J - J_opt) / J_opt.
    at_most : float
        The case holds where the whole interval is at most this.
    """

    measure: Literal["gap", "excess"]
    at_most: float

    def findings(self, data: Sequence[Study], evidence: Evidence) -> Findings:
        """Measure what is reached in each study."""
        return Findings([self._case(study) for study in data])

    def _case(self, study: Study) -> Case:
        reached = study.reached(self.measure)
        if reached is None:
            return case_at(study, "", MISSING, "no finished run has a value at its end")
        decision, falls = at_most(reached, self.at_most), study.last_exponent
        epochs = max(end_of(run, "epochs") for run in study.runs[METHOD])
        text = f"{interval_text(reached, '.2g')} after {epochs:,.0f} epochs"
        if decision.ruling == "fails" and falls is not None and falls.low > 0:
            decision = UNCLEAR
            more = epochs * (reached.estimate / self.at_most) ** (1 / falls.estimate)
            text += f", and falls; {self.at_most:g} after some {more:,.0f}"
        return case_at(study, "", decision, text, {"reached": reached.as_dict()})


@dataclass(frozen=True, kw_only=True)
class LastExponent(Limits):
    """The exponent a with which the duality gap falls at the end: (J - L) / L ~ epochs^-a over the last tenfold."""

    def findings(self, data: Sequence[Study], evidence: Evidence) -> Findings:
        """Measure the exponent in each study."""
        return Findings([self._case(study) for study in data])

    def _case(self, study: Study) -> Case:
        exponent = study.last_exponent
        if exponent is None:
            return case_at(study, "", MISSING, "no finished run has enough evaluations with a lower bound")
        text = f"epochs^-{interval_text(exponent, '.2f')}"
        return case_at(study, "", self.decide(exponent), text, exponent.as_dict())


STATISTICS: Final = {"last_value": LastValue, "last_exponent": LastExponent}


_HEAD: Final = 0.62  # inches
_CAPTION: Final = (
    r"SGD-s, medians over the runs, bands from the least to the largest. Full: $(J - L)\,/\,L$, which the method knows "
    r"itself; dashed: $(J - J_{\mathrm{opt}})\,/\,J_{\mathrm{opt}}$. Dotted: 1 / epochs."
)
_COLORS_AND_MARKERS: Final = (("#d95f02", "o"), ("#1b9e77", "s"), ("#54479e", "^"), ("#e7298a", "D"), ("#666666", "v"))
"""Colours and markers of the values of C in order, used again after the last."""
_DASHES: Final = (0, (4.0, 1.6))
_LARGEST: Final = 30.0


def _draw(figure: Figure | SubFigure, panels: Sequence[Panel], studies: Sequence[Study]) -> None:
    """Draw one panel per data set."""
    looks = zip(dict.fromkeys(study.C for study in studies), cycle(_COLORS_AND_MARKERS), strict=False)
    styles = {C: Style(f"C = {C:g}", color, "-", marker) for C, (color, marker) in looks}
    names = ("Epochs", "Relative accuracy")
    for axes, panel in layout.each_panel(figure, panels, styles.values(), [_CAPTION], _HEAD, names):
        _draw_one(axes, [study for study in studies if study.panel is panel], styles)
        heading(axes, panel)


def _draw_one(axes: Axes, studies: Sequence[Study], styles: dict[float, Style]) -> None:
    last = 1.0
    for study in studies:
        style = styles[study.C]
        if study.accuracy is not None:
            layout.draw_band(axes, study.accuracy.at_least(SMALLEST), style)
            last = max(last, float(study.accuracy.cost[-1]))
        if (excess := study.excess(METHOD, "epochs")) is not None:
            thin = replace(style, line=_DASHES, width=0.6 * style.width)
            layout.draw_line(axes, excess.at_least(SMALLEST), thin)
    low, high = axes.get_ylim()
    first, last = 0.8, 1.3 * last
    axes.plot([first, last], [1 / first, 1 / last], color=INK, linewidth=1.0, linestyle=(0, (1.0, 2.0)), zorder=1)
    axes.set_xlim(first, last)  # the first lower bound comes at the end of the first epoch
    axes.set_ylim(low, min(high, _LARGEST))


COLUMNS: Final = ("panel", "dataset", "C", "measure", "epochs", "median", "low", "high", "runs")


def make(evidence: Evidence) -> FigureResult:
    """Draw the figure and judge the claims."""
    every = problem_runs(evidence, Study)
    studies = [study for study in every if study.frames(METHOD)]
    panels = [panel for panel in evidence.panels if any(study.panel is panel for study in studies)]
    rows = [
        ({"panel": study.panel.paper_dataset, "dataset": study.panel.dataset, "C": study.C, "measure": measure}, curve)
        for study in studies
        for measure, curve in (("accuracy", study.accuracy), ("excess", study.excess(METHOD, "epochs")))
        if curve is not None
    ]
    return FigureResult(
        band_table(rows, "epochs", COLUMNS),
        partial(_draw, panels=panels, studies=studies),
        layout.size(len(panels), _HEAD),
        table=partial(_table, studies),
        claims=judge_claims(evidence, data=every),
    )


def _table(studies: Sequence[Study]) -> Table:
    columns = ["data set", "C", "J_opt", *(f"epochs to {target:g}" for target in TARGETS), "last accuracy", "exponent"]
    rows = [
        [
            name_of(study.panel),
            f"{study.C:g}",
            "" if study.optimum is None else f"{study.optimum.upper:.6f}",
            *(_epochs(study, target) for target in TARGETS),
            "" if study.accuracy is None else f"{study.accuracy.middle[-1]:.1e}",
            "" if study.exponent is None else interval_text(study.exponent, ".2f"),
        ]
        for study in studies
    ]
    notes = [
        "J: objective; L: lower bound of SGD-s at the end of each epoch; J_opt: from a run of dual coordinate descent.",
        "Epochs to the first evaluation with (J - L) / L at or below the accuracy: median over the runs (least to "
        "largest); a dash if half of the runs or more miss it.",
        "Last accuracy: (J - L) / L at the end, median. Exponent: a of (J - L) / L ~ epochs^-a from "
        f"{FITTED:g} on, mean over the runs with its interval; below {LEAST_RUNS} runs this is their range.",
        NO_PRINTED_VALUES,
    ]
    return Table(columns, rows, notes)


def _epochs(study: Study, target: float) -> str:
    effort = cost_to_target(study.frames(METHOD), "epochs", accuracy, target)
    if effort is None or not effort.known:
        return "-"
    low, high = _count(min(effort.costs)), _count(max(effort.costs)) if all(effort.reached) else "not reached"
    return _count(effort.median) if low == high else f"{_count(effort.median)} ({low} to {high})"


def _count(epochs: float) -> str:
    return f"{epochs:,.0f}" if epochs >= 10 else f"{epochs:.2g}"
