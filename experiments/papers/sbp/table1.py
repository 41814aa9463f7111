"""Table 1: bounds on kernel evaluations, and the evaluations that the methods of Figure 2 take.

The constants of the bounds are unknown; only their growth is compared.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...plotting import INK, STYLES, Style, plain_frame, row_of_axes
from ...reproduction.evidence import Evidence, FigureResult, Panel, Table
from ...reproduction.statistics.interval import BESIDE, MISSING, at_most, holds
from .. import layout
from ..cases import Case, Statistic, case_on, interval_text, judge_claims
from ..kinds.limits import missing_runs
from ..panels import empty, heading, name_of
from .growth import (
    BOUNDS,
    CHARGES,
    DELTAS,
    PRINTED,
    ChargeName,
    Growth,
    PanelGrowth,
    difference,
    growth_over,
    measure_growth,
)
from .methods import POINT_STYLES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

Measured = Sequence[Mapping[ChargeName, PanelGrowth]]
"""Growth on each data set by charge; those without a run, and with a best error of 0, are left out."""


@dataclass(frozen=True, kw_only=True)
class EvaluationsToErrors(Statistic, kind="evaluations_to_errors"):
    """The evaluations of two methods to equal errors: how fast their numbers grow, or the numbers."""

    first: str
    second: str
    """Series."""
    beside: list[str] = field(default_factory=list)
    """Series whose exponents are given with those of their bounds, and not judged."""
    numbers: bool = False
    """Whether the numbers are compared, and not their growth."""
    charge: ChargeName = "iteration"
    """How methods that do not have to store all responses are charged (`CHARGES`)."""

    def cases(self, item: tuple[Panel, Mapping[ChargeName, PanelGrowth]], evidence: Evidence) -> list[Case]:
        """Compare the two methods on one data set."""
        panel, measured = item[0], item[1].get(self.charge)
        if measured is None:
            return [missing_runs(evidence, panel, self.second, (self.first, self.second), "the best error is 0")]
        beside = [_case_beside(measured, name) for name in self.beside if name in measured.growths]
        return [self._case(evidence, measured), *beside]

    def _case(self, evidence: Evidence, measured: PanelGrowth) -> Case:
        panel, names = measured.panel, (self.first, self.second)
        first, second = (measured.growths.get(name) for name in names)
        if first is None or second is None:
            return missing_runs(evidence, panel, "fewer" if self.numbers else "exponent", names)
        return self._fewer(panel, first, second) if self.numbers else self._exponent(measured, first, second)

    def _fewer(self, panel: Panel, first: Growth, second: Growth) -> Case:
        cheaper = first.never_dearer(second)[first.fair & np.isfinite(first.costs) & np.isfinite(second.costs)]
        rival = STYLES[self.second].name
        return case_on(
            panel,
            "fewer",
            holds(bool(cheaper.all())) if len(cheaper) else MISSING,
            f"fewer evaluations than {rival} at {cheaper.sum()} of {len(cheaper)} errors",
            {"errors_that_both_reach": len(cheaper), "of_these_sbp_is_cheaper_at": int(cheaper.sum())},
            "" if len(cheaper) else "the two reach no error in common",
        )

    def _exponent(self, measured: PanelGrowth, first: Growth, second: Growth) -> Case:
        panel, names, rival = measured.panel, (self.first, self.second), STYLES[self.second].name
        both = first.used & second.used
        gap = difference(first, second, both)
        if gap is None:
            return case_on(panel, "exponent", MISSING, note="the two reach too few errors in common")
        exponents = [growth_over(growth.costs, both) for growth in (first, second)]
        bounds = [measured.bound_exponent(name, both, per_example=True) for name in names]
        expected = None if bounds[0] is None or bounds[1] is None else bounds[0] - bounds[1]
        met = difference(first, second, both, Growth.first_of)
        statistic = {
            "exponents": exponents,
            "difference": gap.as_dict(),
            "difference_of_bounds": expected,
            "difference_when_first_met": met.as_dict() if met else None,
            "deltas_compared": np.array(DELTAS)[both].tolist(),
            "sbp_over_rival_at_smallest_delta": float(first.costs[both][-1] / second.costs[both][-1]),
            "best_error": measured.best,
            "hinge": measured.hinge,
        }
        text = f"exponent {exponents[0]:.2f}, {rival}'s {exponents[1]:.2f}, difference {interval_text(gap, '.2f')}"
        text += f" (that of the bounds {expected:.2f})" if expected is not None else ""
        return case_on(panel, "exponent", at_most(gap, 0.0), text, statistic)


def _case_beside(measured: PanelGrowth, series: str) -> Case:
    """Return a method's exponent with its bound's, measured and not judged."""
    growth = measured.growths[series]
    if growth.interval is None:
        return case_on(measured.panel, series, BESIDE)
    bound = measured.bound_exponent(series, growth.used, per_example=True)
    text = f"exponent of {STYLES[series].name} alone {interval_text(growth.interval, '.2f')}"
    text += "" if bound is None else f" (bound {bound:.2f})"
    statistic = {"exponent": growth.interval.as_dict(), "bound_at_fixed_n": bound}
    return case_on(measured.panel, series, BESIDE, text, statistic)


ROWS: Final[tuple[ChargeName, ...]] = ("iteration", "support_vector")
"""Charges with a row of panels."""
_LEGEND, _ROW_HEIGHT, _ABOVE, _BELOW = 0.72, 4.1, 0.75, 0.56  # inches
_CAPTION: Final = (
    "Kernel evaluations from which on the mean test error over the runs stays at or below (1 + δ) E*; open symbols: "
    "already at the first evaluation.\nThin dotted lines: growth of Table 1's bounds at fixed n, each through its "
    "method's first full symbol."
)


def _draw(figure: Figure | SubFigure, growths: Measured) -> None:
    """Draw a row of panels per charge; dotted lines have the slopes of the bounds at arbitrary height."""
    if not any("iteration" in by_charge for by_charge in growths):
        empty(figure, "no finished runs")
        return
    height = figure.bbox.height / figure.dpi
    for row_number, charge in enumerate(ROWS):
        top = _LEGEND + row_number * _ROW_HEIGHT
        row = [by_charge[charge] for by_charge in growths if charge in by_charge]
        panels = row_of_axes(figure, len(row), above=top + _ABOVE, below=height - top - _ROW_HEIGHT + _BELOW)
        if row_number == 0:
            layout.legend_and_caption(figure, panels[0], POINT_STYLES.values(), _CAPTION)
        left = panels[0].get_position().x0
        text = f"Pegasos and SDCA charged {CHARGES[charge].text}"
        figure.text(left, 1 - (top + 0.1) / height, text, size="large", style="italic", color=INK, va="top")
        for axes, measured in zip(panels, row, strict=True):
            _draw_panel(axes, measured)
            best_by = POINT_STYLES[measured.best_by].name
            heading(axes, measured.panel, f"E* = {100 * measured.best:.2f} % ({best_by})")
        panels[0].set_ylabel("Kernel evaluations", color=INK)


def _draw_panel(axes: Axes, measured: PanelGrowth) -> None:
    from matplotlib.ticker import FixedFormatter, FixedLocator, NullLocator

    axes.set_xscale("log")
    axes.set_yscale("log")
    easiest = max((delta for delta in DELTAS if (1 + delta) * measured.best < measured.trivial), default=DELTAS[0])
    axes.set_xlim(easiest * 1.3, DELTAS[-1] / 1.3)  # smaller errors to the right
    axes.xaxis.set_major_locator(FixedLocator(PRINTED))
    axes.xaxis.set_major_formatter(FixedFormatter([f"{delta:g}" for delta in PRINTED]))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel("δ; target error (1 + δ) E*", color=INK)
    plain_frame(axes)
    for name, growth in measured.growths.items():
        _draw_series(axes, growth, POINT_STYLES[name])
    limits = axes.get_ylim()
    for name, growth in measured.growths.items():
        _draw_bound(axes, measured, name, growth)
    axes.set_ylim(limits[0], limits[1] * 3)  # a bound may leave the panel at the top


def _draw_series(axes: Axes, growth: Growth, style: Style) -> None:
    deltas = np.array(DELTAS)
    used = growth.used
    marks = style.markers()
    if used.any():
        axes.plot(deltas[used], growth.costs[used], **style.look, zorder=3)
        axes.plot(deltas[used], growth.costs[used], linestyle="none", **marks, zorder=4)
    early = growth.fair & (growth.costs == 0)
    if early.any():
        open_marks = marks | {"markerfacecolor": "white", "markeredgecolor": style.color, "markeredgewidth": 1.2}
        axes.plot(deltas[early], np.full(early.sum(), growth.grid[0]), linestyle="none", **open_marks, zorder=3)


def _draw_bound(axes: Axes, measured: PanelGrowth, name: str, growth: Growth) -> None:
    if name not in BOUNDS or measured.hinge is None or not growth.used.any():
        return
    first = int(np.flatnonzero(growth.used)[0])
    deltas = np.geomspace(DELTAS[first], DELTAS[-1], 40)
    bound = BOUNDS[name].at(measured.hinge, deltas * measured.best, per_example=True)
    heights = growth.costs[first] * bound / bound[0]
    axes.plot(deltas, heights, color=STYLES[name].color, linewidth=1.1, linestyle=(0, (0.8, 1.6)), zorder=2.5)


COLUMNS = (
    *("dataset", "charge", "series", "delta", "error_wanted", "evaluations", "at_first_checkpoint", "first_met"),
    *("runs_that_met", "runs", "fitted", "bound", "bound_over_n"),
)


def make(evidence: Evidence) -> FigureResult:
    """Measure growth on every data set, and judge the claim."""
    growths = [
        {name: growth for name, charge in CHARGES.items() if (growth := measure_growth(panel, charge)) is not None}
        for panel in evidence.panels
    ]
    return FigureResult(
        make_data=lambda: _data(growths),
        draw=partial(_draw, growths=growths),
        size=(12.0, _LEGEND + _ROW_HEIGHT * len(ROWS)),
        table=partial(_table, growths),
        claims=judge_claims(evidence, data=list(zip(evidence.panels, growths, strict=True))),
    )


def _rows(growths: Measured) -> list[tuple[ChargeName, PanelGrowth, str, Growth]]:
    """Return every growth once: data set, charge, method."""
    return [
        (name, by_charge[name], method, growth)
        for by_charge in growths
        for name, charge in CHARGES.items()
        if name in by_charge
        for method, growth in by_charge[name].growths.items()
        if method in charge.differing
    ]


def _table(growths: Measured) -> Table:
    columns = ["data set", "method", "charged", "bound", "its exponent", "at fixed n", "exponent measured", "runs"]
    rows: list[list[str]] = []
    for charge, measured, name, growth in _rows(growths):
        bound = BOUNDS.get(name)
        exponents = [measured.bound_exponent(name, growth.used, per_example=over_n) for over_n in (False, True)]
        rows.append(
            [
                name_of(measured.panel),
                STYLES[name].name,
                "n per mistake" if (name, charge) == ("perceptron", "support_vector") else CHARGES[charge].short,
                "" if bound is None else f"{bound.formula} ({bound.method})",
                *("" if value is None else f"{value:.2f}" for value in exponents),
                "" if growth.interval is None else interval_text(growth.interval, ".2f"),
                str(growth.runs),
                *(_cell(growth, k) for k in map(DELTAS.index, PRINTED)),
            ]
        )
    notes = [
        "δ columns: kernel evaluations from which on the test error, as the mean over the runs, stays at or below (1 + "
        "δ) E* until the end; ≤: already at the first evaluation; —: not reached; o: a constant prediction is as good.",
        "Exponent: a of evaluations ~ (1/δ)^a, by least squares over these δ and some between them; 95 % bootstrap "
        "interval over the runs, E* held fixed. The bound's: the same fit to the formula, with ε = δ E*; at fixed n: "
        "to the formula over n = (L+ε)/ε ‖u‖^2/ε (equation 3.5), as the runs have the same n whatever error is wanted.",
        *(_note(by_charge["iteration"]) for by_charge in growths if "iteration" in by_charge),
        "SDCA's bound has a further factor n (section 4.4); the Perceptron's is the SBP's, for one pass (section 4.5).",
    ]
    return Table([*columns, *(f"δ = {delta:g}" for delta in PRINTED)], rows, notes)


def _cell(growth: Growth, k: int) -> str:
    if not growth.fair[k]:
        return "o"
    if math.isinf(growth.costs[k]):
        return "—"
    return f"{growth.costs[k]:.1e}" if growth.costs[k] > 0 else f"≤ {growth.grid[0]:.1e}"


def _note(measured: PanelGrowth) -> str:
    best = f"{100 * measured.best:.2f} %, the lowest mean final test error ({STYLES[measured.best_by].name})"
    text = f"{name_of(measured.panel)}: E* = {best}; a constant prediction is wrong on {100 * measured.trivial:.1f} %"
    if measured.hinge is None:
        return f"{text}; no run of SMO, hence no L and no exponents of the bounds."
    text += f"; L = {measured.hinge:.3g}, the mean hinge loss of SMO's last predictor on the training set"
    if measured.hinge > measured.best:
        text += ", above E*: the bounds promise an error of L + ε, so errors near E* are better than promised"
    return f"{text}."


def _data(growths: Measured) -> pd.DataFrame:
    tables = [
        pd.DataFrame(
            {
                "dataset": measured.panel.dataset,
                "charge": charge,
                "series": name,
                "delta": DELTAS,
                "error_wanted": growth.targets,
                "evaluations": _known(growth.costs),
                "at_first_checkpoint": growth.costs == 0,
                "first_met": _known(growth.first_of(np.arange(growth.runs)[None])[0]),
                "runs_that_met": np.isfinite(growth.first).sum(axis=0),
                "runs": growth.runs,
                "fitted": growth.used,
                "bound": measured.bounds(name),
                "bound_over_n": measured.bounds(name, per_example=True),
            }
        )
        for charge, measured, name, growth in _rows(growths)
    ]
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=list(COLUMNS))


def _known(costs: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(np.isfinite(costs) & (costs > 0), costs, math.nan)
