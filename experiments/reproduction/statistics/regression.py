"""Least-squares slopes of lines and exponents of power laws, with their intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ...curve import known_points
from .interval import Draws, Interval, bootstrap_groups, bootstrap_mean, bootstrap_means

LEAST_POINTS: Final = 3
"""Least number of points for an exponent."""


def slope(x: ArrayLike, y: ArrayLike) -> float:
    """Slope of the least-squares line through points; points with a NaN are left out.

    Raises ValueError if fewer than two different x are left, or the vectors differ in length.
    """
    xs, ys = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if xs.ndim != 1 or xs.shape != ys.shape:
        raise ValueError(f"x and y must be vectors of one length, got shapes {xs.shape} and {ys.shape}")
    usable = np.isfinite(xs) & np.isfinite(ys)
    xs, ys = xs[usable], ys[usable]
    if not len(xs) or xs.min() == xs.max():
        raise ValueError(f"a slope needs points at two different x at least, got {'one' if len(xs) else 'none'}")
    return float(_weights(xs) @ (ys - ys.mean()))


def _weights(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weights of the y in the slope of the least-squares line; their sum is 0."""
    centred = x - x.mean()
    weights: NDArray[np.float64] = centred / (centred @ centred)
    return weights


def power(x: ArrayLike, y: ArrayLike) -> float | None:
    """Return the exponent a of the power law y ~ x^a that fits best: the slope of log y against log x.

    Points at which x or y is missing, infinite or not positive are left out. None with fewer than `LEAST_POINTS`
    different x.

    Parameters
    ----------
    x, y : array_like, (points,)
    """
    xs, ys = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    usable = (xs > 0) & (ys > 0) & np.isfinite(xs) & np.isfinite(ys)
    if len(np.unique(xs[usable])) < LEAST_POINTS:
        return None
    return slope(np.log(xs[usable]), np.log(ys[usable]))


def exponent(
    x: ArrayLike,
    values: Callable[..., ArrayLike],
    sizes: Sequence[int],
    less: Callable[..., ArrayLike] | None = None,
    less_sizes: Sequence[int] = (),
) -> Interval | None:
    """Return the exponent a of values ~ x^a with its bootstrap interval, or the difference of two such exponents.

    The exponent is the `power` over the points at which the values are positive and finite; in a difference, those of
    both. The width of the evaluation grid is a factor common to all costs, so it does not change an exponent and does
    not widen this interval. None with fewer than `LEAST_POINTS` points, or with an empty group.

    Parameters
    ----------
    x : array_like, (points,)
        Positive.
    values : callable
        Takes the runs drawn of each group, (m, runs) each, and returns (m, points) values: `medians_of`, or a function
        of the mean curve of the runs.
    sizes : sequence of int
        Runs in each group, which are resampled independently.
    less, less_sizes
        The same for the method whose exponent is subtracted.
    """
    xs, count = np.asarray(x, dtype=np.float64), len(sizes)
    sides = [(values, slice(count))] + ([(less, slice(count, None))] if less is not None else [])

    def statistic(*runs: Draws) -> NDArray[np.float64]:
        points = [np.asarray(values_of(*runs[groups]), dtype=np.float64) for values_of, groups in sides]
        usable = np.logical_and.reduce([(y > 0) & np.isfinite(y) for y in points])
        exponents = np.full(len(usable), np.nan)
        for chosen in np.unique(usable, axis=0):  # most resamples know the same points
            if len(np.unique(xs[chosen])) >= LEAST_POINTS:
                rows = (usable == chosen).all(axis=1)
                weights = _weights(np.log(xs[chosen]))
                exponents[rows] = np.subtract.reduce([np.log(y[rows][:, chosen]) @ weights for y in points])
        return exponents

    return bootstrap_groups(statistic, [*sizes, *less_sizes]) if sizes else None


def medians_of(groups: Sequence[ArrayLike]) -> Callable[..., NDArray[np.float64]]:
    """Return a function from bootstrap draws to the groups' medians, (m, groups).

    Parameters
    ----------
    groups : sequence of array_like, (runs,)
    """
    return _centres_of(groups, np.median)


def means_of(groups: Sequence[ArrayLike]) -> Callable[..., NDArray[np.float64]]:
    """Return a function from bootstrap draws to the groups' means, (m, groups)."""
    return _centres_of(groups, np.mean)


def _centres_of(groups: Sequence[ArrayLike], centre: Callable[..., Any]) -> Callable[..., NDArray[np.float64]]:
    values = [np.asarray(group, dtype=np.float64) for group in groups]
    return lambda *runs: np.column_stack([centre(of[rows], axis=1) for of, rows in zip(values, runs, strict=True)])


def trend(
    x: ArrayLike,
    groups: Sequence[ArrayLike],
    values: Callable[[NDArray[np.float64]], NDArray[np.float64]] = lambda means: means,
) -> Interval:
    """Return the change for each doubling of x, with its bootstrap interval.

    It is the slope of the least-squares line through the means of the groups against log2 of x.

    Parameters
    ----------
    x : array_like, (points,)
        Positive, two different ones at least.
    groups : sequence of array_like, (runs,)
        Resampled independently.
    values : callable
        From (m, groups) means to (m, points) values; by default the means, of one group per point.
    """
    line = _weights(np.log2(np.asarray(x, dtype=np.float64)))
    return bootstrap_means(lambda means: np.asarray(values(means) @ line, dtype=np.float64), groups)


def mean_exponent(runs: Iterable[tuple[ArrayLike, ArrayLike]]) -> Interval | None:
    """Return the mean over runs of the exponent a of y ~ x^a along each run, with its bootstrap interval.

    None if no run is left.

    Parameters
    ----------
    runs : iterable of (x, y), (points,) each
        Points that are missing or not positive are left out, and runs with fewer than `LEAST_POINTS` different x.
    """
    exponents = [a for x, y in runs if (a := power(x, y)) is not None]
    return bootstrap_mean(exponents) if exponents else None


def overfitting_slope(
    frames: Sequence[pd.DataFrame],
    *,
    cost: str = "epochs",
    after: float = 1.0,
    measure: str = "test_error",
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
    return bootstrap_mean(slopes) if slopes else None
