"""Spearman's rank correlation with an interval."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

LEAST = 5
"""Points of which a correlation is computed."""


@dataclass(frozen=True)
class RankCorrelation:
    """Spearman's rank correlation."""

    estimate: float
    low: float
    high: float
    """95 % interval."""
    points: int

    @property
    def text(self) -> str:
        """``rank correlation -0.62 [-0.86, -0.15], n = 15``."""
        return f"rank correlation {self.estimate:+.2f} [{self.low:+.2f}, {self.high:+.2f}], n = {self.points}"


def rank_correlation(first: ArrayLike, second: ArrayLike) -> RankCorrelation | None:
    """Return the correlation of the ranks of paired values, equal values sharing their mean rank.

    The interval is tanh(atanh r +- 1.96 sqrt((1 + r^2 / 2) / (n - 3))) (Bonett and Wright, Psychometrika 65, 2000,
    equation 4). None for fewer than `LEAST` pairs, or if all values of a side are equal.

    Parameters
    ----------
    first, second : array_like, (n,)
        Finite.
    """
    from scipy.stats import rankdata  # takes half a second to import

    sides = [np.asarray(values, dtype=np.float64) for values in (first, second)]
    points = len(sides[0])
    if points < LEAST or any(np.ptp(values) == 0 for values in sides):
        return None
    r = float(np.clip(np.corrcoef(rankdata(sides[0]), rankdata(sides[1]))[0, 1], -1, 1))
    if abs(r) > 1 - 1e-12:  # the order is the same, or reversed: atanh is infinite
        return RankCorrelation(round(r), round(r), round(r), points)
    reach = 1.96 * math.sqrt((1 + r * r / 2) / (points - 3))
    return RankCorrelation(r, math.tanh(math.atanh(r) - reach), math.tanh(math.atanh(r) + reach), points)
