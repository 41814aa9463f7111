"""The largest singular value: numpy's value, errors, the cache."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from svm_cost_curves.solvers import spectrum as module
from svm_cost_curves.solvers.spectrum import spectral_norm


@pytest.mark.parametrize("shape", [(3, 2), (50, 30), (500, 90), (90, 500)])
@pytest.mark.parametrize("as_csr", [False, True], ids=["dense", "csr"])
def test_agrees_with_numpy(shape: tuple[int, int], as_csr: bool, tmp_path: Path) -> None:
    X = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    found = spectral_norm(sparse.csr_matrix(X) if as_csr else X, tmp_path)
    exact = np.linalg.norm(X.astype(np.float64), 2) ** 2
    assert abs(found.squared - exact) <= found.error + 1e-9 * exact
    assert found.upper >= exact * (1 - 1e-9)
    assert found.error <= 1e-6 * exact


def test_is_computed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    X = np.random.default_rng(0).normal(size=(100, 80)).astype(np.float32)
    first = spectral_norm(X, tmp_path)
    (file,) = tmp_path.iterdir()
    monkeypatch.setattr(module, "_computed", lambda X: pytest.fail("computed again"))
    assert spectral_norm(X, tmp_path) == first
    monkeypatch.undo()
    file.write_text("{")  # a file that another process left half written
    assert spectral_norm(X, tmp_path) == first
    assert spectral_norm(2 * X, tmp_path).squared == pytest.approx(4 * first.squared)


def test_a_folder_that_cannot_be_written_costs_time_only(tmp_path: Path) -> None:
    X = np.random.default_rng(0).normal(size=(90, 80)).astype(np.float32)
    (tmp_path / "file").write_text("")
    assert spectral_norm(X, tmp_path / "file" / "folder") == spectral_norm(X, tmp_path)
