"""Data sets of openml.org, fetched by scikit-learn, which keeps them in the cache folder."""

from __future__ import annotations

import re
import socket
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from svm_cost_curves.datasets.errors import DataError, shorten, shown_path
from svm_cost_curves.datasets.readers.columns import labels_in, table_from
from svm_cost_curves.datasets.types import Table

_ENTRY = re.compile(r"(?P<name>[^:\s]+)(?::(?P<version>[1-9]\d{0,8}))?")
_TIMEOUT = 15.0
"""Seconds without a byte after which a download fails."""


def name_and_version(entry: str) -> tuple[str, int]:
    """Return the parts of ``NAME:VERSION``; without a version it is 1, so that a command always means the same rows.

    OpenML does not change a version, and does not distinguish small and large letters in a name.

    Raises
    ------
    DataError
        The text does not have this form.
    """
    found = _ENTRY.fullmatch(entry)
    if found is None:
        raise DataError(
            f"dataset=openml:{shorten(entry)} is not of the form dataset=openml:NAME or openml:NAME:VERSION."
        )
    return found["name"].lower(), int(found["version"] or 1)


def read_openml(entry: str, drop_columns: Sequence[int], cache_dir: Path) -> Table:
    """Return a data set of openml.org with its default label.

    Parameters
    ----------
    entry
        See `name_and_version`.
    drop_columns
        0-based numbers of features to leave out. Only for data that OpenML stores as a dense table.
    cache_dir
        Folder in which scikit-learn keeps what it has fetched.

    Raises
    ------
    DataError
        There is no network or no such data set, or a feature holds texts.
    """
    # imported here: it takes one to three seconds
    from sklearn.datasets import fetch_openml

    name, version = name_and_version(entry)
    where = f"openml:{name}:{version}"
    try:
        with _time_limit(), warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="A network error occurred")  # it tries again, then raises
            bunch = fetch_openml(name, version=version, data_home=str(cache_dir), n_retries=1, delay=0.1)
    except OSError as error:
        raise DataError(
            f"Cannot fetch {where} from openml.org ({shorten(str(error))}); run this command once where there is a "
            f"network, then it is read from {shown_path(cache_dir / 'openml')}, or save the data to a file and use "
            "dataset=file."
        ) from error
    except ValueError as error:  # no such name or version, or a damaged download
        raise DataError(
            f"{where} cannot be used ({shorten(str(error))}); openml.org lists the names and versions."
        ) from error
    if bunch.target is None:
        raise DataError(f"{where}: has no label; save it to a file and use dataset=file with dataset.label_column.")
    features: Any = bunch.data
    is_sparse = sparse.issparse(features)
    if is_sparse:
        if drop_columns:
            raise DataError(f"{where}: is sparse, and dataset.drop_columns needs a dense table.")
        X = features.tocsr().astype(np.float32)
        X.eliminate_zeros()
        return Table(X, *labels_in(_cells(bunch.target), f"{where}, label"))
    columns = [_cells(features[name]) for name in features.columns]
    names = [*map(str, features.columns), "the label"]
    return table_from(names, [*columns, _cells(bunch.target)], where, -1, drop_columns, label_is_known=True)


def _cells(column: Any) -> Any:
    """Return the values of a column, missing ones as NaN."""
    return np.asarray(column.astype(object) if column.dtype.kind == "O" else column)


@contextmanager
def _time_limit() -> Iterator[None]:
    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(_TIMEOUT)
    try:
        yield
    finally:
        socket.setdefaulttimeout(before)
