"""The schedule of evaluations: increasing, ending at the budget, evenly spread over the logarithm of the cost."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svm_cost_curves.experiments.configuration.schedule import DECADES, EvaluationSchedule
from svm_cost_curves.solvers import Limit

counts = st.one_of(st.none(), st.integers(1, 10**15))


@given(
    st.builds(
        Limit,
        iterations=counts,
        presentations=counts,
        kernel_evaluations=counts,
        inner_products=counts,
        cpu_seconds=st.one_of(st.none(), st.floats(1e-3, 1e6)),
    ).filter(lambda limit: bool(limit.given())),
    st.integers(1, 200),
    st.integers(1, 10**9),
)
def test_a_schedule_rises_to_exactly_its_budget(budget: Limit, points: int, epoch: int) -> None:
    points_of_run = EvaluationSchedule(points, epoch=epoch).limits(budget)
    assert 1 <= len(points_of_run) <= points
    assert points_of_run[-1] == budget
    for before, after in itertools.pairwise(points_of_run):
        assert before != after
        for name in budget.given():
            assert 0 < getattr(before, name) <= getattr(after, name)
    for point in points_of_run:
        assert set(point.given()) == set(budget.given())
        assert all(isinstance(value, int) for name, value in point.given().items() if name != "cpu_seconds")
    for point in points_of_run[:-1]:
        presentations = point.presentations or 0
        assert presentations <= epoch or presentations % epoch == 0 or presentations == budget.presentations


def test_an_epochs_budget_is_evaluated_within_the_first_epoch_and_then_at_epoch_ends() -> None:
    presentations = [
        point.presentations for point in EvaluationSchedule(9, epoch=100).limits(Limit(presentations=1050))
    ]
    assert presentations == [1, 2, 6, 14, 32, 77, 200, 400, 1050]
    later = [point.presentations for point in EvaluationSchedule(60, epoch=100).limits(Limit(presentations=400))][-4:]
    assert later == [100, 200, 300, 400]
    budget = Limit(iterations=1050)  # of which an epoch is no unit
    assert EvaluationSchedule(9, epoch=100).limits(budget) == EvaluationSchedule(9).limits(budget)


def test_one_large_limit_is_cut_geometrically() -> None:
    points = EvaluationSchedule(61).limits(Limit(kernel_evaluations=10**10))
    assert len(points) == 61
    logs = [math.log10(point.kernel_evaluations or 0) for point in points]
    assert logs[0] == pytest.approx(10 - DECADES)
    steps = [after - before for before, after in itertools.pairwise(logs)]
    assert max(steps) - min(steps) < 1e-6


def test_a_small_limit_begins_at_one_and_has_each_number_once() -> None:
    assert [point.iterations for point in EvaluationSchedule(60).limits(Limit(iterations=5))] == [1, 2, 3, 4, 5]
    assert [point.iterations for point in EvaluationSchedule(1).limits(Limit(iterations=7))] == [7]


def test_without_a_limit_every_iteration_is_evaluated_until_the_points_run_out() -> None:
    assert EvaluationSchedule(3).limits(Limit()) == [Limit(iterations=1), Limit(iterations=2), Limit()]


def test_even_steps_are_counted_back_from_the_end_and_join_the_grid() -> None:
    def places(budget: int, points: int, every: float, tail: float = math.inf) -> list[int | None]:
        schedule = EvaluationSchedule(points, every, tail, epoch=100)
        return [point.presentations for point in schedule.limits(Limit(presentations=budget))]

    assert places(305, 1, 10.0, 50.0) == [265, 275, 285, 295, 305]
    assert places(305, 3, 100.0) == [1, 5, 17, 105, 205, 305]  # 1, 17 and 305 are of the grid
    assert places(33, 1, 100 / 30) == [3, 6, 10, 13, 16, 20, 23, 26, 30, 33]


@pytest.mark.parametrize("budget", [Limit(iterations=9), Limit(presentations=9, iterations=9), Limit()])
def test_even_steps_are_of_presentations(budget: Limit) -> None:
    with pytest.raises(ValueError, match="presentations"):
        EvaluationSchedule(5, 2.0).limits(budget)


@pytest.mark.parametrize(
    ("budget", "points"), [(Limit(iterations=0), 5), (Limit(iterations=5), 0), (Limit(cpu_seconds=-1.0), 5)]
)
def test_senseless_budgets_are_refused(budget: Limit, points: int) -> None:
    with pytest.raises(ValueError, match=r"positive|at least one"):
        EvaluationSchedule(points).limits(budget)
