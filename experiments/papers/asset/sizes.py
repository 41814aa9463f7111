"""Test errors by the size s of the approximation: the runs of Figure 1."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from svm_cost_curves.experiments.curve import column, value_at
from svm_cost_curves.experiments.papers.asset.errors import all_panels, difference
from svm_cost_curves.experiments.reproduction.evidence import Evidence, Panel
from svm_cost_curves.experiments.reproduction.spec import FigureSpec
from svm_cost_curves.experiments.reproduction.statistics import Interval

EXACT: Final = "svmlight"
"""Series with the exact kernel."""
STREAM: Final = "asset_online"
COSINES: Final = "fourier"
"""Series that solves the linear SVM on random features: `STREAM` after many epochs. One run has all sizes."""
FIRST: Final = 5
"""First iteration of `COSINES` that counts: 32 features."""
ONE_EPOCH: Final = "asset, one epoch"
"""The runs of ASSET after one epoch, when they have seen as many examples as a stream."""

Errors = Mapping[int, NDArray[np.float64]]
"""By size s, rising: test errors in per cent, one for each run."""


@dataclass(frozen=True, eq=False)
class Sizes:
    """One data set; equal only to itself, so that statistics can be cached by it.

    Attributes
    ----------
    panel : Panel
    errors : mapping of str to mapping of int to array
        For each method that has runs, and for `ONE_EPOCH`, its errors.
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
        """All s with runs."""
        return sorted({s for errors in self.errors.values() for s in errors})

    def above_exact(self, method: str) -> Interval | None:
        """Error of a method at its largest s minus the exact one, in points; None without runs of both."""
        errors = self.of(method)
        if not errors or self.exact is None:
            return None
        return difference([errors[max(errors)]], [self.exact])


def swept_methods(spec: FigureSpec) -> list[str]:
    """Series that are swept over s, in the figure's order."""
    return [series.name for series in spec.series if series.grid]


def all_sizes(evidence: Evidence) -> list[Sizes]:
    """Return the data sets of the figure's panels."""
    return [_sizes(panel, evidence.spec) for panel in all_panels(evidence)]


def _sizes(panel: Panel, spec: FigureSpec) -> Sizes:
    errors = {method: _errors(panel, spec.members(method)) for method in swept_methods(spec)}
    errors[ONE_EPOCH] = _errors(panel, spec.members("asset"), epochs=1.0)
    errors[COSINES] = _errors_of_pairs([frame for frame in panel.curves(COSINES) if len(frame)])
    exact = [_error_at(frame) for frame in panel.curves(EXACT) if len(frame)]
    return Sizes(panel, {name: own for name, own in errors.items() if own}, np.array(exact) if exact else None)


def _errors(panel: Panel, members: Mapping[float, str], epochs: float | None = None) -> Errors:
    """Return the errors of a swept series after some epochs, or at the end."""
    runs = {int(s): [frame for frame in panel.curves(name) if len(frame)] for s, name in members.items()}
    return {s: np.array([_error_at(frame, epochs) for frame in frames]) for s, frames in runs.items() if frames}


def _error_at(frame: pd.DataFrame, epochs: float | None = None) -> float:
    errors = column(frame, "test_error")
    return 100 * float(errors[-1] if epochs is None else value_at(column(frame, "epochs"), errors, [epochs])[0])


def _errors_of_pairs(frames: list[pd.DataFrame]) -> Errors:
    """Return the errors by the number of features: iteration k of a run has 2^(k - 1) pairs of cosine and sine.

    Smaller problems are left out: with a large C some are not solved to the relative gap in 10,000 epochs.
    """
    found: dict[int, list[float]] = {}
    for frame in frames:
        rows = frame[column(frame, "iterations") >= FIRST]
        for iteration, error in dict(zip(column(rows, "iterations"), column(rows, "test_error"), strict=True)).items():
            found.setdefault(2 ** int(iteration), []).append(100 * error)
    return {d: np.array(errors) for d, errors in sorted(found.items())}
