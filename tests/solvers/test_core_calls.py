"""Direct calls of the compiled module with invalid arguments: each is refused with a message; docstrings; folders."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import core_stub
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


def test_a_number_is_no_member_of_an_enumeration() -> None:
    with pytest.raises(ValueError, match="99 is not a valid"):
        KernelFunction.Kind(99)
    with pytest.raises(TypeError):
        _core.Random(0, 1)


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


def rows() -> _core.CachedRows:
    return _core.CachedRows(GAUSSIAN, _core.Matrix(POINTS), 6, 2)


def dense_with(value: float) -> _core.Matrix:
    dense = np.ones((1500, 7), np.float32)
    dense[1234, 5] = value
    return _core.Matrix(dense)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        *(
            (lambda v=v: dense_with(v), r"row 1234, column 5 is -?(nan|inf): it must be finite")
            for v in (np.nan, np.inf, -np.inf)
        ),
        (lambda: csr([0, 3, 1, 4], [1.0, 2.0, 3.0, np.nan]), "row 1, column 4"),
        (lambda: csr([0, 3, 4, 1], [1.0] * 4), r"must rise within a row \(row 1\)"),
        (lambda: csr([0, 3, 1, 1], [1.0] * 4), r"must rise within a row \(row 1\)"),
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
        (lambda: _core.SgdRandom(features(), lambda_=0.1, seed=0).advance(cpu_seconds=np.nan), "not a number"),
        (lambda: _core.FeatureMatrix(_core.Matrix(np.zeros((0, 3), np.float32)), 0), "at least one row and one column"),
        (lambda: _core.FeatureMatrix(_core.Matrix(np.zeros((3, 0), np.float32)), 0), "at least one row and one column"),
        (lambda: _core.Cpsp(features(), gamma=1.0, lambda_=1.0, eps=0.1, capacity=0, seed=0), "the basis needs room"),
        (lambda: _core.SimplexQp().gap, "no variable yet"),
        (lambda: _core.SimplexQp().solve(0.1), "no variable yet"),
        (lambda: _core.SimplexQp().add(0.5, np.zeros(2)), "products are those with each earlier variable"),
        (lambda: _core.hinge_line_minimum(np.zeros(0), np.zeros(0), slope=0.0, curvature=1.0), "no margin"),
        (
            lambda: _core.hinge_line_minimum(np.zeros(2), np.zeros(3), slope=0.0, curvature=1.0),
            "two vectors of one length",
        ),
        (
            lambda: _core.hinge_line_minimum(np.zeros(2), np.zeros(2), slope=0.0, curvature=0.0),
            "the curvature must be finite",
        ),
        (lambda: _core.Random(0, _core.Purpose.sampling).below(0), "at least 1"),
    ],
)
def test_arguments_out_of_range(call: Any, text: str) -> None:
    with pytest.raises(InvalidArgument, match=text):
        call()


@pytest.mark.parametrize("value", [0.0, -1.0, np.nan, np.inf])
def test_regularisation_is_finite_and_positive(value: float) -> None:
    for kind, arguments in (
        (_core.LinearPegasos, {"seed": 0}),
        (_core.Ocas, {"eps": 0.1, "mu": 0.1}),
        (_core.SgdPasses32, {"eps": 0.1, "check_factor": 1.2, "multiplicities": [1], "seed": 0}),
    ):
        with pytest.raises(InvalidArgument, match=r"lambda = .*: it must lie between 1e-30 and"):
            kind(features(), lambda_=value, **arguments)
    with pytest.raises(InvalidArgument, match=r"lambda = .*: it must lie between 1e-30 and"):
        _core.Pegasos(rows(), lambda_=value, seed=0)
    for kind in (_core.Smo, _core.SmoWithBias, _core.SvmLight, _core.Sdca, _core.Lasvm):
        with pytest.raises(InvalidArgument, match=r"C = .*: it must lie between 1e-30 and"):
            kind(rows(), C=value, **({"seed": 0} if kind in (_core.Sdca, _core.Lasvm) else {}))


@pytest.mark.parametrize("limits", [{"iterations": -1}, {"iterations": 1.5}, {"epochs": 3}])
def test_limits_are_whole_numbers_of_known_units(limits: dict[str, Any]) -> None:
    with pytest.raises(TypeError):
        _core.Perceptron(rows(), seed=0).advance(**limits)


def documented(owner: Any, name: str) -> Iterator[tuple[str, str]]:
    """Names and docstrings of the public members of a module or class, those of nested classes included."""
    for member, value in vars(owner).items():
        if member.startswith("_") or not (callable(value) or isinstance(value, property)):
            continue
        if isinstance(value, owner if inspect.isclass(owner) else ()):
            continue  # a value of an enum
        yield f"{name}{member}", _own_text(value)
        if inspect.isclass(value):
            yield from documented(value, f"{name}{member}.")


def _own_text(value: Any) -> str:
    """Return the docstring without the signature that pybind11 puts before that of a function."""
    text = (vars(value).get("__doc__") if inspect.isclass(value) else value.__doc__) or ""
    return text.partition("\n\n")[2].strip() if "->" in text.partition("\n")[0] else text.strip()


@pytest.mark.parametrize(("name", "text"), list(documented(_core, "")))
def test_it_has_a_docstring(name: str, text: str) -> None:
    assert text, f"{name} has none"


def test_the_stub_is_what_the_module_has() -> None:
    assert core_stub.STUB.read_text(encoding="utf-8") == core_stub.text(), "run make stub"


def test_all_classes_of_the_stub_are_walked() -> None:
    assert set(core_stub.read().classes) <= {name for name, _ in documented(_core, "")}


CPP = Path(__file__).resolve().parents[2] / "cpp"
ORDER = re.findall(r"^\| `(\w+)/` \|", (CPP / "README.md").read_text(encoding="utf-8"), re.MULTILINE)


def test_the_table_lists_all_folders() -> None:
    assert sorted(ORDER) == sorted(path.name for path in (CPP / "core").iterdir())


@pytest.mark.parametrize("folder", ORDER)
def test_a_folder_includes_no_later_one(folder: str) -> None:
    allowed = set(ORDER[: ORDER.index(folder) + 1])
    for path in (CPP / "core" / folder).iterdir():
        for include in re.findall(r'^#include "([^"]+)"', path.read_text(encoding="utf-8"), re.MULTILINE):
            assert include.partition("/")[0] in allowed, f"{path.name} includes {include}"
            assert (CPP / "core" / include).is_file()
