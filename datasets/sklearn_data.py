"""Data sets that scikit-learn bundles, real data without a download, and those that it fetches from openml.org."""

from __future__ import annotations

import hashlib
import logging
import re
import socket
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from urllib.error import URLError

import numpy as np
from scipy import sparse

from ..support import disk_cache
from ..support.files import new_folder
from .download import TIMEOUT, Transfer, through, watched
from .errors import DataError, shorten, shown_path
from .readers.columns import labels_in, table_from
from .types import Table

log = logging.getLogger(__name__)

CHECKSUMS = {
    "breast_cancer": "25e2eb7b7a8745b1bde5ba18bc4969983d2e2f403291ecd5bde4a29ef30c3859",
    "digits": "f6d9e39f37dc45d327f6db33428ee58970ccceabb2535a5c179de35886b70443",
    "iris": "aa06b8008ceba42efc654be0f83fdafc786239c9e8f13146044d078f5aab8f23",
    "wine": "3a28849ef2366c4b9d4e382b3fa5624a66f693c04d7fdcf43c529bbb0bb338d7",
}
"""SHA-256 of the features (little-endian float64, row by row) followed by the labels' numbers (little-endian int64)."""
_ENTRY = re.compile(r"(?P<name>[^:\s]+)(?::(?P<version>[1-9]\d{0,8}))?")


def read_bundle(name: str) -> Table:
    """Return what ``sklearn.datasets.load_NAME`` returns, NAME one of `CHECKSUMS`: float32; texts as labels."""
    # imported here: it takes one to three seconds
    from sklearn import datasets as bundled

    bunch = getattr(bundled, f"load_{name}")()
    X, y = np.ascontiguousarray(bunch.data, "<f8"), np.asarray(bunch.target, "<i8")
    sha256 = hashlib.sha256(X.tobytes() + y.tobytes()).hexdigest()
    if sha256 != CHECKSUMS[name]:
        raise DataError(
            f"scikit-learn's bundled {shorten(name)} has changed: expected content sha256 {CHECKSUMS[name]}, found "
            f"{sha256}. Use another scikit-learn version."
        )
    labels = np.array([str(text) for text in bunch.target_names], object)[y]
    return Table(X.astype(np.float32), *labels_in(labels, name))


def name_and_version(entry: str) -> tuple[str, int]:
    """Return the parts of ``NAME:VERSION``; without a version it is 1, so that a command always means the same rows.

    OpenML does not change a version, and does not distinguish small and large letters in a name.
    """
    parts = _ENTRY.fullmatch(entry)
    if parts is None:
        raise DataError(
            f"dataset=openml:{shorten(entry)} is not of the form dataset=openml:NAME or openml:NAME:VERSION."
        )
    return parts["name"].lower(), int(parts["version"] or 1)


def read_openml(
    entry: str, drop_columns: Sequence[int], cache_dir: Path, note: Callable[[str], None] = log.warning
) -> Table:
    """Return a data set of openml.org with its default label; what has been fetched is kept in `cache_dir`.

    Parameters
    ----------
    entry
        See `name_and_version`.
    drop_columns
        0-based numbers of features to leave out. Only for data that OpenML stores as a dense table.
    note
        Takes a few words on a download before it begins, and while it lasts.
    """
    name, version = name_and_version(entry)
    where = f"openml:{name}:{version}"
    folder = disk_cache.path_of(cache_dir / "openml", f"{name}:{version}".encode())
    try:
        # earlier versions let scikit-learn keep all data sets in one folder
        bunch = _fetched(name, version, folder) or _fetched(name, version, cache_dir)
        if bunch is None:
            with new_folder(folder) as draft:
                bunch = watched(
                    lambda transfer: _fetched(name, version, draft, transfer), f"{where} from openml.org", note
                )
    except (OSError, DataError) as error:
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
        X = features.tocsr().astype(np.float64)
        X.eliminate_zeros()
        return Table(X, *labels_in(_cells(bunch.target), f"{where}, label"))
    columns = [_cells(features[name]) for name in features.columns]
    names = [*map(str, features.columns), "the label"]
    return table_from(names, [*columns, _cells(bunch.target)], where, -1, drop_columns, label_is_known=True)


def _cells(column: Any) -> Any:
    """Return the values of a column, missing ones as NaN."""
    return np.asarray(column.astype(object) if column.dtype.kind == "O" else column)


def _fetched(name: str, version: int, home: Path, transfer: Transfer | None = None) -> Any:
    """Return what scikit-learn reads from its cache in a folder; what is not there is fetched.

    Without a transfer nothing is fetched: None if it is not there.
    """
    if transfer is None and not (home / "openml").is_dir():
        return None
    # imported here: it takes one to three seconds
    from sklearn.datasets import fetch_openml

    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(TIMEOUT[1])
    try:
        with through(transfer), warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="A network error occurred")  # it tries again, then raises
            return fetch_openml(name, version=version, data_home=str(home), n_retries=1, delay=0.1)
    except URLError:
        if transfer is None:
            return None
        raise
    finally:
        socket.setdefaulttimeout(before)
