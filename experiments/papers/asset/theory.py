"""Sections 2 and 3: the expansion of Proposition 1, the bound of Theorem 1, and the rates of ASSET and ASSET*."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd

from ...curve import ROUNDING, column
from ...plotting import FAINT, STYLES
from ...reproduction.evidence import Evidence, FigureResult, Panel
from ...reproduction.statistics.interval import MISSING, Interval, at_most, bootstrap_mean, under_bound
from ...reproduction.statistics.ratio import multiple_text
from ...reproduction.statistics.regression import exponent, means_of
from .. import layout
from ..cases import Case, Statistic, case_on, judge_claims
from ..kinds import Limits
from ..optimum import SERIES, optimum_of
from ..panels import heading
from ..samples import samples, with_every_data_set
from . import sweep
from .sweep import Values

if TYPE_CHECKING:
    from matplotlib.axes import Axes

RHO: Final = 0.5
"""Share of the iterations after which the average begins: the windows are half of the iterations."""
METHODS: Final = ("asset", "asset_star")
"""Methods that are drawn; they have no intercept."""
OPTIMA: Final = dict.fromkeys(METHODS, SERIES) | {"asset_intercept": "optimum_intercept"}
"""By series the series of its optimum."""
_UNKNOWN: Final = "no finished runs, or no known optimum"


def constant(rho: float) -> float:
    """Return C(rho) of Theorem 1, which the paper does not print: 2 / (1 - rho) + 1 / (2 rho).

    Sum ||x^{t+1} - x*||^2 <= ||x^t - x*||^2 - 2 eta_t (f(x^t) - f*) + eta_t^2 D_G^2 over t = rho N, ..., N. With
    ||x - x*|| <= 2 D_X and eta_t = D_X / (D_G sqrt(t)), the average weighted by eta_t is at most
    D_X D_G / sqrt(N) times this above f*.
    """
    return 2 / (1 - rho) + 1 / (2 * rho)


@dataclass(frozen=True, eq=False)
class Rates(sweep.Swept[Values]):
    """One data set: by series and number N of iterations, f - f* of each run.

    A series without a known optimum is left out.
    """

    lambda_: float
    """NaN without runs."""
    diameters: Mapping[str, float]
    """D_X by series."""

    def bound(self, name: str, N: float) -> float:
        """Bound of Theorem 1 on the mean gap of an ASSET after N iterations.

        D_G^2 is the estimate |v|^2 + 1 of section 3.1, and |v|^2 = K(x, x) = 1.
        """
        return constant(RHO) * math.sqrt(2.0) * self.diameters[name] / math.sqrt(N)


def _rates(panel: Panel, evidence: Evidence) -> Rates:
    gaps, diameters, lambda_ = {}, {}, math.nan
    for name, reference in OPTIMA.items():
        of_series = samples(evidence, [name], [panel])
        runs = [run for sample in of_series for run in sample.runs]
        if (optimum := optimum_of(panel, reference)) is not None and runs:
            # with a grid each N has its own runs, which count at their end
            swept = any(sample.values for sample in of_series)
            gaps[name] = _gaps([run.curve.tail(1) if swept else run.curve for run in runs], optimum.lower)
            settings = runs[0].result["settings"]
            lambda_, diameters[name] = settings["problem"]["lambda_"], _diameter(settings)
    return Rates(panel, gaps, lambda_, diameters)


def _diameter(settings: Mapping[str, Any]) -> float:
    """Return D_X = sqrt(1 / lambda + B^2), with B = 0 without intercept."""
    bound = settings["algo"]["intercept_bound"] if settings["problem"]["bias"] else 0.0
    return math.hypot(1 / math.sqrt(settings["problem"]["lambda_"]), bound)


def _gaps(frames: Sequence[pd.DataFrame], optimum: float) -> dict[float, Values]:
    """Return the distances from the optimum by iteration, from 1 on."""
    points = pd.concat(frames)
    points = points[column(points, "iterations") >= 1]
    gaps = (points["primal"] - optimum).groupby(points["iterations"])
    return {int(N): values.to_numpy(np.float64) for N, values in gaps}


@dataclass(frozen=True, kw_only=True)
class ExcessOverOptimum(Limits, kind="excess_over_optimum"):
    """The last objective value of a `series`, relative to the last dual value of the series `optimum`."""

    series: str
    optimum: str

    def case(self, rates: Rates, evidence: Evidence) -> Case:
        """Measure the excess of the first run."""
        panel = rates.panel
        optimum, curves = optimum_of(panel, self.optimum), sweep.runs_of(panel, self.series)
        if optimum is None or not curves:
            return case_on(panel, "excess", MISSING, note="no finished runs of both")
        excess = float(optimum.excess(column(curves[0], "primal")[-1:])[0])
        decision = self.decide(Interval(excess, excess, excess))
        return case_on(panel, "excess", decision, f"{excess:.1e} above the bound", {"excess": excess})


@dataclass(frozen=True, kw_only=True)
class BoundOfTheorem1(Statistic, kind="bound_of_theorem_1"):
    """The distance of ASSET's average from the optimum, (f - f*) sqrt(N) / (D_X D_G), is at most C(rho) for each N."""

    series: str

    def cases(self, rates: Rates, evidence: Evidence) -> Iterator[Case]:
        """Compare the mean over the runs with the bound for each N."""
        gaps, bound = rates.of.get(self.series, {}), constant(RHO)
        for N, values in gaps.items():
            mean = bootstrap_mean(bound * values / rates.bound(self.series, N))
            slack = f"N = {N:,}: slack {multiple_text(bound / mean.estimate)}"
            yield case_on(rates.panel, f"N={N}", under_bound(mean, bound), slack, mean.as_dict())
        for _ in range(len(evidence.spec.members(self.series)) - len(gaps)):
            yield case_on(rates.panel, "bound", MISSING, note=_UNKNOWN)


@dataclass(frozen=True, kw_only=True)
class ConvergenceRate(Statistic, kind="convergence_rate"):
    """The exponent of N in the mean distance of a `series` from the optimum is at most `rate` + `tolerance`.

    `along_runs`: the distances are those of the iterates of each run, and count from N = 1 / lambda on, where the steps
    are below 1. Else each N has its own runs.
    """

    series: str
    rate: float
    tolerance: float
    along_runs: bool = False

    def case(self, rates: Rates, evidence: Evidence) -> Case:
        """Measure the exponent."""
        decide = partial(at_most, limit=self.rate + self.tolerance)
        return sweep.interval_case(rates.panel, "rate", self._exponent(rates), "exponent {}", decide, why=_UNKNOWN)

    def _exponent(self, rates: Rates) -> Interval | None:
        gaps = {N: np.maximum(values, 0.0) for N, values in rates.of.get(self.series, {}).items()}
        if not self.along_runs:
            means = means_of(list(gaps.values()))
            return exponent(list(gaps), means, [len(values) for values in gaps.values()])
        # N = 1 / lambda may be N lambda = 0.9999999999999999
        gaps = {N: values for N, values in gaps.items() if N * rates.lambda_ >= 1 - ROUNDING}
        runs = min(map(len, gaps.values()), default=0)
        table = np.array([values[:runs] for values in gaps.values()])
        return exponent(list(gaps), lambda chosen: table[:, chosen].mean(axis=2).T, [runs] if runs else [])


_CAPTION: Final = (
    "Means over the runs, bands from the least to the largest. ASSET: average of the last half of N iterates; "
    "ASSET*: last iterate. Grey: the bound of Theorem 1."
)


def _draw(axes: Axes, rates: Rates) -> None:
    for name in (name for name in METHODS if name in rates.of):
        layout.draw_band(axes, sweep.band_of(rates.of[name]).at_least(1e-7), STYLES[name], steps=False)
    if sizes := list(rates.of.get(METHODS[0], {})):
        axes.plot(sizes, [rates.bound(METHODS[0], N) for N in sizes], color=FAINT, linewidth=0.85, zorder=2)
    heading(axes, rates.panel)


def make(evidence: Evidence) -> FigureResult:
    """Draw the distances from the optimum and judge the claims."""
    data = [_rates(panel, evidence) for panel in with_every_data_set(evidence)]
    shown = [rates for rates in data if rates.of]

    def values(rates: Rates, name: str, N: float, gaps: Values) -> tuple[Any, ...]:
        bound = math.nan if name == METHODS[1] else rates.bound(name, N)
        return name, N, gaps.mean(), sweep.spread(gaps), len(gaps), bound

    styles, names = [STYLES[name] for name in METHODS], ("$N$, iterations", r"$f - f^*$")
    return FigureResult(
        lambda: sweep.points(shown, "series iterations gap sd runs bound", values),
        *layout.drawing(shown, styles, _CAPTION, names, _draw, columns=max(2, len(shown))),
        claims=judge_claims(evidence, data=data),
    )
