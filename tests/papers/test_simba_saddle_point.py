"""The optimum of the saddle problem against other ways to find it, and its certificates."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import linprog, minimize

from svm_cost_curves.experiments.papers.simba import saddle_point as module
from svm_cost_curves.experiments.papers.simba.saddle_point import LARGEST_SLACK, PRECISION, optimum, saddle_value

Array = NDArray[np.float64]

responses = st.lists(st.floats(-2, 2) | st.integers(-2, 2).map(float), min_size=1, max_size=9).map(np.array)


def problem(n: int, d: int, seed: int) -> tuple[Array, Array]:
    """Points in the unit ball, the longest of them on its surface, and labels that no hyperplane separates."""
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(n, d))
    y = np.where(X[:, 0] + 0.8 * generator.normal(size=n) > 0, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    return X / np.linalg.norm(X, axis=1).max(), y


def value_of(X: Array, y: Array, w: Array, b: float, nu: float) -> float:
    return saddle_value(y * (X @ w + b), len(y) * nu)


def values_of(responses: Array, volume: float) -> Array:
    """The same of many rows of responses: the lowest k lifted to one level, for the k that the slack suffices for."""
    ordered = np.sort(responses, axis=1)
    levels = (volume + np.cumsum(ordered, axis=1)) / np.arange(1, ordered.shape[1] + 1)
    following = np.append(ordered[:, 1:], np.full((len(ordered), 1), np.inf), axis=1)
    last = np.argmax(levels <= following, axis=1)
    return np.minimum(levels[np.arange(len(levels)), last], ordered[:, 0] + LARGEST_SLACK)


@given(responses, st.floats(0, 30))
def test_the_value_of_a_predictor_is_the_linear_program_s(values: Array, volume: float) -> None:
    # variables xi and gamma: gamma <= c_i + xi_i
    n = len(values)
    rows = np.vstack([np.hstack([-np.eye(n), np.ones((n, 1))]), np.append(np.ones(n), 0.0)])
    bounds = [(0.0, LARGEST_SLACK)] * n + [(None, None)]
    answer = linprog(np.append(np.zeros(n), -1.0), A_ub=rows, b_ub=[*values, volume], bounds=bounds)
    assert saddle_value(values, volume) == pytest.approx(-answer.fun, abs=1e-6)  # its feasibility is up to 1e-7


def test_values_by_hand() -> None:
    assert saddle_value(np.array([0.5, -0.25]), 0.0) == -0.25  # no slack: the lowest response
    assert saddle_value(np.array([0.0, 1.0, 5.0]), 3.0) == pytest.approx(2.0)
    assert saddle_value(np.array([0.0, 5.0]), 3.0) == pytest.approx(2.0)  # 3 would fit, but a slack is 2 at most


def test_one_dimension_by_hand() -> None:
    # without slack both points ask for the same w: min(0.5 w, 1 w) at w = 1
    assert optimum(np.array([[0.5], [-1.0]]), np.array([1.0, -1.0]), 0.0).lower == pytest.approx(0.5)
    # a slack of 2 * 0.1 in all lifts the lower one
    assert optimum(np.array([[0.5], [-1.0]]), np.array([1.0, -1.0]), 0.1).lower == pytest.approx(0.7)
    # opposite points of one class: w = 0 is as good as any; a bias serves both
    twins = np.array([[1.0], [-1.0], [0.0]]), np.array([1.0, 1.0, -1.0])
    assert optimum(*twins, 0.0).lower == pytest.approx(0.0)


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("d", [1, 2])
@given(st.integers(0, 2**32 - 1), st.floats(0, 1))
@settings(max_examples=8)
def test_no_point_of_a_fine_grid_is_better(bias: bool, d: int, seed: int, nu: float) -> None:
    X, y = problem(9, d, seed)
    found = optimum(X, y, nu, bias=bias)
    angles, radii, shifts = (
        np.linspace(0, 2 * np.pi, 73),
        np.linspace(0, 1, 21),
        np.linspace(-1, 1, 21) if bias else [0.0],
    )
    directions = np.stack([np.cos(angles), np.sin(angles)], axis=1) if d == 2 else np.array([[1.0], [-1.0]])
    weights = np.concatenate([r * directions for r in radii])
    values = [values_of(y * (weights @ X.T + b), len(y) * nu) for b in shifts]
    shift, place = np.unravel_index(np.argmax(values), np.shape(values))
    best = value_of(X, y, weights[place], shifts[shift], nu)
    assert best == pytest.approx(values[shift][place], abs=1e-12)
    assert found.upper >= best - 1e-9
    # a value changes by no more than w and b do: some point of the grid is half a step away from the best
    assert best >= found.lower - (0.025 + np.pi / 72 * (d - 1) + 0.05 * bias)


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize(("n", "d", "nu"), [(30, 4, 0.05), (40, 3, 0.5), (15, 6, 0.0), (25, 5, 1.0)])
def test_bounds_hold_and_agree_with_another_method(n: int, d: int, nu: float, bias: bool) -> None:
    X, y = problem(n, d, seed=n)
    found = optimum(sp.csr_matrix(X), y, nu, bias=bias)
    assert 0 <= found.upper - found.lower <= PRECISION
    # below: a predictor that is allowed, and has this value
    assert np.linalg.norm(found.weights) <= 1 + 1e-12
    assert abs(found.bias) <= float(bias)
    assert value_of(X, y, found.weights, found.bias, nu) == pytest.approx(found.lower, abs=1e-12)
    # above: a distribution, whose best answer in w, b and xi is a linear program once w's own is known
    p = found.distribution
    assert p.min() >= 0
    assert p.sum() == pytest.approx(1.0)
    shift = abs(float(p @ y)) if bias else 0.0
    assert found.upper == pytest.approx(np.linalg.norm((p * y) @ X) + shift + best_slack(p, n * nu), abs=1e-9)
    # and the other method comes to the same
    assert primal_by_slsqp(X, y, nu, bias) == pytest.approx(found.lower, abs=1e-5)


def best_slack(p: Array, volume: float) -> float:
    """Most that slack can make of a distribution, by a linear program."""
    answer = linprog(-p, A_ub=np.ones((1, len(p))), b_ub=[volume], bounds=(0.0, LARGEST_SLACK))
    return -float(answer.fun)


def primal_by_slsqp(X: Array, y: Array, nu: float, bias: bool) -> float:
    """Solve the same problem as a smooth one with one quadratic constraint, from several starts."""
    n, d = X.shape
    Z = y[:, None] * X
    size = d + 1 + n + 1  # w, b, xi, gamma
    lifted = np.hstack([Z, y[:, None], np.eye(n), -np.ones((n, 1))])
    cost = np.append(np.zeros(size - 1), -1.0)
    constraints = [
        {"type": "ineq", "fun": lambda z: lifted @ z, "jac": lambda z: lifted},
        {"type": "ineq", "fun": lambda z: n * nu - z[d + 1 : -1].sum()},
        {"type": "ineq", "fun": lambda z: 1 - z[:d] @ z[:d]},
    ]
    free = float(bias)
    bounds = [(-1, 1)] * d + [(-free, free)] + [(0, LARGEST_SLACK)] * n + [(None, None)]
    values = []
    for seed in range(3):
        w = np.random.default_rng(seed).normal(size=d)
        start = np.concatenate([0.5 * w / np.linalg.norm(w), [0.0], np.full(n, min(nu, 2.0)), [-2.0]])
        answer = minimize(
            lambda z: float(cost @ z), start, jac=lambda z: cost, bounds=bounds, constraints=constraints,
            method="SLSQP", options={"maxiter": 500, "ftol": 1e-10},
        )  # fmt: skip
        found, b = answer.x[:d], float(np.clip(answer.x[d], -free, free))
        values.append(value_of(X, y, found / max(1.0, float(np.linalg.norm(found))), b, nu))
    return max(values)


def test_a_failed_linear_program_raises() -> None:
    with pytest.raises(RuntimeError, match="linear program"):
        optimum(np.ones((2, 1)), np.array([1.0, -1.0]), -1.0)


def test_few_programs_still_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = problem(40, 6, seed=1)
    exact = optimum(X, y, 0.1)
    monkeypatch.setattr(module, "PROGRAMS", 2)
    rough = optimum(X, y, 0.1)
    assert rough.lower <= exact.lower + PRECISION
    assert rough.upper >= exact.upper - PRECISION
    assert rough.upper - rough.lower > PRECISION
