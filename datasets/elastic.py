"""MNIST extended by elastic deformations of its digits (Simard, Steinkraus, Platt 2003), by a generator of our own.

Each image is an original whose pixels are displaced by a smooth random field, as `cpp/elastic/elastic_deformation.hpp`
describes. It follows from the seed, the series and its number alone, so that an image is the same whatever other images
are made, and on any machine.

No original is in two parts: training images are made of the first five sixths of MNIST's training images (50,000),
validation images of the last sixth (10,000), and test images of MNIST's test images (10,000). Image k of a part is made
of its original k modulo their number: a million training images are 20 of each original, 20,000 test images two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from datasets.errors import DataError
from datasets.memory import ask
from datasets.stream import Stream

if TYPE_CHECKING:
    from datasets.spec import DatasetSpec

GENERATOR_VERSION = 1
"""Part of the fingerprint: raised when an image changes."""

PIXELS = 784
_BYTES_AN_IMAGE = 24
"""Of an image that is not made yet: its number and its label, and what is computed of them."""
SERIES = {"train": 0, "validation": 1, "test": 2}
"""Images of different series never have a field in common."""


def identity(spec: DatasetSpec) -> list[Any]:
    """Return what determines the images beside the files."""
    settings = [float(spec.sigma), float(spec.alpha), spec.data_seed]
    return [GENERATOR_VERSION, *settings, spec.n, spec.n_test, "validation" if spec.validate else "test"]


def describe(spec: DatasetSpec) -> str:
    """Return in words for the record where the images come from."""
    evaluated = "validation images of the last sixth of it" if spec.validate else "test images of the test file"
    return (
        f"{spec.n} training images made of the first five sixths of the training file, {spec.n_test} {evaluated}; "
        f"sigma {spec.sigma:g}, alpha {spec.alpha:g}, Philox, seed {spec.data_seed}"
    )


def training_and_held_out(n: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return which rows of the training file are originals of training and of validation images."""
    rows = np.arange(n, dtype=np.int64)
    return rows[: n * 5 // 6], rows[n * 5 // 6 :]


def extended(
    X: NDArray[np.uint8], y: NDArray[np.int8], count: int, part: str, spec: DatasetSpec
) -> tuple[Stream, NDArray[np.int8]]:
    """Make a part of so many images.

    Parameters
    ----------
    X, y
        (m, 784) grey values and (m,) labels of the originals.
    count
        Images.
    part
        One of `SERIES`.
    spec
        Its ``sigma``, ``alpha`` and ``data_seed``.

    Returns
    -------
    images : Stream
        (count, 784); raw rows are uint8.
    labels : (count,) int8
        Those of the originals.

    Raises
    ------
    DataError
        The originals are not of 28 x 28 pixels, or there is none; or numbers and labels do not fit in memory.
    """
    from solvers import _core  # the compiled core, not a solver; only who makes images needs it

    if X.shape[1] != PIXELS:
        raise DataError(f"Data set {spec.name}: kind elastic is for images of 28 x 28, not of {X.shape[1]} pixels.")
    if not y.size:
        raise DataError(f"Data set {spec.name}: there is no original to make {part} images of.")
    ask(_BYTES_AN_IMAGE * count, f"The numbers of {count:,} {part} images")
    generator = _core.ElasticDeformation(sigma=spec.sigma, alpha=spec.alpha, seed=spec.data_seed)
    originals = np.ascontiguousarray(X, dtype=np.uint8)

    def make(numbers: NDArray[np.uint32]) -> NDArray[np.uint8]:
        ask(PIXELS * numbers.size, f"{numbers.size:,} images at once", "Use a smaller dataset.max_train.")
        return generator.images(originals, numbers % np.uint32(y.size), SERIES[part], numbers)

    numbers = np.arange(count, dtype=np.uint32)
    return Stream(make, numbers, PIXELS), y[numbers % np.uint32(y.size)]
