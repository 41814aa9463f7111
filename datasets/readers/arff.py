"""Reads dense ARFF, the format of Weka and OpenML, by scipy."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

import numpy as np

from svm_cost_curves.datasets.errors import DataError, shorten
from svm_cost_curves.datasets.memory import require_memory
from svm_cost_curves.datasets.readers.columns import table_from
from svm_cost_curves.datasets.types import Table

_BYTES_A_CHARACTER = 32
"""Peak memory of parsing a character: scipy makes a Python number of every cell."""


def read_arff(
    content: bytes | bytearray, where: str, label_column: int | str = -1, drop_columns: Sequence[int] = ()
) -> Table:
    """Read a dense ARFF file.

    Parameters
    ----------
    content
        The unpacked file.
    where
        Name of the file for messages.
    label_column
        0-based number, negative from the end, or name of the attribute. Labels are numbers or nominal values.
    drop_columns
        0-based numbers of attributes to leave out, of any type.

    Returns
    -------
    Table
        Dense float32 features in the order of the attributes, and float64 labels.

    Raises
    ------
    DataError
        The file is malformed, sparse, or has texts as features.
    """
    # imported here: few need it
    from scipy.io import arff

    require_memory(_BYTES_A_CHARACTER * len(content), f"{where}: reading it")
    text = content.decode("utf-8-sig", errors="replace")
    rows = text.lower().partition("@data")[2].split("\n")[1:]
    if any(row.lstrip().startswith("{") for row in rows):
        raise DataError(f"{where}: is sparse ARFF, which is not read; save it as LIBSVM text.")
    limit = csv.field_size_limit()  # scipy raises it for the whole process
    try:
        data, meta = arff.loadarff(io.StringIO(text))
    except Exception as error:  # scipy raises some ten kinds for malformed text
        raise DataError(
            f"{where}: not a readable ARFF file ({shorten(str(error) or type(error).__name__)})."
        ) from error
    finally:
        csv.field_size_limit(limit)
    columns = [data[name] for name in meta.names()]
    columns = [column if column.dtype.kind == "f" else np.char.decode(column, "latin-1") for column in columns]
    return table_from(meta.names(), columns, where, label_column, drop_columns)
