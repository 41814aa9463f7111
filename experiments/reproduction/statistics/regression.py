"""Least-squares slopes of lines, power laws, and errors over epochs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from svm_cost_curves.experiments.curve import known_points
from svm_cost_curves.experiments.reproduction.statistics.interval import Interval, bootstrap_mean


def slope(x: ArrayLike, y: ArrayLike) -> float:
    """Slope of the least-squares line through points; points with a NaN are left out.

    Raises
    ------
    ValueError
        Fewer than two different x are left, or the vectors differ in length.
    """
    xs, ys = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if xs.ndim != 1 or xs.shape != ys.shape:
        raise ValueError(f"x and y must be vectors of one length, got shapes {xs.shape} and {ys.shape}")
    known = np.isfinite(xs) & np.isfinite(ys)
    xs, ys = xs[known], ys[known]
    if not len(xs) or xs.min() == xs.max():
        raise ValueError(f"a slope needs points at two different x at least, got {'one' if len(xs) else 'none'}")
    centred = xs - xs.mean()
    return float(centred @ (ys - ys.mean()) / (centred @ centred))


def loglog_slope(x: ArrayLike, y: ArrayLike) -> float:
    """Exponent a of the power law y ~ x^a that fits best: the slope of log y against log x.

    Points that are missing or not positive are left out.

    Raises
    ------
    ValueError
        As in `slope`.
    """
    xs, ys = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    return slope(*(np.log(np.where(values > 0, values, np.nan)) for values in (xs, ys)))


def overfitting_slope(
    frames: Sequence[pd.DataFrame],
    *,
    cost: str = "epochs",
    after: float = 1.0,
    measure: str = "test_error",
    seed: int = 0,
) -> Interval | None:
    """Return the change of the error per decade of the cost after a given cost; positive: it gets worse.

    It is the slope of the measure against log10 of the cost over the evaluations from `after` on, as mean over the runs
    with its bootstrap interval. Evaluations are geometric in the cost, so each decade has the same weight.

    Parameters
    ----------
    frames : sequence of DataFrame
        Curves, one per run. Runs with fewer than two such evaluations are left out.
    cost, measure : str
        Columns.
    after : float
        Above 0, in the cost's unit.
    seed : int
        Of the resampling.

    Returns
    -------
    Interval or None
        In the measure's unit per decade; None if no run goes that far.
    """
    slopes = []
    for frame in frames:
        costs, errors = known_points(frame, cost, measure)
        beyond = costs >= after
        if len(np.unique(costs[beyond])) >= 2:
            slopes.append(slope(np.log10(costs[beyond]), errors[beyond]))
    return bootstrap_mean(slopes, seed=seed) if slopes else None
