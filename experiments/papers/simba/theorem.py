"""Theorem 4.3: iterations until the mean iterate is within epsilon of the saddle problem's optimum."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

import datasets
from experiments.configuration.settings import RunSettings
from experiments.curve import column
from experiments.papers import layout
from experiments.papers.cases import Case, claim_from_cases, interval_text, judge_claims
from experiments.papers.panels import empty, heading, name_of, row_of_axes
from experiments.papers.simba.saddle_point import Optimum, optimum
from experiments.plotting import FAINT, INK, PANEL, Style, plain_frame, styles_for
from experiments.reproduction.evidence import Evidence, Panel
from experiments.reproduction.figure_result import FigureResult, Table
from experiments.reproduction.spec import ClaimSpec, FigureSpec
from experiments.reproduction.statistics import Interval, bootstrap_groups, loglog_slope
from experiments.reproduction.verdict import Claim, Ruling

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

CONSTANT: Final = 100.0
"""T = `CONSTANT`^2 eps^-2 log n (Algorithm 1, line 2)."""
RESAMPLES: Final = 1000


def theorem_iterations(epsilon: ArrayLike, n: int) -> NDArray[np.float64]:
    """Return Theorem 4.3's T for n examples and values at most epsilon below the optimum."""
    return CONSTANT**2 * math.log(n) / np.square(np.asarray(epsilon, dtype=np.float64))


@dataclass(frozen=True)
class Saddle:
    """Quantities of a saddle problem that give the distance of a run from its optimum.

    Attributes
    ----------
    optimum : float
        Of the data divided by `unit`.
    trivial : float
        Distance of w = 0 from the optimum.
    unit : float
        Divisor of the curves' values.
    n : int
        Number of examples.
    """

    optimum: float
    trivial: float
    unit: float
    n: int

    def gaps(self, levels: Sequence[float]) -> NDArray[np.float64]:
        """Distances of some water levels from the optimum."""
        return self.optimum - np.array(levels, dtype=np.float64) / self.unit


@dataclass(frozen=True)
class Rate:
    """Distances from the optimum for several numbers of iterations T.

    Attributes
    ----------
    iterations : (k,) float64
        Rising T after which more than half of the runs are nearer to the optimum than w = 0.
    gaps : tuple of (runs,) float64
        For each T, optimum minus value of the mean iterate of each run.
    n : int
        Number of examples.
    together : bool
        Whether the k-th gaps of all T belong to the same run.
    """

    iterations: NDArray[np.float64]
    gaps: tuple[NDArray[np.float64], ...]
    n: int
    together: bool

    @cached_property
    def medians(self) -> NDArray[np.float64]:
        """Median distance of the runs, for each T."""
        return np.array([float(np.median(gaps)) for gaps in self.gaps])

    @property
    def theorem_over_measured(self) -> NDArray[np.float64]:
        """For each T, the iterations that Theorem 4.3 asks for at the distance reached, over T."""
        return theorem_iterations(self.medians, self.n) / self.iterations

    @cached_property
    def exponent(self) -> Interval | None:
        """Return a of T ~ epsilon^-a, with its bootstrap interval over runs; None without two T, or with a gap of 0.

        The fit is epsilon ~ T^(-1/a), as T is chosen and epsilon measured.
        """
        if len(self.iterations) < 2 or (self.medians <= 0).any():
            return None

        @cache  # each resample of one T is paired with many of the others
        def median(place: int, runs: tuple[int, ...]) -> float:
            return float(np.median(self.gaps[place][list(runs)]))

        def fitted(*chosen: Sequence[int]) -> float:
            rows = chosen * len(self.gaps) if self.together else chosen
            medians = [median(place, tuple(runs)) for place, runs in enumerate(rows)]
            slope = loglog_slope(self.iterations, np.array(medians))
            return -1.0 / slope if slope < 0 else math.inf

        sizes = [len(gaps) for gaps in (self.gaps[:1] if self.together else self.gaps)]
        return bootstrap_groups(fitted, sizes, resamples=RESAMPLES)


def rate_of_ends(curves: Mapping[float, Sequence[pd.DataFrame]], saddle: Saddle) -> Rate | None:
    """Rate of runs with one T each; runs that ended before their T are left out.

    None if no run reached its T and came nearer to the optimum than w = 0.
    """
    gaps = {
        horizon: saddle.gaps([level for frame in frames if math.isfinite(level := _level(frame, horizon))])
        for horizon, frames in sorted(curves.items())
    }
    return _rate(gaps, saddle, together=False)


def rate_along(frames: Sequence[pd.DataFrame], saddle: Saddle) -> Rate | None:
    """Rate of runs at their common evaluations; otherwise as `rate_of_ends`."""
    shared = set.intersection(*(set(column(frame, "iterations").tolist()) for frame in frames)) if frames else set()
    levels = {iterations: [_level(frame, iterations) for frame in frames] for iterations in sorted(shared - {0.0})}
    gaps = {iterations: saddle.gaps(found) for iterations, found in levels.items() if np.isfinite(found).all()}
    return _rate(gaps, saddle, together=True)


def _rate(gaps: Mapping[float, NDArray[np.float64]], saddle: Saddle, *, together: bool) -> Rate | None:
    nearer = {
        iterations: found for iterations, found in gaps.items() if len(found) and np.median(found) < saddle.trivial
    }
    return Rate(np.array(list(nearer)), tuple(nearer.values()), saddle.n, together) if nearer else None


def _level(frame: pd.DataFrame, iterations: float) -> float:
    """Water level after that many iterations; NaN if the run has no evaluation there or no level."""
    levels = column(frame, "water_level")[column(frame, "iterations") == iterations]
    return float(levels[-1]) if len(levels) else math.nan


SIZE: Final = (12.0, 5.2)
_LEGEND, _ABOVE, _BELOW = 0.72, 0.5, 0.56  # inches
_CAPTION: Final = (
    "Iterations T against the distance epsilon from the optimum that half of the runs keep within; bars: least and "
    "largest of the runs.\nDashed: slope -2 through the last of the constant steps."
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
            axes.set_ylabel("Iterations T", size=PANEL.label, color=INK)


def _slope(rate: Rate) -> str:
    if rate.exponent is None:
        return "not known"
    exponent = rate.exponent
    return interval_text(type(exponent)(-exponent.estimate, -exponent.high, -exponent.low), ".2f")


def _lay_out(axes: Axes) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.invert_xaxis()  # smaller distances to the right
    axes.set_xlabel("epsilon: optimum less value of the mean iterate", size=PANEL.label, color=INK)
    plain_frame(axes, PANEL.ticks)


def _draw_rate(axes: Axes, rate: Rate, style: Style) -> None:
    look: dict[str, Any] = {"color": style.color, "linewidth": style.width * PANEL.lines, "linestyle": style.line}
    axes.plot(rate.medians, rate.iterations, **look, zorder=3)
    ends = np.array([[gaps.min(), gaps.max()] for gaps in rate.gaps])
    shown = range(len(ends))[:: max(1, len(ends) // 8)]
    for k in shown:
        axes.plot(ends[k], [rate.iterations[k]] * 2, color=style.color, linewidth=1.0, alpha=0.6, zorder=2.5)
    marks = list(shown)
    axes.plot(rate.medians[marks], rate.iterations[marks], linestyle="none", **style.markers(PANEL.lines), zorder=4)


def _draw_theorem(axes: Axes, rates: Mapping[str, Rate], n: int) -> None:
    """Draw the theorem's line, and a line of its slope through the last point of the first series."""
    reach = np.array(sorted(axes.get_xlim()))
    axes.plot(reach, theorem_iterations(reach, n), color=INK, linewidth=1.2, linestyle=(0, (1.0, 2.0)), zorder=2)
    text = f"theorem: T = {CONSTANT:.0f}² log n / epsilon²"
    middle = float(np.sqrt(reach.prod()))
    spot = (middle, float(theorem_iterations(middle, n)))
    axes.annotate(text, spot, (0, 6), textcoords="offset points", ha="right", size=PANEL.note, color=INK)
    first = next(iter(rates.values()))
    through = first.iterations[-1] * (first.medians[-1] / reach) ** 2
    axes.plot(reach, through, color=FAINT, linewidth=1.0, linestyle=(0, (4.0, 2.0)), zorder=1)
    axes.set_xlim(reach[1], reach[0])


ALGORITHM: Final = "constant"
"""Series of Algorithm 1, the subject of the theorem."""
NAMES: Final = {"constant": "constant steps", "biased": "constant steps, with bias", "simba": "anytime steps"}
COLUMNS: Final = ("dataset", "series", "iterations", "epsilon", "low", "high", "runs", "theorem", "optimum")
RULE: Final = (
    "What is measured is the optimum (from linear programs, certified from both sides) less the water level of the "
    "mean iterate, for data of norm 1 at most: epsilon is the median over the runs after T iterations, for all T after "
    "which it is smaller than for w = 0. Judged for Algorithm 1, with constant steps for each T: whether T is at most "
    f"the theorem's {CONSTANT:.0f}^2 epsilon^-2 log n; and whether a in T ~ epsilon^-a, fitted over these T, is 2 or "
    "less: its 95 % interval over the runs does not lie above 2. Reproduced: both; partly: one. Bias and anytime steps "
    "are measured and not judged. The theorem bounds the growth from above; it does not say that a smaller a is "
    "impossible."
)


@dataclass(frozen=True)
class MeasuredPanel:
    """Rates and optima of all series on one data set.

    Attributes
    ----------
    panel : Panel
    n : int
        Number of training examples.
    rates : dict of str to Rate
        By series; series without runs are left out.
    optima : dict of str to Optimum
        By series.
    """

    panel: Panel
    n: int
    rates: dict[str, Rate] = field(default_factory=dict)
    optima: dict[str, Optimum] = field(default_factory=dict)


def make(evidence: Evidence) -> FigureResult:
    """Solve the saddle problems, draw the figure and judge the claim."""
    panels = [found for panel in evidence.panels if (found := measure(panel, evidence.spec)) is not None]
    return FigureResult(
        _data(panels),
        partial(_draw, panels=[(found.panel, found.n, found.rates) for found in panels], names=NAMES),
        SIZE,
        table=_table(panels),
        claims=judge_claims(evidence, {"simba.theorem": lambda _, spec: _judge(spec, panels)}),
    )


def measure(panel: Panel, spec: FigureSpec) -> MeasuredPanel | None:
    """Distances from the optimum of all series on one data set; None without a run."""
    if not any(panel.runs.values()):
        return None
    first = next(iter(panel.settings.values()))
    data = datasets.load(first.dataset, cache_dir=datasets.default_cache_dir())
    points: Any = sp.csr_matrix(data.X, dtype=np.float64)
    # the theorem assumes points in the unit ball; the solver divides by the same number
    unit = max(1.0, float(np.sqrt(points.power(2).sum(axis=1).max())))
    found = MeasuredPanel(panel, data.n)
    solved: dict[tuple[float, bool], Optimum] = {}
    for series in NAMES:
        members = spec.members(series)
        settings = panel.settings[next(iter(members.values()), series)]
        problem = (_nu(settings) / unit, bool(settings.problem.bias))
        if problem not in solved:
            solved[problem] = optimum(points / unit, data.y, problem[0], bias=problem[1])
        best = solved[problem].upper
        # if all responses are 0, slack is spread evenly
        saddle = Saddle(best, best - problem[0], unit, data.n)
        if members:
            rate = rate_of_ends({horizon: panel.curves(name) for horizon, name in members.items()}, saddle)
        else:
            rate = rate_along(panel.curves(series), saddle)
        if rate is not None:
            found.rates[series], found.optima[series] = rate, solved[problem]
    return found if found.rates else None


def _nu(settings: RunSettings) -> float:
    nu = settings.problem.nu
    assert nu is not None  # the figure's file gives it
    return float(nu)


def _judge(spec: ClaimSpec, panels: Sequence[MeasuredPanel]) -> Claim:
    return claim_from_cases(spec, RULE, [_case(found, series) for found in panels for series in found.rates])


def _case(found: MeasuredPanel, series: str) -> Case:
    rate, best = found.rates[series], found.optima[series]
    place, about = (found.panel.paper_dataset, series), f"{name_of(found.panel)}, {NAMES[series]}"
    exponent = rate.exponent
    least = float(rate.theorem_over_measured.min())
    statistic = {
        "iterations": rate.iterations.tolist(),
        "epsilon": rate.medians.tolist(),
        "exponent": None if exponent is None else exponent.as_dict(),
        "theorem_over_measured": least,
        "optimum": [best.lower, best.upper],
    }
    a = "unknown" if exponent is None else interval_text(exponent, ".2f")
    measured = (
        f"a = {a} for T from {rate.iterations[0]:,.0f} to "
        f"{rate.iterations[-1]:,.0f}, where epsilon falls from {rate.medians[0]:.2g} to {rate.medians[-1]:.2g} "
        f"(optimum {best.upper:.5f}); the theorem asks for at least {least:.1e} times as many iterations"
    )
    if series != ALGORITHM or exponent is None:
        return Case(place, about, "not_applicable", measured, statistic)
    few = [f"{count} run{'s' if count > 1 else ''} for each T" for count in {min(map(len, rate.gaps))} if count < 5]
    return Case(place, about, _ruling(least >= 1, exponent.low <= 2), measured, statistic, ", ".join(few))


def _ruling(bound: bool, growth: bool) -> Ruling:
    if bound and growth:
        return "reproduced"
    return "partly" if bound or growth else "not_reproduced"


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
        ),
    ]
    return Table(columns, rows, notes)
