"""Theorem 4.3: iterations until the mean iterate is within epsilon of the saddle problem's optimum."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from ...curve import column
from ...plotting import FAINT, INK, Style, plain_frame, row_of_axes, styles_for
from ...reproduction.evidence import Evidence, FigureResult, Panel, Table
from ...reproduction.statistics.interval import MISSING, Interval, at_most, bootstrap_medians, holds, under_bound
from ...reproduction.statistics.regression import exponent, medians_of
from .. import layout
from ..cases import Case, Statistic, case_on, interval_text, judge_claims
from ..panels import empty, heading, name_of
from ..samples import samples
from .saddle_point import optimum

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

    from ...configuration.settings import RunSettings

CONSTANT: Final = 100.0
"""T = `CONSTANT`^2 eps^-2 log n (Algorithm 1, line 2)."""
NAMES: Final = {"constant": "constant steps", "biased": "constant steps, with bias", "simba": "anytime steps"}
Series = Literal["constant", "biased", "simba"]


def theorem_iterations(epsilon: ArrayLike, n: int) -> NDArray[np.float64]:
    """Return Theorem 4.3's T for n examples and values at most epsilon below the optimum."""
    return CONSTANT**2 * math.log(n) / np.square(np.asarray(epsilon, dtype=np.float64))


def _share_of_theorem(iterations: float, n: int, medians: NDArray[np.float64]) -> NDArray[np.float64]:
    return iterations / theorem_iterations(medians[:, 0], n)


@dataclass(frozen=True, eq=False)
class Rate:
    """A series' distances from the saddle problem's optimum, for several numbers of iterations T."""

    panel: Panel
    series: str
    n: int
    """Number of training examples."""
    lower: float
    upper: float
    """Certified bounds on the optimum."""
    iterations: NDArray[np.float64]
    """(k,): rising T after which more than half of the runs are nearer to the optimum than w = 0."""
    gaps: Sequence[NDArray[np.float64]]
    """(runs,) for each T: optimum less value of the mean iterate of each run."""
    together: bool
    """Whether the k-th gaps of all T belong to the same run."""
    lacking: Sequence[float] = ()
    """Planned T without runs."""
    shares: Mapping[str, float] | None = None
    """Largest ``norm`` and ``hinge loss`` of the rescaled solutions, over Lemma 2.1's bounds."""

    @cached_property
    def medians(self) -> NDArray[np.float64]:
        """Median distance of the runs, for each T."""
        return np.array([float(np.median(gaps)) for gaps in self.gaps])

    @cached_property
    def exponent(self) -> Interval | None:
        """Return a of T ~ epsilon^-a, with its interval over runs; None with fewer than three T, or a gap of 0.

        The fit is epsilon ~ T^(-1/a), as T is chosen and epsilon measured. a is inf for a line that does not fall.
        """
        if (self.medians <= 0).any():
            return None
        medians, count = medians_of(self.gaps), len(self.gaps)
        sizes = [len(gaps) for gaps in (self.gaps[:1] if self.together else self.gaps)]
        together = (lambda runs: medians(*[runs] * count)) if self.together else medians
        fitted = exponent(self.iterations, together, sizes)
        if fitted is None:
            return None
        a, low, high = (-1 / slope if slope < 0 else math.inf for slope in (fitted.estimate, fitted.low, fitted.high))
        return Interval(a, low, high, fitted.runs)


def levels_at(frames: Sequence[pd.DataFrame], iterations: float) -> NDArray[np.float64]:
    """Return the water levels of runs after a number of iterations; runs without one there are left out."""
    at_iterations = [column(frame, "water_level")[column(frame, "iterations") == iterations][-1:] for frame in frames]
    levels: NDArray[np.float64] = np.concatenate([*at_iterations, []])
    return levels[np.isfinite(levels)]


def levels_along(frames: Sequence[pd.DataFrame]) -> dict[float, NDArray[np.float64]]:
    """Return the water levels of runs, by the numbers of iterations at which all runs have one."""
    shared = set.intersection(*(set(column(frame, "iterations").tolist()) for frame in frames)) if frames else set()
    levels = {T: levels_at(frames, T) for T in sorted(shared - {0.0})}
    return {T: values for T, values in levels.items() if len(values) == len(frames)}


def solve(evidence: Evidence, panel: Panel) -> dict[str, Any]:
    """Return the number of examples, the divisor of the data, and for each series the bounds on its optimum."""
    from .... import datasets
    from ...run.console import note

    first = next(iter(panel.settings.values()))
    data = datasets.load(first.dataset, cache_dir=datasets.default_cache_dir(), note=note)
    points: Any = sp.csr_matrix(data.X, dtype=np.float64)
    # the theorem assumes points in the unit ball; the solver divides by the same number
    unit = max(1.0, float(np.sqrt(points.power(2).sum(axis=1).max())))
    solved = cache(lambda nu, bias: optimum(points / unit, data.y, nu, bias=bias))  # two series have one problem
    optima = {}
    for series in NAMES:
        settings = _settings(evidence, panel, series)
        best = solved(_nu(settings) / unit, bool(settings.problem.bias))
        optima[series] = {"lower": best.lower, "upper": best.upper}
    return {"n": data.n, "unit": unit, "optima": optima}


def compute(evidence: Evidence) -> dict[str, Any]:
    """Return the optima of the saddle problems by data set, for those with runs."""
    return {panel.dataset: solve(evidence, panel) for panel in evidence.panels if any(panel.runs.values())}


def measure(evidence: Evidence, panel: Panel, solved: Mapping[str, Any]) -> list[Rate]:
    """Return the distances of all series from their optima (`solve`) on one data set."""
    rates = []
    for series in NAMES:
        of_series, unit, best = samples(evidence, [series], [panel]), solved["unit"], solved["optima"][series]
        together = not any(sample.values for sample in of_series)
        if together:
            levels = levels_along([frame for sample in of_series for frame in sample.frames])
        else:
            of_series.sort(key=lambda sample: sample.value)
            levels = {sample.value: levels_at(sample.frames, sample.value) for sample in of_series}
        gaps = {T: best["upper"] - values / unit for T, values in levels.items() if len(values)}
        # if all responses are 0, slack is spread evenly: w = 0 has the value nu
        nu = _nu(_settings(evidence, panel, series)) / unit
        near = {T: distance for T, distance in gaps.items() if np.median(distance) < best["upper"] - nu}
        planned = [] if together else [sample for sample in of_series if sample.name in panel.runs]
        lacking = [sample.value for sample in planned if not sample.runs]
        curves = [frame for sample in of_series for frame in sample.frames]
        shares = _shares(curves, best["upper"], nu, unit) if near else {}
        rates.append(
            Rate(
                panel,
                series,
                solved["n"],
                **best,
                iterations=np.array(list(near)),
                gaps=list(near.values()),
                together=together,
                lacking=lacking,
                shares=shares,
            )
        )
    return rates if any(rate.gaps for rate in rates) else []


def _shares(curves: Sequence[pd.DataFrame], best: float, nu: float, unit: float) -> dict[str, float]:
    """Return the largest norm and hinge loss of rescaled solutions, as shares of Lemma 2.1's bounds.

    The optimum w* with value gamma* gives w = w* / gamma*, which has norm 1 / gamma* and mean hinge loss nu / gamma*.
    The curves have both for the mean iterate, divided by its value.
    """
    levels, norms, hinges = (  # read curve by curve: a published figure has the columns that were read
        np.concatenate([column(curve, name) for curve in curves]) for name in ("water_level", "norm", "hinge")
    )
    norm = 1 / best
    factor = 1 - norm * (best - levels / unit)  # where it is negative the lemma says nothing
    shares = {"norm": norms * unit / norm * factor, "hinge loss": hinges / (nu * norm) * factor}
    finite = {name: share[(factor > 0) & np.isfinite(share)] for name, share in shares.items()}
    return {name: float(np.max(share, initial=-np.inf)) for name, share in finite.items()}


def _settings(evidence: Evidence, panel: Panel, series: str) -> RunSettings:
    settings: RunSettings = panel.settings[evidence.spec.expanded([series])[0]]
    return settings


def _nu(settings: RunSettings) -> float:
    assert settings.problem.nu is not None  # the figure's file gives it
    return float(settings.problem.nu)


@dataclass(frozen=True, kw_only=True)
class TheoremIterations(Statistic, kind="theorem_iterations"):
    """T over Theorem 4.3's number of iterations, for the distance within which half of the runs are after T."""

    series: Series = "constant"

    def cases(self, item: Rate, evidence: Evidence) -> Iterator[Case]:
        """Compare each T with the theorem's."""
        if item.series != self.series:
            return
        for T, gaps, epsilon in zip(item.iterations, item.gaps, item.medians, strict=True):
            share = bootstrap_medians(partial(_share_of_theorem, T, item.n), [gaps])
            text = f"T = {T:,.0f} is {share.estimate:.1e} of the theorem's for epsilon = {epsilon:.2g}"
            statistic = {"share": share.as_dict(), "epsilon": float(epsilon)}
            yield case_on(item.panel, f"T = {T:.0f}", under_bound(share, 1.0), text, statistic)
        for T in item.lacking:
            yield case_on(item.panel, f"T = {T:.0f}", MISSING, note="no runs", about=f"T = {T:,.0f}")


@dataclass(frozen=True, kw_only=True)
class IterationsExponent(Statistic, kind="iterations_exponent"):
    """a in T ~ epsilon^-a, at most the theory's and a slack."""

    series: Series = "constant"
    theory: float
    slack: float

    def cases(self, item: Rate, evidence: Evidence) -> Iterator[Case]:
        """Compare the rate with the theory's."""
        if item.series != self.series:
            return
        a = item.exponent
        if item.lacking:
            note = f"no runs at T = {', '.join(f'{T:,.0f}' for T in item.lacking)}"
            yield case_on(item.panel, "a", MISSING, note=note)
        elif item.gaps and a is None:
            yield case_on(item.panel, "a", MISSING, note="fewer than three T, or a distance of 0")
        elif a is not None:
            limits = [f"{item.iterations[k]:,.0f} (epsilon {item.medians[k]:.2g})" for k in (0, -1)]
            text = f"a = {interval_text(a, '.2f')} for T from {' to '.join(limits)}"
            decision = at_most(a, self.theory + self.slack)
            yield case_on(item.panel, "a", decision, text, {"exponent": a.as_dict()})


@dataclass(frozen=True, kw_only=True)
class RescaledMeanIterate(Statistic, kind="rescaled_mean_iterate"):
    """Norm and hinge loss of a rescaled solution, at most 1 / (1 - ||w|| epsilon) times those of w."""

    rounding: float
    """Relative excess that counts as rounding."""

    def cases(self, item: Rate, evidence: Evidence) -> Iterator[Case]:
        """Compare the largest norm and hinge loss with Lemma 2.1's bounds."""
        for name in ("norm", "hinge loss"):
            share, key = (item.shares or {}).get(name), f"{item.series} {name}"
            if share is not None and math.isfinite(share):
                text = f"{NAMES[item.series]}: {name} at most {share:.6f} of its bound"
                decision = holds(share <= 1 + self.rounding)
                yield case_on(item.panel, key, decision, text, {"share": share})
            else:
                why = "no run comes near the optimum" if share is None else "no evaluation"
                yield case_on(item.panel, key, MISSING, note=f"{NAMES[item.series]}: {why}")


def make(evidence: Evidence) -> FigureResult:
    """Draw the figure and judge the claims."""
    solved = [(panel, evidence.computed.get(panel.dataset)) for panel in evidence.panels]
    panels = [rates for panel, optima in solved if optima and (rates := measure(evidence, panel, optima))]
    rates = [rate for rates in panels for rate in rates]
    drawn = [[rate for rate in rates if rate.gaps] for rates in panels]
    columns = ["dataset", "series", "iterations", "epsilon", "low", "high", "runs", "theorem", "optimum"]
    rows = [
        [
            *(rate.panel.dataset, rate.series, T, median, gaps.min(), gaps.max(), len(gaps)),
            *(theorem_iterations(median, rate.n), rate.upper),
        ]
        for rate in rates
        for T, median, gaps in zip(rate.iterations, rate.medians, rate.gaps, strict=True)
    ]
    return FigureResult(
        lambda: pd.DataFrame(rows, columns=columns),
        partial(_draw, panels=drawn),
        (12.0, 5.2),
        partial(_table, [rate for rates in drawn for rate in rates]),
        judge_claims(evidence, data=rates),
    )


def _table(rates: Sequence[Rate]) -> Table:
    columns = ["data set", "steps", "optimum", "T", "runs", "epsilon", "the theorem's T"]
    rows = [
        [
            name_of(rate.panel),
            NAMES[rate.series],
            f"{rate.upper:.6f}",
            f"{T:,.0f}",
            str(len(gaps)),
            f"{median:.2g} ({gaps.min():.2g} to {gaps.max():.2g})",
            f"{theorem_iterations(median, rate.n):.1e}",
        ]
        for rate in rates
        if not rate.together  # anytime runs have every T
        for T, median, gaps in zip(rate.iterations, rate.medians, rate.gaps, strict=True)
    ]
    notes = [
        "epsilon: optimum less value of the mean iterate; median over the runs (least to largest). The theorem's T: "
        f"{CONSTANT:.0f}^2 epsilon^-2 log n.",
        *(
            f"{name_of(rate.panel)}, {NAMES[rate.series]}: the optimum lies between {rate.lower:.8f} and "
            f"{rate.upper:.8f}."
            for rate in rates
        ),
    ]
    return Table(columns, rows, notes)


def _draw(figure: Figure | SubFigure, panels: Sequence[Sequence[Rate]]) -> None:
    """Draw one panel per data set."""
    if not panels:
        empty(figure, "no finished runs")
        return
    drawn = {rate.series for rates in panels for rate in rates}
    names = [name for series, name in NAMES.items() if series in drawn]
    styles = styles_for(names)
    places = row_of_axes(figure, len(panels), above=1.22, below=0.56)
    caption = (
        r"Iterations $T$ against the distance $\varepsilon$ from the optimum within which half of the runs are; bars: "
        "least and largest of the runs.\nDashed: slope -2 through the last of the constant steps."
    )
    layout.legend_and_caption(figure, places[0], [styles[name] for name in names], caption)
    places[0].set_ylabel("Iterations $T$", color=INK)
    for axes, rates in zip(places, panels, strict=True):
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel(r"$\varepsilon$: optimum less value of the mean iterate", color=INK)
        plain_frame(axes)
        for rate in rates:
            _draw_rate(axes, rate, styles[NAMES[rate.series]])
        _draw_theorem(axes, rates[0])
        heading(axes, rates[0].panel, "slopes: " + "; ".join(f"{NAMES[rate.series]} {_slope(rate)}" for rate in rates))


def _slope(rate: Rate) -> str:
    a = rate.exponent
    return (
        "not known" if a is None else interval_text(replace(a, estimate=-a.estimate, low=-a.high, high=-a.low), ".2f")
    )


def _draw_rate(axes: Axes, rate: Rate, style: Style) -> None:
    axes.plot(rate.medians, rate.iterations, **style.look, zorder=3)
    marks = list(range(0, len(rate.gaps), max(1, len(rate.gaps) // 8)))
    for k in marks:
        span = [rate.gaps[k].min(), rate.gaps[k].max()]
        axes.plot(span, [rate.iterations[k]] * 2, color=style.color, linewidth=1.0, alpha=0.6, zorder=2.5)
    axes.plot(rate.medians[marks], rate.iterations[marks], linestyle="none", **style.markers(), zorder=4)


def _draw_theorem(axes: Axes, first: Rate) -> None:
    """Draw the theorem's line, and a line of its slope through the last point of the first series."""
    reach = np.array(axes.get_xlim())
    look: dict[str, Any] = {"color": INK, "linewidth": 1.2, "linestyle": (0, (1.0, 2.0))}
    axes.plot(reach, theorem_iterations(reach, first.n), **look, zorder=2)
    text = rf"theorem: $T = {CONSTANT:.0f}^2 \varepsilon^{{-2}} \log n$"
    middle = float(np.sqrt(reach.prod()))
    spot = (middle, float(theorem_iterations(middle, first.n)))
    axes.annotate(text, spot, (0, 6), textcoords="offset points", ha="right", color=INK)
    through = first.iterations[-1] * (first.medians[-1] / reach) ** 2
    axes.plot(reach, through, color=FAINT, linewidth=1.0, linestyle=(0, (4.0, 2.0)), zorder=1)
    axes.set_xlim(reach[1], reach[0])  # smaller distances to the right
