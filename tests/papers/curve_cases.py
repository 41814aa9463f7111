"""Curves whose errors are given functions of the cost, as evidence for the figures of curves."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from evidence_cases import finished_run, panel, rows_of
from numpy.typing import NDArray

from svm_cost_curves.experiments.reproduction.evidence import Panel

COSTS = 4 * np.geomspace(250, 2.5e7, 26).round()  # a quarter of them are whole numbers as well
EPOCH = 1e6
"""Kernel evaluations of an epoch."""

Error = Callable[[NDArray[np.float64], int], NDArray[np.float64]]
"""Test errors at costs, for a seed."""


def curves_panel(
    dataset: str,
    errors: Mapping[str, Error],
    *,
    seeds: int = 3,
    cost_factor: float = 1.0,
    **fields: object,
) -> Panel:
    """One data set on which each series has `seeds` runs (SMO one) with these errors, at `COSTS` times the factor."""
    runs = {}
    for algo, error in errors.items():
        costs = COSTS * cost_factor
        runs[algo] = [
            finished_run(
                algo=algo,
                dataset=dataset,
                seed=seed,
                rows=rows_of(
                    kernel_evaluations=costs,
                    inner_products=costs,
                    epochs=costs / EPOCH,
                    cpu_seconds=costs * (1 + 0.1 * seed) * 1e-7,
                    test_error=error(costs, seed),
                ),
            )
            for seed in range(1 if algo == "smo" else seeds)
        ]
    return panel(dataset, runs, **fields)


def falling(final: float, spread: float = 0.0) -> Error:
    """An error that falls smoothly to `final`; runs lie `spread` apart."""
    return lambda costs, seed: final + 0.3 * (costs / costs[0]) ** -0.6 + spread * (seed - 1)


def constant(error: float, spread: float = 0.0) -> Error:
    """An error that does not change; runs lie `spread` apart."""
    return lambda costs, seed: np.full(len(costs), error) + spread * (seed - 1)


def plus(error: Error, offset: float, spread: float = 0.0) -> Error:
    """Another error and an offset; runs lie `spread` apart."""
    return lambda costs, seed: error(costs, seed) + offset + spread * (seed - 1)


def drop(start: float, final: float, at: float) -> Error:
    """An error that falls from `start` to `final` in one step."""
    return lambda costs, seed: np.where(costs < at, start, final)
