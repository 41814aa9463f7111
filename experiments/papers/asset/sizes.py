"""Test errors for every size s of the approximation, on one data set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from experiments.curve import column, value_at
from experiments.reproduction.evidence import Evidence, Panel
from experiments.reproduction.spec import FigureSpec
from experiments.reproduction.statistics import Interval, bootstrap_means

EXACT: Final = "svmlight"
"""Series without an approximation."""
ONE_EPOCH, TENTH = "asset, one epoch", "asset, a tenth of the epochs"
"""ASSET after as many examples as its form on a stream sees, and long before its end: has it settled?"""
POINTS: Final = ("panel", "dataset", "series", "s", "error", "sd", "runs")

Errors = Mapping[int, NDArray[np.float64]]
"""By size s, rising: test errors in per cent, one for each run."""


@dataclass(frozen=True)
class Sizes:
    """One data set.

    Attributes
    ----------
    panel : Panel
    errors : mapping of str to mapping of int to array
        For each method that has runs, and for `ONE_EPOCH` and `TENTH`, its errors.
    exact : array or None
        Errors of the exact solver's runs, in per cent; None without any.
    """

    panel: Panel
    errors: Mapping[str, Errors]
    exact: NDArray[np.float64] | None

    def of(self, method: str) -> Errors:
        """Return the errors of one method; empty without runs."""
        return self.errors.get(method, {})

    @property
    def sizes(self) -> list[int]:
        """All s that there are runs for."""
        return sorted({s for errors in self.errors.values() for s in errors})


def methods(spec: FigureSpec) -> list[str]:
    """Series that are swept over s, in the figure's order."""
    return [series.name for series in spec.series if series.grid]


def all_sizes(evidence: Evidence) -> list[Sizes]:
    """Return all data sets that the figure has panels for."""
    return [_sizes(panel, evidence.spec) for panel in evidence.panels]


def _sizes(panel: Panel, spec: FigureSpec) -> Sizes:
    errors = {method: _errors(panel, spec.members(method), 1.0) for method in methods(spec)}
    members = spec.members("asset")
    errors |= {ONE_EPOCH: _errors(panel, members, None), TENTH: _errors(panel, members, 0.1)}
    exact = [_error(frame, 1.0) for frame in panel.curves(EXACT) if len(frame)]
    return Sizes(panel, {name: own for name, own in errors.items() if own}, np.array(exact) if exact else None)


def _errors(panel: Panel, members: Mapping[float, str], share: float | None) -> Errors:
    """Return the errors of a swept series after a share of the epochs, or, with None, after one epoch."""
    runs = {int(s): [frame for frame in panel.curves(name) if len(frame)] for s, name in members.items()}
    return {s: np.array([_error(frame, share) for frame in frames]) for s, frames in runs.items() if frames}


def _error(frame: pd.DataFrame, share: float | None) -> float:
    epochs = column(frame, "epochs")
    at = 1.0 if share is None else share * epochs[-1]
    return 100 * float(value_at(epochs, column(frame, "test_error"), [at])[0])


def difference(first: Sequence[NDArray[np.float64]], second: Sequence[NDArray[np.float64]]) -> Interval | None:
    """Mean over several sizes of the difference between mean errors, with its interval; None without runs.

    Parameters
    ----------
    first, second : sequence of arrays
        For each size the errors of the runs of one method, and of the other, which are not paired.
    """
    if not first or not second:
        return None
    k = len(first)
    return bootstrap_means(lambda means: means[:, :k].mean(axis=1) - means[:, k:].mean(axis=1), [*first, *second])


def lead(values: NDArray[np.float64], k: int) -> NDArray[np.float64]:
    """Return by how much the k-th of several values is larger than the largest of the others: (m, values) to (m,)."""
    ahead: NDArray[np.float64] = values[:, k] - np.delete(values, k, axis=1).max(axis=1)
    return ahead


def points(found: Sequence[Sizes]) -> pd.DataFrame:
    """Return the numbers behind the figure: a row for each data set, method and s."""
    rows = [
        {
            "panel": each.panel.asked,
            "dataset": each.panel.dataset,
            "series": method,
            "s": s,
            "error": own.mean(),
            "sd": spread(own),
            "runs": len(own),
        }
        for each in found
        for method, errors in each.errors.items()
        for s, own in errors.items()
    ]
    return pd.DataFrame(rows, columns=list(POINTS))


def spread(values: NDArray[np.float64]) -> float:
    """Return the standard deviation; 0 of a single run."""
    return float(values.std(ddof=1)) if len(values) > 1 else 0.0


def written(mean: float, sd: float, runs: int) -> str:
    """Write an error in per cent, with its standard deviation where there are several runs."""
    return f"{mean:.2f} ± {sd:.2f}" if runs > 1 else f"{mean:.2f}"
