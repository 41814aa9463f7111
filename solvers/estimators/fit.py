"""A fit: runs a solver, and has its predictor and its curve."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..base import Limit, Solver, Status
from ..evaluation import Evaluator, defect_of
from ..features import Features
from ..models import Model, model_of
from ..problem import Problem
from ..snapshots import FunctionSnapshot, Snapshot

if TYPE_CHECKING:
    import pandas as pd

_SAMPLE = 200
DOUBLINGS = 20
"""The first point of a method that stops by itself lies at the limit divided by two to this power."""
_MOST_DOUBLINGS = 63
"""From one iteration to the largest limit, 2^63 - 1."""


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


class Fit:
    """Snapshots of a fit with their costs. The predictor and the curve are computed when they are first asked for.

    Both may take kernel values at all training points, which the solver itself does not need: the predictor of the nu
    form for its water level, the curve for its objectives. Until then the problem is held: the training points, as they
    were given and prepared, and their kernel rows. Pickling computes both. The curve has `evaluations` points at most.
    """

    def __init__(self, problem: Problem, X: Features, classes: Sequence[Any], evaluations: int) -> None:
        self._problem: Problem | None = problem
        self._data: TrainingData | None = TrainingData(X)
        self._classes = classes
        self._points: deque[tuple[dict[str, Any], Snapshot]] = deque(maxlen=evaluations)
        self._last: Snapshot | None = None
        self._model: Model | None = None
        self._frame: pd.DataFrame | None = None

    @classmethod
    def of_model(cls, model: Model) -> Fit:
        """Return a fit of which only the predictor is known."""
        fit = cls.__new__(cls)
        fit._problem, fit._data, fit._classes, fit._points = None, None, model.classes, deque(maxlen=0)
        fit._last, fit._model, fit._frame = None, model, None
        return fit

    def advance(self, solver: Solver, limit: Limit) -> Status:
        """Run a solver to its end; take snapshots at costs that double each time; return why it has ended.

        A library is called once, because it would start again for each point: its curve has only the last point.
        """
        most = self._points.maxlen or 0
        # a method that stops by itself may do so long before the limit
        doublings = DOUBLINGS if solver.has_stopping_rule() else min(most - 1, _MOST_DOUBLINGS)
        # without a limit, iterations set the pace
        pace = limit if limit.given() else Limit(iterations=2**DOUBLINGS)
        for k in range(0 if solver.timed or not most else doublings, 0, -1):
            solver.advance(_divided(pace, 2**k))
            self._add(solver)
        status: Status = solver.advance(limit)
        self._add(solver)
        return status

    def _add(self, solver: Solver) -> None:
        counters = solver.counters
        if self._points and counters.iterations == self._points[-1][0]["iterations"]:
            return
        self._last = solver.snapshot()
        times = {"cpu_seconds": solver.cpu_seconds, "wall_seconds": solver.wall_seconds}
        self._points.append((vars(counters) | {"epochs": counters.epochs(solver.problem.n)} | times, self._last))

    def defect(self, y: NDArray[np.int8], threads: int) -> str | None:
        """Return a warning if the predictor does not separate training points, as with w = 0; else None.

        Both classes have `_SAMPLE` points at most, so that it costs little. A kernel that is too narrow tells the
        training points apart, and nothing else: halfway between two of them f is constant.
        """
        assert self._problem is not None
        assert self._data is not None
        assert self._last is not None
        last: Any = self._last
        levelled = not isinstance(last, FunctionSnapshot) and last.volume is not None
        try:  # without the water level, which needs kernel values at all training points
            model = model_of(self._problem, replace(last, volume=None) if levelled else last, self._classes)
        except NotImplementedError:  # of a user's solver
            return None
        X, rows = self._data.points, [np.flatnonzero(y == sign)[:_SAMPLE] for sign in (-1, 1)]
        both = np.concatenate(rows)
        values = model.decision_values(X[both], threads)
        found = defect_of(values, f"{len(both):,} training points")
        if found and (not levelled or np.ptp(values) == 0.0):  # the level changes signs
            return found
        pairs = min(map(len, rows))
        halfway = (X[rows[0][:pairs]] + X[rows[1][:pairs]]) * np.float32(0.5)
        values = model.decision_values(halfway, threads)
        constant = pairs > 1 and np.ptp(values) == 0.0
        return defect_of(values, f"{pairs:,} points halfway between training points") if constant else None

    def model(self) -> Model:
        """Return the predictor."""
        if self._model is None:
            assert self._problem is not None
            assert self._last is not None
            self._model = model_of(self._problem, self._last, self._classes)
            self._release()
        return self._model

    def curve(self) -> pd.DataFrame | None:
        """Return the curve, or None if it has no points.

        A row for each point, with counters, times and measures; columns without values are left out.
        """
        import pandas as pd

        if self._points:
            assert self._problem is not None
            assert self._data is not None
            measures = Evaluator(self._problem, self._data).evaluate([snapshot for _, snapshot in self._points])
            rows = [row | values for (row, _), values in zip(self._points, measures, strict=True)]
            self._frame = pd.DataFrame(rows).dropna(axis="columns", how="all")
            self._points.clear()
            self._release()
        return None if self._frame is None else self._frame.copy()

    def _release(self) -> None:
        """Drop the problem once nothing needs it."""
        if self._model is not None and not self._points:
            self._problem = self._data = self._last = None

    def __getstate__(self) -> dict[str, Any]:
        self.model()
        self.curve()  # a problem cannot be pickled
        return vars(self)


def _divided(limit: Limit, divisor: int) -> Limit:
    changes: dict[str, Any] = {
        name: value / divisor if name == "cpu_seconds" else max(1, math.ceil(value / divisor))
        for name, value in limit.given().items()
    }
    return replace(limit, **changes)
