"""A run's result does not depend on the row provider, the storage of the data, threads or the instruction set."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import reference
from cases import ROOT, Array, Python, coefficients, dense, gram, problem, run, solver

from svm_cost_curves.solvers import Gaussian, Limit, Problem, RowPolicy, SettingsError, _core, gram_store
from svm_cost_curves.solvers import rows as row_providers
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


def decision_values(p: Problem, name: str, iterations: int) -> tuple[Array, tuple[Any, ...]]:
    """f on the training points, all from the same Gram matrix in float64, and the counters."""
    made = run(name, p, Limit(iterations=iterations), 2)
    K = reference.kernel_matrix(p.kernel, dense(p), dense(p))
    return K @ coefficients(made) + made.snapshot().bias, (made.counters.iterations, made.counters.kernel_evaluations)


def cached(p: Problem, capacity: int) -> Problem:
    """The same problem on a row cache of so many rows."""
    other = problem(p.n, bias=p.bias, rows={"provider": "on_the_fly"})
    rows = _core.CachedRows(p.kernel.core(), other.matrix, p.positives, capacity)
    vars(other)["rows"] = replace(other.rows, source=rows)
    return other


@BY_ALGORITHM
def test_provider_storage_and_threads(
    name: str, bias: bool, iterations: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    def ends(rows: dict[str, Any], *, as_csr: bool = False) -> tuple[Array, tuple[Any, ...]]:
        return decision_values(problem(90, bias=bias, as_csr=as_csr, rows=rows), name, iterations)

    expected, counters = ends({})
    size = max(1.0, np.abs(expected).max())
    for rows, as_csr in (({"provider": "cache"}, False), ({"provider": "on_the_fly"}, False), ({}, True)):
        values, counted = ends(rows, as_csr=as_csr)
        np.testing.assert_allclose(values, expected, rtol=0, atol=1e-6 * size)
        assert counted == counters
    values, _ = ends({"provider": "on_the_fly"})
    for capacity in (2, 7):
        on_cache = decision_values(cached(problem(90, bias=bias), capacity), name, iterations)[0]
        np.testing.assert_array_equal(on_cache, values)
    for threads in (2, 5):
        again, _ = ends({"threads": threads, "gram_dir": tmp_path_factory.mktemp("gram")})
        np.testing.assert_array_equal(again, expected)


def test_the_gram_matrix_where_it_fits_and_what_a_policy_allows() -> None:
    p = problem(100, rows={"provider": "auto", "memory_bytes": WORKING_BYTES + 40_000})
    assert isinstance(p.rows.source, _core.GramRows)
    assert "whole Gram matrix" in p.describe_rows()
    p = problem(100, rows={"provider": "gram", "memory_bytes": WORKING_BYTES + 39_999})
    with pytest.raises(SettingsError, match=r"rows\.provider=gram: .* GB are more than .* GB.*raise memory="):
        p.describe_rows()
    p = problem(50, rows={"provider": "on_the_fly"})
    assert p.rows.source.capacity == 2
    assert p.describe_rows() == "each row computed when it is needed"
    for policy, text in (({"provider": "Gram"}, "auto, gram, cache, on_the_fly"), ({"threads": 0}, "threads = 0")):
        with pytest.raises(SettingsError, match=text):
            RowPolicy(**policy)


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


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder for all Gram matrices, also for small ones."""
    monkeypatch.setattr(row_providers, "PRIVATE_BYTES", 0)
    return tmp_path


def test_small_matrices_stay_in_memory_and_have_the_same_values(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    p = problem(100, rows={"gram_dir": folder})
    assert p.describe_rows() == f"whole Gram matrix, 40 kB, kept in {folder}"
    assert len(list(folder.iterdir())) == 1
    monkeypatch.setattr(row_providers, "PRIVATE_BYTES", 40_000)
    private = problem(100, rows={"gram_dir": folder / "not made"})
    assert private.describe_rows() == "whole Gram matrix, 40 kB, in this process's memory"
    np.testing.assert_array_equal(gram(private), gram(p))
    assert not (folder / "not made").exists()


@pytest.mark.parametrize("provider", ["auto", "gram"])
def test_without_room_in_the_folder_the_matrix_is_in_memory(
    folder: Path, provider: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    first = problem(100, rows={"gram_dir": folder})
    kept = gram(first)  # and in use
    (folder / "file").touch()
    for place, reason in ((folder, "has room for"), (folder / "file", "cannot keep it: ")):
        monkeypatch.setattr(gram_store, "_free_bytes", lambda directory: 1000)
        p = problem(100, seed=place == folder, rows={"provider": provider, "gram_dir": place})
        assert reason in p.describe_rows()
        assert isinstance(p.rows.source, _core.GramRows)
        assert reason in caplog.text
    np.testing.assert_array_equal(gram(p), kept)


def test_without_room_in_memory_either_auto_takes_the_cache(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gram_store, "_free_bytes", lambda directory: 1000)
    monkeypatch.setattr(gram_store, "_free_memory", lambda: 39_999)
    p = problem(100, rows={"provider": "auto", "gram_dir": folder})
    assert isinstance(p.rows.source, _core.CachedRows)
    assert "has room for" in p.describe_rows()
    with pytest.raises(SettingsError, match=r"rows\.provider=gram: .* has room for .*rows\.provider=cache"):
        problem(100, rows={"provider": "gram", "gram_dir": folder}).describe_rows()


def test_too_little_memory_for_two_rows_is_refused_with_sizes() -> None:
    p = problem(100, rows={"provider": "cache", "memory_bytes": WORKING_BYTES})
    with pytest.raises(SettingsError, match=r"memory = 1\.1 GB is too little: the data take .* GB.*two kernel rows"):
        p.describe_rows()


def test_rows_are_made_at_first_use_only(folder: Path) -> None:
    calls: list[float] = []
    p = problem(60, kernel=Gaussian(3.21), rows={"progress": calls.append, "gram_dir": folder})
    solver("fourier", p, pairs=2).advance(Limit())
    assert calls == []
    assert "rows" not in vars(p)
    assert p.rows is p.rows
    assert calls[-1] == 1.0
    again = problem(60, kernel=Gaussian(3.21), rows={"progress": calls.append, "gram_dir": folder})
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


PORTABLE = _core.build_info()["isa"] == "portable"
REFUSAL = f"SVM_ISA=v9 is not {'portable' if PORTABLE else 'one of v3, v4, v4a'}"
CODE = """
import sys
import numpy as np
from cases import gram, problem, run
from svm_cost_curves.solvers import Gaussian, Limit, Linear, Polynomial, build_info

out = {"isa": build_info()["isa"]}
for as_csr in (False, True):
    for kernel in (Gaussian(2.0), Polynomial(3, 0.3, 1.0), Linear()):
        for provider in ("gram", "on_the_fly"):
            p = problem(151, 9, as_csr=as_csr, zeros=0.3, kernel=kernel, rows={"provider": provider})
            out[f"kernel {as_csr} {kernel} {provider}"] = gram(p)
for name, bias, iterations in (
    ("sbp", False, 400), ("sbp", True, 400), ("pegasos", False, 2000), ("sdca", False, 2000),
    ("smo", False, 10**6), ("smo", True, 10**6), ("perceptron", False, 1000),
    ("svmlight", False, 10**6), ("svmlight", True, 10**6), ("lasvm", True, 10**6),
):
    p = problem(151, 9, bias=bias, rows={"provider": "on_the_fly"})
    settings = {"tolerance": 1e-8} if name in ("smo", "svmlight", "lasvm") else {}
    settings |= {"passes": 0} if name == "lasvm" else {}
    snapshot = run(name, p, Limit(iterations=iterations), 5, **settings).snapshot()
    out[f"run {name} {bias}"] = gram(p) @ snapshot.coefficients + snapshot.bias
p = problem(151, 9)
for name in ("asset", "cpny"):
    snapshot = run(name, p, Limit(iterations=2000), 5, features=40).snapshot()
    out[f"run {name}"] = gram(p) @ snapshot.coefficients
out["run fourier"] = run("fourier", p, pairs=64, relative_gap=1e-7, max_epochs=10**5).snapshot().decision_values(p.X)
np.savez(sys.argv[1], **out)
"""


def results(python: Python, folder: Path, isa: str) -> dict[str, np.ndarray] | None:
    answer = python(CODE, folder / f"{isa}.npz", SVM_ISA=isa, SVM_GRAM_DIR=str(folder / isa))
    if "this processor does not have it" in answer.stderr:
        return None
    assert answer.returncode == 0, answer.stderr
    return dict(np.load(folder / f"{isa}.npz"))


@pytest.mark.skipif(PORTABLE, reason="built for one instruction set only")
def test_instruction_sets_agree(python: Python, tmp_path: Path) -> None:
    base, *others = (results(python, tmp_path, isa) for isa in ("v3", "v4", "v4a"))
    assert base["isa"] == "v3"
    if others == [None, None]:
        pytest.skip("this processor has no AVX-512")
    for isa, other in zip(("v4", "v4a"), others, strict=True):
        assert other is None or other["isa"] == isa
        for name in base.keys() - {"isa"} if other else ():
            size = max(1.0, float(np.abs(base[name]).max()))
            tolerance = 1e-3 if name == "run fourier" else 1e-6
            np.testing.assert_allclose(other[name], base[name], rtol=0, atol=tolerance * size, err_msg=name)


def test_refuses_an_instruction_set_that_does_not_exist(python: Python) -> None:
    answer = python("from svm_cost_curves import solvers; print(solvers.build_info())", SVM_ISA="v9")
    assert answer.returncode != 0
    assert REFUSAL in answer.stderr


@pytest.mark.parametrize(("script", "words"), [("run.py", ""), ("reproduce.py", "figure=sbp_fig2 scale=demo")])
def test_the_scripts_refuse_it_with_a_message(script: str, words: str, python: Python) -> None:
    code = f"import runpy; runpy.run_path({str(ROOT / script)!r}, run_name='__main__')"
    answer = python(code, *words.split(), SVM_ISA="v9")
    assert answer.returncode == 2
    assert answer.stderr.splitlines()[-1].startswith(f"error: {REFUSAL}")
    assert "Traceback" not in answer.stderr


def test_an_empty_name_is_ignored(python: Python) -> None:
    answer = python("from svm_cost_curves.solvers import _core; print(_core.build_info()['isa'])", SVM_ISA="")
    assert (answer.returncode, answer.stdout.strip()) == (0, _core.build_info()["isa"])
