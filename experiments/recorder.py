"""The curve of a run while it grows: snapshots wait until a block of them is worth evaluating.

Evaluating one snapshot or twenty costs about the same kernel work, so snapshots are kept and evaluated together: when
somebody waits to see a figure, and at the end. How often is bounded by a time that suits the reader and by a share of
the run's time.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Sequence
from typing import Any, Protocol

RELATIVE_PAUSE = 4.0
"""Between two evaluations at least this many times the duration of the last one: evaluation takes a fifth at most."""

WAITING_BYTES = 256 * 2**20
"""Snapshots that wait take at most this much, and one more: weights of a million features are megabytes each."""

FIRST_PAUSE = 0.2
"""The first evaluation comes after this share of the pause: who stops a run early keeps something of it."""


class Evaluates(Protocol):
    """`experiments.evaluation.Evaluator`."""

    def evaluate(self, snapshots: Sequence[Any], /) -> list[dict[str, float | None]]:
        """Measures of each snapshot."""


class Recorder:
    """Collects the checkpoints of one run.

    Parameters
    ----------
    evaluator : Evaluates
    n : int
        Training examples, for epochs.
    pause : float
        Seconds between two evaluations, at least.
    clock : callable
        Seconds, monotonic.

    Attributes
    ----------
    rows : list of dict
        Evaluated checkpoints: counters, epochs, times and measures (see `experiments.curve.COLUMNS`).
    """

    def __init__(
        self, evaluator: Evaluates, n: int, pause: float, clock: Callable[[], float] = time.perf_counter
    ) -> None:
        self.rows: list[dict[str, Any]] = []
        self._evaluator = evaluator
        self.n = n
        self._pause = pause
        self._clock = clock
        self._waiting = 0
        self._pending: list[tuple[dict[str, Any], Any]] = []
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
        snapshot = solver.snapshot()
        self._pending.append((row, snapshot))
        self._waiting += sum(getattr(value, "nbytes", 0) for value in getattr(snapshot, "__dict__", {}).values())
        if self._waiting >= WAITING_BYTES:
            self.flush()

    def resume(self, rows: Sequence[dict[str, Any]]) -> None:
        """Go on after these points, which an earlier process has evaluated."""
        self.rows = list(rows)
        self._last_iterations = rows[-1]["iterations"] if rows else -1

    def flush_if_due(self) -> bool:
        """Evaluate what waits if it is time; return whether something was evaluated."""
        if self._last_duration is None:
            pause = FIRST_PAUSE * self._pause
        else:
            pause = max(self._pause, RELATIVE_PAUSE * self._last_duration)
        if not self._pending or self._clock() - self._last_flush < pause:
            return False
        self.flush()
        return True

    def flush_if_quick(self, limit: float) -> None:
        """Evaluate what waits if the last evaluation took at most `limit` seconds (the first one is not risked)."""
        if self._last_duration is not None and self._last_duration <= limit:
            self.flush()

    def flush(self) -> None:
        """Evaluate everything that waits."""
        if not self._pending:
            return
        started = self._clock()
        measures = self._evaluator.evaluate([snapshot for _, snapshot in self._pending])
        self.rows += [row | values for (row, _), values in zip(self._pending, measures, strict=True)]
        self._pending.clear()
        self._waiting = 0
        self._last_flush = self._clock()
        self._last_duration = self._last_flush - started

    @property
    def latest(self) -> dict[str, Any] | None:
        """The newest evaluated point."""
        return self.rows[-1] if self.rows else None
