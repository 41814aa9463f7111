"""Runs on a stream: last test errors and mean errors along the run, for each dimension d of the random features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from svm_cost_curves.experiments.curve import Points, column, cost_to_reach, error_area
from svm_cost_curves.experiments.papers.asset.errors import all_panels
from svm_cost_curves.experiments.papers.bands import Band, band
from svm_cost_curves.experiments.papers.effort import Effort, effort_of
from svm_cost_curves.experiments.reproduction.evidence import Evidence, Panel
from svm_cost_curves.experiments.reproduction.spec import FigureSpec

METHODS: Final = ("asset_online", "asset_star_online")
EXACT: Final = "lasvm"
LAST: Final = 10
"""The last error of a run is its mean over this many last evaluations, as in the paper."""
FROM: Final = 0.01
"""Mean errors along a run begin after this share of the stream."""
COSTS: Final = ("presentations", "cpu_seconds")


@dataclass(frozen=True, eq=False)
class Stream:
    """One method with one d, on one data set.

    Attributes
    ----------
    last_errors : (runs, LAST) float64
        Test errors in per cent at the last evaluations; runs with fewer evaluations are left out.
    areas : (runs,) float64
        Mean test error in per cent over the logarithm of the number of examples, from `FROM` of them on.
    seconds : (runs,) float64
        CPU seconds of training.
    bands : mapping of str to Band
        Test errors in per cent against each of `COSTS`.
    runs : sequence of (examples, errors)
    """

    last_errors: NDArray[np.float64]
    areas: NDArray[np.float64]
    seconds: NDArray[np.float64]
    bands: Mapping[str, Band]
    runs: Sequence[Points]

    @property
    def means(self) -> NDArray[np.float64]:
        """Last error of each run."""
        means: NDArray[np.float64] = self.last_errors.mean(axis=1)
        return means

    @property
    def deviations(self) -> NDArray[np.float64]:
        """Standard deviation over the last evaluations of each run."""
        deviations: NDArray[np.float64] = self.last_errors.std(axis=1, ddof=1)
        return deviations

    @property
    def squares(self) -> NDArray[np.float64]:
        """Squared deviations of the last evaluations from their run's mean; their mean is the variance."""
        centred = self.last_errors - self.means[:, None]
        squares: NDArray[np.float64] = (np.square(centred) * LAST / (LAST - 1)).ravel()
        return squares

    def examples_to(self, error: float) -> Effort:
        """Return the examples that each run needs to an error in per cent."""
        found = [cost_to_reach(seen, errors, error) for seen, errors in self.runs]
        return effort_of(found, max(float(seen[-1]) for seen, _ in self.runs))


@dataclass(frozen=True)
class Streams:
    """One data set: by method and d."""

    panel: Panel
    of: Mapping[str, Mapping[int, Stream]]
    exact: Mapping[str, Band]

    @property
    def dimensions(self) -> list[int]:
        """All d with runs."""
        return sorted({d for own in self.of.values() for d in own})


def all_streams(evidence: Evidence) -> list[Streams]:
    """Return the data sets of the figure's panels."""
    return [_streams(panel, evidence.spec) for panel in all_panels(evidence)]


def _streams(panel: Panel, spec: FigureSpec) -> Streams:
    found: dict[str, dict[int, Stream]] = {}
    for method in METHODS:
        for d, name in spec.members(method).items():
            frames = [frame for frame in panel.curves(name) if len(frame) >= LAST]
            if frames:
                found.setdefault(method, {})[int(d)] = _stream(frames)
    exact = [frame for frame in panel.curves(EXACT) if len(frame)]
    return Streams(panel, found, _bands(exact) if exact else {})


def _stream(frames: list[pd.DataFrame]) -> Stream:
    errors = [100 * column(frame, "test_error") for frame in frames]
    seen = [column(frame, "presentations") for frame in frames]
    runs = list(zip(seen, errors, strict=True))
    return Stream(
        np.stack([own[-LAST:] for own in errors]),
        np.array([error_area(x, y, max(FROM * x[-1], x[0]), x[-1]) for x, y in runs]),
        np.array([column(frame, "cpu_seconds")[-1] for frame in frames]),
        _bands(frames),
        runs,
    )


def _bands(frames: list[pd.DataFrame]) -> dict[str, Band]:
    found = {cost: band([(column(run, cost), 100 * column(run, "test_error")) for run in frames]) for cost in COSTS}
    return {cost: own for cost, own in found.items() if own is not None}
