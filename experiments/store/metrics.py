"""The part of a curve that mlflow's own charts show; figures are drawn from curve.parquet."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

Point = tuple[str, float, int, int]
"""Name, value, time in milliseconds since 1970, step."""


def points(curve: pd.DataFrame, started: int) -> list[Point]:
    """Points of the thinned curve: every column that has a value, finite numbers only (mlflow's pages break on others).

    The time of a point is when the solver was there, were it not for evaluation: mlflow's time axis then shows the
    solver's own wall time.

    Parameters
    ----------
    curve : DataFrame
        A curve (`experiments.curve`).
    started : int
        When the run began, in milliseconds since 1970.
    """
    from experiments.curve import column, step_cost, thin

    thinned = thin(curve)
    steps = thinned[step_cost(curve)].tolist()  # integers: a float step breaks mlflow's run pages
    elapsed = [0.0 if math.isnan(seconds) else seconds for seconds in column(thinned, "wall_seconds").tolist()]
    return [
        (name, value, started + int(1000 * seconds), int(step))
        for name in thinned.columns
        for value, seconds, step in zip(column(thinned, name).tolist(), elapsed, steps, strict=True)
        if math.isfinite(value)
    ]
