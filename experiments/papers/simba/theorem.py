"""Theorem 4.3: iterations until the mean iterate is within epsilon of the saddle problem's optimum."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray

from svm_cost_curves.experiments.curve import column
from svm_cost_curves.experiments.papers import layout
from svm_cost_curves.experiments.papers.cases import (
    MISSING,
    Case,
    Choice,
    Findings,
    at_most,
    case_on,
    holds,
    interval_text,
    judge_claims,
    under_bound,
)
from svm_cost_curves.experiments.papers.panels import empty, heading, name_of
from svm_cost_curves.experiments.papers.simba.rates import (
    CONSTANT,
    Rate,
    Saddle,
    rate_along,
    rate_of_ends,
    theorem_iterations,
)
from svm_cost_curves.experiments.papers.simba.saddle_point import optimum
from svm_cost_curves.experiments.plotting import FAINT, INK, Style, plain_frame, row_of_axes, styles_for
from svm_cost_curves.experiments.reproduction.evidence import Evidence, Panel
from svm_cost_curves.experiments.reproduction.figure_result import FigureResult, Table
from svm_cost_curves.experiments.reproduction.spec import FigureSpec
from svm_cost_curves.experiments.reproduction.statistics import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

    from svm_cost_curves.experiments.configuration.settings import RunSettings

SIZE: Final = (12.0, 5.2)
_LEGEND, _ABOVE, _BELOW = 0.72, 0.5, 0.56  # inches
_CAPTION: Final = (
    r"Iterations $T$ against the distance $\varepsilon$ from the optimum within which half of the runs are; bars: least"
    " and largest of the runs.\nDashed: slope -2 through the last of the constant steps."
)


def _draw(
    figure: Figure | SubFigure, panels: Sequence[tuple[Panel, int, Mapping[str, Rate]]], names: Mapping[str, str]
) -> None:
    """Draw one panel per data set: (panel, n, rates by series). `names` are the series' names in the legend."""
    if not panels:
        empty(figure, "no finished runs")
        return
    styles = styles_for([name for series, name in names.items() if any(series in rates for *_, rates in panels)])
    places = row_of_axes(figure, len(panels), above=_LEGEND + _ABOVE, below=_BELOW)
    layout.legend_and_caption(figure, places[0], [styles[name] for name in names.values() if name in styles], _CAPTION)
    for k, (axes, (panel, n, rates)) in enumerate(zip(places, panels, strict=True)):
        _lay_out(axes)
        for series, rate in rates.items():
            _draw_rate(axes, rate, styles[names[series]])
        _draw_theorem(axes, rates, n)
        slopes = [f"{names[series]} {_slope(rate)}" for series, rate in rates.items()]
        heading(axes, panel, "slopes: " + "; ".join(slopes))
        if k == 0:
            axes.set_ylabel("Iterations $T$", color=INK)


def _slope(rate: Rate) -> str:
    if rate.exponent is None:
        return "not known"
    exponent = rate.exponent
    return interval_text(replace(exponent, estimate=-exponent.estimate, low=-exponent.high, high=-exponent.low), ".2f")


def _lay_out(axes: Axes) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.invert_xaxis()  # smaller distances to the right
    axes.set_xlabel(r"$\varepsilon$: optimum less value of the mean iterate", color=INK)
    plain_frame(axes)


def _draw_rate(axes: Axes, rate: Rate, style: Style) -> None:
    axes.plot(rate.medians, rate.iterations, **style.look, zorder=3)
    ends = np.array([[gaps.min(), gaps.max()] for gaps in rate.gaps])
    shown = range(len(ends))[:: max(1, len(ends) // 8)]
    for k in shown:
        axes.plot(ends[k], [rate.iterations[k]] * 2, color=style.color, linewidth=1.0, alpha=0.6, zorder=2.5)
    marks = list(shown)
    axes.plot(rate.medians[marks], rate.iterations[marks], linestyle="none", **style.markers(), zorder=4)


def _draw_theorem(axes: Axes, rates: Mapping[str, Rate], n: int) -> None:
    """Draw the theorem's line, and a line of its slope through the last point of the first series."""
    reach = np.array(sorted(axes.get_xlim()))
    axes.plot(reach, theorem_iterations(reach, n), color=INK, linewidth=1.2, linestyle=(0, (1.0, 2.0)), zorder=2)
    text = rf"theorem: $T = {CONSTANT:.0f}^2 \varepsilon^{{-2}} \log n$"
    middle = float(np.sqrt(reach.prod()))
    spot = (middle, float(theorem_iterations(middle, n)))
    axes.annotate(text, spot, (0, 6), textcoords="offset points", ha="right", color=INK)
    first = next(iter(rates.values()))
    through = first.iterations[-1] * (first.medians[-1] / reach) ** 2
    axes.plot(reach, through, color=FAINT, linewidth=1.0, linestyle=(0, (4.0, 2.0)), zorder=1)
    axes.set_xlim(reach[1], reach[0])


NAMES: Final = {"constant": "constant steps", "biased": "constant steps, with bias", "simba": "anytime steps"}
COLUMNS: Final = ("dataset", "series", "iterations", "epsilon", "low", "high", "runs", "theorem", "optimum")


@dataclass(frozen=True)
class Bounds:
    """Certified bounds on the optimum of a saddle problem."""

    lower: float
    upper: float


@dataclass(frozen=True)
class MeasuredPanel:
    """Rates and optima of all series on one data set.

    Attributes
    ----------
    panel : Panel
    n : int
        Number of training examples.
    unit : float
        Divisor of the data.
    optima : dict of str to Bounds
        By series.
    rates : dict of str to Rate
        By series; series without runs are left out.
    """

    panel: Panel
    n: int
    unit: float
    optima: dict[str, Bounds]
    rates: dict[str, Rate] = field(default_factory=dict)

    def rescaled(self, series: str) -> tuple[float, float]:
        """Return the largest norm and hinge loss of a series, as shares of Lemma 2.1's bounds.

        The optimum w* with value gamma* gives w = w* / gamma*, which has norm 1 / gamma* and mean hinge loss
        nu / gamma*. The curves have both for the mean iterate, divided by its value.
        """
        settings = next(run for name, run in self.panel.settings.items() if name.partition(" ")[0] == series)
        norm = 1 / self.optima[series].upper
        hinge = _nu(settings) / self.unit * norm
        curves = [
            curve for name in self.panel.runs if name.partition(" ")[0] == series for curve in self.panel.curves(name)
        ]
        rows = {  # read curve by curve: a published figure has the columns that were read
            name: np.concatenate([column(curve, name) for curve in curves]) for name in ("water_level", "norm", "hinge")
        }
        epsilon = self.optima[series].upper - rows["water_level"] / self.unit
        factor = 1 - norm * epsilon  # where it is negative the lemma says nothing
        shares = (
            rows[name] * unit / bound * factor for name, unit, bound in (("norm", self.unit, norm), ("hinge", 1, hinge))
        )
        largest = (np.max(found[(factor > 0) & np.isfinite(found)], initial=-np.inf) for found in shares)
        of_norm, of_hinge = (float(found) for found in largest)
        return of_norm, of_hinge


def compute(evidence: Evidence) -> dict[str, Any]:
    """Return the optima of the saddle problems by data set, for those with runs."""
    return {panel.dataset: solve(panel, evidence.spec) for panel in evidence.panels if any(panel.runs.values())}


def make(evidence: Evidence) -> FigureResult:
    """Draw the figure and judge the claims."""
    solved = [(panel, evidence.computed.get(panel.dataset)) for panel in evidence.panels]
    measured = [measure(panel, evidence.spec, optima) for panel, optima in solved if optima is not None]
    panels = [found for found in measured if found.rates]
    return FigureResult(
        _data(panels),
        partial(_draw, panels=[(found.panel, found.n, found.rates) for found in panels], names=NAMES),
        SIZE,
        table=_table(panels),
        claims=judge_claims(evidence, {name: partial(judge, panels) for name, judge in JUDGES.items()}),
    )


def solve(panel: Panel, spec: FigureSpec) -> dict[str, Any]:
    """Return the number of examples, the divisor of the data, and for each series the bounds on its optimum."""
    from svm_cost_curves import datasets

    first = next(iter(panel.settings.values()))
    data = datasets.load(first.dataset, cache_dir=datasets.default_cache_dir())
    points: Any = sp.csr_matrix(data.X, dtype=np.float64)
    # the theorem assumes points in the unit ball; the solver divides by the same number
    unit = max(1.0, float(np.sqrt(points.power(2).sum(axis=1).max())))
    problems = {series: _problem(panel, spec, series, unit) for series in NAMES}
    solved = {each: optimum(points / unit, data.y, each[0], bias=each[1]) for each in dict.fromkeys(problems.values())}
    optima = {series: asdict(Bounds(solved[each].lower, solved[each].upper)) for series, each in problems.items()}
    return {"n": data.n, "unit": unit, "optima": optima}


def _problem(panel: Panel, spec: FigureSpec, series: str, unit: float) -> tuple[float, bool]:
    """Return nu, of the data divided by `unit`, and whether there is a bias."""
    settings = panel.settings[next(iter(spec.members(series).values()), series)]
    return _nu(settings) / unit, bool(settings.problem.bias)


def measure(panel: Panel, spec: FigureSpec, solved: Mapping[str, Any]) -> MeasuredPanel:
    """Return the distances of all series from their optima (`solve`) on one data set."""
    optima = {series: Bounds(**solved["optima"][series]) for series in NAMES}
    found = MeasuredPanel(panel, solved["n"], solved["unit"], optima)
    for series, own in optima.items():
        nu, _ = _problem(panel, spec, series, found.unit)
        # if all responses are 0, slack is spread evenly
        saddle = Saddle(own.upper, own.upper - nu, found.unit, found.n)
        if members := spec.members(series):
            rate = rate_of_ends({horizon: panel.curves(name) for horizon, name in members.items()}, saddle)
        else:
            rate = rate_along(panel.curves(series), saddle)
        if rate is not None:
            found.rates[series] = rate
    return found


def _nu(settings: RunSettings) -> float:
    nu = settings.problem.nu
    assert nu is not None  # the figure's file gives it
    return float(nu)


def judge_bound(panels: Sequence[MeasuredPanel], evidence: Evidence, choice: Choice) -> Findings:
    """Judge simba.theorem: T is at most the theorem's, for the distance within which half of the runs are."""
    series = choice.option("series")
    cases = [
        _bound_case(found, T, gaps)
        for found in panels
        if series in found.rates
        for T, gaps in zip(found.rates[series].iterations, found.rates[series].gaps, strict=True)
    ]
    cases += [
        case_on(found.panel, f"T = {T:.0f}", MISSING, note="no runs", about=f"T = {T:,.0f}")
        for found in panels
        for T in _without_runs(found.panel, evidence.spec, series)
    ]
    return Findings(cases)


def _without_runs(panel: Panel, spec: FigureSpec, series: str) -> list[float]:
    """Return the planned T of a series that have no runs."""
    return [T for T, name in sorted(spec.members(series).items()) if name in panel.runs and not panel.curves(name)]


def _bound_case(found: MeasuredPanel, iterations: float, gaps: NDArray[np.float64]) -> Case:
    middle, low, high = iterations / theorem_iterations([np.median(gaps), gaps.min(), gaps.max()], found.n)
    share = Interval(float(middle), float(low), float(high), len(gaps))
    measured = f"T = {iterations:,.0f} is {share.estimate:.1e} of the theorem's for epsilon = {np.median(gaps):.2g}"
    statistic = {"share": share.as_dict(), "epsilon": float(np.median(gaps))}
    return case_on(found.panel, f"T = {iterations:.0f}", under_bound(share, 1.0), measured, statistic)


def judge_rate(panels: Sequence[MeasuredPanel], evidence: Evidence, choice: Choice) -> Findings:
    """Judge simba.rate: a in T ~ epsilon^-a is 2 or less, with a slack."""
    series = choice.option("series")
    most = 2 + choice["slack"]
    cases = []
    for found in panels:
        if lacking := _without_runs(found.panel, evidence.spec, series):
            note = f"no runs at T = {', '.join(f'{T:,.0f}' for T in lacking)}"
            cases.append(case_on(found.panel, "a", MISSING, note=note))
        elif series in found.rates:
            cases.append(_rate_case(found, found.rates[series], most))
    return Findings(cases)


def _rate_case(found: MeasuredPanel, rate: Rate, most: float) -> Case:
    a = rate.exponent
    if a is None:
        return case_on(found.panel, "a", MISSING, note="fewer than two T, or a distance of 0")
    ends = [f"{rate.iterations[k]:,.0f} (epsilon {rate.medians[k]:.2g})" for k in (0, -1)]
    measured = f"a = {interval_text(a, '.2f')} for T from {' to '.join(ends)}"
    return case_on(found.panel, "a", at_most(a, most), measured, {"exponent": a.as_dict()})


def judge_rescaled(panels: Sequence[MeasuredPanel], _: Evidence, choice: Choice) -> Findings:
    """Judge simba.lemma21: norm and hinge loss of a rescaled solution are at most 1 / (1 - ||w|| epsilon) times w's."""
    cases = []
    for found in panels:
        for series in found.rates:
            worst = found.rescaled(series)
            for what, share in zip(("norm", "hinge loss"), worst, strict=True):
                if not math.isfinite(share):
                    cases.append(case_on(found.panel, f"{series} {what}", MISSING, note="no evaluation"))
                    continue
                measured = f"{NAMES[series]}: {what} at most {share:.6f} of its bound"
                decision = holds(share <= 1 + choice["rounding"])
                cases.append(case_on(found.panel, f"{series} {what}", decision, measured, {"share": share}))
    return Findings(cases)


OPTIONS = {name: {"series": tuple(NAMES)} for name in ("simba.theorem", "simba.rate")}
JUDGES: Final = {"simba.theorem": judge_bound, "simba.rate": judge_rate, "simba.lemma21": judge_rescaled}


def _data(panels: Sequence[MeasuredPanel]) -> pd.DataFrame:
    rows = [
        {
            "dataset": found.panel.dataset,
            "series": series,
            "iterations": iterations,
            "epsilon": float(np.median(gaps)),
            "low": float(gaps.min()),
            "high": float(gaps.max()),
            "runs": len(gaps),
            "theorem": float(theorem_iterations(np.median(gaps), found.n)),
            "optimum": found.optima[series].upper,
        }
        for found in panels
        for series, rate in found.rates.items()
        for iterations, gaps in zip(rate.iterations, rate.gaps, strict=True)
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _table(panels: Sequence[MeasuredPanel]) -> Table:
    columns = ["data set", "steps", "optimum", "T", "runs", "epsilon", "the theorem's T"]
    rows = [
        [
            name_of(found.panel),
            NAMES[series],
            f"{found.optima[series].upper:.6f}",
            f"{iterations:,.0f}",
            str(len(gaps)),
            f"{median:.2g} ({gaps.min():.2g} to {gaps.max():.2g})",
            f"{theorem_iterations(median, found.n):.1e}",
        ]
        for found in panels
        for series, rate in found.rates.items()
        if not rate.together
        for iterations, gaps, median in zip(rate.iterations, rate.gaps, rate.medians, strict=True)
    ]
    notes = [
        "epsilon: optimum less value of the mean iterate; median over the runs (least to largest). The theorem's T: "
        f"{CONSTANT:.0f}^2 epsilon^-2 log n.",
        *(
            f"{name_of(found.panel)}, {NAMES[series]}: the optimum lies between {best.lower:.8f} and {best.upper:.8f}."
            for found in panels
            for series, best in found.optima.items()
            if series in found.rates
        ),
    ]
    return Table(columns, rows, notes)
