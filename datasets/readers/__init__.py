"""Readers turn the unpacked bytes of a file into a `datasets.types.Table`.

A reader takes the content, the name of the file for messages, and its settings. It raises `DataError` with file and
line, row or column where the content is malformed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import PurePath
from typing import Any

import numpy as np

from ..errors import DataError, shown_path
from ..spec import PACKED_SUFFIXES, DatasetSpec, FileData, OpenmlData, PublishedData, ReadData
from ..types import Table
from .arff import read_arff
from .arrays import read_idx, read_npz
from .libsvm import read_libsvm
from .tables import read_csv, read_parquet
from .texts import read_messages, read_reuters, read_topics

READER_VERSION = 1
"""Part of every fingerprint and prepared file: raised when a reader's result changes for some published file."""
USERS_READER_VERSION = 2
"""The same for users' files and those of openml.org, whose features stay float64 until they have been scaled."""

TABLES: dict[str, Callable[..., Table]] = {"csv": read_csv, "parquet": read_parquet, "arff": read_arff}
"""Readers of columns, one of which is the label."""
_BY_SUFFIX = {
    **dict.fromkeys((".csv", ".data", ".tab", ".tsv"), "csv"),
    **dict.fromkeys((".parquet", ".parq", ".pq"), "parquet"),
    **{".arff": "arff", ".npz": "npz"},
}
_NOT_READ = {".feather", ".h5", ".hdf5", ".json", ".mat", ".npy", ".ods", ".pickle", ".pkl", ".xls", ".xlsx"}
_NOT_UNPACKED = {".7z", ".rar", ".zip", ".zst"}
"""Suffixes of other formats, which would be refused as malformed LIBSVM text."""


def format_of(path: str, wanted: str) -> str:
    """Return the format of a file: ``wanted``, or with ``auto`` by its suffix; a packer's suffix is ignored.

    A suffix that is not known, or none, means LIBSVM text.
    """
    if wanted != "auto":
        return wanted
    pure = PurePath(path)
    suffix = (pure.with_suffix("") if pure.suffix.lower() in PACKED_SUFFIXES else pure).suffix.lower()
    if suffix in _NOT_UNPACKED:
        raise DataError(
            f"{shown_path(path)}: {suffix} files are not unpacked; unpack it, or pack it as .gz, .bz2 or .xz."
        )
    if suffix in _NOT_READ:
        raise DataError(
            f"{shown_path(path)}: {suffix} files are not read; save it as CSV, Parquet, ARFF, .npz or LIBSVM text."
        )
    return _BY_SUFFIX.get(suffix, "libsvm")


def reader_of(spec: ReadData, format: str, role: str = "train") -> tuple[str, Callable[[bytes, str], Table]]:
    """Return the name of a reader with the settings that change its result, and the reader with these settings.

    Parameters
    ----------
    spec
        Has the reader's settings.
    format
        As `format_of` returns it.
    role
        Of the file; with ``topics`` the format does not matter.
    """
    dtype = np.float64 if isinstance(spec, FileData) else np.float32
    topic = spec.topic if isinstance(spec, PublishedData) else ""
    counted: dict[str, Any] = {"ngrams": spec.ngrams, "min_count": spec.min_count}
    counts = f"{spec.ngrams},{spec.min_count}"
    if role == "topics":
        return f"topics:{topic}", partial(read_topics, topic=topic)
    if format == "messages":
        return f"messages:{counts}", partial(read_messages, **counted)
    if format == "reuters":
        return f"reuters:{role},{topic},{counts}", partial(read_reuters, role=role, topic=topic, **counted)
    if format in TABLES:
        label, dropped = spec.label_column, spec.drop_columns
        name = f"{format}:{label!r}" + (f",without {sorted(dropped)}" if dropped else "")
        return name, partial(_read_table, TABLES[format], dtype, label_column=label, drop_columns=dropped)
    if format == "npz":
        return format, lambda content, where: read_npz(content, where, dtype)[0]
    return format, read_idx if format == "idx" else partial(read_libsvm, dtype=dtype)


def version_of(spec: DatasetSpec) -> int:
    """Return the version of the readers for a data set."""
    return USERS_READER_VERSION if isinstance(spec, FileData | OpenmlData) else READER_VERSION


def _read_table(
    reader: Callable[..., Table], dtype: type[np.floating[Any]], content: bytes, where: str, **settings: Any
) -> Table:
    table = reader(content, where, **settings)
    with np.errstate(over="ignore"):  # too large for float32: becomes infinite, which check_table refuses
        return replace(table, X=table.X.astype(dtype, copy=False))
