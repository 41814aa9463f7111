"""Theorem 4.3: iterations until the mean iterate is within epsilon of the saddle problem's optimum."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray

from svm_cost_curves.experiments.curve import column
from svm_cost_curves.experiments.papers import layout
from svm_cost_curves.experiments.papers.cases import Case, Findings, Statistic, case_on, interval_text, judge_claims
from svm_cost_curves.experiments.papers.panels import empty, heading, name_of
from svm_cost_curves.experiments.papers.simba.rates import CONSTANT, Rate, rate_along, rate_of_ends, theorem_iterations
from svm_cost_curves.experiments.papers.simba.saddle_point import optimum
from svm_cost_curves.experiments.plotting import FAINT, INK, Style, plain_frame, row_of_axes, styles_for
from svm_cost_curves.experiments.reproduction.evidence import Evidence, Panel
from svm_cost_curves.experiments.reproduction.figure_result import FigureResult, Table
from svm_cost_curves.experiments.reproduction.spec import FigureSpec
from svm_cost_curves.experiments.reproduction.statistics import MISSING, at_most, bootstrap_medians, holds, under_bound

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

    from svm_cost_curves.experiments.configuration.settings import RunSettings

NAMES: Final = {"constant": "constant steps", "biased": "constant steps, with bias", "simba": "anytime steps"}
Series = Literal["constant", "biased", "simba"]


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
    optima : mapping of str to mapping
        By series, certified bounds on the optimum of its saddle problem: ``lower`` and ``upper``.
    rates : mapping of str to Rate
        By series; series without runs are left out.
    """

    panel: Panel
    n: int
    unit: float
    optima: Mapping[str, Mapping[str, float]]
    rates: Mapping[str, Rate]

    def rescaled(self, series: str) -> dict[str, float]:
        """Return the largest norm and hinge loss of a series, as shares of Lemma 2.1's bounds.

        The optimum w* with value gamma* gives w = w* / gamma*, which has norm 1 / gamma* and mean hinge loss
        nu / gamma*. The curves have both for the mean iterate, divided by its value.
        """
        names = [name for name in self.panel.settings if name.partition(" ")[0] == series]
        norm = 1 / self.optima[series]["upper"]
        hinge = _nu(self.panel.settings[names[0]]) / self.unit * norm
        curves = [curve for name in names for curve in self.panel.curves(name)]
        levels, norms, hinges = (  # read curve by curve: a published figure has the columns that were read
            np.concatenate([column(curve, name) for curve in curves]) for name in ("water_level", "norm", "hinge")
        )
        epsilon = self.optima[series]["upper"] - levels / self.unit
        factor = 1 - norm * epsilon  # where it is negative the lemma says nothing
        shares = {"norm": norms * self.unit / norm * factor, "hinge loss": hinges / hinge * factor}
        return {
            what: float(np.max(share[(factor > 0) & np.isfinite(share)], initial=-np.inf))
            for what, share in shares.items()
        }

    def without_runs(self, spec: FigureSpec, series: str) -> list[float]:
        """Return the planned T of a series that have no runs."""
        members = sorted(spec.members(series).items())
        return [T for T, name in members if name in self.panel.runs and not self.panel.curves(name)]


def compute(evidence: Evidence) -> dict[str, Any]:
    """Return the optima of the saddle problems by data set, for those with runs."""
    return {panel.dataset: solve(panel, evidence.spec) for panel in evidence.panels if any(panel.runs.values())}


def solve(panel: Panel, spec: FigureSpec) -> dict[str, Any]:
    """Return the number of examples, the divisor of the data, and for each series the bounds on its optimum."""
    from svm_cost_curves import datasets

    first = next(iter(panel.settings.values()))
    data = datasets.load(first.dataset, cache_dir=datasets.default_cache_dir())
    points: Any = sp.csr_matrix(data.X, dtype=np.float64)
    # the theorem assumes points in the unit ball; the solver divides by the same number
    unit = max(1.0, float(np.sqrt(points.power(2).sum(axis=1).max())))
    solved = cache(lambda nu, bias: optimum(points / unit, data.y, nu, bias=bias))  # two series have one problem
    optima = {}
    for series in NAMES:
        settings = _settings(panel, spec, series)
        best = solved(_nu(settings) / unit, bool(settings.problem.bias))
        optima[series] = {"lower": best.lower, "upper": best.upper}
    return {"n": data.n, "unit": unit, "optima": optima}


def measure(panel: Panel, spec: FigureSpec, solved: Mapping[str, Any]) -> MeasuredPanel:
    """Return the distances of all series from their optima (`solve`) on one data set."""
    rates = {}
    for series in NAMES:
        unit = solved["unit"]
        problem = (solved["optima"][series]["upper"], _nu(_settings(panel, spec, series)) / unit, unit)
        ends = {T: panel.curves(name) for T, name in spec.members(series).items()}
        rate = rate_of_ends(ends, *problem) if ends else rate_along(panel.curves(series), *problem)
        if rate is not None:
            rates[series] = rate
    return MeasuredPanel(panel, **solved, rates=rates)


def _settings(panel: Panel, spec: FigureSpec, series: str) -> RunSettings:
    settings: RunSettings = panel.settings[next(iter(spec.members(series).values()), series)]
    return settings


def _nu(settings: RunSettings) -> float:
    nu = settings.problem.nu
    assert nu is not None  # the figure's file gives it
    return float(nu)


@dataclass(frozen=True, kw_only=True)
class TheoremIterations(Statistic):
    """T over Theorem 4.3's number of iterations, for the distance within which half of the runs are after T.

    Attributes
    ----------
    series : str
    """

    series: Series = "constant"

    def findings(self, data: Sequence[MeasuredPanel], evidence: Evidence) -> Findings:
        """Compare each T of each data set with the theorem's."""
        cases: list[Case] = []
        for measured in data:
            if rate := measured.rates.get(self.series):
                cases += [self._case(measured, T, gaps) for T, gaps in zip(rate.iterations, rate.gaps, strict=True)]
            cases += [
                case_on(measured.panel, f"T = {T:.0f}", MISSING, note="no runs", about=f"T = {T:,.0f}")
                for T in measured.without_runs(evidence.spec, self.series)
            ]
        return Findings(cases)

    def _case(self, measured: MeasuredPanel, iterations: float, gaps: NDArray[np.float64]) -> Case:
        share = bootstrap_medians(lambda medians: iterations / theorem_iterations(medians[:, 0], measured.n), [gaps])
        epsilon = float(np.median(gaps))
        text = f"T = {iterations:,.0f} is {share.estimate:.1e} of the theorem's for epsilon = {epsilon:.2g}"
        statistic = {"share": share.as_dict(), "epsilon": epsilon}
        return case_on(measured.panel, f"T = {iterations:.0f}", under_bound(share, 1.0), text, statistic)


@dataclass(frozen=True, kw_only=True)
class ConvergenceRate(Statistic):
    """a in T ~ epsilon^-a, at most the theory's and a slack.

    Attributes
    ----------
    series : str
    theory, slack : float
    """

    series: Series = "constant"
    theory: float
    slack: float

    def findings(self, data: Sequence[MeasuredPanel], evidence: Evidence) -> Findings:
        """Fit the rate on each data set."""
        cases = []
        for measured in data:
            rate = measured.rates.get(self.series)
            if lacking := measured.without_runs(evidence.spec, self.series):
                note = f"no runs at T = {', '.join(f'{T:,.0f}' for T in lacking)}"
                cases.append(case_on(measured.panel, "a", MISSING, note=note))
            elif rate is not None:
                cases.append(self._case(measured.panel, rate))
        return Findings(cases)

    def _case(self, panel: Panel, rate: Rate) -> Case:
        a = rate.exponent
        if a is None:
            return case_on(panel, "a", MISSING, note="fewer than three T, or a distance of 0")
        ends = [f"{rate.iterations[k]:,.0f} (epsilon {rate.medians[k]:.2g})" for k in (0, -1)]
        text = f"a = {interval_text(a, '.2f')} for T from {' to '.join(ends)}"
        return case_on(panel, "a", at_most(a, self.theory + self.slack), text, {"exponent": a.as_dict()})


@dataclass(frozen=True, kw_only=True)
class RescaledSolution(Statistic):
    """Norm and hinge loss of a rescaled solution, at most 1 / (1 - ||w|| epsilon) times those of w.

    Attributes
    ----------
    rounding : float
        Relative excess that counts as rounding.
    """

    rounding: float

    def findings(self, data: Sequence[MeasuredPanel], evidence: Evidence) -> Findings:
        """Compare the largest norm and hinge loss of each series with Lemma 2.1's bounds."""
        return Findings(
            [
                self._case(measured.panel, series, what, share)
                for measured in data
                for series in measured.rates
                for what, share in measured.rescaled(series).items()
            ]
        )

    def _case(self, panel: Panel, series: str, what: str, share: float) -> Case:
        if not math.isfinite(share):
            return case_on(panel, f"{series} {what}", MISSING, note="no evaluation")
        text = f"{NAMES[series]}: {what} at most {share:.6f} of its bound"
        return case_on(panel, f"{series} {what}", holds(share <= 1 + self.rounding), text, {"share": share})


STATISTICS = {
    "theorem_iterations": TheoremIterations,
    "convergence_rate": ConvergenceRate,
    "rescaled_solution": RescaledSolution,
}


def make(evidence: Evidence) -> FigureResult:
    """Draw the figure and judge the claims."""
    solved = [(panel, evidence.computed.get(panel.dataset)) for panel in evidence.panels]
    measured = [measure(panel, evidence.spec, optima) for panel, optima in solved if optima is not None]
    panels = [panel for panel in measured if panel.rates]
    data = _data(panels)
    return FigureResult(
        data, partial(_draw, panels=panels), SIZE, partial(_table, panels, data), judge_claims(evidence, data=panels)
    )


def _data(panels: Sequence[MeasuredPanel]) -> pd.DataFrame:
    columns = ["dataset", "series", "iterations", "epsilon", "low", "high", "runs", "theorem", "optimum"]
    rows = [
        [
            *(measured.panel.dataset, series, T, median, gaps.min(), gaps.max(), len(gaps)),
            *(theorem_iterations(median, measured.n), measured.optima[series]["upper"]),
        ]
        for measured in panels
        for series, rate in measured.rates.items()
        for T, median, gaps in zip(rate.iterations, rate.medians, rate.gaps, strict=True)
    ]
    return pd.DataFrame(rows, columns=columns)


def _table(panels: Sequence[MeasuredPanel], data: pd.DataFrame) -> Table:
    columns = ["data set", "steps", "optimum", "T", "runs", "epsilon", "the theorem's T"]
    names = {measured.panel.dataset: name_of(measured.panel) for measured in panels}
    rows = [
        [
            names[row["dataset"]],
            NAMES[row["series"]],
            f"{row['optimum']:.6f}",
            f"{row['iterations']:,.0f}",
            str(row["runs"]),
            f"{row['epsilon']:.2g} ({row['low']:.2g} to {row['high']:.2g})",
            f"{row['theorem']:.1e}",
        ]
        for row in data[data["series"] != "simba"].to_dict("records")  # anytime runs have every T
    ]
    notes = [
        "epsilon: optimum less value of the mean iterate; median over the runs (least to largest). The theorem's T: "
        f"{CONSTANT:.0f}^2 epsilon^-2 log n.",
        *(
            f"{name_of(measured.panel)}, {NAMES[series]}: the optimum lies between {best['lower']:.8f} and "
            f"{best['upper']:.8f}."
            for measured in panels
            for series, best in measured.optima.items()
            if series in measured.rates
        ),
    ]
    return Table(columns, rows, notes)


SIZE: Final = (12.0, 5.2)
_LEGEND, _ABOVE, _BELOW = 0.72, 0.5, 0.56  # inches
_CAPTION: Final = (
    r"Iterations $T$ against the distance $\varepsilon$ from the optimum within which half of the runs are; bars: least"
    " and largest of the runs.\nDashed: slope -2 through the last of the constant steps."
)


def _draw(figure: Figure | SubFigure, panels: Sequence[MeasuredPanel]) -> None:
    """Draw one panel per data set."""
    if not panels:
        empty(figure, "no finished runs")
        return
    styles = styles_for([name for series, name in NAMES.items() if any(series in panel.rates for panel in panels)])
    places = row_of_axes(figure, len(panels), above=_LEGEND + _ABOVE, below=_BELOW)
    layout.legend_and_caption(figure, places[0], [styles[name] for name in NAMES.values() if name in styles], _CAPTION)
    places[0].set_ylabel("Iterations $T$", color=INK)
    for axes, measured in zip(places, panels, strict=True):
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel(r"$\varepsilon$: optimum less value of the mean iterate", color=INK)
        plain_frame(axes)
        for series, rate in measured.rates.items():
            _draw_rate(axes, rate, styles[NAMES[series]])
        _draw_theorem(axes, measured)
        slopes = [f"{NAMES[series]} {_slope(rate)}" for series, rate in measured.rates.items()]
        heading(axes, measured.panel, "slopes: " + "; ".join(slopes))


def _slope(rate: Rate) -> str:
    if rate.exponent is None:
        return "not known"
    exponent = rate.exponent
    return interval_text(replace(exponent, estimate=-exponent.estimate, low=-exponent.high, high=-exponent.low), ".2f")


def _draw_rate(axes: Axes, rate: Rate, style: Style) -> None:
    axes.plot(rate.medians, rate.iterations, **style.look, zorder=3)
    marks = list(range(0, len(rate.gaps), max(1, len(rate.gaps) // 8)))
    for k in marks:
        ends = [rate.gaps[k].min(), rate.gaps[k].max()]
        axes.plot(ends, [rate.iterations[k]] * 2, color=style.color, linewidth=1.0, alpha=0.6, zorder=2.5)
    axes.plot(rate.medians[marks], rate.iterations[marks], linestyle="none", **style.markers(), zorder=4)


def _draw_theorem(axes: Axes, measured: MeasuredPanel) -> None:
    """Draw the theorem's line, and a line of its slope through the last point of the first series."""
    reach = np.array(axes.get_xlim())
    axes.plot(
        reach, theorem_iterations(reach, measured.n), color=INK, linewidth=1.2, linestyle=(0, (1.0, 2.0)), zorder=2
    )
    text = rf"theorem: $T = {CONSTANT:.0f}^2 \varepsilon^{{-2}} \log n$"
    middle = float(np.sqrt(reach.prod()))
    spot = (middle, float(theorem_iterations(middle, measured.n)))
    axes.annotate(text, spot, (0, 6), textcoords="offset points", ha="right", color=INK)
    first = next(iter(measured.rates.values()))
    through = first.iterations[-1] * (first.medians[-1] / reach) ** 2
    axes.plot(reach, through, color=FAINT, linewidth=1.0, linestyle=(0, (4.0, 2.0)), zorder=1)
    axes.set_xlim(reach[1], reach[0])  # smaller distances to the right
