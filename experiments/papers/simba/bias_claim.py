"""Claim 3: a bias costs nothing per iteration."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from experiments.curve import column
from experiments.papers.judging import Part, at_most, between, put_together
from experiments.papers.panels import name_of
from experiments.reproduction.evidence import Evidence, Panel
from experiments.reproduction.spec import ClaimSpec
from experiments.reproduction.statistics import Interval, bootstrap_groups
from experiments.reproduction.verdict import Claim

WITHOUT: Final = "simba"
WITH: Final = "biased"
COSTS: Final = {
    "feature_accesses_dense": "accesses counted dense",
    "feature_accesses": "accesses to nonzeros",
    "cpu_seconds": "CPU time",
}
NOTHING: Final = 1.1
"""Costs nothing: at most this many times as much; clocks and random rows differ by a few per cent anyway."""
RULE: Final = (
    "For each data set what an iteration costs with the bias over what it costs without, over whole runs of equally "
    f"many iterations. Reproduced: the 95 % interval over the runs of both ends at or below {NOTHING:g}; not "
    "reproduced: it begins above; else partly. The claim is about the algorithm, so that stand-ins count. Which "
    "rows and columns are drawn, and so their nonzeros, differs between the two; counted dense iterations are alike."
)


def judge(evidence: Evidence, spec: ClaimSpec) -> Claim:
    """Judge the claim."""
    return put_together(spec, RULE, [_part(panel, cost) for panel in evidence.panels for cost in COSTS])


def per_iteration(panel: Panel, series: str, cost: str) -> NDArray[np.float64]:
    """Cost of an iteration in each run of a series, over the whole run; runs without that cost are left out."""
    ends = [(column(curve, cost), column(curve, "iterations")) for curve in panel.curves(series) if len(curve)]
    values = np.array([costs[-1] / iterations[-1] for costs, iterations in ends if iterations[-1] > 0])
    known: NDArray[np.float64] = values[np.isfinite(values)]
    return known


def ratio(panel: Panel, cost: str) -> Interval | None:
    """Cost of an iteration with the bias over that without, as means over the runs; None where either is missing."""
    biased, plain = (per_iteration(panel, series, cost) for series in (WITH, WITHOUT))
    if not len(biased) or not len(plain) or not plain.all():
        return None

    def of(first: Sequence[int], second: Sequence[int]) -> float:
        return float(biased[list(first)].mean() / plain[list(second)].mean())

    return bootstrap_groups(of, (len(biased), len(plain)))


def _part(panel: Panel, cost: str) -> Part:
    place, about = (panel.asked, cost), name_of(panel)
    found = ratio(panel, cost)
    if found is None:
        return Part(place, about, "not_applicable", note="no finished runs with and without the bias")
    statistic = {"ratio": found.as_dict()} | {
        name: float(per_iteration(panel, name, cost).mean()) for name in (WITHOUT, WITH)
    }
    return Part(place, about, at_most(found, NOTHING), f"{COSTS[cost]} {between(found, '.3f')} times", statistic)


def sentences(panels: Sequence[Panel]) -> list[str]:
    """Say what an iteration costs, with and without the bias: a sentence for each data set and cost."""
    texts: list[str] = []
    for panel in panels:
        for cost, name in COSTS.items():
            found = ratio(panel, cost)
            if found is not None:
                factor, unit = (1e6, " µs") if cost == "cpu_seconds" else (1.0, "")
                biased, plain = (factor * per_iteration(panel, series, cost).mean() for series in (WITH, WITHOUT))
                texts.append(
                    f"{name_of(panel)}, {name} per iteration: with the bias {biased:,.1f}{unit}, without "
                    f"{plain:,.1f}{unit}, ratio {between(found, '.3f')}."
                )
    return texts
