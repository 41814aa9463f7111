"""The optimum of the saddle problem: its certificates, and values by hand and by linear programs."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import linprog

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


@given(st.integers(5, 40), st.integers(1, 6), st.integers(0, 2**32 - 1), st.floats(0, 1), st.booleans())
@settings(max_examples=25, deadline=None)
def test_certificates_from_both_sides(n: int, d: int, seed: int, nu: float, bias: bool) -> None:
    """Bounds that both hold and lie close together are the optimum, whatever found them."""
    X, y = problem(n, d, seed)
    best = optimum(sp.csr_matrix(X), y, nu, bias=bias)
    assert -1e-12 <= best.upper - best.lower <= PRECISION  # rounding may exchange two equal bounds
    # below: a predictor that is allowed, and has this value
    assert np.linalg.norm(best.weights) <= 1 + 1e-12
    assert abs(best.bias) <= float(bias)
    assert saddle_value(y * (X @ best.weights + best.bias), n * nu) == pytest.approx(best.lower, abs=1e-12)
    # above: a distribution, whose best answer in w, b and xi is a linear program once w's own is known
    p = best.distribution
    assert p.min() >= 0
    assert p.sum() == pytest.approx(1.0)
    shift = abs(float(p @ y)) if bias else 0.0
    slack = linprog(-p, A_ub=np.ones((1, n)), b_ub=[n * nu], bounds=(0.0, LARGEST_SLACK))
    assert best.upper == pytest.approx(np.linalg.norm((p * y) @ X) + shift - slack.fun, abs=1e-9)


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
