"""MNIST extended by elastic deformations of its digits (Simard, Steinkraus, Platt 2003).

Each image is an original whose pixels are displaced by a smooth random field
(`cpp/elastic/elastic_deformation.hpp`). It depends only on the seed, the part and the image's number.

Training images are made from the first five sixths of MNIST's training images (50,000), validation images from the last
sixth (10,000), test images from MNIST's test images (10,000). Image k of a part is made from original k modulo their
number: a million training images are 20 of each original, 20,000 test images two of each.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .errors import DataError
from .spec import ElasticData
from .types import Stream, require_memory

GENERATOR_VERSION = 1
"""Part of the fingerprint: raised when images change."""

PIXELS = 784
_BYTES_AN_IMAGE = 24
"""Memory of an image before it is made: its number, its label, and temporary copies."""
SERIES = {"train": 0, "validation": 1, "test": 2}
"""Parts; each has its own random fields."""


def describe(spec: ElasticData) -> str:
    """Describe the origin of the images for the record."""
    evaluated = "validation images of the last sixth of it" if spec.validate else "test images of the test file"
    return (
        f"{spec.n} training images made of the first five sixths of the training file, {spec.n_test} {evaluated}; "
        f"sigma {spec.sigma:g}, alpha {spec.alpha:g}, Philox, seed {spec.data_seed}"
    )


def training_and_held_out(n: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows of the training file from which training and validation images are made."""
    rows = np.arange(n, dtype=np.int64)
    return rows[: n * 5 // 6], rows[n * 5 // 6 :]


def deformed_images(
    X: NDArray[np.uint8], y: NDArray[np.int8], count: int, part: str, spec: ElasticData
) -> tuple[Stream, NDArray[np.int8]]:
    """Return the images of a part as a stream, (count, 784), whose raw rows are uint8, and the labels, (count,) int8.

    Parameters
    ----------
    X, y
        (m, 784) grey values and (m,) labels of the originals.
    part
        One of `SERIES`.
    spec
        Its ``sigma``, ``alpha`` and ``data_seed``.
    """
    from ..solvers import _core  # the compiled core; needed only here

    if X.shape[1] != PIXELS:
        raise DataError(f"Data set {spec.name}: kind elastic is for images of 28 x 28, not of {X.shape[1]} pixels.")
    if not y.size:
        raise DataError(f"Data set {spec.name}: there is no original to make {part} images of.")
    require_memory(_BYTES_AN_IMAGE * count, f"The numbers of {count:,} {part} images")
    generator = _core.ElasticDeformation(sigma=spec.sigma, alpha=spec.alpha, seed=spec.data_seed)
    originals = np.ascontiguousarray(X, dtype=np.uint8)

    def make(numbers: NDArray[np.uint32]) -> NDArray[np.uint8]:
        needed = (1 + 4) * PIXELS * numbers.size  # as bytes and as float32
        require_memory(needed, f"{numbers.size:,} images at once", "Use a smaller dataset.max_train.")
        return generator.images(originals, numbers % np.uint32(y.size), SERIES[part], numbers)

    numbers = np.arange(count, dtype=np.uint32)
    return Stream(make, numbers, PIXELS), y[numbers % np.uint32(y.size)]
