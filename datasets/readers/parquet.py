"""Reads Apache Parquet: columns of numbers, one of which is the label."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from datasets.errors import DataError, shorten
from datasets.memory import require_memory
from datasets.readers.columns import column_of, dropped_columns
from datasets.types import Table

if TYPE_CHECKING:
    import pyarrow as pa

_BYTES_A_CELL = 16
"""Peak memory of a cell: at most 8 bytes in the file's type, float32, and the stacked float32."""


def read_parquet(
    content: bytes | bytearray, where: str, label_column: int | str = -1, drop_columns: Sequence[int] = ()
) -> Table:
    """Read a table of numbers.

    Parameters
    ----------
    content
        The file.
    where
        Name of the file for messages.
    label_column
        0-based number, negative from the end, or name of the column. Labels are numbers or texts.
    drop_columns
        0-based numbers of columns to leave out, of any type.

    Returns
    -------
    Table
        Dense float32 features in the order of the columns, and float64 labels.

    Raises
    ------
    DataError
        The file is damaged, a column is missing, not numeric, or has missing values.
    """
    # imported here: it takes a tenth of a second
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(io.BytesIO(content), page_checksum_verification=True)
        size = sum(file.metadata.row_group(k).total_byte_size for k in range(file.metadata.num_row_groups))
        cells = file.metadata.num_rows * file.metadata.num_columns
    except Exception as error:  # pyarrow raises many types for damaged bytes
        raise _unreadable(where, error) from error
    require_memory(size + _BYTES_A_CELL * cells, f"{where}: reading {file.metadata.num_rows:,} rows")
    try:
        table = _without_index(file.read(use_threads=False))
        table.validate(full=True)
    except Exception as error:
        raise _unreadable(where, error) from error
    names = table.column_names
    if not names:
        raise DataError(f"{where}: the file has no columns.")
    label = column_of(label_column, names, len(names), where)
    others = dropped_columns(drop_columns, label, len(names), where)
    places = [f"{where}, column '{shorten(name, 40)}'" for name in names]
    y, classes = _labels(table.column(label), places[label])
    with np.errstate(over="ignore"):  # too large for float32: becomes infinite, which check_finite refuses
        features = [
            _numbers(table.column(k), places[k]).astype(np.float32)
            for k in range(len(names))
            if k not in (label, *others)
        ]
    X = np.stack(features, axis=1) if features else np.empty((y.size, 0), np.float32)
    return Table(np.ascontiguousarray(X), y, classes)


def _without_index(table: pa.Table) -> pa.Table:
    """Drop the index columns of pandas."""
    index = (table.schema.pandas_metadata or {}).get("index_columns", [])
    return table.drop_columns([name for name in table.column_names if name in index])


def _labels(column: pa.ChunkedArray, place: str) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    """Return labels as numbers; text labels as numbers of their classes."""
    import pyarrow as pa

    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        return _numbers(column, place), ()
    _refuse_missing(column, place)
    texts, codes = np.unique(np.array(column.to_pylist(), dtype=object), return_inverse=True)
    return codes.astype(np.float64), tuple(map(str, texts))


def _numbers(column: pa.ChunkedArray, place: str) -> NDArray[np.float64]:
    import pyarrow as pa

    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)):
        raise DataError(f"{place}: has type {shorten(str(column.type))}; features are numbers (dataset.drop_columns).")
    _refuse_missing(column, place)
    return np.asarray(column.to_numpy(), dtype=np.float64)


def _refuse_missing(column: pa.ChunkedArray, place: str) -> None:
    if column.null_count:
        row = int(np.argmax(column.is_null().to_numpy())) + 1
        raise DataError(f"{place}, row {row}: the value is missing; all rows must have one.")


def _unreadable(where: str, error: Exception) -> DataError:
    return DataError(f"{where}: not a readable Parquet file ({shorten(str(error))}).")
