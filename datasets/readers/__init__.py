"""Readers: unpacked bytes in, :class:`datasets.dataset.Table` out. They know no network and no cache."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from datasets.dataset import Table
from datasets.errors import DataError
from datasets.readers.csv_text import read_csv
from datasets.readers.libsvm import read_libsvm

#: Part of every fingerprint and prepared file: raise it when a reader's result changes for some input.
READER_VERSION = 1

PACKED_SUFFIXES = (".xz", ".bz2", ".gz")
_BY_SUFFIX = {".csv": "csv", ".data": "csv", ".npz": "npz"}


def format_of(path: str, wanted: str) -> str:
    """Return the format of a file: ``wanted``, or by its suffix when that is ``auto``.

    ``.csv`` and ``.data`` are CSV, ``.npz`` is numpy's; anything else is LIBSVM text (.svm, .libsvm,
    .txt, no suffix at all). A packer's suffix is looked through.
    """
    if wanted != "auto":
        return wanted
    pure = PurePath(path)
    if pure.suffix in PACKED_SUFFIXES:
        pure = pure.with_suffix("")
    return _BY_SUFFIX.get(pure.suffix.lower(), "libsvm")


def read_text(
    content: bytes, where: str, format: str, label_column: int | str, drop_columns: Sequence[int] = ()
) -> Table:
    """Parse a text file that holds features and labels.

    Raises
    ------
    DataError
        A malformed line, with file, line number and text; or a format that is not text.
    """
    if format == "libsvm":
        return read_libsvm(content, where)
    if format == "csv":
        return read_csv(content, where, label_column, drop_columns)
    raise DataError(f"{where}: format {format} is not a text format; allowed are libsvm and csv.")
