"""Readers turn the unpacked bytes of a file into a `datasets.types.Table`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from datasets.errors import DataError
from datasets.readers.csv_text import read_csv
from datasets.readers.libsvm import read_libsvm
from datasets.readers.parquet import read_parquet
from datasets.spec import PACKED_SUFFIXES
from datasets.types import Table

READER_VERSION = 1
"""Part of every fingerprint and prepared file: raised when a reader's result changes for some input."""

_BY_SUFFIX = {".csv": "csv", ".data": "csv", ".npz": "npz", ".parquet": "parquet"}


def format_of(path: str, wanted: str) -> str:
    """Return the format of a file: ``wanted``, or with ``auto`` by its suffix.

    ``.csv`` and ``.data`` are CSV, ``.npz`` is numpy's, ``.parquet`` is Parquet; anything else is LIBSVM text
    (.svm, .libsvm, .txt, no suffix at all). A packer's suffix is ignored.
    """
    if wanted != "auto":
        return wanted
    pure = PurePath(path)
    if pure.suffix in PACKED_SUFFIXES:
        pure = pure.with_suffix("")
    return _BY_SUFFIX.get(pure.suffix.lower(), "libsvm")


def read_table(
    content: bytes, where: str, format: str, label_column: int | str, drop_columns: Sequence[int] = ()
) -> Table:
    """Parse a file whose rows have features and a label.

    Raises
    ------
    DataError
        A malformed line, with file, line number and text; or a format that has no such rows.
    """
    if format == "libsvm":
        return read_libsvm(content, where)
    if format == "csv":
        return read_csv(content, where, label_column, drop_columns)
    if format == "parquet":
        return read_parquet(content, where, label_column, drop_columns)
    raise DataError(f"{where}: format {format} has no rows of features and a label; allowed are libsvm, csv, parquet.")
