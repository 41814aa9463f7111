"""Accuracy study: epochs of SGD-s against the accuracy that it reaches, for several C."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import cycle
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from ...curve import column
from ...plotting import INK, Style
from ...plotting.bands import Band, band, band_table
from ...reproduction.evidence import Evidence, FigureResult, Panel, Table, cell
from ...reproduction.statistics.interval import (
    LEAST_RUNS,
    MISSING,
    UNCLEAR,
    Interval,
    at_most,
    bootstrap_geometric_mean,
)
from ...reproduction.statistics.regression import mean_exponent
from ...reproduction.statistics.target import cost_to_target
from .. import layout
from ..cases import Case, Statistic, interval_text, judge_claims
from ..kinds import Limits
from ..optimum import accuracy
from ..panels import heading, name_of
from . import NO_PRINTED_VALUES
from .comparisons import case_at
from .timing import ProblemRuns, after_run, end_of, problem_runs

if TYPE_CHECKING:
    from matplotlib.axes import Axes

METHOD: Final = "sgd_s"
TARGETS: Final = (1e-1, 1e-2, 1e-3, 1e-4)
FITTED: Final = 1e-1
"""The exponent is fitted to accuracies at or below this."""
SMALLEST: Final = 1e-7
"""Smaller values are drawn and judged as this: the optimum is not known much better."""


def _accuracy(study: ProblemRuns) -> Band | None:
    """Return (J - L) / L against epochs; None before the first lower bound."""
    return band([(column(frame, "epochs"), accuracy(frame)) for frame in study.frames(METHOD)])


def _exponent(study: ProblemRuns, *, last: bool) -> Interval | None:
    """Return a of (J - L) / L ~ epochs^-a, mean over the runs with its interval; None if no line can be laid.

    It is fitted to accuracies from `FITTED` on, or to the `last` tenfold of the epochs.
    """
    runs = [(column(frame, "epochs"), accuracy(frame)) for frame in study.frames(METHOD)]
    # y falls, so its reciprocal has the exponent a
    return mean_exponent(
        (epochs, 1 / np.where((y > 0) & (epochs >= epochs[-1] / 10 if last else y <= FITTED), y, np.nan))
        for epochs, y in runs
    )


@dataclass(frozen=True, kw_only=True)
class LastValue(Statistic, kind="last_value"):
    """The `measure` at the end of the runs is `at_most` a value; while it still falls, the case is unclear.

    `measure`: ``gap`` is (J - L) / L, which the method knows; ``excess`` is (J - J_opt) / J_opt.
    """

    measure: Literal["gap", "excess"]
    at_most: float

    def case(self, study: ProblemRuns, evidence: Evidence) -> Case:
        """Measure what is reached, as geometric mean over the runs."""
        runs, optimum = study.runs[METHOD], study.optimum
        last_values = [float(accuracy(run.curve)[-1]) for run in runs]
        if self.measure == "excess":
            last_values = [] if optimum is None else [after_run(run, optimum) for run in runs]
        logs = [math.log(max(end, SMALLEST)) for end in last_values if math.isfinite(end)]
        if not logs:
            return case_at(study, "", MISSING, "no finished run has a value at its end")
        reached, falls = bootstrap_geometric_mean(logs), _exponent(study, last=True)
        decision, epochs = at_most(reached, self.at_most), max(end_of(run, "epochs") for run in runs)
        text = f"{interval_text(reached, '.2g')} after {epochs:,.0f} epochs"
        if decision.ruling == "fails" and falls is not None and falls.low > 0:
            decision = UNCLEAR
            more = epochs * (reached.estimate / self.at_most) ** (1 / falls.estimate)
            text += f", and falls; {self.at_most:g} after some {more:,.0f}"
        return case_at(study, "", decision, text, {"reached": reached.as_dict()})


@dataclass(frozen=True, kw_only=True)
class LastExponent(Limits, kind="last_exponent"):
    """The exponent a with which the duality gap falls at the end: (J - L) / L ~ epochs^-a over the last tenfold."""

    def case(self, study: ProblemRuns, evidence: Evidence) -> Case:
        """Measure the exponent."""
        exponent = _exponent(study, last=True)
        if exponent is None:
            return case_at(study, "", MISSING, "no finished run has enough evaluations with a lower bound")
        text = f"epochs^-{interval_text(exponent, '.2f')}"
        return case_at(study, "", self.decide(exponent), text, exponent.as_dict())


_CAPTION: Final = (
    r"SGD-s, medians over the runs, bands from the least to the largest. Full: $(J - L)\,/\,L$, which the method knows "
    r"itself; dashed: $(J - J_{\mathrm{opt}})\,/\,J_{\mathrm{opt}}$. Dotted: 1 / epochs."
)
_COLORS_AND_MARKERS: Final = (("#d95f02", "o"), ("#1b9e77", "s"), ("#54479e", "^"), ("#e7298a", "D"), ("#666666", "v"))
"""Colours and markers of the values of C in order, used again after the last."""


def _draw(axes: Axes, panel: Panel, studies: Sequence[ProblemRuns], styles: Mapping[float, Style]) -> None:
    first, last = 0.8, 1.0
    for study in studies:
        if study.panel is not panel:
            continue
        style = styles[study.C]
        if (curve := _accuracy(study)) is not None:
            layout.draw_band(axes, curve.at_least(SMALLEST), style)
            last = max(last, float(curve.cost[-1]))
        if (excess := study.excess(METHOD, "epochs")) is not None:
            thin = replace(style, line=(0, (4.0, 1.6)), width=0.6 * style.width)
            layout.draw_line(axes, excess.at_least(SMALLEST), thin)
    low, high = axes.get_ylim()
    last *= 1.3
    axes.plot([first, last], [1 / first, 1 / last], color=INK, linewidth=1.0, linestyle=(0, (1.0, 2.0)), zorder=1)
    axes.set_xlim(first, last)  # the first lower bound comes at the end of the first epoch
    axes.set_ylim(low, min(high, 30.0))
    heading(axes, panel)


def make(evidence: Evidence) -> FigureResult:
    """Draw the figure and judge the claims."""
    every = problem_runs(evidence)
    studies = [study for study in every if study.frames(METHOD)]
    panels = [panel for panel in evidence.panels if any(study.panel is panel for study in studies)]
    rows = [
        ({"panel": study.panel.paper_dataset, "dataset": study.panel.dataset, "C": study.C, "measure": measure}, curve)
        for study in studies
        for measure, curve in (("accuracy", _accuracy(study)), ("excess", study.excess(METHOD, "epochs")))
        if curve is not None
    ]
    looks = zip(dict.fromkeys(study.C for study in studies), cycle(_COLORS_AND_MARKERS), strict=False)
    styles = {C: Style(f"C = {C:g}", color, "-", marker) for C, (color, marker) in looks}
    draw = partial(_draw, studies=studies, styles=styles)
    return FigureResult(
        lambda: band_table(
            rows, "epochs", ("panel", "dataset", "C", "measure", "epochs", "median", "low", "high", "runs")
        ),
        *layout.drawing(panels, styles.values(), _CAPTION, ("Epochs", "Relative accuracy"), draw),
        table=partial(_table, studies),
        claims=judge_claims(evidence, data=every),
    )


def _table(studies: Sequence[ProblemRuns]) -> Table:
    columns = ["data set", "C", "J_opt", *(f"epochs to {target:g}" for target in TARGETS), "last accuracy", "exponent"]
    rows = []
    for study in studies:
        optimum, curve, exponent = study.optimum, _accuracy(study), _exponent(study, last=False)
        head = [name_of(study.panel), f"{study.C:g}", cell(None if optimum is None else optimum.upper, ".6f")]
        last = cell(None if curve is None else float(curve.middle[-1]), ".1e")
        fitted = "" if exponent is None else interval_text(exponent, ".2f")
        rows.append([*head, *(_epochs(study, target) for target in TARGETS), last, fitted])
    notes = [
        "J: objective; L: lower bound of SGD-s at the end of each epoch; J_opt: from a run of dual coordinate descent.",
        "Epochs to the first evaluation with (J - L) / L at or below the accuracy: median over the runs (least to "
        "largest); a dash if half of the runs or more miss it.",
        "Last accuracy: (J - L) / L at the end, median. Exponent: a of (J - L) / L ~ epochs^-a from "
        f"{FITTED:g} on, mean over the runs with its interval; below {LEAST_RUNS} runs this is their range.",
        NO_PRINTED_VALUES,
    ]
    return Table(columns, rows, notes)


def _epochs(study: ProblemRuns, target: float) -> str:
    effort = cost_to_target(study.frames(METHOD), "epochs", accuracy, target)
    if effort is None or not effort.mostly_reached:
        return "-"
    low, high = _count(min(effort.costs)), _count(max(effort.costs)) if all(effort.reached) else "not reached"
    return _count(effort.median) if low == high else f"{_count(effort.median)} ({low} to {high})"


def _count(epochs: float) -> str:
    return f"{epochs:,.0f}" if epochs >= 10 else f"{epochs:.2g}"
