"""Costs to a target, and the width of the evaluation grid."""

from __future__ import annotations

import math
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from target_cases import TARGET, Run, crossing_runs, took

from svm_cost_curves.experiments import curve
from svm_cost_curves.experiments.reproduction.statistics.ratio import multiple_text
from svm_cost_curves.experiments.reproduction.statistics.target import (
    Effort,
    cost_to_target,
    crossing,
    effort_of,
    grid_step,
)


@given(crossing_runs(), st.booleans())
def test_the_true_cost_of_a_crossing_lies_within_the_step_of_the_evaluations(run: Run, settled: bool) -> None:
    evaluation = crossing(run.costs, run.values, run.iterations, TARGET, settled=settled)
    assert evaluation.cost == run.costs[evaluation.index]
    assert evaluation.least * (1 - 1e-12) <= run.cost <= evaluation.cost * (1 + 1e-12)


@given(st.integers(1, 500), st.integers(1, 500), st.integers(1, 20))
def test_the_ends_of_a_step_are_reached(before: int, passed: int, price: int) -> None:
    evaluated = [before, before + passed]
    for met, end in ((before + 1, "least"), (before + passed, "cost")):
        run = Run(met, evaluated, [price, 2 * price])
        evaluation = crossing(run.costs, run.values, run.iterations, TARGET)
        assert getattr(evaluation, end) == pytest.approx(run.cost)


@given(st.lists(st.sampled_from([0.1, 0.5, 0.9, math.nan]), max_size=10), st.booleans())
def test_a_crossing_is_the_first_evaluation_at_the_target_or_the_first_after_all_that_miss_it(
    given_values: list[float], settled: bool
) -> None:
    values, iterations = np.array(given_values, dtype=float), np.arange(1.0, len(given_values) + 1)
    evaluation = crossing(10 * iterations, values, iterations, TARGET, settled=settled)
    met, missed = np.flatnonzero(values <= TARGET), np.flatnonzero(values > TARGET)
    after = met[met > missed[-1]] if settled and len(missed) else met
    assert (None if evaluation is None else evaluation.index) == (after[0] if len(after) else None)
    if evaluation is not None:
        known = np.flatnonzero(np.isfinite(values[: evaluation.index]))
        last_miss = int(known[-1]) + 1 if len(known) else 0  # iterations of the evaluation before
        assert evaluation.least == pytest.approx(10 * (last_miss + 1))


def test_a_value_above_the_target_by_rounding_meets_it() -> None:
    one = np.array([1.0])
    assert crossing(one, np.array([0.1 + 0.2]), one, 0.3) is not None
    assert crossing(one, np.array([0.300001]), one, 0.3) is None


def test_a_target_met_at_the_first_iteration_or_before_is_exact() -> None:
    for first in (0.0, 1.0):
        evaluation = crossing(np.array([7.0]), np.array([0.1]), np.array([first]), TARGET)
        assert (evaluation.cost, evaluation.least) == (7.0, 7.0)


@given(st.lists(st.tuples(st.integers(1, 99), st.booleans()), min_size=1, max_size=8), st.booleans())
def test_a_quantity_that_falls_is_at_least_its_own_value(rows: list[tuple[int, bool]], settled: bool) -> None:
    """Numbers of support vectors may."""
    costs, values = np.array([cost for cost, _ in rows], dtype=float), np.array([0.9 - 0.5 * met for _, met in rows])
    evaluation = crossing(costs, values, 10 * np.arange(1.0, len(rows) + 1), TARGET, settled=settled)
    if evaluation is not None:
        before = costs[evaluation.index - 1] if evaluation.index else 0.0
        assert min(before, evaluation.cost) <= evaluation.least <= evaluation.cost


def test_the_cost_of_several_runs_to_a_target() -> None:
    runs = [Run(40, [10, 50, 100], [1, 1, 1]), Run(1, [1, 9], [4, 1]), Run(100, [10, 50, 100], [2, 2, 2])]
    runs[2].values[:] = 0.9  # it misses the target: the longest run counts
    frames = [run.curve for run in runs]
    effort = cost_to_target([*frames, curve.from_rows([])], "kernel_evaluations", "test_error", TARGET)
    assert effort == Effort((50.0, 4.0, 200.0), (True, True, False), (11.0, 4.0, 200.0))
    as_function = cost_to_target(
        frames, "kernel_evaluations", lambda frame: 2 * curve.column(frame, "test_error"), 2 * TARGET
    )
    assert as_function == effort
    assert cost_to_target([], "kernel_evaluations", "test_error", TARGET) is None


def test_a_run_that_leaves_the_target_again_has_not_settled() -> None:
    run = Run(10, [10, 20, 30, 40], [1, 1, 1, 1])
    run.values[1] = 0.9
    first, last = (
        cost_to_target([run.curve], "kernel_evaluations", "test_error", TARGET, settled=settled)
        for settled in (False, True)
    )
    assert first == Effort((10.0,), (True,), (1.0,))
    assert last == Effort((30.0,), (True,), (21.0,))


@given(st.lists(st.tuples(*[st.floats(0.1, 100)] * 3).map(sorted), min_size=1, max_size=9))
def test_the_true_median_lies_within_the_step_of_the_evaluations(runs: list[list[float]]) -> None:
    least, true, costs = zip(*runs, strict=True)
    effort = Effort(costs, (True,) * len(runs), least)
    assert effort.median / effort.step * (1 - 1e-9) <= statistics.median(true) <= effort.median
    assert effort.step >= 1
    exact = Effort(costs, (True,) * len(runs))
    assert (exact.step, exact.median) == (1.0, effort.median)


def test_a_median_is_known_if_more_than_half_of_the_runs_reach_the_target() -> None:
    assert [took(1.0, 2.0, 3.0, reached=count).mostly_reached for count in range(4)] == [False, False, True, True]
    assert [took(1.0, 2.0, reached=count).mostly_reached for count in range(3)] == [False, False, True]
    known, cut = took(1.0, 2.0, 9.0, reached=2), took(1.0, 9.0, 9.0, reached=1)
    assert (known.text(multiple_text), cut.text(multiple_text)) == ("2", ">9")


def test_a_run_that_misses_the_target_counts_as_the_longest_run() -> None:
    assert effort_of([3.0, None, 5.0], 8.0) == Effort((3.0, 8.0, 5.0), (True, False, True))
    stepped = effort_of([3.0, None], 8.0, [2.0, 1.0])
    assert stepped == Effort((3.0, 8.0), (True, False), (2.0, 8.0))
    assert stepped.columns("seconds") == {"seconds": 5.5, "least": 3.0, "largest": 8.0, "runs": 2, "reached": 1}


def test_another_unit_does_not_change_a_step() -> None:
    effort = Effort((3.0, 8.0), (True, False), (2.0, 8.0))
    assert effort.times(10.0) == Effort((30.0, 80.0), (True, False), (20.0, 80.0))
    assert effort.times(10.0).step == pytest.approx(effort.step) == pytest.approx(5.5 / 5.0)


@given(crossing_runs(), st.integers(1, 5))
def test_the_step_of_a_grid_is_that_of_a_run_which_meets_the_target_there(run: Run, count: int) -> None:
    effort = cost_to_target([run.curve], "kernel_evaluations", "test_error", TARGET)
    for beyond in (0.0, 0.5):  # up to the next evaluation the last one counts
        assert grid_step([(run.costs, run.iterations)] * count, effort.median + beyond) == pytest.approx(effort.step)


def test_the_step_of_a_grid_is_the_median_over_the_runs() -> None:
    costs = [[0.0, 2.0, 8.0], [1.0, 3.0], [4.0, 20.0], [50.0, 60.0]]
    iterations = [[0.0, 2.0, 8.0], [1.0, 5.0], [2.0, 20.0], [1.0, 2.0]]
    runs = [(np.array(cost), np.array(iteration)) for cost, iteration in zip(costs, iterations, strict=True)]
    # at cost 5: 2 stands for 1 and 2, 3 for 1.5 to 3, 4 for 2 and 4; the last run has no evaluation
    assert grid_step(runs, 5.0) == 2.0
    # at cost 10 the first run's 8 stands for 3 to 8
    assert grid_step(runs[:1], 10.0) == pytest.approx(8 / 3)
    assert grid_step(runs[:2], 10.0) == pytest.approx((8 / 3 + 2) / 2)
    assert grid_step(runs, 0.5) == 1.0
    assert grid_step([], 5.0) == 1.0
