"""Test errors of runs: their differences, spread and text; and the data sets of a figure."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from svm_cost_curves.experiments.reproduction.evidence import Evidence, Panel
from svm_cost_curves.experiments.reproduction.statistics import Interval, bootstrap_mean, bootstrap_means


def difference(first: Sequence[NDArray[np.float64]], second: Sequence[NDArray[np.float64]]) -> Interval | None:
    """Mean over several sizes of the difference of mean errors, first minus second; None without runs.

    Each side has one (runs,) array per size. The k-th runs of all have the same split of the data: they are paired
    where each has several.
    """
    if not first or not second:
        return None
    runs = min(map(len, [*first, *second]))
    if runs > 1:
        one, two = (np.mean([own[:runs] for own in side], axis=0) for side in (first, second))
        return bootstrap_mean(one - two)
    k = len(first)
    return bootstrap_means(lambda means: means[:, :k].mean(axis=1) - means[:, k:].mean(axis=1), [*first, *second])


def lead(values: NDArray[np.float64], k: int) -> NDArray[np.float64]:
    """Return the k-th value minus the largest of the others, row by row: (m, values) to (m,)."""
    ahead: NDArray[np.float64] = values[:, k] - np.delete(values, k, axis=1).max(axis=1)
    return ahead


def spread(values: NDArray[np.float64]) -> float:
    """Return the standard deviation; 0 of a single run."""
    return float(values.std(ddof=1)) if len(values) > 1 else 0.0


def written(mean: float, sd: float, runs: int) -> str:
    """Write an error in per cent, with its standard deviation if there are several runs."""
    return f"{mean:.2f} ± {sd:.2f}" if runs > 1 else f"{mean:.2f}"


def all_panels(evidence: Evidence) -> list[Panel]:
    """Return the figure's panels, and an empty one for each of its data sets that was not run.

    So a data set that is missing counts with as many cases as the others.
    """
    run = {panel.paper_dataset for panel in evidence.panels}
    return [*evidence.panels, *(Panel(name, name) for name in evidence.spec.datasets if name not in run)]
