"""Readers turn the unpacked bytes of a file into a `datasets.types.Table`.

A reader takes the content, the name of the file for messages, and its settings. It raises `DataError` with file and
line, row or column where the content is malformed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import PurePath
from typing import Any

from svm_cost_curves.datasets.errors import DataError, shown_path
from svm_cost_curves.datasets.readers.arrays import read_idx, read_npz
from svm_cost_curves.datasets.readers.libsvm import read_libsvm
from svm_cost_curves.datasets.readers.tables import read_arff, read_csv, read_parquet
from svm_cost_curves.datasets.readers.texts import read_messages, read_reuters, read_topics
from svm_cost_curves.datasets.spec import PACKED_SUFFIXES, PublishedData, ReadData
from svm_cost_curves.datasets.types import Table

READER_VERSION = 1
"""Part of every fingerprint and prepared file: raised when a reader's result changes for some input."""

TABLES: dict[str, Callable[..., Table]] = {"csv": read_csv, "parquet": read_parquet, "arff": read_arff}
"""Readers of columns, one of which is the label."""
_BY_SUFFIX = {".arff": "arff", ".csv": "csv", ".data": "csv", ".npz": "npz", ".parquet": "parquet"}
_NOT_READ = {".feather", ".h5", ".hdf5", ".json", ".mat", ".npy", ".ods", ".pickle", ".pkl", ".xls", ".xlsx"}
"""Suffixes of other formats, which would be refused as malformed LIBSVM text."""


def format_of(path: str, wanted: str) -> str:
    """Return the format of a file: ``wanted``, or with ``auto`` by its suffix; a packer's suffix is ignored.

    A suffix that is not known, or none, means LIBSVM text.
    """
    if wanted != "auto":
        return wanted
    pure = PurePath(path)
    suffix = (pure.with_suffix("") if pure.suffix in PACKED_SUFFIXES else pure).suffix.lower()
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
        label, others = spec.label_column, spec.drop_columns
        name = f"{format}:{label!r}" + (f",without {sorted(others)}" if others else "")
        return name, partial(TABLES[format], label_column=label, drop_columns=others)
    if format == "npz":
        return format, lambda content, where: read_npz(content, where)[0]
    return format, read_idx if format == "idx" else read_libsvm
