"""Nystrom features beside scikit-learn's, presentations of ASSET beside SGDClassifier's; CPU seconds, one thread."""

from __future__ import annotations

import pytest
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import SGDClassifier

from benchmarks import data
from benchmarks.measure import Comparisons, cpu_seconds
from svm_cost_curves.solvers import Gaussian, Limit, Problem, RowPolicy
from svm_cost_curves.solvers.asset import Asset, AssetSettings
from svm_cost_curves.solvers.nystrom import Nystrom

SIGMA2, C = 50.0, 100.0  # the paper's, for MNIST
FEATURES = 1024
EPOCHS = 5


def _problem() -> Problem:
    mnist = data.load("mnist")
    return Problem(mnist.X, mnist.y, Gaussian(SIGMA2), lambda_=1.0 / (C * mnist.n), rows=RowPolicy(threads=1))


def benchmark_nystrom(table: Comparisons) -> None:
    """Compare the time of the features of all training points."""
    problem = _problem()

    def library() -> float:
        model = Nystroem(gamma=0.5 / SIGMA2, n_components=FEATURES, random_state=0)
        return cpu_seconds(lambda: model.fit_transform(problem.X))

    table.alternate(
        f"Nystrom features / scikit-learn's Nystroem; MNIST, {problem.n:,} x {problem.d:,}, s = {FEATURES:,}",
        lambda: cpu_seconds(lambda: Nystrom.sample(problem, FEATURES, 1e-16, seed=0).of_training_points()),
        library,
        at_most=0.7,
    )


@pytest.mark.parametrize("size", [256, FEATURES, 4096])
def benchmark_asset(size: int, table: Comparisons) -> None:
    """Compare presentations a second, by number of features."""
    problem = _problem()
    solver = Asset(problem, AssetSettings(features=size), seed=0)
    solver.advance(Limit(iterations=1))
    features, *_ = solver.nystrom.of_training_points()
    model = SGDClassifier(alpha=problem.require_lambda(), fit_intercept=False, max_iter=EPOCHS, tol=None)
    presented = EPOCHS * problem.n

    def ours() -> float:
        before = solver.cpu_seconds
        solver.advance(Limit(iterations=(solver.counters.iterations or 0) + presented))
        return presented / (solver.cpu_seconds - before)

    table.alternate(
        f"ASSET / SGDClassifier(loss='hinge'), presentations a second, {EPOCHS} epochs; MNIST, {problem.n:,} x "
        f"{features.shape[1]:,} Nystrom features",
        ours,
        lambda: presented / cpu_seconds(lambda: model.fit(features, problem.y)),
        "/s",
        at_least=3.0,
    )
