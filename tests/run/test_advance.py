"""How a solver is driven: where it is evaluated, and how much of its budget it has used."""

from __future__ import annotations

from unittest.mock import Mock

from svm_cost_curves.experiments.configuration.schedule import EvaluationSchedule
from svm_cost_curves.experiments.run.advance import advance_run, counted, fraction_used, reached
from svm_cost_curves.solvers import Counters, Limit, Status


def test_a_run_is_evaluated_where_its_schedule_says() -> None:
    solver, builder, seen = Mock(counters=Counters(), cpu_seconds=0.0, ranks=1), Mock(n=100), []

    def advance(limit: Limit) -> Status:
        solver.counters = Counters(presentations=limit.presentations)
        return Status.PRESENTATIONS

    solver.advance = advance
    builder.add = lambda solver: seen.append(solver.counters.presentations)
    advance_run(solver, Limit(presentations=1050), EvaluationSchedule(9, epoch=100), builder, Mock())
    assert seen == [1, 2, 6, 14, 32, 77, 200, 400, 1050]


def test_limits_that_a_solver_does_not_count_are_left_out() -> None:
    limit = Limit(presentations=10, inner_products=20, cpu_seconds=1.0)
    costs = {"presentations": None, "inner_products": 0.0, "cpu_seconds": 0.0}
    assert counted(limit, costs) == Limit(inner_products=20, cpu_seconds=1.0)


def test_reached_and_fraction_follow_the_first_limit() -> None:
    limit = Limit(iterations=100, kernel_evaluations=1000)
    assert fraction_used(limit, {"iterations": 10, "kernel_evaluations": 500}) == 0.5
    assert not reached(limit, {"iterations": 99, "kernel_evaluations": 999})
    assert reached(limit, {"iterations": 1, "kernel_evaluations": 1000})
    assert fraction_used(limit, {"iterations": 1000, "kernel_evaluations": 0}) == 1.0
    assert fraction_used(Limit(), {"iterations": 3}) == 0.0
    assert not reached(Limit(), {"iterations": 3})
