"""Readers turn the unpacked bytes of a file into a `datasets.types.Table`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from datasets.errors import DataError, shown_path
from datasets.readers.arff import read_arff
from datasets.readers.csv_text import read_csv
from datasets.readers.libsvm import read_libsvm
from datasets.readers.parquet import read_parquet
from datasets.spec import PACKED_SUFFIXES
from datasets.types import Table

READER_VERSION = 1
"""Part of every fingerprint and prepared file: raised when a reader's result changes for some input."""

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


def read_table(
    content: bytearray, where: str, format: str, label_column: int | str, drop_columns: Sequence[int] = ()
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
    if format == "arff":
        return read_arff(content, where, label_column, drop_columns)
    raise DataError(
        f"{where}: format {format} has no rows of features and a label; allowed are libsvm, csv, parquet, arff."
    )
