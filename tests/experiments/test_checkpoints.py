"""Checkpoints: increasing, ending at the budget, evenly spread over the logarithm of the cost."""

from __future__ import annotations

import itertools
import math
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.advance import advance_through
from experiments.checkpoints import DECADES, Limits, Looks, schedule
from solvers import Counters, Status

counts = st.one_of(st.none(), st.integers(1, 10**15))


@given(
    st.builds(
        Limits,
        iterations=counts,
        presentations=counts,
        kernel_evaluations=counts,
        inner_products=counts,
        cpu_seconds=st.one_of(st.none(), st.floats(1e-3, 1e6)),
    ).filter(lambda limits: bool(limits.given())),
    st.integers(1, 200),
    st.integers(1, 10**9),
)
def test_a_schedule_rises_to_exactly_its_budget(budget: Limits, points: int, epoch: int) -> None:
    checkpoints = schedule(budget, Looks(points), epoch)
    assert 1 <= len(checkpoints) <= points
    assert checkpoints[-1] == budget
    for before, after in itertools.pairwise(checkpoints):
        assert before != after
        for name in budget.given():
            assert 0 < getattr(before, name) <= getattr(after, name)
    for checkpoint in checkpoints:
        assert set(checkpoint.given()) == set(budget.given())
        assert all(isinstance(value, int) for name, value in checkpoint.given().items() if name != "cpu_seconds")
    for checkpoint in checkpoints[:-1]:
        presentations = checkpoint.presentations or 0
        assert presentations <= epoch or presentations % epoch == 0 or presentations == budget.presentations


def test_an_epochs_budget_is_looked_at_within_the_first_epoch_and_then_at_epoch_ends() -> None:
    presentations = [c.presentations for c in schedule(Limits(presentations=1050), Looks(9), epoch=100)]
    assert presentations == [1, 2, 6, 14, 32, 77, 200, 400, 1050]
    later = [c.presentations for c in schedule(Limits(presentations=400), Looks(60), epoch=100)][-4:]
    assert later == [100, 200, 300, 400]
    assert schedule(Limits(iterations=1050), Looks(9), epoch=100) == schedule(Limits(iterations=1050), Looks(9))


def test_one_large_limit_is_cut_geometrically() -> None:
    checkpoints = schedule(Limits(kernel_evaluations=10**10), Looks(61))
    assert len(checkpoints) == 61
    logs = [math.log10(c.kernel_evaluations or 0) for c in checkpoints]
    assert logs[0] == pytest.approx(10 - DECADES)
    steps = [after - before for before, after in itertools.pairwise(logs)]
    assert max(steps) - min(steps) < 1e-6


def test_a_small_limit_begins_at_one_and_has_each_number_once() -> None:
    assert [c.iterations for c in schedule(Limits(iterations=5), Looks(60))] == [1, 2, 3, 4, 5]
    assert [c.iterations for c in schedule(Limits(iterations=7), Looks(1))] == [7]


def test_without_a_limit_every_iteration_is_looked_at_until_the_points_run_out() -> None:
    assert schedule(Limits(), Looks(3)) == [Limits(iterations=1), Limits(iterations=2), Limits()]


def test_even_steps_are_counted_back_from_the_end_and_join_the_grid() -> None:
    def places(budget: int, *looks: float) -> list[int | None]:
        return [c.presentations for c in schedule(Limits(presentations=budget), Looks(*looks), epoch=100)]

    assert places(305, 1, 10.0, 50.0) == [265, 275, 285, 295, 305]
    assert places(305, 3, 100.0) == [1, 5, 17, 105, 205, 305]  # 1, 17 and 305 are of the grid
    assert places(33, 1, 100 / 30) == [3, 6, 10, 13, 16, 20, 23, 26, 30, 33]


@pytest.mark.parametrize("budget", [Limits(iterations=9), Limits(presentations=9, iterations=9), Limits()])
def test_even_steps_are_of_presentations(budget: Limits) -> None:
    with pytest.raises(ValueError, match="presentations"):
        schedule(budget, Looks(5, 2.0))


def test_the_runner_knows_how_long_an_epoch_is() -> None:
    solver, recorder, seen = Mock(counters=Counters(), cpu_seconds=0.0, ranks=1), Mock(n=100), []

    def advance(limit: Limits) -> Status:
        solver.counters = Counters(presentations=limit.presentations)
        return Status.PRESENTATIONS

    solver.advance = advance
    recorder.add = lambda solver: seen.append(solver.counters.presentations)
    advance_through(solver, Limits(presentations=1050), Looks(9), recorder, Mock())
    assert seen == [1, 2, 6, 14, 32, 77, 200, 400, 1050]


@pytest.mark.parametrize(
    ("budget", "points"), [(Limits(iterations=0), 5), (Limits(iterations=5), 0), (Limits(cpu_seconds=-1.0), 5)]
)
def test_senseless_budgets_are_refused(budget: Limits, points: int) -> None:
    with pytest.raises(ValueError, match=r"positive|at least one"):
        schedule(budget, Looks(points))


def test_limits_that_a_solver_does_not_count_are_left_out() -> None:
    limits = Limits(presentations=10, inner_products=20, cpu_seconds=1.0)
    counters = {"presentations": None, "inner_products": 0.0, "cpu_seconds": 0.0}
    assert limits.counted(counters) == Limits(inner_products=20, cpu_seconds=1.0)


def test_reached_and_fraction_follow_the_first_limit() -> None:
    limits = Limits(iterations=100, kernel_evaluations=1000)
    assert limits.fraction({"iterations": 10, "kernel_evaluations": 500}) == 0.5
    assert not limits.reached({"iterations": 99, "kernel_evaluations": 999})
    assert limits.reached({"iterations": 1, "kernel_evaluations": 1000})
    assert limits.fraction({"iterations": 1000, "kernel_evaluations": 0}) == 1.0
    assert Limits().fraction({"iterations": 3}) == 0.0
    assert not Limits().reached({"iterations": 3})
