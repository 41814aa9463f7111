"""Runs to a target, and their costs, for the tests of both."""

from __future__ import annotations

import numpy as np
import pandas as pd
from hypothesis import strategies as st
from numpy.typing import NDArray

from svm_cost_curves.experiments import curve
from svm_cost_curves.experiments.reproduction.statistics.interval import LEAST_RUNS
from svm_cost_curves.experiments.reproduction.statistics.ratio import Ratio
from svm_cost_curves.experiments.reproduction.statistics.target import Effort

COSTS = st.lists(st.floats(0.1, 10), min_size=1, max_size=6)
FEW = st.lists(st.floats(0.1, 10), min_size=1, max_size=LEAST_RUNS - 1)
POWERS = st.sampled_from([-2.0, -1.0, -0.5, 0.5, 1.0, 3.0])
TARGET = 0.5


def took(*seconds: float, reached: int | None = None) -> Effort:
    """Runs of which the first `reached` reach the target."""
    count = len(seconds) if reached is None else reached
    return Effort(seconds, tuple(k < count for k in range(len(seconds))))


def ends(ratio: Ratio | None) -> list[float]:
    assert ratio is not None
    return [ratio.interval.estimate, ratio.interval.low, ratio.interval.high]


class Run:
    """A run whose value falls to the target at a hidden iteration, and which is evaluated now and then."""

    def __init__(self, met: int, evaluated: list[int], prices: list[int]) -> None:
        """`prices`: cost of each iteration after the evaluation before."""
        self.iterations = np.array(evaluated, dtype=float)
        passed = np.diff(self.iterations, prepend=0.0)
        self.costs: NDArray[np.float64] = np.cumsum(passed * prices)
        self.values = np.where(self.iterations < met, 1.0, TARGET) - 0.4 * self.iterations / self.iterations[-1]
        self.cost = float(np.interp(met, [0.0, *self.iterations], [0.0, *self.costs]))
        """True cost of the iteration that met the target."""

    @property
    def curve(self) -> pd.DataFrame:
        rows = zip(self.iterations, self.costs, self.values, strict=True)
        return curve.from_rows(
            [{"iterations": int(i), "kernel_evaluations": int(cost), "test_error": value} for i, cost, value in rows]
        )


@st.composite
def crossing_runs(draw: st.DrawFn) -> Run:
    evaluated = sorted(draw(st.lists(st.integers(1, 1000), min_size=1, max_size=12, unique=True)))
    prices = draw(st.lists(st.integers(1, 50), min_size=len(evaluated), max_size=len(evaluated)))
    return Run(draw(st.integers(1, evaluated[-1])), evaluated, prices)
