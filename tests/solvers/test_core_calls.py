"""Direct calls of the compiled module with invalid arguments: each is refused with a message."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from svm_cost_curves.solvers import _core
from svm_cost_curves.solvers._core import InvalidArgument, KernelFunction

GAUSSIAN = KernelFunction(KernelFunction.Kind.gaussian)
POINTS = np.random.default_rng(0).normal(size=(12, 4)).astype(np.float32)


def features() -> _core.FeatureMatrix:
    return _core.FeatureMatrix(_core.Matrix(POINTS), 6)


def csr(indices: list[int], values: list[float]) -> _core.Matrix:
    return _core.Matrix(
        np.array([0, 2, len(indices)]), np.array(indices, np.int32), np.array(values, np.float32), columns=5
    )


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_values_that_are_not_finite_are_refused_by_row_and_column(value: float) -> None:
    dense = np.ones((1500, 7), np.float32)
    dense[1234, 5] = value
    with pytest.raises(InvalidArgument, match=r"row 1234, column 5 is -?(nan|inf): it must be finite"):
        _core.Matrix(dense)
    with pytest.raises(InvalidArgument, match="row 1, column 4"):
        csr([0, 3, 1, 4], [1.0, 2.0, 3.0, value])


@pytest.mark.parametrize("indices", [[0, 3, 4, 1], [0, 3, 1, 1]])
def test_column_indices_that_do_not_rise_are_refused(indices: list[int]) -> None:
    with pytest.raises(InvalidArgument, match=r"must rise within a row \(row 1\)"):
        csr(indices, [1.0] * 4)


def test_later_changes_of_offsets_and_indices_have_no_effect() -> None:
    offsets, indices, values = np.array([0, 2, 4]), np.array([0, 3, 1, 4], np.int32), np.ones(4, np.float32)
    counted = _core.CountedFeatures(_core.FeatureMatrix(_core.Matrix(offsets, indices, values, 5), 1))
    offsets[:], indices[:] = 2**40, 2**30
    assert counted.row(1)[0].tolist() == [1, 4]


def test_indices_beyond_the_end_are_refused() -> None:
    rows = _core.CountedRows(_core.CachedRows(GAUSSIAN, _core.Matrix(POINTS), 6, 2))
    for read in (rows.diagonal, rows.label, rows.row):
        for i in (12, 2**31, 2**63):
            with pytest.raises(InvalidArgument, match=f"no row {i} of 12"):
                read(i)
        with pytest.raises(TypeError):
            read(-1)
    with pytest.raises(InvalidArgument, match="2\\^32 examples at most"):
        rows.present(2**33)


def test_empty_arguments_are_refused() -> None:
    master = _core.SimplexQp()
    with pytest.raises(InvalidArgument, match="no variable yet"):
        print(master.gap)
    with pytest.raises(InvalidArgument, match="no variable yet"):
        master.solve(0.1)
    for shape in ((0, 3), (3, 0)):
        with pytest.raises(InvalidArgument, match="at least one row and one column"):
            _core.FeatureMatrix(_core.Matrix(np.zeros(shape, np.float32)), 0)
    with pytest.raises(InvalidArgument, match="no margin"):
        _core.hinge_line_minimum(np.zeros(0), np.zeros(0), slope=0.0, curvature=1.0)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: KernelFunction(KernelFunction.Kind.polynomial, degree=2**31 - 1), "degree must be from 1 to 100"),
        (lambda: KernelFunction(KernelFunction.Kind.gaussian, gamma=np.nan), "gamma must be finite"),
        (lambda: _core.water_levels(np.full(3, 1e301), 1, 1.0, False), "response 0 is not finite, or larger"),
        (lambda: _core.water_levels(np.zeros(3), 1, 1e301, False), "at most 1e150"),
        (lambda: _core.Asset(features(), lambda_=0.1, window=2**40, seed=0), "at most 2.24"),
        (lambda: _core.AssetStream(10, 3, 2**61, lambda_=0.1), "features or more"),
        (lambda: _core.Cpsp(features(), gamma=1.0, lambda_=0.1, eps=0.1, capacity=2**62, seed=0), "too many functions"),
        (lambda: _core.Cpsp(features(), gamma=-1.0, lambda_=0.1, eps=0.1, capacity=3, seed=0), "gamma must be"),
        (lambda: _core.MiniBatchPegasos(features(), lambda_=0.1, batch_size=2, threads=2**31, seed=0), "1 to 1024"),
        (lambda: _core.fill_gram(GAUSSIAN, _core.Matrix(POINTS), np.zeros((12, 12), np.float32), 0), "1 to 1024"),
        (lambda: _core.RandomSubsets(2**40, 1, 0), "fewer than 2.32"),
        (lambda: _core.Shard(0, 2, 12, np.nan), "largest norm must be finite"),
        (lambda: features_solver().advance(cpu_seconds=np.nan), "not a number"),
    ],
)
def test_numbers_out_of_range(call: Any, text: str) -> None:
    with pytest.raises(InvalidArgument, match=text):
        call()


def features_solver() -> _core.Solver:
    return _core.SgdRandom(features(), lambda_=0.1, seed=0)


def test_a_number_is_no_member_of_an_enumeration() -> None:
    with pytest.raises(ValueError, match="99 is not a valid"):
        KernelFunction.Kind(99)
    with pytest.raises(TypeError):
        _core.Random(0, 1)  # type: ignore[arg-type]


def test_an_all_reduce_may_store_its_array() -> None:
    """The array is a copy: it outlives the solver."""
    kept: list[Any] = []
    made = _core.MiniBatchPegasos(features(), lambda_=0.1, batch_size=2, seed=0, all_reduce=kept.append)
    made.advance(iterations=3)
    weights = made.weights()
    for values in kept:
        values[:] = np.nan
    np.testing.assert_array_equal(made.weights(), weights)
    assert np.isfinite(weights).all()


def test_capsules_of_other_routines_are_refused() -> None:
    from scipy.linalg import cython_blas

    routines = cython_blas.__pyx_capi__
    for names in (("dgemm", "sgemm"), ("saxpy", "dgemm"), ("sgemm", "ddot")):
        with pytest.raises(InvalidArgument, match="not a matrix product of scipy's BLAS"):
            _core.set_gemm(*(routines[name] for name in names))
