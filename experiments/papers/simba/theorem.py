"""Theorem 4.3 in numbers: iterations until the mean iterate is within epsilon of the saddle problem's optimum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

import numpy as np
import pandas as pd
import scipy.sparse as sp

import datasets
from experiments.papers.judging import Part, between, judged, put_together
from experiments.papers.panels import name_of
from experiments.papers.simba import rate_picture
from experiments.papers.simba.optimum import Optimum, optimum
from experiments.papers.simba.rate import CONSTANT, Rate, Saddle, rate_along, rate_of_ends, theorem_iterations
from experiments.reproduction.evidence import Evidence, Panel
from experiments.reproduction.made import Made, Table
from experiments.reproduction.spec import ClaimSpec, FigureSpec
from experiments.reproduction.verdict import Claim, Ruling
from experiments.settings import RunSettings

ALGORITHM: Final = "constant"
"""Series of Algorithm 1 itself, which the theorem is about."""
NAMES: Final = {"constant": "constant steps", "biased": "constant steps, with bias", "simba": "anytime steps"}
COLUMNS: Final = ("dataset", "series", "iterations", "epsilon", "low", "high", "runs", "theorem", "optimum")
RULE: Final = (
    "What is measured is the optimum (from linear programs, certified from both sides) less the water level of the "
    "mean iterate, for data of norm 1 at most: epsilon is what half of the runs keep within after T iterations, for "
    "all T after which it is less than that of w = 0. Asked of Algorithm 1, with constant steps for each T: whether T "
    f"is at most the theorem's {CONSTANT:.0f}^2 epsilon^-2 log n; and whether a in T ~ epsilon^-a, fitted over these "
    "T, is 2 or less: its 95 % interval over the runs does not lie above 2. Reproduced: both; partly: one. Bias and "
    "anytime steps are measured beside it. The theorem bounds the growth from above; it does not say that a smaller a "
    "is impossible."
)


@dataclass(frozen=True)
class Measured:
    """What the runs on one data set say.

    Attributes
    ----------
    panel : Panel
    n : int
        Number of training examples.
    rates : dict of str to Rate
        By series, those with runs.
    optima : dict of str to Optimum
        By series.
    """

    panel: Panel
    n: int
    rates: dict[str, Rate] = field(default_factory=dict)
    optima: dict[str, Optimum] = field(default_factory=dict)


def make(evidence: Evidence) -> Made:
    """Solve the saddle problems, draw the figure and judge the claim."""
    panels = [found for panel in evidence.panels if (found := measure(panel, evidence.spec)) is not None]
    return Made(
        _data(panels),
        partial(rate_picture.draw, panels=[(found.panel, found.n, found.rates) for found in panels], names=NAMES),
        rate_picture.SIZE,
        table=_table(panels),
        claims=judged(evidence, {"simba.theorem": lambda _, spec: _judge(spec, panels)}),
    )


def measure(panel: Panel, spec: FigureSpec) -> Measured | None:
    """Distances from the optimum of all series on one data set; None where there is no run."""
    if not any(panel.runs.values()):
        return None
    first = next(iter(panel.settings.values()))
    data = datasets.load(first.dataset, cache_dir=datasets.default_cache_dir())
    points: Any = sp.csr_matrix(data.X, dtype=np.float64)
    # the theorem speaks of points in the unit ball; the solver divides by this as well
    unit = max(1.0, float(np.sqrt(points.power(2).sum(axis=1).max())))
    found = Measured(panel, data.n)
    solved: dict[tuple[float, bool], Optimum] = {}
    for series in NAMES:
        members = spec.members(series)
        settings = panel.settings[next(iter(members.values()), series)]
        problem = (_nu(settings) / unit, bool(settings.problem.bias))
        if problem not in solved:
            solved[problem] = optimum(points / unit, data.y, problem[0], bias=problem[1])
        best = solved[problem].upper
        # all slack is spread evenly where all responses are 0
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


def _judge(spec: ClaimSpec, panels: Sequence[Measured]) -> Claim:
    return put_together(spec, RULE, [_part(found, series) for found in panels for series in found.rates])


def _part(found: Measured, series: str) -> Part:
    rate, best = found.rates[series], found.optima[series]
    place, about = (found.panel.asked, series), f"{name_of(found.panel)}, {NAMES[series]}"
    exponent = rate.exponent
    least = float(rate.theorem_over_measured.min())
    statistic = {
        "iterations": rate.iterations.tolist(),
        "epsilon": rate.medians.tolist(),
        "exponent": None if exponent is None else exponent.as_dict(),
        "theorem_over_measured": least,
        "optimum": [best.lower, best.upper],
    }
    measured = (
        f"a = {'unknown' if exponent is None else between(exponent, '.2f')} for T from {rate.iterations[0]:,.0f} to "
        f"{rate.iterations[-1]:,.0f}, where epsilon falls from {rate.medians[0]:.2g} to {rate.medians[-1]:.2g} "
        f"(optimum {best.upper:.5f}); the theorem asks for at least {least:.1e} times as many iterations"
    )
    if series != ALGORITHM or exponent is None:
        return Part(place, about, "not_applicable", measured, statistic)
    few = [f"{count} run{'s' if count > 1 else ''} for each T" for count in {min(map(len, rate.gaps))} if count < 5]
    return Part(place, about, _ruling(least >= 1, exponent.low <= 2), measured, statistic, ", ".join(few))


def _ruling(bound: bool, growth: bool) -> Ruling:
    if bound and growth:
        return "reproduced"
    return "partly" if bound or growth else "not_reproduced"


def _data(panels: Sequence[Measured]) -> pd.DataFrame:
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


def _table(panels: Sequence[Measured]) -> Table:
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
