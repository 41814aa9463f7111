"""Builds the curve of a run: evaluates the snapshots in groups, and shows previews in between.

Evaluating one snapshot or twenty costs about the same kernel work. The last bits of a measure depend on the other
snapshots of its group, so groups depend only on the run: results are bit-identical whatever its speed and
interruptions. In between, previews show progress; their number is bounded by a pause that suits the reader and by a
share of the run's time.
"""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ...support.errors import NotFiniteError

if TYPE_CHECKING:
    from ...solvers.evaluation import Evaluator

RELATIVE_PAUSE = 4.0
"""Between two previews at least this many times the duration of the last one: they take a fifth of the time at most."""

GROUP = 64
"""Snapshots of a group, at most: all of a run with the default number of evaluations."""
PENDING_BYTES = 256 * 2**20
"""A group is evaluated when its snapshots take this much: weights of a million features are megabytes each."""
FIRST_PAUSE = 0.2
"""The first preview comes after this share of the pause, so a run that is stopped early has some evaluated points."""
COSTS_IN_ERRORS = "iterations", "presentations", "kernel_evaluations"
"""Costs that an error message names."""
OBJECTIVES = "primal", "dual", "hinge", "norm", "bias"
"""Measures that are finite as long as the arithmetic of a run is sound."""


class CurveBuilder:
    """Collects the points of one run's curve. Evaluating them raises `NotFiniteError` if an objective is not finite.

    `n` training examples make an epoch; `pause` seconds pass between two previews at least.

    Attributes
    ----------
    evaluated : list of dict
        Evaluated points: counters, epochs, times and measures (see `experiments.columns.COLUMNS`).
    pending : list of (dict, Snapshot)
        The later points, which wait until their group is complete: counters, epochs and times, and the snapshot.
    last : Snapshot or None
        The newest snapshot; None before the first.
    """

    def __init__(
        self, evaluator: Evaluator, n: int, pause: float, clock: Callable[[], float] = time.perf_counter
    ) -> None:
        self.evaluated: list[dict[str, Any]] = []
        self.pending: list[tuple[dict[str, Any], Any]] = []
        self.last: Any = None
        self._previewed: list[dict[str, Any]] = []
        self._evaluator = evaluator
        self.n = n
        self._pause = pause
        self._clock = clock
        self._last_iterations = -1
        self._last_flush = clock()
        self._last_duration: float | None = None

    def add(self, solver: Any) -> None:
        """Add a solver's present state as a point of the curve, unless it has made no iteration since the last one."""
        counters = dataclasses.asdict(solver.counters)
        if counters["iterations"] == self._last_iterations:
            return
        self._last_iterations = counters["iterations"]
        row = {
            **counters,
            "epochs": solver.counters.epochs(self.n),
            "cpu_seconds": solver.cpu_seconds,
            "wall_seconds": solver.wall_seconds,
        }
        self.last = solver.snapshot()
        self.pending.append((row, self.last))
        arrays = [value for _, snapshot in self.pending for value in getattr(snapshot, "__dict__", {}).values()]
        if len(self.pending) >= GROUP or sum(getattr(array, "nbytes", 0) for array in arrays) >= PENDING_BYTES:
            self.flush()

    def resume(
        self, evaluated: Sequence[dict[str, Any]], pending: Sequence[tuple[dict[str, Any], Any]], last: Any
    ) -> None:
        """Continue after the points of an earlier process; `last` is the present snapshot."""
        self.evaluated, self.pending, self.last = list(evaluated), list(pending), last
        rows = [*evaluated, *(row for row, _ in pending)]
        self._last_iterations = rows[-1]["iterations"] if rows else -1

    @property
    def rows(self) -> list[dict[str, Any]]:
        """All points that have been evaluated; the last ones may be previews."""
        return self.evaluated + self._previewed

    def preview_if_due(self) -> None:
        """Evaluate the pending points if the pause is over."""
        if self._last_duration is None:
            pause = FIRST_PAUSE * self._pause
        else:
            pause = max(self._pause, RELATIVE_PAUSE * self._last_duration)
        if self._clock() - self._last_flush >= pause:
            self._preview()

    def preview_if_quick(self, limit: float) -> None:
        """Evaluate the pending points if the last evaluation took at most `limit` seconds; never as the first one."""
        if self._last_duration is not None and self._last_duration <= limit:
            self._preview()

    def flush(self) -> None:
        """Evaluate all pending points as one group."""
        if self.pending:
            # previews came from other groups: evaluated again, for the same bits as in a run without previews
            self.evaluated += self._evaluate(self.pending)
            self.pending, self._previewed = [], []

    def _preview(self) -> None:
        if new := self.pending[len(self._previewed) :]:
            self._previewed += self._evaluate(new)

    def _evaluate(self, points: Sequence[tuple[dict[str, Any], Any]]) -> list[dict[str, Any]]:
        started = self._clock()
        measures = self._evaluator.evaluate([snapshot for _, snapshot in points])
        self._last_flush = self._clock()
        self._last_duration = self._last_flush - started
        rows = [row | values for (row, _), values in zip(points, measures, strict=True)]
        for row in rows:
            if wrong := [f"{name} = {row[name]}" for name in OBJECTIVES if not math.isfinite(row.get(name) or 0.0)]:
                spent = [
                    f"{row[name]:,} {name.replace('_', ' ')}" for name in COSTS_IN_ERRORS if row.get(name) is not None
                ]
                raise NotFiniteError(
                    f"the objective is not finite: {', '.join(wrong)} after {', '.join(spent)}; scale the features "
                    "(dataset.scaling=minmax, dataset.row_norm=longest), or take other settings"
                )
        return rows

    @property
    def latest(self) -> dict[str, Any] | None:
        """Newest evaluated point; None before the first."""
        newest = self._previewed or self.evaluated
        return newest[-1] if newest else None
