"""The curve of a run while it grows: when and in which groups snapshots are evaluated; the used part of a budget."""

from __future__ import annotations

import io
import itertools
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from svm_cost_curves import solvers
from svm_cost_curves.experiments.configuration.budget import EvaluationSchedule
from svm_cost_curves.experiments.run import curve_builder
from svm_cost_curves.experiments.run.advance import advance_run, counted, fraction_used, reached
from svm_cost_curves.experiments.run.console import Display, FullDisplay
from svm_cost_curves.experiments.run.curve_builder import CurveBuilder


class _Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


class _Solver:
    """Counts, and has snapshots that say when they were taken."""

    def __init__(self) -> None:
        self.counters = solvers.Counters(iterations=0, presentations=0)
        self.cpu_seconds = self.wall_seconds = 0.0

    def step(self) -> None:
        done = (self.counters.iterations or 0) + 1
        self.counters = solvers.Counters(iterations=done, presentations=done)

    def snapshot(self) -> int | None:
        return self.counters.iterations


class _Evaluator:
    """Takes one second of the clock for any number of snapshots."""

    def __init__(self, clock: _Clock) -> None:
        self.blocks: list[list[int]] = []
        self._clock = clock

    def evaluate(self, snapshots: Sequence[int], /) -> list[dict[str, float | None]]:
        self.blocks.append(list(snapshots))
        self._clock.now += 1.0
        return [{"test_error": 1.0 / snapshot} for snapshot in snapshots]


def test_snapshots_are_evaluated_in_blocks_and_not_too_often() -> None:
    clock, solver = _Clock(), _Solver()
    evaluator = _Evaluator(clock)
    builder = CurveBuilder(evaluator, 10, 2.0, clock)
    for _ in range(20):
        solver.step()
        builder.add(solver)
        clock.now += 1.0
        builder.preview_if_due()
    builder.flush()
    # the first after a fifth of the pause, then four times the second that an evaluation takes; in the end all together
    previews = [[1], [2, 3, 4, 5], [6, 7, 8, 9], [10, 11, 12, 13], [14, 15, 16, 17]]
    assert evaluator.blocks == [*previews, list(range(1, 21))]
    assert [row["iterations"] for row in builder.rows] == list(range(1, 21))
    assert [row["epochs"] for row in builder.rows] == [i / 10 for i in range(1, 21)]
    assert builder.latest is not None
    assert builder.latest["test_error"] == 1 / 20


class _Steps(_Solver):
    """Advances to the limit; a step takes a second of the clock."""

    ranks = 1

    def __init__(self, clock: _Clock) -> None:
        super().__init__()
        self._clock = clock

    def advance(self, limit: solvers.Limit) -> solvers.Status:
        while (self.counters.iterations or 0) < (limit.iterations or 0):
            self.step()
            self._clock.now += 1.0
        return solvers.Status.ITERATIONS


@pytest.mark.parametrize("progress", [False, True])
def test_each_snapshot_is_evaluated_once_where_no_progress_is_shown(progress: bool) -> None:
    clock = _Clock()
    evaluator = _Evaluator(clock)
    display = FullDisplay(progress=progress, out=io.StringIO(), err=io.StringIO())
    builder = CurveBuilder(evaluator, 100, display.pause, clock)
    limit = solvers.Limit(iterations=1000)
    advance_run(_Steps(clock), limit, EvaluationSchedule(20, epoch=100), builder, Display())
    done = [row["iterations"] for row in builder.rows]
    *previews, last = evaluator.blocks
    assert last == done
    assert bool(previews) == progress
    assert len(done) > 10
    # the newest snapshots are not evaluated for a display that ends
    assert max([0, *itertools.chain(*previews)]) < done[-1]


def test_large_snapshots_do_not_pile_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Weights of many features are evaluated when too many bytes are pending, however little time has passed."""

    monkeypatch.setattr(curve_builder, "PENDING_BYTES", 2400)
    solver, sizes = _Solver(), list[int]()
    monkeypatch.setattr(solver, "snapshot", lambda: SimpleNamespace(weights=np.zeros(100)))
    evaluator = SimpleNamespace(evaluate=lambda snapshots: sizes.append(len(snapshots)) or [{} for _ in snapshots])
    builder = CurveBuilder(evaluator, 10, 1e9, _Clock())
    for _ in range(7):
        solver.step()
        builder.add(solver)
    builder.flush()
    assert sizes == [3, 3, 1]


def test_groups_depend_neither_on_time_nor_on_interruptions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(curve_builder, "GROUP", 8)

    class Groups(_Evaluator):
        def evaluate(self, snapshots: Sequence[int], /) -> list[dict[str, Any]]:
            super().evaluate(snapshots)
            return [{"group": tuple(snapshots)} for _ in snapshots]

    for pause, cut in itertools.product((1e9, 0.0), (None, 3, 8, 13)):
        clock, solver = _Clock(), _Solver()
        evaluator = Groups(clock)
        builder = CurveBuilder(evaluator, 10, pause, clock)
        for step in range(20):
            if step == cut:
                before, builder = builder, CurveBuilder(evaluator, 10, pause, clock)
                builder.resume(before.evaluated, before.pending, before.last)
                builder.add(solver)  # no iteration since the last point
            solver.step()
            builder.add(solver)
            builder.preview_if_due()
        builder.flush()
        assert [row["iterations"] for row in builder.rows] == list(range(1, 21))
        groups = [tuple(range(1, 9))] * 8 + [tuple(range(9, 17))] * 8 + [tuple(range(17, 21))] * 4
        assert [row["group"] for row in builder.rows] == groups


def test_a_state_is_recorded_once() -> None:
    clock, solver = _Clock(), _Solver()
    builder = CurveBuilder(_Evaluator(clock), 10, 2.0, clock)
    solver.step()
    builder.add(solver)
    builder.add(solver)
    builder.flush()
    builder.flush()
    assert len(builder.rows) == 1


def test_after_ctrl_c_only_a_quick_evaluation_is_made() -> None:
    clock, solver = _Clock(), _Solver()
    builder = CurveBuilder(_Evaluator(clock), 10, 2.0, clock)
    solver.step()
    builder.add(solver)
    builder.preview_if_quick(5.0)
    assert builder.rows == []  # the time of an evaluation is not known yet
    builder.flush()
    solver.step()
    builder.add(solver)
    builder.preview_if_quick(0.5)
    assert len(builder.rows) == 1
    builder.preview_if_quick(1.0)
    assert len(builder.rows) == 2


def test_limits_that_a_solver_does_not_count_are_left_out() -> None:
    limit = solvers.Limit(presentations=10, inner_products=20, cpu_seconds=1.0)
    costs = {"presentations": None, "inner_products": 0.0, "cpu_seconds": 0.0}
    assert counted(limit, costs) == solvers.Limit(inner_products=20, cpu_seconds=1.0)


def test_reached_and_fraction_follow_the_first_limit() -> None:
    limit = solvers.Limit(iterations=100, kernel_evaluations=1000)
    assert fraction_used(limit, {"iterations": 10, "kernel_evaluations": 500}) == 0.5
    assert not reached(limit, {"iterations": 99, "kernel_evaluations": 999})
    assert reached(limit, {"iterations": 1, "kernel_evaluations": 1000})
    assert fraction_used(limit, {"iterations": 1000, "kernel_evaluations": 0}) == 1.0
    assert fraction_used(solvers.Limit(), {"iterations": 3}) == 0.0
    assert not reached(solvers.Limit(), {"iterations": 3})
