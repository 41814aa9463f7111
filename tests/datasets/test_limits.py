"""Limits: memory is checked before allocation, and messages stay short."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hydra.errors import OverrideParseException
from scipy import sparse

from svm_cost_curves import solvers
from svm_cost_curves.datasets import DataError, Dataset, FileData, SyntheticData, load, types
from svm_cost_curves.datasets.errors import shorten
from svm_cost_curves.experiments.configuration.explain import explain
from svm_cost_curves.solvers import Linear, Problem, RowPolicy, SettingsError
from svm_cost_curves.solvers.features import stored_arrays
from svm_cost_curves.support.errors import reason
from svm_cost_curves.support.text import LONGEST_MESSAGE

Loader = Callable[..., Dataset]


def rows_with(index: int) -> str:
    return "".join(f"{'+1' if k % 2 else '-1'} 1:{k} {index}:1\n" for k in range(21))


def test_a_huge_index_is_refused_with_its_size_and_the_limit(load_text: Loader) -> None:
    data = load_text(rows_with(2**31 - 1))
    assert sparse.issparse(data.X)
    with pytest.raises(SettingsError, match=r"2,147,483,647 .* take 130.0 GiB, and memory= allows 4.0 GiB: number the"):
        Problem(data.X, data.y, Linear(), lambda_=0.1)
    with pytest.raises(DataError, match="2,147,483,647 values as a dense array would take"):
        load_text(rows_with(2**31 - 1), storage="dense")


def test_a_moderate_index_is_accepted() -> None:
    X = sparse.csr_matrix(
        (np.ones(4, np.float32), np.array([0, 10**8 - 1, 1, 2], np.int32), np.array([0, 2, 4], np.int32)), (2, 10**8)
    )
    y = np.array([1, -1], np.int8)
    with pytest.raises(SettingsError, match=r"memory= allows 4\.0 GiB"):
        Problem(X, y, Linear(), lambda_=0.1, rows=RowPolicy(memory_bytes=4 << 30))
    assert Problem(X, y, Linear(), lambda_=0.1, rows=RowPolicy(memory_bytes=8 << 30)).d == 10**8


@pytest.mark.parametrize("index", [2**31, 2**63 - 2])
def test_an_index_never_wraps_to_32_bits(load_text: Loader, index: int) -> None:
    with pytest.raises(DataError, match=f"{index} features .the largest index.; at most 2147483647"):
        load_text(rows_with(index))
    X = sparse.csr_matrix((np.ones(2, np.float32), np.array([0, index - 1]), np.array([0, 1, 2])), (2, index))
    with pytest.raises(SettingsError, match="indices have 32 bits"):
        stored_arrays(X)
    with pytest.raises(SettingsError, match="indices have 32 bits"):
        Problem(X, np.array([1, -1]), Linear(), lambda_=0.1)


def test_a_value_that_is_not_finite_is_found_without_a_dense_array() -> None:
    X = sparse.csr_matrix(
        (np.array([1, np.nan], np.float32), np.array([0, 2 * 10**7]), np.array([0, 1, 2])), (2, 3 * 10**7)
    )
    with pytest.raises(SettingsError, match=r"X\[1, 20000000\] is not finite"):
        Problem(X, np.array([1, -1]), Linear(), lambda_=0.1)


def test_the_memory_of_random_features_is_checked(tmp_path: Path) -> None:
    X = sparse.csr_matrix((np.ones(2, np.float32), np.array([0, 9 * 10**6]), np.array([0, 1, 2])), (2, 10**7))
    problem = Problem(X, np.array([1, -1], np.int8), solvers.Gaussian(1.0), lambda_=0.1)
    solver = solvers.get("asset_online")
    with pytest.raises(SettingsError, match=r"cosines of 10,000,000 frequencies each take .* lower algo.features, or"):
        solver(problem, solver.Settings(), 0)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"d": 10**9, "n": 10**9}, "synthetic values would take"),
        ({"d": 2, "n": 2**70}, "dataset.n=1180591620717411303424: must lie between 2 and"),
        ({"d": 2, "margin": 1e300}, "dataset.margin=1e.300"),
        ({"d": 2, "noise": float("nan")}, "dataset.noise=nan"),
        ({"d": 2, "divide_by": float("nan")}, "dataset.divide_by=nan"),
        ({"d": 2, "divide_by": 1.2e-38, "shape": "margin", "margin": 10.0}, "when dataset.divide_by"),
        ({"d": 2, "parts": [2**64, 1, 1]}, "dataset.parts"),
        ({"d": 2, "split_seed": 2**64}, "dataset.split_seed"),
        ({"d": 2, "positive": [float("nan")]}, "dataset.positive"),
    ],
)
def test_numbers_out_of_range(tmp_path: Path, fields: dict[str, object], said: str) -> None:
    spec = replace(SyntheticData(name="synthetic"), **fields)  # type: ignore[arg-type]
    with pytest.raises(DataError, match=said):
        load(spec, cache_dir=tmp_path)


def test_a_small_archive_of_many_zeros_is_refused(
    tmp_path: Path, no_mirror: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "bomb.svm.gz"
    path.write_bytes(gzip.compress(bytes(20 << 20)))
    with pytest.raises(DataError) as caught:
        load(FileData(train=str(path)), cache_dir=tmp_path)
    assert len(str(caught.value)) < 1000
    monkeypatch.setattr("svm_cost_curves.datasets.readers.unpack.machine_memory", lambda: 16 << 20)
    with pytest.raises(DataError, match=r"packed bytes become more than 0\.0 GiB, the limit on this machine"):
        load(FileData(train=str(path)), cache_dir=tmp_path)


def test_a_file_larger_than_memory_is_not_read(
    tmp_path: Path, no_mirror: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "large.svm"
    with path.open("wb") as stream:
        stream.truncate(1 << 40)  # sparse: it takes no room
    with pytest.raises(DataError, match="reading the file would take"):
        load(FileData(train=str(path)), cache_dir=tmp_path)


@pytest.mark.parametrize("path", ["x" * 5000, "a/" * 3000 + "b", "a\0b", "~nobody-of-this-name/x"])
def test_wrong_paths(tmp_path: Path, path: str) -> None:
    with pytest.raises(DataError) as caught:
        load(FileData(train=path, name="t"), cache_dir=tmp_path)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 1000


def test_text_of_files_is_shown_short_and_escaped() -> None:
    assert shorten("plain é") == "plain é"
    assert shorten("a\x1b[31m\n\u202e\udcff") == r"a\x1b[31m\n\u202e\udcff"
    assert shorten(b"\xff\x00") == "\ufffd\\x00"
    assert shorten("x" * 500) == "x" * 120 + "..."
    assert len(shorten("\0" * 500)) == 123
    message = str(DataError("\x1b" + "x" * 10**6))
    assert len(message) == LONGEST_MESSAGE + 3
    assert message.isprintable()


def test_the_memory_of_a_process_is_bounded_by_its_own_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("resource.getrlimit", lambda _: (5 << 20, -1))
    assert types.machine_memory() == 5 << 20
    with pytest.raises(DataError, match=r"it would take 1.0 GiB; the limit is 0.0 GiB, .* memory\. Do so\."):
        types.require_memory(1 << 30, "it", "Do so.")


def test_a_name_that_is_too_long_for_a_path_is_quoted_in_part() -> None:
    assert len(reason(OSError(36, "File name too long", "x" * 10_000))) < 700
    assert len(explain(OverrideParseException("x" * 10_000, "mismatched input"))) < 700
