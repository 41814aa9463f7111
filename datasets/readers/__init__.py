"""Readers: unpacked bytes in, :class:`datasets.dataset.Table` out. They know no network and no cache."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from datasets.errors import DataError
from datasets.readers.csv_text import read_csv
from datasets.readers.libsvm import read_libsvm
from datasets.readers.parquet import read_parquet
from datasets.spec import PACKED_SUFFIXES
from datasets.types import Table

#: Part of every fingerprint and prepared file: raise it when a reader's result changes for some input.
READER_VERSION = 1

_BY_SUFFIX = {".csv": "csv", ".data": "csv", ".npz": "npz", ".parquet": "parquet"}


def format_of(path: str, wanted: str) -> str:
    """Return the format of a file: ``wanted``, or by its suffix when that is ``auto``.

    ``.csv`` and ``.data`` are CSV, ``.npz`` is numpy's, ``.parquet`` is Parquet; anything else is LIBSVM text
    (.svm, .libsvm, .txt, no suffix at all). A packer's suffix is looked through.
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
    """Parse a file of rows that hold features and a label.

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
