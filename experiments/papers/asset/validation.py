"""Section 4: lambda and sigma, chosen by the error of SVMlight on the validation rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

import pandas as pd

from ...plotting import INK, Style
from ...reproduction.evidence import Evidence, FigureResult, Panel
from ...reproduction.statistics.comparison import difference
from ...reproduction.statistics.interval import MISSING, at_most
from .. import layout
from ..cases import Case, Statistic, case_on, interval_text, judge_claims
from ..panels import heading
from ..samples import Sample, samples, with_every_data_set
from . import sweep
from .sweep import Values
from .table1 import PARAMETERS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LOOKS: Final = (("#08306b", "o"), ("#2b7bba", "s"), ("#e69f00", "D"), ("#d55e00", "^"))
Pair = tuple[float, float]
"""1 / (2 sigma^2) and C."""
Errors = tuple[Panel, Mapping[Pair, Values]]
"""A data set, and the errors on its validation rows in per cent, (runs,) by pair."""


def errors_of(evidence: Evidence) -> list[Errors]:
    """Return the errors of all pairs that have runs, for each data set of the figure."""
    every: list[Errors] = []
    for panel in with_every_data_set(evidence):
        measured = [sample for sample in samples(evidence, panels=[panel]) if sample.runs]
        every.append((panel, {_pair(sample): sweep.last_errors(sample.frames) for sample in measured}))
    return every


def _pair(sample: Sample) -> Pair:
    return 1 / (2 * sample.values["kernel.sigma2"]), sample.values["problem.C"]


def printed_pair(panel: Panel, errors: Mapping[Pair, Values]) -> Pair | None:
    """Return the pair that the paper prints; None if it has no runs, and for a data set that is not its own."""
    _, C, gamma = PARAMETERS.get(panel.paper_dataset, (0, "nan", "nan"))
    pair = float(gamma), float(C)
    return pair if pair in errors else None


@dataclass(frozen=True, kw_only=True)
class PrintedChoice(Statistic, kind="printed_choice"):
    """The error at the point that the paper prints is `within` some percentage points of the least."""

    within: float

    def case(self, item: Errors, evidence: Evidence) -> Case:
        """Compare the errors."""
        panel, errors = item
        printed = printed_pair(panel, errors)
        if printed is None or len(errors) < 2:
            return case_on(panel, "choice", MISSING, note="no finished runs of the printed and other values")
        best = min(errors, key=lambda pair: float(errors[pair].mean()))
        interval = difference([errors[printed]], [errors[best]])
        assert interval is not None
        text = f"{interval_text(interval, '+.2f', ' points')} above the pair ({best[1]:g}, {best[0]:g})"
        statistic = interval.as_dict() | {"best": [*best], "printed": [*printed]}
        return case_on(panel, "choice", at_most(interval, self.within), text, statistic)


_CAPTION: Final = "Means over the splits, bands from the least to the largest. Ring: the values that the paper prints."


def _draw(axes: Axes, item: Errors, styles: Mapping[float, Style]) -> None:
    """Draw one line for each sigma."""
    panel, errors = item
    for gamma, style in styles.items():
        if line := {C: values for (width, C), values in errors.items() if width == gamma}:
            layout.draw_band(axes, sweep.band_of(line), style, steps=False)
    if (printed := printed_pair(panel, errors)) is not None:
        error = float(errors[printed].mean())
        axes.plot([printed[1]], [error], "o", markersize=13, mfc="none", mec=INK, mew=1.4, zorder=5)
    axes.set_yscale("linear")
    heading(axes, panel)


def make(evidence: Evidence) -> FigureResult:
    """Draw the errors on the validation rows and judge the claim."""
    data = errors_of(evidence)
    shown = [(panel, errors) for panel, errors in data if errors]
    gammas = sorted({gamma for _, errors in shown for gamma, _ in errors})
    styles = {
        gamma: Style(f"1 / (2\N{GREEK SMALL LETTER SIGMA}²) = {gamma:g}", color, "-", marker)
        for gamma, (color, marker) in zip(gammas, _LOOKS, strict=False)
    }
    names = (r"$C = 1 / (\lambda m)$", "Validation error, %")
    rows = [
        (panel.paper_dataset, panel.dataset, gamma, C, values.mean(), sweep.spread(values), len(values))
        for panel, errors in shown
        for (gamma, C), values in errors.items()
    ]
    return FigureResult(
        lambda: pd.DataFrame(rows, columns=["panel", "dataset", "gamma", "C", "error", "sd", "runs"]),
        *layout.drawing(shown, styles.values(), _CAPTION, names, partial(_draw, styles=styles)),
        claims=judge_claims(evidence, data=data),
    )
