"""Data sets that scikit-learn bundles: real data without a download."""

from __future__ import annotations

import hashlib

import numpy as np

from svm_cost_curves.datasets.errors import DataError, shorten
from svm_cost_curves.datasets.readers.columns import labels_in
from svm_cost_curves.datasets.types import Table

CHECKSUMS = {
    "breast_cancer": "25e2eb7b7a8745b1bde5ba18bc4969983d2e2f403291ecd5bde4a29ef30c3859",
    "digits": "f6d9e39f37dc45d327f6db33428ee58970ccceabb2535a5c179de35886b70443",
    "iris": "aa06b8008ceba42efc654be0f83fdafc786239c9e8f13146044d078f5aab8f23",
    "wine": "3a28849ef2366c4b9d4e382b3fa5624a66f693c04d7fdcf43c529bbb0bb338d7",
}
"""SHA-256 of the features (little-endian float64, row by row) followed by the labels' numbers (little-endian int64)."""


def read_bundle(name: str) -> Table:
    """Return a data set of scikit-learn.

    Parameters
    ----------
    name
        One of `CHECKSUMS`: ``breast_cancer`` is what ``sklearn.datasets.load_breast_cancer`` returns.

    Returns
    -------
    Table
        (n, d) float32 features; labels are texts where scikit-learn names them by texts.

    Raises
    ------
    DataError
        scikit-learn bundles other numbers.
    """
    # imported here: it takes one to three seconds
    from sklearn import datasets as bundled

    bunch = getattr(bundled, f"load_{name}")()
    X, y = np.ascontiguousarray(bunch.data, "<f8"), np.asarray(bunch.target, "<i8")
    found = hashlib.sha256(X.tobytes() + y.tobytes()).hexdigest()
    if found != CHECKSUMS[name]:
        raise DataError(
            f"scikit-learn's bundled {shorten(name)} has changed: expected content sha256 {CHECKSUMS[name]}, found "
            f"{found}. Use another scikit-learn version."
        )
    labels = np.array([str(text) for text in bunch.target_names], object)[y]
    return Table(X.astype(np.float32), *labels_in(labels, name))
