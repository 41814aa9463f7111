"""LIBLINEAR and scikit-learn's SGD, the latter on Nystrom features, too: the optimum, passes, clocks."""

from __future__ import annotations

import warnings
from dataclasses import astuple
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import reference
from cases import STORAGE, Array, coefficients, dense, feature_values, points, primal, run, solver, weights
from reference import kernel_matrix
from scipy import sparse
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import SGDClassifier
from sklearn.pipeline import make_pipeline

from svm_cost_curves.solvers import Gaussian, Limit, Linear, Polynomial, Problem, Status
from svm_cost_curves.solvers.features import Features
from svm_cost_curves.solvers.passes import Passes

N, D, LAMBDA = 150, 8, 0.02


def peer_problem(*, as_csr: bool = False, seed: int = 0, **settings: Any) -> Problem:
    X, y = points(N, D, seed, zeros=0.6)
    X[:, 3] *= X[:, 4] != 0.0  # so that features in order of frequency are not those of the data
    settings = {"kernel": Linear(), "lambda_": LAMBDA, **settings}
    return Problem(sparse.csr_matrix(X) if as_csr else X, y, **settings)


def test_liblinear_stops_at_the_optimum() -> None:
    p = peer_problem()
    assert (np.diff(p.feature_order) < 0).any()
    best = coefficients(run("smo", p, tolerance=1e-7)) @ feature_values(p)
    with warnings.catch_warnings(record=True) as caught:
        liblinear = run("liblinear", p, Limit(iterations=2), tolerance=1e-7)
        assert liblinear.advance(Limit(iterations=10**6)) is Status.CONVERGED
    assert not caught
    assert primal(p, weights(liblinear)) == pytest.approx(primal(p, best), rel=1e-6)
    np.testing.assert_allclose(weights(liblinear), best, atol=1e-3)


@pytest.mark.parametrize("name", ["sklearn_sgd", "sklearn_nystroem"])
def test_scikit_learns_sgd_converges_to_the_optimum(name: str) -> None:
    """With features of all points to that of the kernel problem."""
    p = peer_problem() if name == "sklearn_sgd" else peer_problem(kernel=Gaussian(2.0))
    K, y = kernel_matrix(p.kernel, dense(p), dense(p)), p.y.astype(np.float64)
    best = reference.primal(K, y, coefficients(run("smo", p, tolerance=1e-7)), LAMBDA)
    excess = []
    for k in (1, 20, 2000):
        made = run(name, p, Limit(iterations=k), **({"features": N} if name == "sklearn_nystroem" else {}))
        reached = (
            primal(p, weights(made)) if name == "sklearn_sgd" else reference.primal(K, y, coefficients(made), LAMBDA)
        )
        excess.append(reached - best)
    assert 0.0 < 20 * excess[2] < 4 * excess[1] < excess[0]
    assert excess[2] < 2e-3


@pytest.mark.parametrize("tolerance", [1.0, 0.3, 0.01, 1e-4])
def test_passes_of_liblinear_do_not_depend_on_later_passes(tolerance: float) -> None:
    """Where it stops by itself after m passes of many that it may make, it is where m passes take it."""
    p = peer_problem()
    whole = run("liblinear", p, Limit(iterations=10**5), tolerance=tolerance)
    passes = whole.counters.iterations
    assert 1 < passes < 10**5
    cut = run("liblinear", p, Limit(iterations=passes), tolerance=tolerance)
    np.testing.assert_array_equal(weights(cut), weights(whole))
    earlier = run("liblinear", p, Limit(iterations=passes - 1), tolerance=tolerance)
    assert earlier.counters.iterations == passes - 1


@pytest.mark.parametrize("patience", [2, 5, 20])
def test_passes_of_sgd_do_not_depend_on_later_passes(patience: int) -> None:
    """As above: scikit-learn stopped by a rule on its losses, and the peer after as many passes."""
    p = peer_problem(as_csr=True)
    peer = solver("sklearn_sgd", p, seed=7)
    model = peer.model(10**4, peer._library_seed)
    model.set_params(tol=1e-3, n_iter_no_change=patience).fit(p.X, p.y)
    assert 1 < model.n_iter_ < 10**4
    peer.advance(Limit(iterations=model.n_iter_))
    np.testing.assert_array_equal(p.in_data_order(weights(peer)), model.coef_.ravel())


@pytest.mark.parametrize("name", ["liblinear", "sklearn_sgd"])
def test_seeds_and_forms_of_the_data(name: str) -> None:
    def after(seed: int, as_csr: bool) -> Array:
        return weights(run(name, peer_problem(as_csr=as_csr), Limit(iterations=3), seed))

    np.testing.assert_array_equal(after(2**63 - 1, False), after(2**63 - 1, True))
    assert (after(0, False) != after(1, False)).any()


@pytest.mark.parametrize("name", ["liblinear", "sklearn_sgd", "sklearn_nystroem"])
def test_passes_are_counted_however_a_budget_is_divided(name: str) -> None:
    """Features are computed anew, and timed, for each number of passes."""
    kernel, settings = (Gaussian(2.0), {"features": 20}) if name == "sklearn_nystroem" else (Linear(), {})
    p = peer_problem(kernel=kernel)
    whole, cut = run(name, p, Limit(iterations=12), **settings), solver(name, p, **settings)
    for k in (1, 5, 3, 12):
        cut.advance(Limit(iterations=k))
    assert cut.counters == whole.counters
    assert astuple(cut.counters) == (12, None if name == "liblinear" else 12 * N, None, None, None, None)
    predictor = coefficients if name == "sklearn_nystroem" else weights
    np.testing.assert_array_equal(predictor(cut), predictor(whole))
    assert cut.cost == "iterations"
    assert cut.cpu_seconds > 0.0


@pytest.mark.parametrize("kernel", [Gaussian(2.0), Polynomial(2, 0.3, 1.0), Linear()], ids=str)
@STORAGE
def test_the_expansion_is_scikit_learns_function(kernel: Any, as_csr: bool) -> None:
    p = peer_problem(as_csr=as_csr, kernel=kernel)
    peer = run("sklearn_nystroem", p, Limit(iterations=5), 3, features=20)
    names = {"gaussian": "rbf", "polynomial": "poly", "linear": "linear"}
    parameters: dict[str, Any] = {"gamma": 0.25} if isinstance(kernel, Gaussian) else {}
    parameters |= {"gamma": 0.3, "coef0": 1.0, "degree": 2} if isinstance(kernel, Polynomial) else {}
    seed = peer._library_seed
    features = Nystroem(kernel=names[kernel.name], n_components=20, random_state=seed, **parameters)
    sgd = SGDClassifier(alpha=LAMBDA, fit_intercept=False, tol=None, max_iter=5, random_state=seed)
    whole = make_pipeline(features, sgd).fit(p.X.astype(np.float64), p.y)
    others = points(40, D, 9)[0]
    snapshot = peer.snapshot()
    assert np.flatnonzero(snapshot.coefficients).size == 20
    values = kernel_matrix(kernel, others.astype(np.float64), dense(p)) @ snapshot.coefficients
    expected = whole.decision_function(others.astype(np.float64))
    np.testing.assert_allclose(values, expected, rtol=0, atol=1e-7 * np.abs(snapshot.coefficients).sum())


class Stub(Passes):
    """A library on a clock of its own: so many seconds a pass. It stops by itself after 100 passes."""

    name = "stub"
    rates = (0.125,)

    def __init__(self) -> None:
        self.now, self.asked = 0.0, list[int]()
        super().__init__(peer_problem(), None, 0)

    def cpu_clock(self) -> float:
        return self.now

    def data(self) -> Features:
        return self.problem.X

    def model(self, passes: int, seed: int) -> Any:
        def fit(X: Features, y: Array) -> None:
            if X.shape[0] < N:
                return
            self.now += min(passes, 100) * self.rates[min(len(self.asked), len(self.rates) - 1)]
            self.asked.append(passes)

        return SimpleNamespace(fit=fit, n_iter_=min(passes, 100), coef_=np.zeros((1, D)))


def test_a_number_of_passes_takes_one_run_and_its_time() -> None:
    stub = Stub()
    assert stub.advance(Limit(presentations=5 * N - 1, cpu_seconds=0.2)) is Status.PRESENTATIONS
    assert (stub.asked, stub.cpu_seconds, stub.counters.iterations) == ([5], 0.625, 5)
    stub.advance(Limit(iterations=8, presentations=100 * N))
    stub.advance(Limit(iterations=8))
    assert (stub.asked, stub.cpu_seconds, stub.counters.presentations) == ([5, 8], 1.0, 8 * N)


def test_passes_are_doubled_until_the_time_is_over_or_the_library_stops() -> None:
    stub = Stub()
    assert stub.advance(Limit(cpu_seconds=0.75)) is Status.CPU_SECONDS
    assert (stub.asked, stub.cpu_seconds) == ([1, 2, 4, 8], 1.0)
    assert stub.advance(Limit(cpu_seconds=1.0)) is Status.CPU_SECONDS
    assert stub.advance(Limit()) is Status.CONVERGED
    assert (stub.asked[4:], stub.counters.iterations, stub.cpu_seconds) == ([16, 32, 64, 128], 100, 12.5)


def test_the_clock_never_goes_back() -> None:
    stub = Stub()
    stub.rates = (0.25, 0.125, 0.125)
    clocks = []
    for k in (4, 5, 10):
        stub.advance(Limit(iterations=k))
        clocks.append(stub.cpu_seconds)
    assert clocks == [1.0, 1.0, 1.25]
