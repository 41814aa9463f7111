"""The curve of a fit: snapshots that are evaluated when the curve is first read."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from solvers.base import Limit, Solver, Status
from solvers.evaluation import Evaluator
from solvers.features import Features
from solvers.problem import Problem
from solvers.snapshots import Snapshot

if TYPE_CHECKING:
    import pandas as pd

DOUBLINGS = 20
"""The first point lies at the limit divided by two to this power."""


@dataclass(frozen=True)
class TrainingData:
    """The points of a fit; there are no test points."""

    points: Features

    @property
    def X_test(self) -> Features:  # noqa: N802 (the field's name)
        """No points, (0, d)."""
        return self.points[:0]

    @property
    def y_test(self) -> NDArray[np.int8]:
        """No labels."""
        return np.empty(0, dtype=np.int8)


class Curve:
    """Snapshots of a fit with their costs; `frame` evaluates them, all in one matrix product.

    Until then the problem is held: the training points, and their kernel rows. Pickling evaluates them as well.

    Parameters
    ----------
    problem : Problem
    X : (n, d) float32
        The training points as they were given.
    evaluations : int
        Snapshots that are held: the last ones.
    """

    def __init__(self, problem: Problem, X: Features, evaluations: int) -> None:
        self._problem: Problem | None = problem
        self._data: TrainingData | None = TrainingData(X)
        self._points: deque[tuple[dict[str, Any], Snapshot]] = deque(maxlen=evaluations)
        self._frame: pd.DataFrame | None = None

    def advance(self, solver: Solver, limit: Limit) -> bool:
        """Run a solver to its end; take snapshots at costs that double each time; return whether it has converged.

        A library is called once, because it would start again for each point: its curve has only the last point.
        """
        # without a limit, iterations set the pace
        pace = limit if limit.given() else Limit(iterations=2**DOUBLINGS)
        for k in range(0 if solver.timed or not self._points.maxlen else DOUBLINGS, 0, -1):
            solver.advance(_divided(pace, 2**k))
            self._add(solver)
        status = solver.advance(limit)
        self._add(solver)
        return status is Status.CONVERGED

    def _add(self, solver: Solver) -> None:
        row = asdict(solver.counters)
        if not self._points.maxlen or (self._points and row["iterations"] == self._points[-1][0]["iterations"]):
            return
        n = solver.problem.n
        times = {"cpu_seconds": solver.cpu_seconds, "wall_seconds": solver.wall_seconds}
        self._points.append((row | {"epochs": solver.counters.epochs(n)} | times, solver.snapshot()))

    def frame(self) -> pd.DataFrame:
        """Return the curve: a row for each point, with counters, times and measures; columns without values are out."""
        import pandas as pd

        if self._frame is None:
            assert self._problem is not None
            assert self._data is not None
            measures = Evaluator(self._problem, self._data).evaluate([snapshot for _, snapshot in self._points])
            rows = [row | values for (row, _), values in zip(self._points, measures, strict=True)]
            self._frame = pd.DataFrame(rows).dropna(axis="columns", how="all")
            self._problem = self._data = None
            self._points.clear()
        return self._frame.copy()

    def __getstate__(self) -> dict[str, Any]:
        self.frame()  # a problem cannot be pickled
        return vars(self)


def _divided(limit: Limit, divisor: int) -> Limit:
    changes: dict[str, Any] = {
        name: value / divisor if name == "cpu_seconds" else max(1, math.ceil(value / divisor))
        for name, value in limit.given().items()
    }
    return replace(limit, **changes)
