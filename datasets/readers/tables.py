"""Reads tables: CSV by the standard library, Parquet by pyarrow; one column is the label.

The readers take `label_column` and `drop_columns` of `datasets.readers.columns.table_from`, and return its table. They
raise `DataError` for a file that is malformed, for a feature that is no number, and for a missing label.
"""

from __future__ import annotations

import csv
import io
import itertools
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError, advice, read_as, shorten
from ..types import Table, require_memory
from .columns import (
    chosen_columns,
    labels_in,
    missing_labels,
    missing_values,
    no_number,
    numbers_in,
    place_of,
    table_from,
    table_of,
)
from .plain_text import MISSING, decoded, lines_of, looks_like_libsvm
from .whole_numbers import equal_warnings, long_whole

_SAMPLE = 20
"""Lines in which the separator is looked for."""
_NUMBER = re.compile(r"[+-]?(\d([\d.,' ]*\d)?\.?|[.,]\d+)([eE][+-]?\d+)?")
"""A number with any decimal sign and any groups of digits."""
_WHOLE_OR_GROUPS = re.compile(r"[+-]?(?:(?P<whole>[0-9]{1,3})|(?P<groups>[1-9][0-9]{0,2}\.[0-9]{3}))")
_THOUSANDS = re.compile(r"\.[0-9]{3}(?![0-9])")
_TOLERANCE = 1e-9
"""By which 1000 times a number with three digits after its point may differ from a whole number."""
_LOOKED_AT = 1000
"""Lines, after one with a text, in which further columns of texts are looked for."""
_PARQUET_BYTES = 24
"""Peak memory of a cell of Parquet: at most 8 bytes in the file's type, float64, and the stacked float64."""


def read_csv(content: bytes, where: str, label_column: int | str = -1, drop_columns: Sequence[int] = ()) -> Table:
    """Parse a table of numbers; blank lines and lines that begin with # are skipped.

    Separators are tabs, semicolons, commas, bars or white space, see `_separator`. The first line is a header if one of
    its feature cells is neither a number nor missing, if the label column is given by name, if its label is a text and
    all others are numbers, or if it counts the columns. Labels are texts if any of them is not a number.
    """
    rows = _Rows(content, where)
    line, first = next(rows, (0, []))
    if not first:
        return Table(np.empty((0, 0)), np.empty(0))
    first = [cell.strip() for cell in first]
    if rows.row_names:
        first = ["", *first]
    width = len(first)
    if max(width, rows.width) == 1:
        raise DataError(
            f"{where}, line {line}: one column, and a table has features and a label; separators are tab, semicolon, "
            f"comma, bar and white space. The line: '{shorten(first[0])}'"
        )
    names = [] if numbers_in(first) is not None else first
    label, dropped = chosen_columns(label_column, drop_columns, names, width, where)
    features = [k for k in range(width) if k not in (label, *dropped)]

    counted = first[1:] == [str(k) for k in range(width - 1)] and first[0] == "" and width > 1
    header = isinstance(label_column, str) or numbers_in([first[k] for k in features]) is None or counted
    no_numbers = all(numbers_in([cell]) is None or not cell for cell in first) or counted
    shown_names = first if isinstance(label_column, str) or (header and no_numbers) else []
    values: list[NDArray[np.float64]] = []
    labels, lines = [], []
    warnings: list[str] = []
    long: dict[int, list[int]] = {}  # numbers of features with more digits than float64 has
    begun = [] if header else [(line, first)]
    for number, row in itertools.chain(begun, rows):
        position = f"{where}, line {number}"
        if len(row) != width:
            count = "1 cell" if len(row) == 1 else f"{len(row)} cells"
            title = f"; if line {line} is a title, remove it" * (len(values) == len(begun) and len(row) == rows.width)
            raise DataError(f"{position}: {count} where the first line has {width}{title}.{_line(row)}")
        cells = numbers_in([row[k] for k in features])
        if cells is None:
            looked_at = [row, *itertools.islice((later for _, later in rows), _LOOKED_AT)]
            texts = [k for later in looked_at for k in features if k < len(later) and numbers_in([later[k]]) is None]
            if looks_like_libsvm([row[k] for k in features]):
                raise DataError(
                    f"{position}: the cells have the form index:value; if the file is LIBSVM text, "
                    f"{read_as('libsvm', '.svm')}.{_line(row)}"
                )
            raise no_number(position, shown_names, list(dict.fromkeys(texts)), row[texts[0]], dropped)
        for k in features:
            if (value := long_whole(row[k])) is not None:
                long.setdefault(k, []).append(value)
        text = row[label].strip()
        if "\ufffd" in text:
            position += f", column {place_of(label, shown_names)}"
            raise DataError(f"{position}: the label '{shorten(text)}' is not UTF-8; save the file in UTF-8.")
        values.append(cells)
        labels.append(text)
        lines.append(number)

    if not header and labels and numbers_in(labels[:1]) is None and labels[0] not in labels[1:] and labels[1:]:
        if numbers_in(labels[1:]) is None:
            named = advice("name the label's column by it (dataset.label_column=NAME), or ")
            raise DataError(
                f"{where}, line {line}: this may be a header or a row, as its label '{shorten(labels[0])}' is in no "
                f"other line; {named}remove the line."
            )
        numbered = [first[k] for k in features] in ([str(k) for k in features], [str(k + 1) for k in features])
        if not (numbered and labels[0].isidentifier()):
            warnings.append(
                f"line {line} is taken for a header, not for a row: its label '{shorten(labels[0])}' is no number, and "
                "all others are; if it is a row, write its label as a number"
            )
        del values[0], labels[0], lines[0]
    elif not header and first == [str(k) for k in range(width)] and width > 2 and labels[0] not in labels[1:]:
        del values[0], labels[0], lines[0]  # pandas numbers columns without names
    if not labels:
        return Table(np.empty((0, len(features))), np.empty(0))
    if without := missing_labels(labels):
        several = len(without) > 1
        more = f", as in {len(without) - 1:,} more of {len(labels):,} rows: fill them in, or remove the lines"
        raise DataError(
            f"{where}, line {lines[without[0]]}, column {place_of(label, shown_names)}: the label is missing"
            f"{more if several else ': fill it in, or remove the line'}."
        )
    y, classes = labels_in(np.array(labels, object), where)
    table = table_of(np.array(values), y, classes, shown_names or [], features, label)
    assert isinstance(table.X, np.ndarray)
    if np.isnan(table.X).any():
        raise missing_values(np.isnan(table.X), where, table.column, lines)
    equal = equal_warnings((numbers, place_of(k, shown_names)) for k, numbers in long.items())
    thousands = [
        f"column {place_of(k, shown_names)} has numbers up to 999 and numbers such as 1.234, whose point is read as "
        "the decimal sign; if it separates thousands, write 1234"
        for k in _with_thousands(table, content, where, lines[0])
    ]
    return replace(table, warnings=(*table.warnings, *warnings, *equal, *thousands))


def _with_thousands(table: Table, content: bytes, where: str, first: int) -> list[int]:
    """Return the columns whose numbers all look like 999 or 1.234: the point may separate thousands.

    `first` is the line of the first row.
    """
    assert isinstance(table.X, np.ndarray)
    forms: dict[int, set[str | None]] = {
        int(table.columns[j].split()[0]): set()
        for j, column in enumerate(table.X.T)
        if np.abs(column[:_SAMPLE]).max() < 1000 > np.abs(column).max()
        and (np.abs(1000 * column - np.rint(1000 * column)) < _TOLERANCE).all()
    }
    if not forms or _THOUSANDS.search(decoded(content, where)) is None:
        return []
    rows = itertools.dropwhile(lambda numbered: numbered[0] < first, _Rows(content, where))
    for number, (_, row) in enumerate(rows, start=1):
        for k, found in [*forms.items()]:
            match = _WHOLE_OR_GROUPS.fullmatch(row[k].strip())
            found.add(match.lastgroup if match else None)
            if None in found or (number == _LOOKED_AT and len(found) < 2):
                del forms[k]
        if not forms:
            break
    return [k for k, found in forms.items() if len(found) == 2]


class _Rows(Iterator[tuple[int, list[str]]]):
    """The number and the cells of each line that holds any; `width` is that of the first line after a header.

    `row_names`: the header has no name for the first column, which numbers the rows.
    """

    def __init__(self, content: bytes, where: str) -> None:
        self._where = where
        lines = [line if line.strip() else "" for line in lines_of(decoded(content, where))]
        filled = [k for k, line in enumerate(lines) if line]
        chosen = re.fullmatch(r"sep=(.)", lines[filled[0]].strip()) if filled else None
        if chosen:  # as spreadsheets write it
            lines[filled.pop(0)] = ""
        comments = list(itertools.takewhile(lambda k: lines[k].lstrip().startswith("#"), filled))
        sample = [lines[k] for k in filled[len(comments) : len(comments) + _SAMPLE]]
        self._separator = chosen[1] if chosen else _separator(sample)
        for k in comments:
            # the last comment before the rows names the columns if it has as many names as they have cells
            names = lines[k].lstrip()[1:]
            width = len(self._cells(sample[0])) if sample else 0
            named = k == comments[-1] and len(self._cells(names)) == width and numbers_in(self._cells(names)) is None
            lines[k] = names if named else ""
            sample = [names, *sample] if named else sample
        cells = [self._cells(line) for line in sample]
        self.width = len(cells[min(1, len(cells) - 1)]) if cells else 0
        # each line ends with a separator
        self._trailing = len(cells) > 1 and self.width > 2 and all(row[-1].strip() == "" for row in cells[1:])
        self._trailing &= bool(cells) and (cells[0][-1].strip() == "" or len(cells[0]) == self.width - 1)
        self.width -= self._trailing
        # R writes no name for the numbers of the rows
        begins = [row[0].strip() for row in cells[1:]]
        self.row_names = (
            len(begins) > 1
            and len(cells[0]) == self.width - 1
            and all(numbers_in([cell]) is None for cell in cells[0])
            and all(re.fullmatch(r"\d{1,15}", cell) for cell in begins)
            and len({*begins}) == len(begins)
        )
        blank = self._separator == " "
        self._reader = csv.reader(
            (" ".join(line.split()) for line in lines) if blank else lines,
            delimiter=self._separator,
            skipinitialspace=True,
        )
        self._before = 0

    def _cells(self, line: str) -> list[str]:
        return _cells(line, self._separator)

    def __next__(self) -> tuple[int, list[str]]:
        while True:
            try:
                row = next(self._reader)
            except csv.Error as error:
                raise DataError(f"{self._where}, line {self._reader.line_num}: {shorten(str(error))}.") from error
            line = self._reader.line_num
            if line != self._before + 1:
                raise DataError(
                    f"{self._where}, line {self._before + 1}: a quotation mark is not closed in its line.{_line(row)}"
                )
            self._before = line
            if row in ([], [""]):
                continue
            if row[0].lstrip().startswith("#") and row[0].strip().lower() not in MISSING:
                if len(row) - self._trailing == self.width:
                    raise DataError(
                        f"{self._where}, line {line}: this may be a comment or a row that begins with #; remove the "
                        f"line, or the sign.{_line(row)}"
                    )
                continue
            if self._trailing and len(row) > self.width and not row[-1].strip():
                del row[-1]
            return line, row


def _cells(line: str, separator: str) -> list[str]:
    """Return the cells of one line."""
    line = " ".join(line.split()) if separator == " " else line
    # a longer field is refused later
    return next(csv.reader([line[: csv.field_size_limit() // 2]], delimiter=separator, skipinitialspace=True), [""])


def _separator(lines: Sequence[str]) -> str:
    """Return what separates the cells of some lines: that with which most lines have the same number of cells.

    Cells that are numbers, also those with a decimal comma, count as much; a tie goes to the first of tab, semicolon,
    comma, bar and white space. The ending of the file's name does not matter.
    """
    best, chosen = 0.0, " "
    for separator in "\t;,| ":
        rows = [_cells(line, separator) for line in lines]
        ((width, count),) = Counter(map(len, rows)).most_common(1) or [(0, 0)]
        if width < 2:  # the first line may be a title
            continue
        alike = count / len(rows)
        cells = [cell for row in rows for cell in row]
        score = alike + sum(_NUMBER.fullmatch(cell.strip()) is not None for cell in cells) / len(cells)
        if score > best:
            best, chosen = score, separator
    return chosen


def _line(cells: Sequence[str]) -> str:
    return f" Every line must hold the same number of numbers. The line: '{shorten(','.join(cells))}'"


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
    columns = [_cells_of(column) for column in table.columns]
    return table_from(table.column_names, columns, where, label_column, drop_columns, parse=False)


def _cells_of(column: Any) -> NDArray[Any]:
    import pyarrow as pa

    kind = column.type
    if pa.types.is_boolean(kind):
        column = column.cast(pa.float64())
    if pa.types.is_time(kind):  # datetime.time has no nanoseconds
        column = column.cast(pa.string())
    cells: NDArray[Any] = column.to_numpy()
    return cells
