"""Files of models: read back as they were written; damaged ones are refused with a sentence."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from svm_cost_curves.solvers import Gaussian, Linear, SettingsError
from svm_cost_curves.solvers.models import FORMAT, Model, ModelError
from svm_cost_curves.solvers.predictors import BasisPredictor, CosinePredictor, KernelPredictor, LinearPredictor

RANDOM = np.random.default_rng(0)
POINTS = RANDOM.normal(size=(7, 3)).astype(np.float32)
X = RANDOM.normal(size=(5, 3)).astype(np.float32)
ALPHA = RANDOM.normal(size=7)


def gaussian(Z: Any, gamma: float) -> Any:
    return np.exp(-gamma * np.square(Z[:, None] - POINTS[None].astype(np.float64)).sum(axis=2))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file with a model."""
    Model(KernelPredictor(Gaussian(2.0), POINTS, ALPHA), 0.5, ("no", "yes"), 3).save(tmp_path / "model.npz")
    return tmp_path / "model.npz"


@pytest.mark.parametrize(
    ("predictor", "expected"),
    [
        (LinearPredictor(ALPHA[:3]), X @ ALPHA[:3]),
        (KernelPredictor(Gaussian(2.0), POINTS, ALPHA), gaussian(X, 0.25) @ ALPHA),
        (KernelPredictor(Gaussian(2.0), sparse.csr_matrix(POINTS), ALPHA), gaussian(X, 0.25) @ ALPHA),
        (KernelPredictor(Linear(), POINTS, ALPHA), X @ POINTS.T @ ALPHA),
        (KernelPredictor(Linear(), POINTS[:0], ALPHA[:0]), np.zeros(5)),
        (BasisPredictor(POINTS, ALPHA, 0.25), gaussian(X, 0.25) @ ALPHA),
        (CosinePredictor(POINTS, POINTS[:, 0], ALPHA), np.sqrt(2 / 7) * np.cos(X @ POINTS.T + POINTS[:, 0]) @ ALPHA),
    ],
    ids=["linear", "kernel", "sparse", "kernel-linear", "empty", "basis", "cosine"],
)
def test_values_are_those_of_the_formula_before_and_after(predictor: Any, expected: Any, tmp_path: Path) -> None:
    model = Model(predictor, 0.25, (1, 2), 3, about={"seed": 3})
    model.save(tmp_path / "model.npz")
    loaded = Model.load(tmp_path / "model.npz")
    assert loaded.about == {"seed": 3}
    assert loaded.classes == (1, 2)
    for points in (X, sparse.csr_matrix(X)):
        np.testing.assert_allclose(model.decision_values(points), expected + 0.25, rtol=1e-5, atol=1e-5)
        assert np.array_equal(loaded.decision_values(points), model.decision_values(points))
        assert np.array_equal(loaded.predict(points), np.where(model.decision_values(points) > 0, 2, 1))


def test_rho_and_shift_are_applied_before_the_kernel(tmp_path: Path) -> None:
    model = Model(KernelPredictor(Linear(), POINTS, ALPHA), 0.0, (-1, 1), 2, rho=2.0)
    model.save(tmp_path / "model.npz")
    wide = np.column_stack([X[:, :2], np.full(5, 2.0)])
    values = Model.load(tmp_path / "model.npz").decision_values(X[:, :2])
    np.testing.assert_allclose(values, wide @ POINTS.T @ ALPHA, rtol=1e-5)
    shift = np.array([1.0, -2.0, 3.0], dtype=np.float32)
    moved = Model(KernelPredictor(Gaussian(2.0), POINTS, ALPHA), 0.0, (-1, 1), 3, shift=shift)
    moved.save(tmp_path / "model.npz")
    values = Model.load(tmp_path / "model.npz").decision_values(X + shift)
    np.testing.assert_allclose(values, gaussian(X, 0.25) @ ALPHA, rtol=1e-4, atol=1e-5)


def test_points_of_another_width_are_refused(path: Path) -> None:
    with pytest.raises(SettingsError, match="the points have 2 features, the model was trained on 3"):
        Model.load(path).decision_values(X[:, :2])


def test_a_file_that_ends_early_is_refused_wherever_it_ends(path: Path) -> None:
    content = path.read_bytes()
    for length in range(0, len(content), 97):
        path.write_bytes(content[:length])
        with pytest.raises(ModelError, match="is not a model, or it is damaged"):
            Model.load(path)


def test_no_changed_byte_changes_a_prediction(path: Path) -> None:
    content, expected = path.read_bytes(), Model.load(path).decision_values(X)
    for place in range(0, len(content), 13):
        changed = bytearray(content)
        changed[place] ^= 0x55
        path.write_bytes(changed)
        try:
            values = Model.load(path).decision_values(X)
        except ModelError:
            continue
        assert np.array_equal(values, expected), place  # a byte of the archive that nothing reads


def rewritten(path: Path, **changes: Any) -> None:
    """Change entries of the header, and nothing else."""
    with np.load(path) as archive:
        arrays = dict(archive)
    header = json.loads(arrays.pop("header").tobytes()) | changes
    np.savez(path, header=np.frombuffer(json.dumps(header).encode(), np.uint8), **arrays)


def test_versions_and_checksums(path: Path) -> None:
    rewritten(path, format=FORMAT + 1)
    with pytest.raises(ModelError, match=f"has version {FORMAT + 1} of the format; this program reads {FORMAT}"):
        Model.load(path)
    rewritten(path, format=FORMAT)
    Model.load(path)
    rewritten(path, bias=0.6)
    with pytest.raises(ModelError, match="its checksum differs"):
        Model.load(path)


def test_other_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    with pytest.raises(ModelError, match="there is no such file"):
        Model.load(path)
    path.write_text("text", encoding="utf-8")
    with pytest.raises(ModelError, match="is not a model"):
        Model.load(path)
    np.savez(path, weights=np.ones(3))
    with pytest.raises(ModelError, match="is not a model"):
        Model.load(path)
    np.savez(path, header=np.array([{"format": 1}], dtype=object))  # pickled: never read
    with pytest.raises(ModelError, match="is not a model"):
        Model.load(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.npy", io.BytesIO(b"12").getvalue())
    with pytest.raises(ModelError, match="is not a model"):
        Model.load(path)
