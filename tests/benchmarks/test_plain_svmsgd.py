"""The rival of the benchmark makes SVMSGD's updates."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
from scipy import sparse

from benchmarks.plain_svmsgd import PlainSvmSgd
from svm_cost_curves.solvers import Limit, Linear, LinearSnapshot, Problem, get
from svm_cost_curves.solvers.precision import Precision


@pytest.mark.skipif(shutil.which("c++") is None, reason="no compiler")
def test_it_makes_the_same_updates() -> None:
    generator = np.random.default_rng(0)
    X = generator.normal(size=(200, 9)).astype(np.float32) * (generator.random((200, 9)) < 0.3)
    y = np.where(X[:, 0] + generator.normal(size=200) > 0, 1, -1)
    rows = sparse.csr_matrix(X)
    problem = Problem(rows, y, Linear(), lambda_=0.02)
    kind = get("svmsgd")
    # t0 = 1e-3: the first steps multiply the divisor by 1000, and it exceeds its limit
    for t0 in (100.0, 1e-3):
        solver = kind(problem, kind.Settings(t0=t0, precision=Precision.float32), seed=3)
        solver.advance(Limit(presentations=600))
        snapshot = solver.snapshot()
        assert isinstance(snapshot, LinearSnapshot)
        with PlainSvmSgd(rows[problem.order], problem.y, seed=3) as plain:
            weights, seconds = plain.run(3, 0.02, t0)
        expected = problem.in_data_order(snapshot.weights)
        assert np.abs(expected).max() > 0.1
        np.testing.assert_allclose(weights, expected, rtol=0, atol=1e-3 * np.abs(expected).max())
        assert seconds > 0.0
