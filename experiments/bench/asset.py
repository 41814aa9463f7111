"""Benchmark 13: Nystrom features against scikit-learn's, and presentations of ASSET against SGDClassifier's."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from experiments.bench import data
from experiments.bench.measure import Row, alternate, median_ratio
from experiments.bench.memory import Watch
from solvers import Gaussian, Limit, Problem, RowPolicy
from solvers.asset import Asset, AssetSettings
from solvers.nystrom import Nystrom
from solvers.precision import FeaturesPrecision

SIGMA2, C = 50.0, 100.0  # the paper's, for MNIST
FEATURES = 1024
SIZES = (256, 1024, 4096)
BARS: dict[tuple[int, FeaturesPrecision], float] = {
    **{(size, FeaturesPrecision.float32): 3.0 for size in SIZES},
    (FEATURES, FeaturesPrecision.bfloat16): 4.0,
    (FEATURES, FeaturesPrecision.float16): 4.0,
}
"""Smallest ratio of presentations a second, by number of features and how ASSET stores them."""
EPOCHS = 5


def rows(repetitions: int) -> list[Row]:
    """Return the rows of both parts."""
    name, X, y = data.mnist_like(60_000)
    with threadpool_limits(1):
        return [*_features(name, _problem(X, y), repetitions), *_presentations(name, _problem(X, y), repetitions)]


def _problem(X: NDArray[np.float32], y: NDArray[np.int8]) -> Problem:
    return Problem(X, y, Gaussian(SIGMA2), lambda_=1.0 / (C * len(y)), rows=RowPolicy(threads=1))


def _features(name: str, problem: Problem, repetitions: int) -> Iterator[Row]:
    from sklearn.kernel_approximation import Nystroem

    def ours() -> float:
        start = time.process_time()
        Nystrom.sample(problem, FEATURES, 1e-16, seed=0).of_training_points()
        return time.process_time() - start

    def theirs() -> float:
        peer = Nystroem(gamma=0.5 / SIGMA2, n_components=FEATURES, random_state=0)
        start = time.process_time()
        peer.fit_transform(problem.X)
        return time.process_time() - start

    mine, other, ratio, spread = median_ratio(alternate(ours, theirs, repetitions))
    size = f"{name}, {problem.n:,} x {problem.d:,}, s = {FEATURES:,}"
    what = f"Nystrom features / scikit-learn's Nystroem, CPU seconds on one thread; {size}"
    yield Row(what, f"{mine:.2f} s", f"{other:.2f} s", ratio, 0.7, spread=spread)

    with Watch() as watch:
        features, *_ = Nystrom.sample(problem, FEATURES, 1e-16, seed=0).of_training_points()
    used = (watch.highest - watch.start) / 2**30
    own = features.nbytes / 2**30
    what = f"memory while they are made, less V / 1 GiB (the whole machine's: nothing else may run); {size}"
    yield Row(what, f"{used:.2f} GiB", f"V: {own:.2f} GiB", used - own, 1.0)


def _presentations(name: str, problem: Problem, repetitions: int) -> Iterator[Row]:
    from sklearn.linear_model import SGDClassifier

    for (size, precision), bar in BARS.items():
        solver = Asset(problem, AssetSettings(features=size, features_precision=precision), seed=0)
        solver.advance(Limit(iterations=1))
        features, *_ = solver.nystrom.of_training_points()
        peer = SGDClassifier(alpha=problem.require_lambda(), fit_intercept=False, max_iter=EPOCHS, tol=None)

        def ours(solver: Asset = solver) -> float:
            start, done = solver.cpu_seconds, solver.counters.iterations or 0
            solver.advance(Limit(iterations=done + EPOCHS * problem.n))
            return EPOCHS * problem.n / (solver.cpu_seconds - start)

        def theirs(peer: SGDClassifier = peer, features: NDArray[np.float32] = features) -> float:
            start = time.process_time()
            peer.fit(features, problem.y)
            return EPOCHS * problem.n / (time.process_time() - start)

        mine, other, ratio, spread = median_ratio(alternate(ours, theirs, repetitions))
        what = (
            f"ASSET / SGDClassifier(loss='hinge'), presentations a second on one thread, {EPOCHS} epochs; {name}, "
            f"{problem.n:,} x {features.shape[1]:,} Nystrom features, {precision.value} / float32"
        )
        yield Row(what, f"{mine / 1e6:.2f} M/s", f"{other / 1e6:.2f} M/s", ratio, bar, at_most=False, spread=spread)
