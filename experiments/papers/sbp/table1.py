"""Table 1: bounds on kernel evaluations, and the evaluations that the methods of Figure 2 take.

The constants of the bounds are unknown; only their growth is compared.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd

from svm_cost_curves.experiments.papers import layout
from svm_cost_curves.experiments.papers.cases import (
    BESIDE,
    MISSING,
    Case,
    Choice,
    Findings,
    at_most,
    case_on,
    holds,
    interval_text,
    judge_claims,
)
from svm_cost_curves.experiments.papers.panels import empty, heading, name_of
from svm_cost_curves.experiments.papers.sbp.comparisons import (
    CHARGES,
    COST,
    METHODS,
    RIVALS,
    Charge,
    method_name,
    missing_case,
)
from svm_cost_curves.experiments.papers.sbp.growth import (
    BOUNDS,
    DELTAS,
    PRINTED,
    Growth,
    Used,
    difference,
    exponent,
    final_error,
    grow,
    never_dearer,
)
from svm_cost_curves.experiments.plotting import INK, STYLES, Style, plain_frame, row_of_axes
from svm_cost_curves.experiments.reproduction.evidence import Evidence, Panel
from svm_cost_curves.experiments.reproduction.figure_result import FigureResult, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

FAST, SLOW, DUAL = "sbp", "pegasos", "smo"
"""Series for the rows of Table 1: SBP, SGD, dual decomposition."""


@dataclass(frozen=True)
class PanelGrowth:
    """Growth of all methods on one data set.

    Attributes
    ----------
    panel : Panel
    charge : Charge
    best, best_by : float, str
        E*, the lowest final test error (mean over runs) of any method, and that method.
    trivial : float
        Test error of one answer for every example.
    hinge : float or None
        L: mean hinge loss on the training set of SMO's last predictor, the optimum of the lambda form.
    growths : dict of str to Growth
        By method; methods without runs are left out.
    """

    panel: Panel
    charge: Charge
    best: float
    best_by: str
    trivial: float
    hinge: float | None
    growths: dict[str, Growth] = field(default_factory=dict)

    def bounds(self, series: str, *, per_example: bool = False) -> list[float] | None:
        """Return a series' bound at each delta, whole or over n; None without a bound or without L."""
        bound = BOUNDS.get(series)
        if bound is None or self.hinge is None:
            return None
        value = bound.per_example if per_example else bound.at
        values: list[float] = value(self.hinge, np.array(DELTAS) * self.best).tolist()
        return values

    def bound_exponent(self, series: str, used: Used, *, per_example: bool = False) -> float | None:
        """Return the growth of a series' bound over some deltas; None as in `bounds`, or with too few deltas."""
        bounds = self.bounds(series, per_example=per_example)
        return None if bounds is None else exponent(np.array(DELTAS)[used], np.array(bounds)[used])


def measure_growth(panel: Panel, charge: Charge) -> PanelGrowth | None:
    """Growth of every method on one data set; None without a run, or if the best error is 0."""
    curves = {name: panel.curves(name + charge.suffix * (name in RIVALS)) for name in METHODS}
    finals = {name: final_error(frames) for name, frames in curves.items()}
    known = {name: error for name, error in finals.items() if error is not None}
    if not known or min(known.values()) == 0.0:
        return None
    best_by = min(known, key=lambda name: known[name])
    best, trivial = known[best_by], panel.trivial_error
    assert trivial is not None  # a panel with a run has it
    targets = [(1 + delta) * best for delta in DELTAS]
    fair = np.array([target < trivial for target in targets])
    unit = 1.0 if charge.cost == COST else float(panel.n or 1)
    grown = {name: grow(curves[name], targets, fair, charge.cost, unit) for name in known}
    growths = {name: growth for name, growth in grown.items() if growth is not None}
    return PanelGrowth(panel, charge, best, best_by, trivial, _hinge(panel), growths)


def _hinge(panel: Panel) -> float | None:
    values = [run.result["final"].get("hinge") for run in panel.runs.get(DUAL, ())]
    return next((float(value) for value in values if value is not None), None)


Measured = Mapping[str, Sequence[PanelGrowth]]
"""Growth on all data sets, by the key of the charge in `CHARGES`."""


def cheaper_and_slower_growing(evidence: Evidence, choice: Choice, *, found: Measured) -> Findings:
    """Judge sbp.table1: the SBP takes fewer evaluations than SGD, and their number does not grow faster."""
    by_panel = {measured.panel.paper_dataset: measured for measured in found[choice.option("charge")]}
    cases: list[Case] = []
    for panel in evidence.panels:
        measured = by_panel.get(panel.paper_dataset)
        if measured is None:
            cases.append(missing_case(panel, SLOW, (FAST, SLOW), "the best error is 0"))
        else:
            cases += _cases_against_sgd(measured)
            cases += [_case_of_bound(measured, name) for name in (FAST, DUAL) if name in measured.growths]
    return Findings(cases)


def _cases_against_sgd(measured: PanelGrowth) -> list[Case]:
    panel = measured.panel
    first, second = measured.growths.get(FAST), measured.growths.get(SLOW)
    if first is None or second is None:
        return [missing_case(panel, what, (FAST, SLOW)) for what in ("fewer", "exponent")]
    cheaper = never_dearer(first, second)[first.fair & np.isfinite(first.costs) & np.isfinite(second.costs)]
    fewer = case_on(
        panel,
        "fewer",
        holds(bool(cheaper.all())) if len(cheaper) else MISSING,
        f"fewer evaluations than Pegasos at {cheaper.sum()} of {len(cheaper)} errors",
        {"errors_that_both_reach": len(cheaper), "of_these_sbp_is_cheaper_at": int(cheaper.sum())},
        "" if len(cheaper) else "the two reach no error in common",
    )
    both = first.used & second.used
    gap = difference(first, second, both)
    if gap is None:
        return [fewer, case_on(panel, "exponent", MISSING, note="the two reach too few errors in common")]
    deltas = np.array(DELTAS)[both]
    exponents = [exponent(deltas, growth.costs[both]) for growth in (first, second)]
    bounds = [measured.bound_exponent(name, both, per_example=True) for name in (FAST, SLOW)]
    expected = None if bounds[0] is None or bounds[1] is None else bounds[0] - bounds[1]
    met = difference(first, second, both, Growth.first_of)
    statistic = {
        "exponents": exponents,
        "difference": gap.as_dict(),
        "difference_of_bounds": expected,
        "difference_when_first_met": met.as_dict() if met else None,
        "deltas_compared": deltas.tolist(),
        "sbp_over_rival_at_smallest_delta": float(first.costs[both][-1] / second.costs[both][-1]),
        "best_error": measured.best,
        "hinge": measured.hinge,
    }
    text = f"exponent {exponents[0]:.2f} to Pegasos's {exponents[1]:.2f}, difference {interval_text(gap, '.2f')}"
    text += f" where the bounds have {expected:.2f}" if expected is not None else ""
    return [fewer, case_on(panel, "exponent", at_most(gap, 0.0), text, statistic)]


def _case_of_bound(measured: PanelGrowth, series: str) -> Case:
    """Return a method's exponent with its bound's, measured and not judged."""
    growth = measured.growths[series]
    if growth.interval is None:
        return case_on(measured.panel, series, BESIDE)
    bound = measured.bound_exponent(series, growth.used, per_example=True)
    text = f"exponent of {method_name(series)} by itself {interval_text(growth.interval, '.2f')}"
    text += "" if bound is None else f" where its bound at fixed n has {bound:.2f}"
    statistic = {"exponent": growth.interval.as_dict(), "bound_at_fixed_n": bound}
    return case_on(measured.panel, series, BESIDE, text, statistic)


ROWS: Final = ("iteration", "support_vector")
"""Charges with a row of panels."""
_LEGEND, _ROW_HEIGHT, _ABOVE, _BELOW = 0.72, 4.1, 0.75, 0.56  # inches
_CAPTION: Final = (
    "Kernel evaluations from which on the mean test error over the runs stays at or below (1 + δ) E*; open symbols: "
    "already at the first evaluation.\nThin dotted lines: growth of Table 1's bounds at fixed n, each through its "
    "method's first full symbol."
)


def _draw(figure: Figure | SubFigure, found: Measured) -> None:
    """Draw a row of panels per charge; dotted lines have the slopes of the bounds at arbitrary height."""
    if not found["iteration"]:
        empty(figure, "no finished runs")
        return
    height = figure.bbox.height / figure.dpi
    # these points are no curve: nothing is dashed after the first epoch
    styles = {name: STYLES[name] for name in METHODS}
    styles["perceptron"] = replace(styles["perceptron"], name="online Perceptron")
    for place, charge in enumerate(ROWS):
        top = _LEGEND + place * _ROW_HEIGHT
        axes = row_of_axes(figure, len(found[charge]), above=top + _ABOVE, below=height - top - _ROW_HEIGHT + _BELOW)
        if place == 0:
            layout.legend_and_caption(figure, axes[0], styles.values(), _CAPTION)
        left = axes[0].get_position().x0
        words = f"Pegasos and SDCA charged {CHARGES[charge].words}"
        figure.text(left, 1 - (top + 0.1) / height, words, size="large", style="italic", color=INK, va="top")
        for k, (each, measured) in enumerate(zip(axes, found[charge], strict=True)):
            _draw_panel(each, measured, styles)
            heading(each, measured.panel, f"E* = {100 * measured.best:.2f} % ({styles[measured.best_by].name})")
            if k == 0:
                each.set_ylabel("Kernel evaluations", color=INK)


def _draw_panel(axes: Axes, measured: PanelGrowth, styles: dict[str, Style]) -> None:
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
        _draw_series(axes, growth, styles[name])
    limits = axes.get_ylim()
    for name, growth in measured.growths.items():
        _draw_bound(axes, measured, name, growth, styles[name])
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


def _draw_bound(axes: Axes, measured: PanelGrowth, name: str, growth: Growth, style: Style) -> None:
    if name not in BOUNDS or measured.hinge is None or not growth.used.any():
        return
    first = int(np.flatnonzero(growth.used)[0])
    deltas = np.geomspace(DELTAS[first], DELTAS[-1], 40)
    bound = BOUNDS[name].per_example(measured.hinge, deltas * measured.best)
    heights = growth.costs[first] * bound / bound[0]
    axes.plot(deltas, heights, color=style.color, linewidth=1.1, linestyle=(0, (0.8, 1.6)), zorder=2.5)


COLUMNS = (
    *("dataset", "charge", "series", "delta", "error_wanted", "evaluations", "at_first_checkpoint", "first_met"),
    *("runs_that_met", "runs", "fitted", "bound", "bound_over_n"),
)


OPTIONS = {"sbp.table1": {"charge": tuple(CHARGES)}}


def make(evidence: Evidence) -> FigureResult:
    """Measure growth on every data set, and judge the claim."""
    found = {
        name: [grown for panel in evidence.panels if (grown := measure_growth(panel, charge)) is not None]
        for name, charge in CHARGES.items()
    }
    return FigureResult(
        data=_data(found),
        draw=partial(_draw, found=found),
        size=(12.0, _LEGEND + _ROW_HEIGHT * len(ROWS)),
        table=_table(found),
        claims=judge_claims(evidence, {"sbp.table1": partial(cheaper_and_slower_growing, found=found)}),
    )


def _rows(found: Measured) -> list[tuple[str, PanelGrowth, str, Growth]]:
    """Return every growth once: charge, data set, method; rivals differ between all charges, the Perceptron in one."""
    differ = {"iteration": METHODS, "support_vector": (*RIVALS, "perceptron"), "change": RIVALS}
    return [
        (charge, measured, name, growth)
        for place in range(len(found["iteration"]))
        for charge in CHARGES
        if place < len(found[charge])
        for measured in (found[charge][place],)
        for name, growth in measured.growths.items()
        if name in differ[charge]
    ]


def _table(found: Measured) -> Table:
    columns = ["data set", "method", "charged", "bound", "its exponent", "at fixed n", "exponent measured", "runs"]
    words = {"iteration": "n per iteration", "support_vector": "per support vector", "change": "n per change"}
    rows: list[list[str]] = []
    for charge, measured, name, growth in _rows(found):
        bound = BOUNDS.get(name)
        exponents = [measured.bound_exponent(name, growth.used, per_example=each) for each in (False, True)]
        rows.append(
            [
                name_of(measured.panel),
                method_name(name),
                "n per mistake" if (name, charge) == ("perceptron", "support_vector") else words[charge],
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
        *(_note(measured) for measured in found["iteration"]),
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
    best = f"{100 * measured.best:.2f} %, the lowest mean final test error ({method_name(measured.best_by)})"
    text = f"{name_of(measured.panel)}: E* = {best}; a constant prediction is wrong on {100 * measured.trivial:.1f} %"
    if measured.hinge is None:
        return f"{text}; no run of SMO, hence no L and no exponents of the bounds."
    text += f"; L = {measured.hinge:.3g}, the mean hinge loss of SMO's last predictor on the training set"
    if measured.hinge > measured.best:
        text += ", above E*: the bounds promise an error of L + ε, so errors near E* are better than promised"
    return f"{text}."


def _data(found: Measured) -> pd.DataFrame:
    rows: list[dict[str, Any]] = []
    for charge, measured, name, growth in _rows(found):
        first = growth.first_of(range(growth.runs))
        met = np.isfinite(growth.first).sum(axis=0)
        unknown = [math.nan] * len(DELTAS)
        bounds = measured.bounds(name) or unknown
        per_example = measured.bounds(name, per_example=True) or unknown
        rows += [
            {
                "dataset": measured.panel.dataset,
                "charge": charge,
                "series": name,
                "delta": delta,
                "error_wanted": growth.targets[k],
                "evaluations": _finite(growth.costs[k]),
                "at_first_checkpoint": bool(growth.costs[k] == 0),
                "first_met": _finite(first[k]),
                "runs_that_met": int(met[k]),
                "runs": growth.runs,
                "fitted": bool(growth.used[k]),
                "bound": bounds[k],
                "bound_over_n": per_example[k],
            }
            for k, delta in enumerate(DELTAS)
        ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _finite(cost: float) -> float:
    return float(cost) if math.isfinite(cost) and cost > 0 else math.nan
