"""Performance profiles (Dolan, Moré 2002; Moré, Wild 2009): share of problems solved within a factor of the best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from svm_cost_curves.experiments.arena.comparison import Comparison


@dataclass(frozen=True)
class Profile:
    """Share of problems that a solver solves within a factor of the least cost: a step function of the factor.

    Attributes
    ----------
    factor : (m,) float64
        Rising, the first is 1.
    share : (m,) float64
        Share from each factor on.
    """

    factor: NDArray[np.float64]
    share: NDArray[np.float64]

    @property
    def solved(self) -> float:
        """Share of problems solved at any cost."""
        return float(self.share[-1])


def profiles(costs: Mapping[str, NDArray[np.float64]]) -> dict[str, Profile]:
    """Compare solvers.

    Parameters
    ----------
    costs : mapping of str to (p,) float64
        Cost of each solver for each problem, > 0; infinite if it did not solve it.

    Returns
    -------
    dict of str to Profile
        Empty without problems. A problem that no solver solves counts as unsolved for all.
    """
    if not costs or not len(next(iter(costs.values()))):
        return {}
    best = np.min(list(costs.values()), axis=0)
    return {name: _profile(own, best) for name, own in costs.items()}


def _profile(own: NDArray[np.float64], best: NDArray[np.float64]) -> Profile:
    solved = np.isfinite(own)
    factors, counts = np.unique(own[solved] / best[solved], return_counts=True)
    shares = np.cumsum(counts) / len(own)
    if not len(factors) or factors[0] > 1.0:
        factors, shares = np.append(1.0, factors), np.append(0.0, shares)
    return Profile(factors, shares)


def costs_of(comparisons: Sequence[Comparison], cost: str, seeds: int) -> dict[str, NDArray[np.float64]]:
    """Return the costs of entrants for each problem (data set x level x seed), (p,); infinite: not solved.

    An entrant without a run has not solved the problem; one that does not count the cost is left out.
    """
    found: dict[str, list[float]] = {}
    for name in dict.fromkeys(name for each in comparisons for name in each.entrants):
        if all(each.counted(name, cost) for each in comparisons) and any(each.runs.get(name) for each in comparisons):
            found[name] = [spent for each in comparisons for spent in _spent(each, name, cost, seeds)]
    return {name: np.array(spent, dtype=np.float64) for name, spent in found.items()}


def _spent(comparison: Comparison, name: str, cost: str, seeds: int) -> list[float]:
    runs = {run.seed: run for run in comparison.runs.get(name, ())}
    return [
        comparison.reach(runs[seed], cost, level) if seed in runs else np.inf
        for level in comparison.judged
        for seed in range(seeds)
    ]
