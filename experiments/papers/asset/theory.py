"""Sections 2 and 3: the expansion of Proposition 1, the bound of Theorem 1, and the rates of ASSET and ASSET*."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from svm_cost_curves.experiments.curve import column
from svm_cost_curves.experiments.papers import layout
from svm_cost_curves.experiments.papers.asset.errors import all_panels, spread
from svm_cost_curves.experiments.papers.bands import Band
from svm_cost_curves.experiments.papers.cases import (
    MISSING,
    Case,
    Choice,
    Findings,
    Judge,
    at_most,
    case_on,
    interval_text,
    judge_claims,
    under_bound,
)
from svm_cost_curves.experiments.papers.effort import multiple_text
from svm_cost_curves.experiments.papers.optimum import optimum_of
from svm_cost_curves.experiments.papers.panels import heading
from svm_cost_curves.experiments.plotting import FAINT, STYLES
from svm_cost_curves.experiments.reproduction.evidence import Evidence, Panel
from svm_cost_curves.experiments.reproduction.figure_result import FigureResult
from svm_cost_curves.experiments.reproduction.statistics import Interval, bootstrap_means

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

RHO: Final = 0.5
"""Share of the iterations after which the average begins: the windows are half of the iterations."""
SUBGRADIENT: Final = math.sqrt(2.0)
"""D_G: the estimate |v|^2 + 1 of section 3.1, and |v|^2 = K(x, x) = 1."""
METHODS: Final = ("asset", "asset_star")
ROUNDING: Final = 1e-9
"""Relative difference at which a number of iterations and 1 / lambda count as equal."""

Gaps = Mapping[int, NDArray[np.float64]]
"""By the number N of iterations, rising: f - f* of each run."""


def constant(rho: float) -> float:
    """Return C(rho) of Theorem 1, which the paper does not print: 2 / (1 - rho) + 1 / (2 rho).

    Sum ||x^{t+1} - x*||^2 <= ||x^t - x*||^2 - 2 eta_t (f(x^t) - f*) + eta_t^2 D_G^2 over t = rho N, ..., N. With
    ||x - x*|| <= 2 D_X and eta_t = D_X / (D_G sqrt(t)), the average weighted by eta_t is at most
    D_X D_G / sqrt(N) times this above f*.
    """
    return 2 / (1 - rho) + 1 / (2 * rho)


@dataclass(frozen=True, eq=False)
class Rates:
    """One data set.

    Attributes
    ----------
    panel : Panel
    gaps : mapping of str to mapping of int to array
        By method; methods without runs, and all without a known optimum, are left out.
    lambda_ : float
        NaN without gaps.
    """

    panel: Panel
    gaps: Mapping[str, Gaps]
    lambda_: float

    @property
    def radius(self) -> float:
        """D_X = 1 / sqrt(lambda)."""
        return 1 / math.sqrt(self.lambda_)

    @cached_property
    def scaled(self) -> dict[int, NDArray[np.float64]]:
        """(f - f*) sqrt(N) / (D_X D_G) of ASSET, which Theorem 1 bounds by C(rho)."""
        factor = self.radius * SUBGRADIENT
        return {N: gaps * math.sqrt(N) / factor for N, gaps in self.gaps.get(METHODS[0], {}).items()}

    @cached_property
    def exponents(self) -> dict[str, Interval]:
        """Exponent of N in the mean gap by method; for ASSET* from N = 1 / lambda on, where its steps are below 1."""
        least = {"asset": 0.0, "asset_star": 1 - ROUNDING}  # N = 1 / lambda may be N lambda = 0.9999999999999999
        chosen = {
            name: {N: own for N, own in gaps.items() if N * self.lambda_ >= least[name]}
            for name, gaps in self.gaps.items()
        }
        return {name: _exponent(own) for name, own in chosen.items() if len(own) > 2}


def _exponent(gaps: Gaps) -> Interval:
    logs = np.log(list(gaps))
    line = (logs - logs.mean()) / np.square(logs - logs.mean()).sum()

    def statistic(means: NDArray[np.float64]) -> NDArray[np.float64]:
        exponents: NDArray[np.float64] = np.log(np.maximum(means, 1e-300)) @ line
        return exponents

    return bootstrap_means(statistic, list(gaps.values()))


def all_rates(evidence: Evidence) -> list[Rates]:
    """Return the data sets of the figure's panels."""
    return [_rates(panel, evidence) for panel in all_panels(evidence)]


def _rates(panel: Panel, evidence: Evidence) -> Rates:
    optimum = optimum_of(panel)
    runs = [run for name in evidence.spec.members(METHODS[0]).values() for run in panel.runs.get(name, ())]
    if optimum is None or not runs:
        return Rates(panel, {}, math.nan)
    averaged: dict[int, list[float]] = {}
    for run in runs:
        last = int(column(run.curve, "iterations")[-1])
        averaged.setdefault(last, []).append(float(column(run.curve, "primal")[-1]) - optimum.lower)
    iterates: dict[int, list[float]] = {}
    for frame in panel.curves(METHODS[1]):
        for N, primal in zip(column(frame, "iterations"), column(frame, "primal"), strict=True):
            if N >= 1:
                iterates.setdefault(int(N), []).append(float(primal) - optimum.lower)
    found = {name: own for name, own in zip(METHODS, (averaged, iterates), strict=True) if own}
    gaps = {name: {N: np.array(own[N]) for N in sorted(own)} for name, own in found.items()}
    return Rates(panel, gaps, runs[0].result["settings"]["problem"]["lambda_"])


def judge_expansion(evidence: Evidence, choice: Choice) -> Findings:
    """Judge Proposition 1: w of the solution in alpha solves the problem in w."""
    cases = []
    for panel in all_panels(evidence):
        explicit = optimum_of(panel, "explicit")
        curves = [frame for frame in panel.curves("expansion") if len(frame)]
        if explicit is None or not curves:
            cases.append(case_on(panel, "expansion", MISSING, note="no finished runs of both"))
            continue
        excess = float(explicit.excess(column(curves[0], "primal")[-1:])[0])
        decision = at_most(Interval(excess, excess, excess), choice["precise"])
        cases.append(case_on(panel, "expansion", decision, f"{excess:.1e} above the bound", {"excess": excess}))
    return Findings(cases)


def judge_theorem(found: Sequence[Rates], evidence: Evidence, choice: Choice) -> Findings:
    """Judge Theorem 1: the bound for each N, or the rate alone."""
    if choice.option("statistic") == "rate":
        return Findings([_rate_case(each, "asset", -0.5, choice["tolerance"]) for each in found])
    cases: list[Case] = []
    for each in found:
        cases += [_bound_case(each, N, values) for N, values in each.scaled.items()]
        missing = len(evidence.spec.members(METHODS[0])) - len(each.scaled)
        cases += missing * [case_on(each.panel, "bound", MISSING, note="no finished runs, or no known optimum")]
    return Findings(cases)


def _bound_case(each: Rates, N: int, values: NDArray[np.float64]) -> Case:
    interval = bootstrap_means(lambda means: means[:, 0], [values])
    bound = constant(RHO)
    slack = f"N = {N:,}: slack {multiple_text(bound / interval.estimate)}"
    return case_on(each.panel, f"N={N}", under_bound(interval, bound), slack, interval.as_dict())


def judge_star_rate(found: Sequence[Rates], evidence: Evidence, choice: Choice) -> Findings:
    """Judge section 3.3: in the strongly convex case the rate is essentially 1 / j."""
    return Findings([_rate_case(each, "asset_star", -1.0, choice["tolerance"]) for each in found])


def _rate_case(each: Rates, method: str, rate: float, tolerance: float) -> Case:
    interval = each.exponents.get(method)
    if interval is None:
        return case_on(each.panel, "rate", MISSING, note="no finished runs, or no known optimum")
    measured = f"exponent {interval_text(interval, '.2f')}"
    return case_on(each.panel, "rate", at_most(interval, rate + tolerance), measured, interval.as_dict())


_HEAD: Final = 0.62  # inches
_CAPTION: Final = (
    "Means over the runs, bands from the least to the largest. ASSET: average of the last half of N iterates; "
    "ASSET*: last iterate. Grey: the bound of Theorem 1."
)


def _draw(figure: Figure | SubFigure, found: Sequence[Rates]) -> None:
    """Draw one panel per data set."""
    styles, names = [STYLES[name] for name in METHODS], ("$N$, iterations", r"$f - f^*$")
    for place, each in layout.each_panel(figure, found, styles, [_CAPTION], _HEAD, names, max(2, len(found))):
        for name, gaps in each.gaps.items():
            low, middle, high = (np.array([pick(own) for own in gaps.values()]) for pick in (np.min, np.mean, np.max))
            shown = Band(np.array(list(gaps), dtype=np.float64), middle, low, high, max(map(len, gaps.values())))
            layout.draw_band(place, shown.at_least(1e-7), STYLES[name], steps=False)
        _draw_bound(place, each)
        heading(place, each.panel)


def _draw_bound(axes: Axes, each: Rates) -> None:
    sizes = np.array(list(each.scaled), dtype=np.float64)
    if len(sizes):
        bound = constant(RHO) * each.radius * SUBGRADIENT / np.sqrt(sizes)
        axes.plot(sizes, bound, color=FAINT, linewidth=0.85, zorder=2)


_POINT: Final = "panel dataset series iterations gap sd runs bound"


OPTIONS = {"asset.theorem": {"statistic": ("bound", "rate")}}


def make(evidence: Evidence) -> FigureResult:
    """Draw the distances from the optimum and judge the claims."""
    found = all_rates(evidence)
    shown = [each for each in found if each.gaps]
    judges: dict[str, Judge] = {
        "asset.expansion": judge_expansion,
        "asset.theorem": partial(judge_theorem, found),
        "asset.rate": partial(judge_star_rate, found),
    }
    rows = [
        {
            "panel": each.panel.paper_dataset,
            "dataset": each.panel.dataset,
            "series": name,
            "iterations": N,
            "gap": own.mean(),
            "sd": spread(own),
            "runs": len(own),
            "bound": constant(RHO) * each.radius * SUBGRADIENT / math.sqrt(N) if name == METHODS[0] else math.nan,
        }
        for each in shown
        for name, gaps in each.gaps.items()
        for N, own in gaps.items()
    ]
    return FigureResult(
        pd.DataFrame(rows, columns=_POINT.split(" ")),
        partial(_draw, found=shown),
        layout.size(1, _HEAD),
        claims=judge_claims(evidence, judges),
    )
