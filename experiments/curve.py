"""A curve: one row per evaluation, with all costs and all measures; and the arithmetic on curves.

Between two evaluations a curve has the value of the earlier one ("last value at or before this cost"): no predictor
has had an interpolated error. All functions are pure.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from .columns import COLUMNS, COSTS, COUNTS, MEASURES, STEP_COSTS

_DTYPES: Final = {name: pd.Int64Dtype() if name in COUNTS else np.dtype(np.float64) for name in COLUMNS}

EXACT: Final = 2.0**53
"""Integers below are exact as float64."""

MAX_POINTS: Final = 300
"""Points that a thinned curve has at most."""

ROUNDING: Final = 1e-9
"""Relative excess of a value over a limit that counts as rounding."""

Points: TypeAlias = tuple[NDArray[np.float64], NDArray[np.float64]]
"""Costs, non-decreasing, and the value at each; (rows,), float64."""


class CurveError(ValueError):
    """A table is not a curve: a wrong column, a cost that decreases, a number that is not finite."""


def from_rows(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Return the curve with one row per mapping of column name to number or None.

    Columns that are left out are missing. A *measure* that is NaN or infinite (an objective that overflowed) becomes
    missing, so that a long run keeps its curve; a *cost* must be a number, a count a whole one.

    Raises
    ------
    CurveError
        As `conform`.
    """
    _refuse_unknown({name for row in rows for name in row})
    columns: dict[str, Any] = {name: [row.get(name) for row in rows] for name in COLUMNS}
    if not {type(count) for name in COUNTS for count in columns[name]} <= {int, type(None)}:
        _refuse_other_counts(rows)
    with _right_types():
        for name, values in columns.items():
            columns[name] = _counts(values) if name in COUNTS else np.array(values, dtype=np.float64)
            if name in MEASURES:
                columns[name][~np.isfinite(columns[name])] = np.nan
        frame = pd.DataFrame(columns)
    validate(frame)
    return frame


def _refuse_other_counts(rows: Sequence[Mapping[str, Any]]) -> None:
    for index, row in enumerate(rows):
        for name in COUNTS:
            count = row.get(name)
            if count is None or count is pd.NA:
                continue
            if isinstance(count, bool) or not isinstance(count, int | np.integer):
                raise CurveError(f"{name} in row {index} of the curve must be an integer or None, got {count!r}")


def _counts(values: Sequence[Any]) -> pd.arrays.IntegerArray:
    """Return whole numbers, None, and `pandas.NA` as a column of counts."""
    missing = [count is None or count is pd.NA for count in values]
    counts = [0 if absent else int(count) for count, absent in zip(values, missing, strict=True)]
    return pd.arrays.IntegerArray(np.array(counts, dtype=np.int64), np.array(missing, dtype=bool))


def conform(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a curve with exactly the columns and dtypes of this version; columns that an older file lacks are missing.

    Returns
    -------
    DataFrame
        The columns `COLUMNS`, counts as ``Int64``, the others as ``float64``.

    Raises
    ------
    CurveError
        An unknown column, values that do not fit the dtype, or what `validate` refuses.
    """
    _refuse_unknown(frame.columns)
    result = frame.reindex(columns=list(COLUMNS)).reset_index(drop=True)
    with _right_types():
        for (name, wanted), dtype in zip(_DTYPES.items(), result.dtypes, strict=True):
            if dtype != wanted:
                result[name] = result[name].astype(wanted)
    validate(result)
    return result


def _refuse_unknown(names: Iterable[str]) -> None:
    unknown = sorted(set(names) - set(COLUMNS))
    if unknown:
        raise CurveError(f"the curve has the unknown column {unknown[0]!r}; known: {', '.join(COLUMNS)}")


@contextlib.contextmanager
def _right_types() -> Iterator[None]:
    try:
        yield
    except (TypeError, ValueError, OverflowError) as error:
        raise CurveError(f"the curve has a column of the wrong type: {error}") from error


def validate(frame: pd.DataFrame) -> None:
    """Refuse a table that is not a curve.

    Raises
    ------
    CurveError
        Columns or dtypes are not those of a curve; a number is infinite; a cost is negative, decreases, or is known in
        some rows only; the iterations are missing.
    """
    if tuple(frame.columns) != COLUMNS:
        raise CurveError(f"a curve has the columns {', '.join(COLUMNS)}; got {', '.join(map(str, frame.columns))}")
    for (name, wanted), dtype in zip(_DTYPES.items(), frame.dtypes, strict=True):
        if dtype != wanted:
            raise CurveError(f"column {name} of the curve must be {wanted}, got {dtype}")
    table = frame.to_numpy(dtype=np.float64, na_value=np.nan)
    costs = table[:, : len(COSTS)]
    sound = ~np.isinf(table).any(axis=0)
    sound[: len(COSTS)] &= (costs[1:] >= costs[:-1]).all(axis=0) & ((costs >= 0) & (costs < EXACT)).all(axis=0)
    for index in np.flatnonzero(~sound):  # few; costs that are not counted are among them, as NaN is not at least 0
        name, values = COLUMNS[index], table[:, index]
        if (infinite := np.isinf(values)).any():
            raise CurveError(f"column {name} of the curve is infinite in row {int(np.argmax(infinite))}")
        _validate_cost(frame, name, values)
    if np.isnan(table[:, COLUMNS.index("iterations")]).any():
        raise CurveError("column iterations of the curve must not be missing")


def column(frame: pd.DataFrame, name: str) -> NDArray[np.float64]:
    """Return one column as float64, (rows,), missing values as NaN."""
    return frame[name].to_numpy(dtype=np.float64, na_value=np.nan)


def step_cost(frame: pd.DataFrame) -> str:
    """Return the name of the count that numbers evaluations in the store: the first of `STEP_COSTS` that is known."""
    return next(name for name in STEP_COSTS if not frame[name].isna().any())


def thin(frame: pd.DataFrame, limit: int = MAX_POINTS) -> pd.DataFrame:
    """Return `spread_rows` of a curve over its `step_cost`, with a new index."""
    return frame.iloc[spread_rows(column(frame, step_cost(frame)), limit)].reset_index(drop=True)


def spread_rows(costs: NDArray[np.float64], limit: int) -> NDArray[np.intp]:
    """Return at most `limit` >= 2 rows, increasing, evenly spread over the logarithm of the cost, with first and last.

    `costs`, (rows,), are non-decreasing; NaN counts as 0.
    """
    if len(costs) <= limit:
        return np.arange(len(costs))
    # log1p: the first evaluation may have cost 0
    position = np.log1p(np.nan_to_num(costs))
    targets = np.linspace(position[0], position[-1], limit)
    chosen = np.clip(np.searchsorted(position, targets, side="left"), 0, len(costs) - 1)
    chosen[0], chosen[-1] = 0, len(costs) - 1
    return np.unique(chosen)


def value_at(cost: ArrayLike, value: ArrayLike, at: ArrayLike) -> NDArray[np.float64]:
    """Return the values of a curve at the costs `at`, (m,): the last one known at or before each, NaN before the first.

    Rows, (rows,), in which `cost`, non-decreasing, or `value` is missing (NaN) are skipped; of equal costs the last
    counts.
    """
    costs, values = without_missing(cost, value)
    wanted = np.asarray(at, dtype=np.float64)
    index = np.searchsorted(costs, wanted, side="right") - 1
    return np.where(index >= 0, values[np.maximum(index, 0)] if len(values) else np.nan, np.nan)


def first_at_or_below(values: ArrayLike, target: ArrayLike, *, settled: bool = False) -> NDArray[np.intp]:
    """Return the place of the first value at or below each target; the number of values where there is none.

    A value meets a target that it exceeds by `ROUNDING` of the target: the last bits of a mean depend on the order of
    summation. With `settled` all later values must be at or below the target too.

    Parameters
    ----------
    values : array_like, (rows,) or (curves, rows)
        Not NaN.
    target : array_like
        Of any shape, which is that of the result; with several curves (targets,), or (curves, targets).
    """
    kept = np.asarray(values, dtype=np.float64)
    forth = slice(None, None, -1 if settled else 1)
    envelope = (np.maximum if settled else np.minimum).accumulate(kept[..., forth], axis=-1)[..., forth]
    targets = np.asarray(target, dtype=np.float64)
    limits = -(targets + ROUNDING * np.abs(targets))
    if kept.ndim == 1:
        return np.searchsorted(-envelope, limits, side="left")
    rows = np.broadcast_to(limits, (len(kept), limits.shape[-1]))
    if rows.shape[-1] == 1:  # all curves at once
        return np.count_nonzero(~(-envelope >= rows), axis=-1, keepdims=True)
    return np.array([row.searchsorted(limit) for row, limit in zip(-envelope, rows, strict=True)])


def epoch_cost(frame: pd.DataFrame, cost: str) -> float | None:
    """Return the cost of the first evaluation at the end of a run's first epoch or later; None if it ends before."""
    costs, epochs = without_missing(column(frame, cost), column(frame, "epochs"))
    index = int(np.searchsorted(epochs, 1.0 - ROUNDING))
    return float(costs[index]) if index < len(costs) else None


def error_area(cost: ArrayLike, error: ArrayLike, low: float, high: float) -> float:
    """Return the mean of the error over the logarithm of the cost between two limits: area under the curve / width.

    The error is a step function (see `value_at`), for which the integral is exact. Divided by ``log(high / low)`` it
    has the unit of the error and can be compared between limits.

    Raises
    ------
    ValueError
        The limits are not 0 < low < high < inf, or the curve begins only after `low`.
    """
    if not 0 < low < high < math.inf:
        raise ValueError(f"the limits of the cost must satisfy 0 < low < high, got {low} and {high}")
    costs, errors = without_missing(cost, error)
    if not len(costs) or costs[0] > low:
        begin = f"begins at cost {costs[0]:g}" if len(costs) else "is empty"
        raise ValueError(f"the curve {begin}: no error is known at the lower limit {low:g}")
    edges = np.concatenate([[low], costs[(costs > low) & (costs < high)], [high]])
    return float(np.sum(value_at(costs, errors, edges[:-1]) * np.diff(np.log(edges))) / math.log(high / low))


def mean_over_runs(frames: Sequence[pd.DataFrame], *, cost: str, measure: str) -> pd.DataFrame:
    """Return mean and standard deviation of a measure over runs (seeds), at the costs of their evaluations.

    Curves in which the column `cost` or `measure` is missing throughout are left out.

    Returns
    -------
    DataFrame
        Columns ``cost``, ``mean``, ``sd`` (divisor runs - 1; 0 for a single run) as float64 and ``runs`` (int64, the
        number of runs behind the row). It begins where all runs have begun: a mean over fewer seeds would bend the
        curve.
    """
    costs, values = aligned([(column(frame, cost), column(frame, measure)) for frame in frames])
    runs, points = values.shape
    sd = values.std(axis=0, ddof=1) if runs > 1 else np.zeros(points)
    mean = values.mean(axis=0) if runs else np.zeros(points)
    return pd.DataFrame({"cost": costs, "mean": mean, "sd": sd, "runs": np.full(points, runs, dtype=np.int64)})


def aligned(runs: Sequence[Points]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return `shared_costs`, (points,), and the value of each run there, (runs, points).

    Left out are rows without a value, and runs without others.
    """
    usable = [pair for run in runs if len((pair := without_missing(*run))[0])]
    costs = shared_costs(usable)
    return costs, values_on(usable, costs)


def known_points(frame: pd.DataFrame, cost: str, measure: str) -> Points:
    """Return the evaluations at which both columns are known and the cost is above 0."""
    costs, values = column(frame, cost), column(frame, measure)
    usable = (costs > 0) & np.isfinite(values)
    return costs[usable], values[usable]


def shared_costs(runs: Sequence[Points]) -> NDArray[np.float64]:
    """Return all different costs of the runs' evaluations, increasing, from the first at which every run is known."""
    if not runs:
        return np.zeros(0)
    begin = max(costs[0] for costs, _ in runs)
    every: NDArray[np.float64] = np.unique(np.concatenate([costs for costs, _ in runs]))
    return every[int(np.searchsorted(every, begin)) :]


def values_on(runs: Sequence[Points], grid: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the value of each run at each cost of the grid, (runs, grid): the last known at or before the cost."""
    return np.array([value_at(*run, grid) for run in runs]).reshape(len(runs), len(grid))


def without_missing(cost: ArrayLike, value: ArrayLike) -> Points:
    """Return cost and value of the rows that have both, (rows,) each; raises ValueError unless they form a curve."""
    costs, values = np.asarray(cost, dtype=np.float64), np.asarray(value, dtype=np.float64)
    if costs.ndim != 1 or costs.shape != values.shape:
        raise ValueError(f"cost and value must be vectors of one length, got shapes {costs.shape} and {values.shape}")
    complete = ~(np.isnan(costs) | np.isnan(values))
    costs, values = costs[complete], values[complete]
    if (np.diff(costs) < 0).any():
        raise ValueError("cost must be non-decreasing")
    return costs, values


def cost_to_stay(runs: Sequence[Points], target: float) -> float | None:
    """Return the cost from which the mean over runs stays at or below a target, until the last run ends.

    This is the cost to a target where a sentence, table or page names no other meaning; the other is `cost_to_reach`.
    The mean changes at the evaluations of all runs. It is known from where all runs have begun; a run that has ended
    keeps its last value.

    Parameters
    ----------
    runs : sequence of (cost, value), each (rows,), float64
        Cost non-decreasing. Rows without a value are left out, and runs without other rows.
    target : float
        In the value's unit; compared as in `first_at_or_below`.

    Returns
    -------
    float or None
        Positive. None if the mean ends above the target, or without runs.
    """
    costs, values = aligned(runs)
    costs, values = costs[costs > 0], values[:, costs > 0]
    if not costs.size:
        return None
    index = int(first_at_or_below(values.mean(axis=0), target, settled=True))
    return float(costs[index]) if index < len(costs) else None


def cost_to_reach(cost: ArrayLike, value: ArrayLike, target: float) -> float | None:
    """Return the smallest cost at which the value, both (rows,), is at or below a target; None if it never is."""
    costs, values = without_missing(cost, value)
    index = int(first_at_or_below(values, target))
    return float(costs[index]) if index < len(costs) else None


def _validate_cost(frame: pd.DataFrame, name: str, values: NDArray[np.float64]) -> None:
    missing = np.isnan(values)
    if missing.any():
        if not missing.all():
            raise CurveError(f"cost {name} is missing in row {int(np.argmax(missing))} but known in others")
        return
    if (values < 0).any():
        raise CurveError(f"cost {name} is negative in row {int(np.argmax(values < 0))}")
    if values.max(initial=0.0) >= EXACT:  # compared as integers: float64 would hide a step back
        falling = (frame[name].diff() < 0).fillna(False).to_numpy(dtype=bool)
    else:
        falling = np.diff(values, prepend=values[:1]) < 0
    if falling.any():
        row = int(np.argmax(falling))
        before, after = frame[name].iloc[[row - 1, row]]
        raise CurveError(f"cost {name} goes down from {before} to {after} in row {row}")
