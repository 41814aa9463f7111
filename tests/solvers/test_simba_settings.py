"""SIMBA's settings: those that are refused, and those that change the steps."""

from __future__ import annotations

import numpy as np
import pytest
from cases import solver
from simba_problems import ball, linear

from svm_cost_curves.solvers import Gaussian, Limit, LinearSnapshot, Problem, SettingsError
from svm_cost_curves.solvers.simba import LearningRate


@pytest.mark.parametrize("nu", [-0.1, 1.0 + 1e-9, 5.0, np.nan])
def test_nu_outside_its_range(nu: float) -> None:
    X, y = ball()
    with pytest.raises(SettingsError, match=r"nu.* must "):
        solver("simba", linear(X, y, nu))


def test_no_nu() -> None:
    with pytest.raises(SettingsError, match=r"slack-constrained form: set problem\.nu"):
        solver("simba", linear(*ball(), nu=None))


def test_one_class() -> None:
    X, y = ball()
    with pytest.raises(SettingsError, match=r"labels are -1 and \+1, both present"):
        solver("simba", linear(X, np.ones_like(y)))


def test_another_kernel() -> None:
    X, y = ball()
    with pytest.raises(SettingsError, match="kernel=linear"):
        solver("simba", Problem(X, y, Gaussian(1.0), nu=0.1))


def test_the_printed_rate_has_no_horizon() -> None:
    printed = {"learning_rate": LearningRate.printed}
    with pytest.raises(SettingsError, match=r"algo\.learning_rate=printed shrinks with t: leave out algo\.horizon"):
        solver("simba", linear(*ball()), horizon=100, **printed)
    runs = [solver("simba", linear(*ball()), **own) for own in ({}, printed, {"clip": False})]
    for run in runs:
        run.advance(Limit(iterations=200))
    usual, *others = (run.snapshot() for run in runs)
    assert isinstance(usual, LinearSnapshot)
    for other in others:
        assert isinstance(other, LinearSnapshot)
        assert not np.array_equal(usual.weights, other.weights)


@pytest.mark.parametrize("horizon", [0, -5])
def test_horizon_below_one(horizon: int) -> None:
    with pytest.raises(SettingsError, match=rf"algo\.horizon must be .*>= 1.* got {horizon}"):
        solver("simba", linear(*ball()), horizon=horizon)
