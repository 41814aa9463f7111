"""Fake runs of Figure 1 of the SIMBA paper: sweeps whose test errors are given functions of the accesses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from evidence_cases import finished_run, panel, rows_of

from svm_cost_curves.experiments.reproduction.evidence import Panel
from svm_cost_curves.experiments.reproduction.spec import FigureSpec

COSTS = 4 * np.geomspace(250, 2.5e7, 41).round()
ZEROS = 500
"""Coordinates for each nonzero."""


def error(best: float, reached_at: float, offset: float = 0.0) -> Any:
    """Test error that falls from 40 % to `best` in a straight line over log cost, and is there at `reached_at`.

    Runs lie `offset` apart.
    """

    def of(costs: np.ndarray, seed: int) -> np.ndarray:
        share = np.clip(np.log(costs / COSTS[0]) / np.log(reached_at / COSTS[0]), 0, 1)
        return best + (0.4 - best) * (1 - share) + offset * (seed - 1)

    return of


def swept_panel(
    spec: FigureSpec,
    dataset: str,
    errors: Mapping[str, Mapping[float, Any]],
    *,
    seeds: int = 3,
    simba_zeros: float = 2 * ZEROS,
    **fields: Any,
) -> Panel:
    """One data set: for each series its values' errors, on `COSTS` accesses; the others have no runs.

    An iteration has four accesses. SIMBA pays `simba_zeros` coordinates for each nonzero, Pegasos `ZEROS`.
    """
    runs: dict[str, list[Any]] = {curve.name: [] for curve in spec.curves}
    for series, by_value in errors.items():
        names = spec.members(series)
        for value, of in by_value.items():
            runs[names[value]] = [
                finished_run(
                    name=names[value],
                    algo=series.partition("_")[0],
                    dataset=dataset,
                    seed=seed,
                    rows=rows_of(
                        iterations=COSTS / 4,
                        feature_accesses=COSTS,
                        feature_accesses_dense=COSTS * (ZEROS if series.startswith("pegasos") else simba_zeros),
                        test_error=of(COSTS, seed),
                    ),
                )
                for seed in range(seeds)
            ]
    return panel(dataset, runs, **fields)
