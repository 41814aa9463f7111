"""Table 1: bounds on kernel evaluations, and the evaluations that the methods of Figure 2 take.

The constants of the bounds are unknown; only their growth is compared.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd

from experiments.papers import layout
from experiments.papers.cases import Case, claim_from_cases, interval_text
from experiments.papers.panels import empty, heading, name_of, row_of_axes
from experiments.papers.sbp.growth import (
    BOUNDS,
    DELTAS,
    KEPT,
    PRINTED,
    Growth,
    Used,
    difference,
    exponent,
    final_error,
    grow,
    never_dearer,
)
from experiments.plotting import INK, PANEL, STYLES, Style, plain_frame, styles_for
from experiments.reproduction.evidence import Evidence, Panel
from experiments.reproduction.figure_result import FigureResult, Table
from experiments.reproduction.spec import ClaimSpec
from experiments.reproduction.statistics import Interval
from experiments.reproduction.verdict import Claim, Ruling

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

FAST, SLOW, DUAL = "sbp", "pegasos", "smo"
"""Series for the rows of Table 1: SBP, SGD, dual decomposition."""
RULE = (
    "An error counts as reached from where the mean over the runs stays at or below it. For each data set, and for "
    "Pegasos charged in either way, two questions: whether the SBP takes fewer evaluations at every error that both "
    "reach, and whether its exponent, fitted over the same δ, is not larger: the 95 % bootstrap interval of the "
    "difference does not lie above 0. Reproduced: both; partly: one of them. SMO's exponent decides nothing: the bound "
    "is proved for another choice of the working set (Hush et al. 2006), and SMO's cost is the cost to its critical "
    "point, for every error."
)


@dataclass(frozen=True)
class PanelGrowth:
    """Growth of all methods on one data set.

    Attributes
    ----------
    panel : Panel
    best, best_by : float, str
        E*, the lowest final test error (mean over runs) of any method, and that method.
    trivial : float
        Test error of one answer for every example.
    hinge : float or None
        L: mean hinge loss on the training set of SMO's last predictor, the optimum of the lambda form.
    growths : dict of str to Growth
        By series; series without runs are left out.
    """

    panel: Panel
    best: float
    best_by: str
    trivial: float
    hinge: float | None
    growths: dict[str, Growth] = field(default_factory=dict)

    def bounds(self, series: str, *, per_example: bool = False) -> list[float] | None:
        """Return a series' bound at each delta, whole or over n; None without a bound or without L."""
        bound = BOUNDS.get(series.removesuffix(KEPT))
        if bound is None or self.hinge is None:
            return None
        value = bound.per_example if per_example else bound.at
        values: list[float] = value(self.hinge, np.array(DELTAS) * self.best).tolist()
        return values

    def bound_exponent(self, series: str, used: Used, *, per_example: bool = False) -> float | None:
        """Return the growth of a series' bound over some deltas; None as in `bounds`, or with too few deltas."""
        bounds = self.bounds(series, per_example=per_example)
        return None if bounds is None else exponent(np.array(DELTAS)[used], np.array(bounds)[used])


def measure_growth(panel: Panel) -> PanelGrowth | None:
    """Growth of every series on one data set; None without a run, or if the best error is 0."""
    finals = {name: final_error(panel.curves(name)) for name in panel.runs}
    known = {name: error for name, error in finals.items() if error is not None}
    if not known or min(known.values()) == 0.0:
        return None
    best_by = min(known, key=lambda name: known[name])
    best, trivial = known[best_by], panel.trivial_error
    assert trivial is not None  # a panel with a run has it
    targets = [(1 + delta) * best for delta in DELTAS]
    fair = np.array([target < trivial for target in targets])
    growths = {name: growth for name in known if (growth := grow(panel.curves(name), targets, fair)) is not None}
    return PanelGrowth(panel, best, best_by, trivial, _hinge(panel), growths)


def _judge(spec: ClaimSpec, panels: Sequence[PanelGrowth]) -> Claim:
    """Judge the claim: measured growth has the order of the bounds."""
    cases: list[Case] = []
    for measured in panels:
        kept = [SLOW + KEPT] if SLOW + KEPT in measured.growths else []
        cases += [_case_against(measured, rival) for rival in (SLOW, *kept)]
        cases += [_case_of_bound(measured, name) for name in (FAST, DUAL) if name in measured.growths]
    return claim_from_cases(spec, RULE, cases)


def series_name(series: str) -> str:
    """Name of a method, with a remark if it is charged in the other way."""
    own = series.removesuffix(KEPT)
    name = STYLES[own].name if own in STYLES else own
    return f"{name}, responses kept" if series.endswith(KEPT) else name


def _case_against(measured: PanelGrowth, rival: str) -> Case:
    place, about = (measured.panel.paper_dataset, rival), name_of(measured.panel)
    first, second = measured.growths.get(FAST), measured.growths.get(rival)
    if first is None or second is None:
        return Case(place, about, "not_applicable", note=f"no run of {series_name(FAST if first is None else rival)}")
    both = first.used & second.used
    gap = difference(first, second, both)
    if gap is None:
        return Case(place, about, "not_applicable", note=f"SBP and {series_name(rival)} reach too few errors both")
    deltas = np.array(DELTAS)[both]
    exponents = [exponent(deltas, growth.costs[both]) for growth in (first, second)]
    bounds = [measured.bound_exponent(name, both) for name in (FAST, rival)]
    expected = None if bounds[0] is None or bounds[1] is None else bounds[0] - bounds[1]
    ratio = float(first.costs[both][-1] / second.costs[both][-1])
    when_first_met = difference(first, second, both, Growth.first_of)
    cheaper = never_dearer(first, second)[first.fair & np.isfinite(first.costs) & np.isfinite(second.costs)]
    statistic = {
        "exponents": exponents,
        "difference": gap.as_dict(),
        "difference_of_bounds": expected,
        "difference_when_first_met": when_first_met.as_dict() if when_first_met else None,
        "deltas_compared": deltas.tolist(),
        "sbp_over_rival_at_smallest_delta": ratio,
        "errors_that_both_reach": len(cheaper),
        "of_these_sbp_is_cheaper_at": int(cheaper.sum()),
        "best_error": measured.best,
        "best_by": measured.best_by,
        "hinge": measured.hinge,
    }
    sentence = (
        f"against {series_name(rival)} fewer evaluations at {cheaper.sum()} of {len(cheaper)} errors, exponent "
        f"{exponents[0]:.2f} to {exponents[1]:.2f}, difference {interval_text(gap, '.2f')}"
        + (f" where the bounds have {expected:.2f}" if expected is not None else "")
    )
    notes = ["one run each, so the interval is a point"] if first.runs == second.runs == 1 else []
    ruling = _ruling(gap, cheaper)
    if measured.panel.stand_in:
        ruling, notes = "not_applicable", [*notes, "measured, not judged"]
    return Case(place, about, ruling, sentence, statistic, ", ".join(notes))


def _ruling(gap: Interval, cheaper: Used) -> Ruling:
    if gap.low <= 0:
        return "reproduced" if cheaper.all() else "partly"
    return "partly" if cheaper.all() else "not_reproduced"


def _case_of_bound(measured: PanelGrowth, series: str) -> Case:
    """Return a method's exponent with its bound's, measured and not judged."""
    growth, name = measured.growths[series], series_name(series)
    place, about = (measured.panel.paper_dataset, series), name_of(measured.panel)
    if growth.interval is None:
        return Case(place, about, "not_applicable")
    bound = measured.bound_exponent(series, growth.used, per_example=True)
    statistic = {"exponent": growth.interval.as_dict(), "bound_at_fixed_n": bound}
    text = f"exponent of {name} by itself {interval_text(growth.interval, '.2f')}"
    text += "" if bound is None else f" where its bound at fixed n has {bound:.2f}"
    return Case(place, about, "not_applicable", text, statistic)


def _hinge(panel: Panel) -> float | None:
    values = [run.result["final"].get("hinge") for run in panel.runs.get(DUAL, ())]
    return next((float(value) for value in values if value is not None), None)


SIZE: Final = (12.0, 5.0)
_LEGEND, _ABOVE, _BELOW = 0.72, 0.5, 0.56  # inches
_CAPTION: Final = (
    "Kernel evaluations from which on the mean test error over the runs stays at or below (1 + δ) E*; open symbols: "
    "already at the first evaluation.\nThin dotted lines: growth of Table 1's bounds at fixed n, each through its "
    "method's first full symbol."
)
_KEPT_CAPTION: Final = " (kept): the same steps, charged n for each changed coefficient."


def _draw(figure: Figure | SubFigure, panels: Sequence[PanelGrowth]) -> None:
    """Draw one panel per data set; dotted lines have the slopes of the bounds at arbitrary height."""
    if not panels:
        empty(figure, "no finished runs")
        return
    styles = _styles(dict.fromkeys(name for measured in panels for name in measured.growths))
    rows = row_of_axes(figure, len(panels), above=_LEGEND + _ABOVE, below=_BELOW)
    caption = _CAPTION + (_KEPT_CAPTION if any(name.endswith(KEPT) for name in styles) else "")
    layout.legend_and_caption(figure, rows[0], styles.values(), caption)
    for k, (axes, measured) in enumerate(zip(rows, panels, strict=True)):
        _draw_panel(axes, measured, styles)
        heading(axes, measured.panel, f"E* = {100 * measured.best:.2f} % ({styles[measured.best_by].name})")
        if k == 0:
            axes.set_ylabel("Kernel evaluations", size=PANEL.label, color=INK)


def _styles(names: Iterable[str]) -> dict[str, Style]:
    """Styles of the series; a series with the other accounting has a pale copy of its method's style."""
    from matplotlib.colors import to_hex, to_rgb

    styles: dict[str, Style] = {}
    for name, style in styles_for(dict.fromkeys(name.removesuffix(KEPT) for name in names)).items():
        # these points are no curve: nothing is dashed after the first epoch
        styles[name] = replace(style, name="online Perceptron") if style.dashed_after_first_epoch else style
        red, green, blue = (1 - 0.45 * (1 - part) for part in to_rgb(style.color))
        styles[name + KEPT] = replace(
            style, name=f"{style.name} (kept)", color=to_hex((red, green, blue)), width=0.7 * style.width
        )
    return {name: styles[name] for name in names}


def _draw_panel(axes: Axes, measured: PanelGrowth, styles: dict[str, Style]) -> None:
    from matplotlib.ticker import FixedFormatter, FixedLocator, NullLocator

    axes.set_xscale("log")
    axes.set_yscale("log")
    easiest = max((delta for delta in DELTAS if (1 + delta) * measured.best < measured.trivial), default=DELTAS[0])
    axes.set_xlim(easiest * 1.3, DELTAS[-1] / 1.3)  # smaller errors to the right
    axes.xaxis.set_major_locator(FixedLocator(PRINTED))
    axes.xaxis.set_major_formatter(FixedFormatter([f"{delta:g}" for delta in PRINTED]))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel("δ; target error (1 + δ) E*", size=PANEL.label, color=INK)
    plain_frame(axes, PANEL.ticks)
    for name, growth in measured.growths.items():
        _draw_series(axes, growth, styles[name])
    limits = axes.get_ylim()
    for name, growth in measured.growths.items():
        _draw_bound(axes, measured, name, growth, styles[name])
    axes.set_ylim(limits[0], limits[1] * 3)  # a bound may leave the panel at the top


def _draw_series(axes: Axes, growth: Growth, style: Style) -> None:
    deltas = np.array(DELTAS)
    used = growth.used
    marks = style.markers(PANEL.lines)
    if used.any():
        look: dict[str, Any] = {"color": style.color, "linewidth": style.width * PANEL.lines, "linestyle": style.line}
        axes.plot(deltas[used], growth.costs[used], **look, zorder=3)
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
    "dataset",
    "series",
    "delta",
    "error_wanted",
    "evaluations",
    "at_first_checkpoint",
    "first_met",
    "runs_that_met",
    "runs",
    "fitted",
    "bound",
    "bound_over_n",
)


def make(evidence: Evidence) -> FigureResult:
    """Measure growth on every data set, and judge the claim."""
    panels = [measured for panel in evidence.panels if (measured := measure_growth(panel)) is not None]
    return FigureResult(
        data=_data(panels),
        draw=partial(_draw, panels=panels),
        size=SIZE,
        table=_table(panels),
        claims=[_judge(spec, panels) for spec in evidence.spec.claims],
    )


def _table(panels: Sequence[PanelGrowth]) -> Table:
    columns = ["data set", "method", "bound", "its exponent", "at fixed n", "exponent measured", "runs"]
    rows: list[list[str]] = []
    for measured in panels:
        for name, growth in measured.growths.items():
            bound = BOUNDS.get(name.removesuffix(KEPT))
            exponents = [measured.bound_exponent(name, growth.used, per_example=each) for each in (False, True)]
            rows.append(
                [
                    name_of(measured.panel),
                    series_name(name),
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
        *(_note(measured) for measured in panels),
        *_accounting(panels),
        "SDCA's bound has a further factor n (section 4.4); the Perceptron's is the SBP's, for one pass (section 4.5).",
    ]
    return Table([*columns, *(f"δ = {delta:g}" for delta in PRINTED)], rows, notes)


def _accounting(panels: Sequence[PanelGrowth]) -> list[str]:
    """Write how methods that do not have to store all responses are charged."""
    charged: dict[str, set[str]] = {}
    for measured in panels:
        for name, runs in measured.panel.runs.items():
            for run in runs:
                way = run.result["settings"]["algo"].get("accounting")
                charged.setdefault(way, set()).add(series_name(name))
    texts = {
        "on_demand": "one evaluation per support vector for each response",
        "kept": "n for each example whose coefficient changes",
    }
    return [f"{'; '.join(sorted(charged[way]))}: charged {text}." for way, text in texts.items() if way in charged]


def _cell(growth: Growth, k: int) -> str:
    if not growth.fair[k]:
        return "o"
    if math.isinf(growth.costs[k]):
        return "—"
    return f"{growth.costs[k]:.1e}" if growth.costs[k] > 0 else f"≤ {growth.grid[0]:.1e}"


def _note(measured: PanelGrowth) -> str:
    best = f"{100 * measured.best:.2f} %, the lowest mean final test error ({series_name(measured.best_by)})"
    text = f"{name_of(measured.panel)}: E* = {best}; a constant prediction is wrong on {100 * measured.trivial:.1f} %"
    if measured.hinge is None:
        return f"{text}; no run of SMO, hence no L and no exponents of the bounds."
    text += f"; L = {measured.hinge:.3g}, the mean hinge loss of SMO's last predictor on the training set"
    if measured.hinge > measured.best:
        text += ", above E*: the bounds promise an error of L + ε, so errors near E* are better than promised"
    return f"{text}."


def _data(panels: Sequence[PanelGrowth]) -> pd.DataFrame:
    rows: list[dict[str, Any]] = []
    for measured in panels:
        for name, growth in measured.growths.items():
            first = growth.first_of(range(growth.runs))
            met = np.isfinite(growth.first).sum(axis=0)
            unknown = [math.nan] * len(DELTAS)
            bounds = measured.bounds(name) or unknown
            per_example = measured.bounds(name, per_example=True) or unknown
            rows += [
                {
                    "dataset": measured.panel.dataset,
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
