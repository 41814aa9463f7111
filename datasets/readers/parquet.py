"""Reads Apache Parquet: columns of numbers, one of which is the label."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

from svm_cost_curves.datasets.errors import DataError, shorten
from svm_cost_curves.datasets.memory import require_memory
from svm_cost_curves.datasets.readers.columns import table_from
from svm_cost_curves.datasets.types import Table

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
    if not table.num_columns:
        raise DataError(f"{where}: the file has no columns.")
    columns = [column.to_numpy() for column in table.columns]
    return table_from(table.column_names, columns, where, label_column, drop_columns, parse=False)


def _without_index(table: pa.Table) -> pa.Table:
    """Drop the index columns of pandas."""
    index = (table.schema.pandas_metadata or {}).get("index_columns", [])
    return table.drop_columns([name for name in table.column_names if name in index])


def _unreadable(where: str, error: Exception) -> DataError:
    return DataError(f"{where}: not a readable Parquet file ({shorten(str(error))}).")
