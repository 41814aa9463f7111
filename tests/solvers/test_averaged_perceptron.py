"""The averaged Perceptron against the Perceptron of the core, whose examples and mistakes it shares."""

from __future__ import annotations

import numpy as np
import pytest
from cases import gram, problem, solver

from svm_cost_curves.solvers import Limit, Linear, Problem, Solver, Status


@pytest.fixture
def both() -> tuple[Solver, Solver]:
    p = problem(70, flips=0.2)
    return solver("averaged_perceptron", p, seed=9), solver("perceptron", p, seed=9)


def test_the_predictor_is_the_mean_of_the_perceptrons_iterates(both: tuple[Solver, Solver]) -> None:
    averaged, plain = both
    total = np.zeros(70)
    for step in range(1, 400):
        for each in both:
            each.advance(Limit(iterations=step))
        total += plain.snapshot().coefficients
        np.testing.assert_allclose(averaged.snapshot().coefficients, total / step, atol=1e-12, err_msg=f"look {step}")
    assert averaged.counters == plain.counters


def test_responses_belong_to_the_coefficients(both: tuple[Solver, Solver]) -> None:
    averaged, plain = both
    for each in both:
        each.advance(Limit(presentations=5 * 70))
    responses = averaged.problem.y * (gram(averaged.problem) @ plain.snapshot().coefficients)
    np.testing.assert_allclose(averaged._responses, responses, atol=1e-9)  # type: ignore[attr-defined]


@pytest.mark.parametrize("limit", [{"kernel_evaluations": 700}, {"presentations": 33}, {"iterations": 200}])
def test_interruptions_do_not_change_the_result(limit: dict[str, int]) -> None:
    whole, cut = (solver("averaged_perceptron", problem(70, flips=0.2), seed=1) for _ in range(2))
    whole.advance(Limit(**limit))
    for step in range(1, whole.counters.iterations + 1):
        assert cut.advance(Limit(iterations=step)) is Status.ITERATIONS
    assert cut.counters == whole.counters
    np.testing.assert_array_equal(cut.snapshot().coefficients, whole.snapshot().coefficients)
    name, value = next(iter(limit.items()))
    assert getattr(whole.counters, name) == value  # 700 evaluations are 10 mistakes


def test_it_stops_after_an_epoch_without_a_mistake() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 3)).astype(np.float32)
    y = np.where(X[:, 0] > 0, 1, -1)
    X[:, 0] += y.astype(np.float32)
    averaged = solver("averaged_perceptron", Problem(X, y, Linear(), rows=problem(10).policy))
    assert averaged.advance(Limit(presentations=1000 * 50)) is Status.CONVERGED
    looks = averaged.counters.iterations
    assert looks % 50 == 0
    assert averaged.advance(Limit()) is Status.CONVERGED
    assert averaged.counters.iterations == looks
