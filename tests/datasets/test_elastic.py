"""Elastic deformations: against a slow implementation, against mathematics, and as a data set."""

from __future__ import annotations

import hashlib
import math
import struct
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import ndimage

from svm_cost_curves.datasets import DataError, Dataset, DatasetSpec, ElasticData, fingerprint, load
from svm_cost_curves.datasets.elastic import deformed_images
from svm_cost_curves.datasets.spec import FileSpec
from svm_cost_curves.datasets.types import Stream
from svm_cost_curves.solvers import _core

Load = Callable[..., Dataset]

DIGIT = np.zeros((28, 28), np.uint8)
DIGIT[6:22, 12:15] = np.arange(16, dtype=np.uint8)[:, None] + 240
DIGIT[6:9, 8:20] = 200
BASE = DIGIT.reshape(1, 784)


def deformed(count: int, sigma: float = 5.0, alpha: float = 44.0, seed: int = 0, series: int = 0) -> NDArray[np.uint8]:
    numbers = np.arange(count, dtype=np.uint32)
    return _core.ElasticDeformation(sigma=sigma, alpha=alpha, seed=seed).images(
        BASE, np.zeros_like(numbers), series, numbers
    )


def slow_field(sigma: float, alpha: float, seed: int, series: int, number: int) -> NDArray[np.int64]:
    radius = int(3 * sigma + 0.5)
    shape = [math.exp(-0.5 * (k / sigma) ** 2) for k in range(-radius, radius + 1)]
    weights = np.array([math.floor(2**15 * w / sum(shape) + 0.5) for w in shape])
    weights[radius] += 2**15 - weights.sum()
    width = 28 + 2 * radius
    noise: list[int] = []
    block = 0
    while len(noise) < 2 * width**2:  # blocks of four words come in sixteens: all first halves, then all second ones
        words = np.array(
            [_core.philox4x32([block + b, number, 4, series + 1], [seed % 2**32, seed >> 32]) for b in range(16)]
        ).T.ravel()
        noise += [*(words & 0xFFFF), *(words >> 16)]
        block += 16
    signed = np.array(noise[: 2 * width**2]).astype(np.uint16).astype(np.int16).astype(np.int64)
    fields = []
    for axis in signed.reshape(2, width, width):
        rows = np.array([np.convolve(row, weights, "valid") for row in axis])
        rows = (rows + 2**14) // 2**15
        sums = np.array([np.convolve(column, weights, "valid") for column in rows.T]).T
        fields.append(np.floor(sums.astype(object) * int(alpha * 2**16 + 0.5) / 2**38 + 0.5).astype(np.int64))
    return np.array(fields)


@pytest.mark.parametrize(
    ("sigma", "alpha", "seed", "number"),
    [(5.0, 44.0, 0, 0), (4.0, 34.0, 2**40 + 7, 999_999), (0.5, 3.0, 1, 5), (7.3, 300.0, 2, 2**32 - 1)],
)
def test_a_slow_program_makes_the_same_fields_and_images(sigma: float, alpha: float, seed: int, number: int) -> None:
    generator = _core.ElasticDeformation(sigma=sigma, alpha=alpha, seed=seed)
    for series in (0, 2):
        field = generator.field(series, number)
        np.testing.assert_array_equal(field, slow_field(sigma, alpha, seed, series, number))
        rows, columns = np.mgrid[:28, :28]
        places = np.array([rows + field[1] / 256, columns + field[0] / 256])
        expected = ndimage.map_coordinates(DIGIT.astype(float), places, order=1, mode="grid-constant")
        image = generator.images(BASE, np.zeros(1, np.uint32), series, np.array([number], np.uint32))
        np.testing.assert_array_equal(image.reshape(28, 28), np.floor(expected + 0.5))


@pytest.mark.parametrize(("sigma", "alpha"), [(4.0, 34.0), (6.0, 60.0)])
def test_fields_are_as_strong_and_as_smooth_as_white_noise_under_a_gaussian(sigma: float, alpha: float) -> None:
    """Variance alpha^2 / 3 times 1 / (4 pi sigma^2); correlation exp(-h^2 / (4 sigma^2)) over a distance h."""
    generator = _core.ElasticDeformation(sigma=sigma, alpha=alpha, seed=3)
    fields = np.array([generator.field(0, number) for number in range(600)]) / 256
    variance = alpha**2 / 3 / (4 * math.pi * sigma**2)
    assert abs(fields.mean()) < 0.06 * math.sqrt(variance)
    for part in (fields, fields[:, :, :2], fields[:, :, :, 26:]):  # at the border as inside
        assert part.var() == pytest.approx(variance, rel=0.1)
    for distance in (1, 4, 10):
        below, right = fields[:, :, distance:], fields[..., distance:]
        for pair in (below * fields[:, :, :-distance], right * fields[..., :-distance]):
            assert pair.mean() / variance == pytest.approx(math.exp(-(distance**2) / (4 * sigma**2)), abs=0.1)
    assert abs((fields[:, 0] * fields[:, 1]).mean()) < 0.05 * variance  # both axes
    assert abs((fields[1:] * fields[:-1]).mean()) < 0.05 * variance  # neighbours
    for other in (generator.field(1, 0), _core.ElasticDeformation(sigma=sigma, alpha=alpha, seed=4).field(0, 0)):
        assert (other / 256 != fields[0]).mean() > 0.9


def test_images_are_the_same_bytes_on_any_machine() -> None:
    known = {
        (5.0, 44.0, 0, 0): "89eec11c5d6b6ae4",
        (4.0, 34.0, 2**63, 1): "7c25f0b42a1d45bf",
        (27.9, 999.0, 1, 2): "d56762a16f2f9477",
    }
    assert known == {case: hashlib.sha256(deformed(50, *case).tobytes()).hexdigest()[:16] for case in known}


def written(folder: Path, role: str, name: str, content: bytes) -> FileSpec:
    (folder / name).write_bytes(content)
    return FileSpec(role=role, name=name, sha256=hashlib.sha256(content).hexdigest())


@pytest.fixture
def small(tmp_path: Path, no_mirror: None) -> DatasetSpec:
    """A stand-in of 60 and 20 images: the grey of an image is its number from 1, and from 101 in the test file."""
    files = []
    for role, n, first in (("train", 60, 1), ("test", 20, 101)):
        pixels = np.repeat(np.arange(first, first + n, dtype=np.uint8), 784).tobytes()
        labels = bytes(k % 10 for k in range(n))
        files += [
            written(tmp_path, role, f"{role}-images", struct.pack(">4i", 0x803, n, 28, 28) + pixels),
            written(tmp_path, f"{role}_labels", f"{role}-labels", struct.pack(">2i", 0x801, n) + labels),
        ]
    groups = {"positive": [0.0, 1, 2, 3, 4], "negative": [5.0, 6, 7, 8, 9]}
    return ElasticData(name="small", format="idx", files=files, divide_by=255, n=210, n_test=50, **groups)


@pytest.fixture
def loaded(small: DatasetSpec, tmp_path: Path) -> Load:
    return lambda **changes: load(replace(small, **changes), cache_dir=tmp_path)


def greys(X: Any) -> list[int]:
    """The originals: grey in the middle, where nothing comes from outside."""
    return np.rint(np.asarray(X)[:, 14 * 28 + 14] * 255).astype(int).tolist()


def test_labels_range_and_originals(loaded: Load) -> None:
    data, other = loaded(), loaded(validate=True)
    assert isinstance(data.points, Stream)
    X = data.points[np.arange(210)]
    assert (data.points.shape, data.n, data.d, X.dtype) == ((210, 784), 210, 784, np.float32)
    assert X.flags.c_contiguous
    assert greys(X) == [k % 50 + 1 for k in range(210)]
    assert greys(data.X_test) == [k % 20 + 101 for k in range(50)]
    assert greys(other.X_test) == [k % 10 + 51 for k in range(50)]  # of no training image
    assert data.y.tolist() == [1 if (g - 1) % 10 < 5 else -1 for g in greys(X)]
    assert data.y_test.tolist() == [1 if (g - 101) % 10 < 5 else -1 for g in greys(data.X_test)]
    assert X.min() >= 0
    assert X.max() <= np.float32(50 / 255)
    assert data.provenance["split"].startswith("210 training images made of the first five sixths of the training file")
    assert data.provenance["counts"]["train"] == {"n": 210, "d": 784, "positives": 105}


@settings(max_examples=30, deadline=None)
@given(rows=st.lists(st.integers(0, 209), max_size=30), cut=st.integers(0, 30))
def test_an_image_does_not_depend_on_its_neighbours(rows: list[int], cut: int) -> None:
    originals = np.repeat(BASE, 3, axis=0) // np.array([[1], [2], [3]], np.uint8)
    stream, labels = deformed_images(originals, np.array([1, -1, 1], np.int8), 210, "train", ElasticData(data_seed=4))
    wanted = np.array(rows, dtype=np.intp)
    parts = np.concatenate([stream[wanted[:cut]], stream.take(wanted[cut:]).raw()])
    assert parts.tobytes() == stream.raw().astype(np.float32)[wanted].tobytes()
    assert labels.tolist() == [1, -1, 1] * 70


def test_a_sample_is_in_memory_and_part_of_the_stream(loaded: Load) -> None:
    stream, data = loaded().points, loaded(max_train=40)
    assert isinstance(stream, Stream)
    assert data.n == len(data.X) == 40  # type: ignore[arg-type]
    rows = {row.tobytes() for row in np.asarray(data.X)}
    assert rows < {row.tobytes() for row in stream[np.arange(210)]}
    assert np.asarray(loaded(max_train=210).X).tobytes() == stream[np.arange(210)].tobytes()
    assert data.provenance["storage"] == "dense"
    digits = loaded(positive=[3.0], negative=[8.0], max_train=210)
    assert set(greys(digits.X)) == {4, 9, 14, 19, 24, 29, 34, 39, 44, 49}


def test_reading_all_rows_of_a_stream_is_an_error_with_advice(loaded: Load) -> None:
    with pytest.raises(DataError, match=r"its 210 training rows are made when they are needed.*dataset\.max_train="):
        _ = loaded().X


def test_the_fingerprint_depends_on_the_settings_and_makes_no_image(small: DatasetSpec, loaded: Load) -> None:
    assert fingerprint(small) == loaded().fingerprint
    changes: list[dict[str, Any]] = [{}, {"n": 211}, {"n_test": 51}, {"sigma": 4.0}, {"alpha": 43.0}, {"data_seed": 1}]
    changes += [{"validate": True}, {"max_train": 100}]
    assert len({fingerprint(replace(small, **change)) for change in changes}) == len(changes)
    assert fingerprint(replace(small, n=10**9)) != fingerprint(small)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sigma": 0.4}, r"dataset\.sigma=0\.4: must lie between 0\.5 and 28"),
        ({"alpha": float("nan")}, r"dataset\.alpha=nan: must lie between 0 and 1000\."),
        ({"n": 1}, r"dataset\.n=1: must lie between 2 and"),
        ({"parts": [100, 50, 60]}, r"dataset\.parts=.*images of one original would be in several parts"),
        ({"validation_fraction": 0.1}, r"dataset\.validation_fraction=0\.1: images of one original"),
        ({"scaling": "minmax"}, r"dataset\.scaling=minmax: needs all training rows.*dataset\.max_train=60000"),
        ({"storage": "sparse"}, r"dataset\.storage=sparse: needs all training rows"),
        ({"format": "csv"}, "made of idx files"),
    ],
)
def test_wrong_specifications_are_refused_in_one_line(loaded: Load, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message) as error:
        loaded(**changes)
    assert "\n" not in str(error.value)
