"""scikit-learn's bundled 1,797 hand-written digits: real data without a download."""

from __future__ import annotations

import hashlib

import numpy as np

from datasets.errors import DataError
from datasets.types import Table

#: SHA-256 of the 1797 x 64 pixels (uint8, row by row) followed by the 1797 labels (uint8).
DIGITS_SHA256 = "87ff0c9e40dc7e2c0e34e7257799c2e3f3aec1a016363bb11cad869ec428a826"


def read_digits() -> Table:
    """Return the digits: (1797, 64) pixels 0 to 16 as uint8, labels 0 to 9.

    Raises
    ------
    DataError
        This scikit-learn bundles other digits than the ones known.
    """
    from sklearn.datasets import load_digits

    bunch = load_digits()
    X = np.asarray(bunch.data).astype(np.uint8)
    y = np.asarray(bunch.target).astype(np.uint8)
    found = hashlib.sha256(X.tobytes() + y.tobytes()).hexdigest()
    if found != DIGITS_SHA256:
        raise DataError(
            f"scikit-learn's bundled digits have changed: expected content sha256 {DIGITS_SHA256}, found {found}. "
            "Use another scikit-learn version."
        )
    return Table(X, y.astype(np.float64))
