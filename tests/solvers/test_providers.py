"""A run's result does not depend on the row provider, the storage of the data, or threads."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import problem, solver
from numpy.typing import NDArray

from svm_cost_curves.solvers import Gaussian, KernelSnapshot, Limit, Problem, RowPolicy, SettingsError, _core
from svm_cost_curves.solvers.gram_store import GramStore
from svm_cost_curves.solvers.rows import WORKING_BYTES, make_rows

ALGORITHMS: list[tuple[str, bool, int]] = [
    ("sbp", False, 500),
    ("sbp", True, 500),
    ("pegasos", False, 2000),
    ("sdca", False, 2000),
    ("smo", False, 500),
    ("smo", True, 500),
    ("lasvm", False, 200),
    # an exact step leaves its variables equally steep, and later on rounding decides which of them is steepest
    ("svmlight", False, 15),
    ("svmlight", True, 15),
    ("perceptron", False, 1000),
]
BY_ALGORITHM = pytest.mark.parametrize(("name", "bias", "iterations"), ALGORITHMS)


def decision_values(p: Problem, name: str, iterations: int) -> tuple[NDArray[np.float64], tuple[Any, ...]]:
    """f on the training points, all from the same Gram matrix in float64, and the counters."""
    made = solver(name, p, seed=2)
    made.advance(Limit(iterations=iterations))
    snapshot = made.snapshot()
    assert isinstance(snapshot, KernelSnapshot)
    X = np.asarray(p.X.todense() if hasattr(p.X, "todense") else p.X, np.float64)
    squares = np.square(X[:, None] - X[None]).sum(axis=2)
    c = made.counters
    return np.exp(-squares / 4.0) @ snapshot.coefficients + snapshot.bias, (c.iterations, c.kernel_evaluations)


def cached(p: Problem, capacity: int) -> Problem:
    """The same problem on a row cache of so many rows."""
    other = problem(p.n, bias=p.bias, rows={"provider": "on_the_fly"})
    rows = _core.CachedRows(p.kernel.core(), other.matrix, p.positives, capacity)
    vars(other)["rows"] = replace(other.rows, source=rows)
    return other


@BY_ALGORITHM
def test_provider(name: str, bias: bool, iterations: int) -> None:
    p = problem(90, bias=bias)
    expected, counters = decision_values(p, name, iterations)
    for provider in ("cache", "on_the_fly"):
        other = problem(90, bias=bias, rows={"provider": provider})
        found, counted = decision_values(other, name, iterations)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6 * max(1.0, np.abs(expected).max()))
        assert counted == counters
    np.testing.assert_array_equal(decision_values(cached(p, 2), name, iterations)[0], found)
    np.testing.assert_array_equal(decision_values(cached(p, 7), name, iterations)[0], found)


@BY_ALGORITHM
def test_dense_or_sparse(name: str, bias: bool, iterations: int) -> None:
    dense, dense_counters = decision_values(problem(90, bias=bias), name, iterations)
    csr, csr_counters = decision_values(problem(90, bias=bias, as_csr=True), name, iterations)
    np.testing.assert_allclose(csr, dense, rtol=0, atol=1e-6 * max(1.0, np.abs(dense).max()))
    assert csr_counters == dense_counters


@BY_ALGORITHM
def test_threads(name: str, bias: bool, iterations: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    ends = []
    for threads in (1, 2, 5):
        folder = tmp_path_factory.mktemp("gram")
        p = problem(90, bias=bias, rows={"threads": threads, "gram_dir": folder})
        ends.append(decision_values(p, name, iterations)[0])
    np.testing.assert_array_equal(ends[0], ends[1])
    np.testing.assert_array_equal(ends[0], ends[2])


def test_auto_takes_the_gram_matrix_when_it_fits() -> None:
    p = problem(100, rows={"provider": "auto", "memory_bytes": WORKING_BYTES + 40_000})
    assert isinstance(p.rows.source, _core.GramRows)
    assert "whole Gram matrix" in p.describe_rows()


def test_auto_falls_back_to_the_cache_and_says_so() -> None:
    p = problem(100, rows={"provider": "auto", "memory_bytes": WORKING_BYTES + 39_999})
    source = p.rows.source
    assert isinstance(source, _core.CachedRows)
    assert source.capacity == (39_999 - 2 * p.X.nbytes) // 400
    assert f"row cache, {source.capacity} of 100 rows" in p.describe_rows()
    assert "more than the memory limit leaves" in p.describe_rows()


def test_the_cache_leaves_room_for_the_copy_of_sparse_data_by_columns() -> None:
    p = problem(100, 3000, as_csr=True, zeros=0.99, rows={"provider": "cache", "memory_bytes": WORKING_BYTES + 99_999})
    source = p.rows.source
    assert isinstance(source, _core.CachedRows)
    stored = p.X.nnz
    assert source.capacity == (99_999 - 2 * (8 * stored + 8 * 101) - 8 * 3002) // 400


def test_auto_falls_back_when_the_file_system_is_full(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("svm_cost_curves.solvers.gram_store._free_bytes", lambda directory: 1000)
    p = problem(100, rows={"provider": "auto", "gram_dir": tmp_path})
    assert isinstance(p.rows.source, _core.CachedRows)
    assert "has room for" in p.describe_rows()
    with pytest.raises(SettingsError, match=r"rows\.provider=gram: .* has room for .*rows\.provider=cache"):
        problem(100, rows={"provider": "gram", "gram_dir": tmp_path}).describe_rows()


def test_gram_that_does_not_fit_is_refused_with_sizes() -> None:
    p = problem(100, rows={"provider": "gram", "memory_bytes": WORKING_BYTES + 39_999})
    with pytest.raises(SettingsError, match=r"rows\.provider=gram: .* GB are more than .* GB.*raise memory="):
        p.describe_rows()


def test_too_little_memory_for_two_rows_is_refused_with_sizes() -> None:
    p = problem(100, rows={"provider": "cache", "memory_bytes": WORKING_BYTES})
    with pytest.raises(SettingsError, match=r"memory = 1\.1 GB is too little: the data take .* GB.*two kernel rows"):
        p.describe_rows()


def test_on_the_fly_describes_itself() -> None:
    p = problem(50, rows={"provider": "on_the_fly"})
    source = p.rows.source
    assert isinstance(source, _core.CachedRows)
    assert source.capacity == 2
    assert p.describe_rows() == "each row computed when it is needed"


@pytest.mark.parametrize("provider", ["nonsense", "", "Gram"])
def test_unknown_providers_are_refused(provider: Any) -> None:
    with pytest.raises(SettingsError, match="auto, gram, cache, on_the_fly"):
        RowPolicy(provider=provider)


@pytest.mark.parametrize("threads", [0, -1])
def test_impossible_thread_counts_are_refused(threads: int) -> None:
    with pytest.raises(SettingsError, match="threads = "):
        RowPolicy(threads=threads)


def test_rows_are_made_at_first_use_only() -> None:
    calls: list[float] = []
    p = problem(60, kernel=Gaussian(3.21), rows={"progress": calls.append})
    solver("fourier", p, pairs=2).advance(Limit())
    assert calls == []
    assert "rows" not in vars(p)
    assert p.rows is p.rows
    assert calls[-1] == 1.0
    again = problem(60, kernel=Gaussian(3.21), rows={"progress": calls.append})
    count = len(calls)
    assert make_rows(again.kernel, again.matrix, (again.X,), again.positives, again.policy).source.size == 60
    assert len(calls) == count, "the second problem finds the matrix of the first"


def test_a_row_cache_removes_gram_matrices_from_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(GramStore, "make_room_in_memory", lambda _, size: asked.append(size))
    data = 2 * problem(100).X.nbytes
    for room, capacity in ((37, 37), (1000, 100)):  # no more rows than there are points
        memory = WORKING_BYTES + data + 4 * 100 * room
        source = problem(100, rows={"provider": "cache", "memory_bytes": memory}).rows.source
        assert isinstance(source, _core.CachedRows)
        assert source.capacity == capacity
        assert asked == [4 * 100 * capacity]
        asked.clear()
    for provider in ("on_the_fly", "gram"):
        assert problem(100, rows={"provider": provider}).rows
    assert asked == []
