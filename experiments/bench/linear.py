"""Benchmark 9: linear Pegasos against scikit-learn's SGDClassifier, and SVMSGD against a plain loop in C++.

Examples a second on the same CSR.
"""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from threadpoolctl import threadpool_limits

from experiments.bench import sparse as sparse_data
from experiments.bench.measure import Row, alternate, median_ratio
from experiments.bench.plain_svmsgd import PlainSvmSgd
from solvers import Limit, Linear, LinearSnapshot, Problem, Snapshot, get
from solvers.precision import Precision

LAMBDA = 1e-4
EPOCHS = 100
AGAINST_PLAIN = ("adult", "rcv1_ccat_subset", "newsgroups_binary")
T0 = 1e4


def rows(repetitions: int) -> list[Row]:
    """Return the rows of both parts."""
    with threadpool_limits(1):
        found = ((name, sparse_data.real(name)) for name in AGAINST_PLAIN)
        pegasos = _pegasos(repetitions)
        return [*pegasos, *(_svmsgd(name, *data, repetitions) for name, data in found if data is not None)]


def _svmsgd(name: str, X: sparse.csr_matrix, y: NDArray[np.int8], repetitions: int) -> Row:
    """Return the ratio of examples per second in float32, given t0; both make the same EPOCHS n updates."""
    problem = Problem(X, y, Linear(), lambda_=1.0 / X.shape[0])
    looks = EPOCHS * problem.n
    ends: dict[str, NDArray[np.float64]] = {}

    def ours() -> float:
        kind = get("svmsgd")
        solver = kind(problem, kind.Settings(t0=T0, precision=Precision.float32), seed=0)
        solver.advance(Limit(presentations=looks))
        ends["ours"] = problem.in_data_order(_weights(solver.snapshot()))
        return looks / solver.cpu_seconds

    with PlainSvmSgd(X[problem.order], problem.y, seed=0) as plain:

        def theirs() -> float:
            ends["theirs"], seconds = plain.run(EPOCHS, 1.0 / X.shape[0], T0)
            return looks / seconds

        mine, peer, ratio, spread = median_ratio(alternate(ours, theirs, repetitions))
    apart = np.linalg.norm(ends["ours"] - ends["theirs"]) / np.linalg.norm(ends["theirs"])
    what = (
        "SVMSGD in float32 / a plain loop of the same updates in C++ (-O3 -march=native -ffast-math), examples a "
        f"second, {name}, {X.shape[0]:,} x {X.shape[1]:,}, {EPOCHS} epochs, C = 1, one thread; the weights differ by "
        f"a share of {apart:.1g}"
    )
    return Row(what, f"{mine / 1e6:.2f} M/s", f"{peer / 1e6:.2f} M/s", ratio, 1.0, at_most=False, spread=spread)


def _pegasos(repetitions: int) -> list[Row]:
    """Return the ratios of examples per second; all visit EPOCHS n examples, with one margin test for each.

    The library stores weights in the data's type, float32.
    """
    loaded = sparse_data.real("rcv1_ccat_subset")
    name = "rcv1_ccat_subset" if loaded is not None else "points like texts"
    X, y = loaded or sparse_data.text(16_000, 47_000, 73)
    looks = EPOCHS * X.shape[0]

    def ours(precision: Precision) -> float:
        kind = get("pegasos")
        solver = kind(Problem(X, y, Linear(), lambda_=LAMBDA), kind.Settings(precision=precision), seed=0)
        solver.advance(Limit(presentations=looks))
        return looks / solver.cpu_seconds

    def theirs() -> float:
        sgd = _sgd(max_iter=EPOCHS)
        before = time.thread_time()
        sgd.fit(X, y)
        return looks / (time.thread_time() - before)

    shares = _updates_of_pegasos(X, y), _updates_of_sgd(X, y)
    made = []
    for precision in (Precision.float32, Precision.float64):
        mine, peer, ratio, spread = median_ratio(alternate(partial(ours, precision), theirs, repetitions))
        what = (
            f"Pegasos / SGDClassifier(loss='hinge'), weights in {precision.value} / float32, examples a second, "
            f"{name}, {X.shape[0]:,} x {X.shape[1]:,}, {EPOCHS} epochs, lambda = {LAMBDA:g}, one thread; of them "
            f"{shares[0]:.0%} and {shares[1]:.0%} led to an update"
        )
        figures = f"{mine / 1e6:.2f} M/s", f"{peer / 1e6:.2f} M/s"
        made.append(Row(what, *figures, ratio, 2.0, at_most=False, spread=spread))
    return made


def _sgd(**settings: Any) -> Any:
    from sklearn.linear_model import SGDClassifier

    return SGDClassifier(
        loss="hinge", penalty="l2", alpha=LAMBDA, fit_intercept=False, tol=None, random_state=0, **settings
    )


def _updates_of_pegasos(X: sparse.csr_matrix, y: NDArray[np.int8]) -> float:
    kind = get("pegasos")
    problem = Problem(X, y, Linear(), lambda_=LAMBDA)
    solver = kind(problem, kind.Settings(), seed=0)
    shares = []
    for epoch in range(EPOCHS):
        solver.advance(Limit(presentations=(epoch + 1) * problem.n))
        shares.append(_violated(X, y, problem.in_data_order(_weights(solver.snapshot()))))
    return float(np.mean(shares))


def _weights(snapshot: Snapshot) -> NDArray[np.float64]:
    assert isinstance(snapshot, LinearSnapshot)
    return snapshot.weights


def _updates_of_sgd(X: sparse.csr_matrix, y: NDArray[np.int8]) -> float:
    sgd = _sgd()
    shares = []
    for _ in range(EPOCHS):
        sgd.partial_fit(X, y, classes=[-1, 1])
        shares.append(_violated(X, y, sgd.coef_.ravel()))
    return float(np.mean(shares))


def _violated(X: sparse.csr_matrix, y: NDArray[np.int8], weights: NDArray[np.floating]) -> float:
    """Return the fraction of examples with a margin below 1: those would lead to an update."""
    return float(np.mean(y * (X @ weights) < 1.0))
