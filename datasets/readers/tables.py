"""Reads tables: CSV by the standard library, dense ARFF by scipy, Parquet by pyarrow; one column is the label.

The readers take `label_column` and `drop_columns` of `datasets.readers.columns.table_from`, and return its table. They
raise `DataError` for a file that is malformed, for a feature that is no number, and for a missing label.
"""

from __future__ import annotations

import csv
import io
import itertools
from collections.abc import Iterator, Sequence

import numpy as np

from svm_cost_curves.datasets.errors import DataError, shorten
from svm_cost_curves.datasets.readers.columns import (
    chosen_columns,
    labels_in,
    no_number,
    numbers_in,
    place_of,
    table_from,
)
from svm_cost_curves.datasets.types import Table, require_memory

_LOOKED_AT = 1000
"""Lines, after one with a text, in which further columns of texts are looked for."""
_ARFF_BYTES = 32
"""Peak memory of parsing a character of ARFF: scipy makes a Python number of every cell."""
_PARQUET_BYTES = 16
"""Peak memory of a cell of Parquet: at most 8 bytes in the file's type, float32, and the stacked float32."""


def read_csv(content: bytes, where: str, label_column: int | str = -1, drop_columns: Sequence[int] = ()) -> Table:
    """Parse numbers separated by commas, semicolons or white space, as in the first line; blank lines are skipped.

    The first line is a header if one of its feature cells is not a number, if the label column is given by name, or if
    its label is a text and all others are numbers. Labels are texts if any of them is not a number.
    """
    rows = _rows(content.decode("utf-8-sig", errors="replace").splitlines(), where)
    line, first = next(rows, (0, []))
    if not first:
        return Table(np.empty((0, 0), np.float32), np.empty(0))
    first, width = [cell.strip() for cell in first], len(first)
    names = [] if numbers_in(first) is not None else first
    label, others = chosen_columns(label_column, drop_columns, names, width, where)
    features = [k for k in range(width) if k not in (label, *others)]

    header = isinstance(label_column, str) or numbers_in([first[k] for k in features]) is None
    no_numbers = all(numbers_in([cell]) is None for cell in first)
    shown_names = first if isinstance(label_column, str) or (header and no_numbers) else []
    values, labels = [], []
    if not header:
        values.append(np.array([first[k] for k in features], np.float64))
        labels.append(first[label])
    for number, row in rows:
        place = f"{where}, line {number}"
        if len(row) != width:
            count = "1 cell" if len(row) == 1 else f"{len(row)} cells"
            raise DataError(f"{place}: {count} where the first line has {width}.{_line(row)}")
        cells = numbers_in([row[k] for k in features])
        if cells is None:
            looked_at = [row, *itertools.islice((other for _, other in rows), _LOOKED_AT)]
            texts = [k for other in looked_at for k in features if k < len(other) and numbers_in([other[k]]) is None]
            raise no_number(place, shown_names, list(dict.fromkeys(texts)), row[texts[0]], others)
        text = row[label].strip()
        if not text or "\ufffd" in text:
            why = "is not UTF-8" if text else "is missing: fill it in, or remove the line"
            raise DataError(f"{place}, column {place_of(label, shown_names)}: the label '{shorten(text)}' {why}.")
        values.append(cells)
        labels.append(text)

    if not header and labels and numbers_in(labels[:1]) is None and labels[0] not in labels[1:] and labels[1:]:
        if numbers_in(labels[1:]) is None:
            raise DataError(
                f"{where}, line {line}: this may be a header or a row, as its label '{shorten(labels[0])}' is in no "
                "other line; name the label's column by it (dataset.label_column=NAME), or remove the line."
            )
        del values[0], labels[0]
    if not labels:
        return Table(np.empty((0, len(features)), np.float32), np.empty(0))
    with np.errstate(over="ignore"):  # too large for float32: becomes infinite, which check_table refuses
        X = np.array(values, np.float32)
    columns = tuple(place_of(k, shown_names) for k in features)
    y, classes = labels_in(np.array(labels, object), where)
    return Table(X, y, classes, columns=columns, label_column=place_of(label, shown_names))


def _rows(lines: Sequence[str], where: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the cells of each line that is not blank."""
    separator = _separator(next((line for line in lines if line.strip()), ""))
    reader = csv.reader(
        (" ".join(line.split()) for line in lines) if separator == " " else lines,
        delimiter=separator,
        skipinitialspace=True,
    )
    before = 0
    try:
        for row in reader:
            if reader.line_num != before + 1:
                raise DataError(f"{where}, line {before + 1}: a quotation mark is not closed.{_line(row)}")
            before = reader.line_num
            if row not in ([], [""]):
                yield before, row
    except csv.Error as error:
        raise DataError(f"{where}, line {reader.line_num}: {shorten(str(error))}.") from error


def _separator(line: str) -> str:
    """Return what separates the cells of a line: semicolons where they make at least as many as commas do."""
    line = line[: csv.field_size_limit() // 2]  # a longer field is refused later
    semicolons, commas = (len(next(csv.reader([line], delimiter=separator))) for separator in ";,")
    return ";" if semicolons >= max(commas, 2) else "," if "," in line else " "


def _line(cells: Sequence[str]) -> str:
    return f" Every line must hold the same number of numbers. The line: '{shorten(','.join(cells))}'"


def read_arff(content: bytes, where: str, label_column: int | str = -1, drop_columns: Sequence[int] = ()) -> Table:
    """Read dense ARFF, the format of Weka and OpenML; sparse ARFF is refused."""
    # imported here: few need it
    from scipy.io import arff

    require_memory(_ARFF_BYTES * len(content), f"{where}: reading it")
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


def read_parquet(content: bytes, where: str, label_column: int | str = -1, drop_columns: Sequence[int] = ()) -> Table:
    """Read Apache Parquet, without the index columns of pandas; texts are labels, never numbers."""
    # imported here: it takes a tenth of a second
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(io.BytesIO(content), page_checksum_verification=True)
        size = sum(file.metadata.row_group(k).total_byte_size for k in range(file.metadata.num_row_groups))
        cells = file.metadata.num_rows * file.metadata.num_columns
        require_memory(size + _PARQUET_BYTES * cells, f"{where}: reading {file.metadata.num_rows:,} rows")
        table = file.read(use_threads=False)
        index = (table.schema.pandas_metadata or {}).get("index_columns", [])
        table = table.drop_columns([name for name in table.column_names if name in index])
        table.validate(full=True)
    except DataError:
        raise
    except Exception as error:  # pyarrow raises many types for damaged bytes
        raise DataError(f"{where}: not a readable Parquet file ({shorten(str(error))}).") from error
    if not table.num_columns:
        raise DataError(f"{where}: the file has no columns.")
    columns = [column.to_numpy() for column in table.columns]
    return table_from(table.column_names, columns, where, label_column, drop_columns, parse=False)
