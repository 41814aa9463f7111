"""Settings and features at the ends of their ranges: refused by name, or a predictor that is finite and not 0."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, get_type_hints

import numpy as np
import pytest
from cases import points, run, solver
from numpy.typing import NDArray
from scipy import sparse

from svm_cost_curves import solvers
from svm_cost_curves.solvers import (
    Gaussian,
    Kernel,
    Limit,
    Linear,
    Polynomial,
    Problem,
    RowPolicy,
    SettingsError,
    Solver,
    Status,
    _core,
    libsvm,
)
from svm_cost_curves.solvers.errors import FeatureRangeError
from svm_cost_curves.solvers.precision import Precision

N = 24
X, Y = points(N, 3)
SIZES = {"features": 8, "batch_size": 4, "pairs": 8}
NARROWER = "mpu", "svmsgd", "sgdqn", "sklearn_sgd", "sklearn_nystroem", "ocas", "svmperf", "cpny", "cpsp"
"""Solvers that refuse some combinations of lambda and the size of the features, in words of their own."""
BY_SOLVER = pytest.mark.parametrize("name", solvers.names())


def problem(name: str, scale: float = 1.0, **given: Any) -> Problem:
    """A problem that the solver accepts, with features multiplied by `scale`."""
    kind = solvers.get(name)
    kernel = Gaussian(2.0 * scale**2) if "gaussian" in kind.kernels else Linear()
    settings = {"lambda_": 0.1, "nu": 0.1, "bias": min(kind.biases), **given}
    values = (X.astype(np.float64) * scale).astype(np.float32)
    return Problem(values, Y, kernel, rows=RowPolicy("on_the_fly", threads=1), **settings)


def sizes(name: str) -> dict[str, int]:
    return {key: value for key, value in SIZES.items() if key in solvers.get(name).Settings.__dataclass_fields__}


def values_of(made: Solver) -> NDArray[np.float64]:
    """Coefficients, weights, or values at the training points."""
    snapshot: Any = made.snapshot()
    for name in ("coefficients", "weights"):
        if hasattr(snapshot, name):
            return np.append(getattr(snapshot, name), snapshot.bias)
    return np.asarray(snapshot.decision_values(made.problem.X))


def check(name: str, **given: Any) -> bool:
    """Whether the solver accepts these settings, of the problem or its own. Then its predictor is sound."""
    of_problem = {key: given.pop(key) for key in ("lambda_", "scale") if key in given}
    try:
        p = problem(name, **of_problem)
        made = solver(name, p, 1, **{**sizes(name), **given})
        status = made.advance(Limit(iterations=60, presentations=None if "presentations" in made.uncounted else 60 * N))
    except SettingsError:
        return False
    values = values_of(made)
    assert np.isfinite(values).all(), given
    assert values[:-1].any() or status is Status.CONVERGED, given  # 0 is accurate enough for a large tolerance
    if made.resumes:
        again = solver(name, p, 1, **{**sizes(name), **given})
        again.restore(made.state())  # its own state is never refused
        assert values_of(again).tobytes() == values.tobytes()
    return True


@BY_SOLVER
def test_regularisation_at_the_ends_of_its_range(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(libsvm, "MAX_ITERATIONS", 10_000)
    for lambda_ in (1.1e-30, 1e-20, 1e-7, 1e7, 1e20, 0.9e30 / N):
        for scale in (1e-14, 1.0, 1e14):
            assert check(name, lambda_=lambda_, scale=scale) or name in NARROWER
    for lambda_ in (5e-324, 1e-300, 1e-45, 1e-31, 1e31, 1e100, 1e300):
        assert not check(name, lambda_=lambda_)


@BY_SOLVER
def test_every_number_among_the_settings_is_refused_or_harmless(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(libsvm, "MAX_ITERATIONS", 10_000)
    kind = solvers.get(name)
    for setting, hint in get_type_hints(kind.Settings).items():
        if hint in (float, float | None):
            for value in (5e-324, 1e-300, 1e-100, 1e-45, 1e-31, 1e-30, 1e-7, 1e7, 1e30, 1e31, 1e100, 1e155, 1e300):
                check(name, **{setting: value})


@pytest.mark.parametrize("name", ["svmsgd", "sgdqn"])
def test_float32_weights_neither_overflow_nor_vanish(name: str) -> None:
    ran = 0
    for lambda_ in (1e-29, 1e-15, 1.0, 1e15, 1e28):
        for scale in (1e-14, 1e-7, 1.0, 1e7, 1e14):
            for t0 in (None, 100.0, 1e10, 1e30):
                ran += check(name, lambda_=lambda_, scale=scale, t0=t0, precision=Precision.float32)
    assert ran > 40


def test_a_large_first_step_of_sbp_is_refused_and_not_a_predictor_of_zeros() -> None:
    for eta in (1e31, 1e155, 1e300, 1e-31, 5e-324):
        with pytest.raises(SettingsError, match=r"algo=sbp: eta sqrt\(max K\(x, x\)\) = .*between 1e-30 and 1e\+30"):
            solver("sbp", problem("sbp"), eta=eta)
    assert check("sbp", eta=1e30)
    assert check("sbp", eta=1e-30)


@pytest.mark.parametrize("accounting", _core.Accounting.__members__.values())
def test_the_support_of_pegasos_with_projection_is_that_of_its_coefficients(accounting: Any) -> None:
    """Projections with a small lambda multiply coefficients by factors whose product underflows."""
    X, y = points(150, 4)
    rows = Problem(X, y, Gaussian(0.5), rows=RowPolicy("gram", threads=1)).rows.source
    make = lambda: _core.Pegasos(rows, lambda_=1e-7, project=True, accounting=accounting, seed=1)  # noqa: E731
    made, before, seen = make(), 0, False
    for steps in range(20, 3001, 20):
        made.advance(iterations=steps)
        state = made.state()
        support = np.count_nonzero(state["beta"])
        assert state["rows.support"] == support
        make().restore(state)
        seen, before = seen or support < before, support
    assert seen  # an example has left the support


KERNELS: list[Kernel] = [Linear(), Gaussian(1e-40), Gaussian(1.0), Polynomial(2, 1.0, 1.0), Polynomial(2, 1e30, 0.0)]


@pytest.mark.parametrize("wrap", [np.asarray, sparse.csr_matrix], ids=["dense", "csr"])
@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_features_whose_kernel_values_would_be_0_are_refused_as_too_small(kernel: Kernel, wrap: Any) -> None:
    for scale in (1e-16, 1e-19, 1e-23, 1e-30, 1e-44):
        tiny = (X.astype(np.float64) * scale).astype(np.float32)
        with pytest.raises(FeatureRangeError, match=r"too small for kernel=\w+: the largest \|x\|\^2 is .*scale the"):
            Problem(wrap(tiny), Y, kernel, lambda_=0.1)
    tiny[0, 0] = 1.0  # the others are 0 compared with it
    if kernel not in (Gaussian(1e-40), Polynomial(2, 1e30, 0.0)):
        Problem(wrap(tiny), Y, kernel, lambda_=0.1)
        Problem(wrap(np.zeros_like(X)), Y, kernel, lambda_=0.1)  # nothing has been lost


def test_a_width_that_is_too_small_is_not_blamed_on_the_features() -> None:
    small = (X / 100.0).astype(np.float32)
    with pytest.raises(SettingsError, match=r"^gaussian kernel: sigma2 is too small, since gamma = 5e\+39"):
        Problem(small, Y, Gaussian(1e-40), lambda_=0.1)


def test_a_polynomial_of_small_values_is_refused() -> None:
    with pytest.raises(FeatureRangeError, match=r"reaches only .* take a larger gamma or a smaller degree"):
        Problem((X * 1e-3).astype(np.float32), Y, Polynomial(16, 1e-3, 0.0), lambda_=0.1)


def test_a_solver_that_converges_in_its_last_iteration_says_so() -> None:
    whole = run("perceptron", problem("perceptron"), Limit(iterations=100_000), seed=3)
    used = whole.counters.iterations
    assert used is not None
    assert used < 100_000
    made = solver("perceptron", problem("perceptron"), 3)
    assert made.advance(Limit(iterations=used)) is Status.CONVERGED
    assert dataclasses.asdict(made.counters) == dataclasses.asdict(whole.counters)


@pytest.mark.parametrize("value", [math.nan, math.inf, -1.0, 0.0])
def test_regularisation_is_a_positive_number(value: float) -> None:
    with pytest.raises(SettingsError, match=r"lambda = .*: it must be positive, from 1e-30 to 1e\+30"):
        problem("sbp", lambda_=value)
