"""The curve of a run while it grows: snapshots wait until a block of them is worth evaluating.

Evaluating one snapshot or twenty costs about the same kernel work, so snapshots are kept and evaluated in groups. The
last bits of a measure depend on the snapshots beside it, so groups depend on nothing but the run: not on its speed, nor
on whether it was cut. Somebody who waits to see a figure gets a preview: how often is bounded by a time that suits the
reader and by a share of the run's time.
"""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

RELATIVE_PAUSE = 4.0
"""Between two previews at least this many times the duration of the last one: they take a fifth of the time at most."""

GROUP = 64
"""Snapshots of a group, at most: all of a run with the default number of checkpoints."""

WAITING_BYTES = 256 * 2**20
"""Snapshots of a group take at most this much, and one more: weights of a million features are megabytes each."""

FIRST_PAUSE = 0.2
"""The first preview comes after this share of the pause: who stops a run early keeps something of it."""


COSTS = "iterations", "presentations", "kernel_evaluations"
"""What an error says of the cost."""

OBJECTIVES = "primal", "dual", "hinge", "norm", "bias"
"""Measures that are finite as long as the arithmetic of a run is sound."""


class NotFiniteError(ArithmeticError):
    """A run's objective has become infinite or NaN; the message says which measures, and after what cost."""


class Evaluates(Protocol):
    """`experiments.run.evaluation.Evaluator`."""

    def evaluate(self, snapshots: Sequence[Any], /) -> list[dict[str, float | None]]:
        """Measures of each snapshot."""


class Recorder:
    """Collects the checkpoints of one run. Evaluating them raises `NotFiniteError` where an objective is not finite.

    Parameters
    ----------
    evaluator : Evaluates
    n : int
        Training examples, for epochs.
    pause : float
        Seconds between two previews, at least.
    clock : callable
        Seconds, monotonic.

    Attributes
    ----------
    settled : list of dict
        Evaluated checkpoints: counters, epochs, times and measures (see `experiments.curve.COLUMNS`).
    waiting : list of (dict, Snapshot)
        Those after them, counters, epochs and times alone: the group that is not complete.
    """

    def __init__(
        self, evaluator: Evaluates, n: int, pause: float, clock: Callable[[], float] = time.perf_counter
    ) -> None:
        self.settled: list[dict[str, Any]] = []
        self.waiting: list[tuple[dict[str, Any], Any]] = []
        self._previewed: list[dict[str, Any]] = []
        self._evaluator = evaluator
        self.n = n
        self._pause = pause
        self._clock = clock
        self._last_iterations = -1
        self._last_flush = clock()
        self._last_duration: float | None = None

    def add(self, solver: Any) -> None:
        """Keep a solver's present state as a point of the curve, unless it has not moved since the last one."""
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
        self.waiting.append((row, solver.snapshot()))
        if len(self.waiting) >= GROUP or sum(_size(snapshot) for _, snapshot in self.waiting) >= WAITING_BYTES:
            self.flush()

    def resume(self, settled: Sequence[dict[str, Any]], waiting: Sequence[tuple[dict[str, Any], Any]]) -> None:
        """Go on after the points of an earlier process."""
        self.settled, self.waiting = list(settled), list(waiting)
        last = [*settled, *(row for row, _ in waiting)][-1:]
        self._last_iterations = last[0]["iterations"] if last else -1

    @property
    def rows(self) -> list[dict[str, Any]]:
        """All points that have been evaluated; of the last ones, previews."""
        return self.settled + self._previewed

    def preview_if_due(self) -> bool:
        """Evaluate what waits if it is time, to be seen; return whether something was evaluated."""
        if self._last_duration is None:
            pause = FIRST_PAUSE * self._pause
        else:
            pause = max(self._pause, RELATIVE_PAUSE * self._last_duration)
        if len(self._previewed) == len(self.waiting) or self._clock() - self._last_flush < pause:
            return False
        self._preview()
        return True

    def preview_if_quick(self, limit: float) -> None:
        """Evaluate what waits if the last evaluation took at most `limit` seconds (the first one is not risked)."""
        if self._last_duration is not None and self._last_duration <= limit:
            self._preview()

    def flush(self) -> None:
        """Settle everything that waits."""
        if self.waiting:
            # what has been previewed in several pieces is evaluated again, as in a run that nobody looks at
            self.settled += self._evaluated(self.waiting)
            self.waiting, self._previewed = [], []

    def _preview(self) -> None:
        if new := self.waiting[len(self._previewed) :]:
            self._previewed += self._evaluated(new)

    def _evaluated(self, points: Sequence[tuple[dict[str, Any], Any]]) -> list[dict[str, Any]]:
        started = self._clock()
        measures = self._evaluator.evaluate([snapshot for _, snapshot in points])
        self._last_flush = self._clock()
        self._last_duration = self._last_flush - started
        rows = [row | values for (row, _), values in zip(points, measures, strict=True)]
        for row in rows:
            _check_finite(row)
        return rows

    @property
    def latest(self) -> dict[str, Any] | None:
        """The newest evaluated point."""
        newest = self._previewed or self.settled
        return newest[-1] if newest else None


def _check_finite(row: Mapping[str, Any]) -> None:
    wrong = [f"{name} = {row[name]}" for name in OBJECTIVES if not math.isfinite(row.get(name) or 0.0)]
    if wrong:
        spent = [f"{row[name]:,} {name.replace('_', ' ')}" for name in COSTS if row.get(name) is not None]
        raise NotFiniteError(
            f"the objective is not finite: {', '.join(wrong)} after {', '.join(spent)}; scale the features "
            "(dataset.scaling=minmax, dataset.row_norm=longest), or take other settings"
        )


def _size(snapshot: Any) -> int:
    """Bytes of a snapshot's own arrays."""
    return sum(getattr(value, "nbytes", 0) for value in getattr(snapshot, "__dict__", {}).values())
