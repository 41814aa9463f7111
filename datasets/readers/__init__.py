"""Readers turn the unpacked bytes of a file into a `datasets.types.Table`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePath

from svm_cost_curves.datasets.errors import DataError, shown_path
from svm_cost_curves.datasets.readers.arff import read_arff
from svm_cost_curves.datasets.readers.csv_text import read_csv
from svm_cost_curves.datasets.readers.idx import read_idx
from svm_cost_curves.datasets.readers.libsvm import read_libsvm
from svm_cost_curves.datasets.readers.messages import read_messages
from svm_cost_curves.datasets.readers.npz import read_npz
from svm_cost_curves.datasets.readers.parquet import read_parquet
from svm_cost_curves.datasets.readers.reuters import read_reuters
from svm_cost_curves.datasets.readers.topics import read_topics
from svm_cost_curves.datasets.spec import PACKED_SUFFIXES, PublishedData, ReadData
from svm_cost_curves.datasets.types import Table

READER_VERSION = 1
"""Part of every fingerprint and prepared file: raised when a reader's result changes for some input."""

TABLES = {"csv": read_csv, "parquet": read_parquet, "arff": read_arff}
"""Readers of columns, one of which is the label."""
_BY_SUFFIX = {".arff": "arff", ".csv": "csv", ".data": "csv", ".npz": "npz", ".parquet": "parquet"}
_NOT_READ = {".feather", ".h5", ".hdf5", ".json", ".mat", ".npy", ".ods", ".pickle", ".pkl", ".xls", ".xlsx"}
"""Suffixes of other formats, which would be refused as malformed LIBSVM text."""


def format_of(path: str, wanted: str) -> str:
    """Return the format of a file: ``wanted``, or with ``auto`` by its suffix.

    ``.csv`` and ``.data`` are CSV, ``.npz`` is numpy's, ``.arff`` and ``.parquet`` are what they say; anything else is
    LIBSVM text (.svm, .libsvm, .txt, no suffix at all). A packer's suffix is ignored.

    Raises
    ------
    DataError
        The suffix is one of a format that is not read.
    """
    if wanted != "auto":
        return wanted
    pure = PurePath(path)
    if pure.suffix in PACKED_SUFFIXES:
        pure = pure.with_suffix("")
    suffix = pure.suffix.lower()
    if suffix in _NOT_READ:
        raise DataError(
            f"{shown_path(path)}: {suffix} files are not read; save it as CSV, Parquet, ARFF, .npz or LIBSVM text."
        )
    return _BY_SUFFIX.get(suffix, "libsvm")


def reader_of(spec: ReadData, format: str, role: str = "train") -> tuple[str, Callable[[bytearray, str], Table]]:
    """Return the reader of a format: its name with the settings that change its result, and a function.

    Parameters
    ----------
    spec
        Has the reader's settings.
    format
        As `format_of` returns it.
    role
        Of the file; with ``topics`` the format does not matter.

    Returns
    -------
    name : str
    read : callable
        Takes the unpacked content, which it may empty, and the file's name for messages; raises `DataError` with file
        and line where the content is malformed.
    """
    topic = spec.topic if isinstance(spec, PublishedData) else ""
    counted = {"ngrams": spec.ngrams, "min_count": spec.min_count}
    counts = f"{spec.ngrams},{spec.min_count}"
    if role == "topics":
        return f"topics:{topic}", lambda content, where: read_topics(bytes(content), where, topic)
    if format == "messages":
        return f"messages:{counts}", lambda content, where: read_messages(content, where, **counted)
    if format == "reuters":
        name = f"reuters:{role},{topic},{counts}"
        return name, lambda content, where: read_reuters(content, where, role=role, topic=topic, **counted)
    if format in TABLES:
        label, others = spec.label_column, spec.drop_columns
        name = f"{format}:{label!r}" + (f",without {sorted(others)}" if others else "")
        return name, lambda content, where: TABLES[format](content, where, label, others)
    if format == "npz":
        return format, lambda content, where: read_npz(content, where)[0]
    return format, read_idx if format == "idx" else read_libsvm
