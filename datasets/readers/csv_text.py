"""Reads numbers separated by commas or white space, with or without a header; one column is the label."""

from __future__ import annotations

import csv
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from datasets.errors import DataError, shorten
from datasets.readers.columns import column_of, dropped_columns, in_alphabetical_order
from datasets.types import Table

_LONGEST_NUMBER = 1000
"""Most characters of a number."""

Numbers = tuple[NDArray[np.float64], tuple[str, ...]]
"""Cells, (n, width), and the text labels, if any."""


def read_csv(
    content: bytes | bytearray, where: str, label_column: int | str = -1, drop_columns: Sequence[int] = ()
) -> Table:
    """Parse CSV.

    Blank lines are skipped. If the first line has no comma, white space separates. Labels are texts if any of them is
    not a number. The first line is a header if one of its feature cells is not a number, if the label column is given
    by name, or if its label is a text and all others are numbers.

    Parameters
    ----------
    content
        The unpacked file.
    where
        Name of the file for messages.
    label_column
        0-based number, negative from the end, or a name of the header.
    drop_columns
        0-based numbers of columns to leave out; they may contain texts.

    Returns
    -------
    Table
        Dense float32 features (without label and dropped columns) and float64 labels.

    Raises
    ------
    DataError
        Ragged lines or cells that are not numbers (file, line, text); no such label column or column to drop; a first
        line that may be a header or a row.
    """
    lines = content.decode("utf-8-sig", errors="replace").splitlines()
    first = next((k for k, line in enumerate(lines) if line.strip()), None)
    if first is None:
        return Table(np.empty((0, 0), np.float32), np.empty(0))
    separator = "," if "," in lines[first] else None
    cells = _cells(lines[first], separator, f"{where}, line {first + 1}")
    named = not all(map(_is_number, cells))
    label = column_of(label_column, [cell.strip() for cell in cells] if named else [], len(cells), where)
    others = dropped_columns(drop_columns, label, len(cells), where)
    rows = _Rows(lines, where, separator, len(cells), label, others)

    read: Numbers | None = None
    header = isinstance(label_column, str) or not all(
        _is_number(cell) for k, cell in enumerate(cells) if k not in (label, *others)
    )
    if not header and not _is_number(cells[label]):
        read = rows.read(first + 1)
        header = read[0].size > 0 and not read[1]
        if not header and read[0].size and cells[label].strip() not in read[1]:
            raise DataError(
                f"{where}, line {first + 1}: this may be a header or a row, as its label '{shorten(cells[label])}' is "
                "in no other line; name the label's column by it (dataset.label_column=NAME), or remove the line."
            )
        read = read if header else None
    if read is None:
        read = rows.read(first + 1 if header else first)
    numbers, classes = read
    if header and numbers.size and numbers.shape[1] != len(cells):
        raise DataError(f"{where}: the header names {len(cells)} columns, the lines have {numbers.shape[1]}.")
    if not numbers.size:
        return Table(np.empty((0, len(cells) - 1 - len(others)), np.float32), np.empty(0))
    with np.errstate(over="ignore"):  # too large for float32: becomes infinite, which check_finite refuses
        X = np.delete(numbers, [label, *others], axis=1).astype(np.float32)
    return Table(X, numbers[:, label].copy(), classes)


class _Rows:
    """The lines of a file below its header."""

    def __init__(
        self, lines: list[str], where: str, separator: str | None, width: int, label: int, others: Collection[int]
    ) -> None:
        self._lines, self._where, self._separator = lines, where, separator
        self._width, self._label, self._others = width, label, others

    def read(self, start: int) -> Numbers:
        """Return the numbers of all lines from ``start`` on; a text label becomes the number of its class."""
        try:
            return self._loaded(start, {}), ()
        except (ValueError, IndexError, csv.Error):
            pass  # a text or a malformed line: the second reading decides
        texts: dict[str, int] = {}

        def code(cell: str) -> float:
            if not cell.strip() or "\ufffd" in cell:
                raise ValueError
            return texts.setdefault(cell.strip(), len(texts))

        try:
            numbers = self._loaded(start, {self._label: code, **dict.fromkeys(self._others, lambda _: 0.0)})
        except (ValueError, IndexError, csv.Error) as error:
            self._refuse_first_bad_line(start)
            raise DataError(f"{self._where}: not readable as CSV ({shorten(str(error))}).") from error
        if all(map(_is_number, texts)):  # another column held texts
            numbers[:, self._label] = np.array([float(text) for text in texts])[numbers[:, self._label].astype(np.intp)]
            return numbers, ()
        numbers[:, self._label], classes = in_alphabetical_order(numbers[:, self._label], list(texts))
        return numbers, classes

    def _loaded(self, start: int, converters: Mapping[int | str, Callable[[str], float]]) -> NDArray[np.float64]:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".*input contained no data", category=UserWarning)
            return np.loadtxt(
                self._lines[start:],
                delimiter=self._separator,
                comments=None,
                quotechar='"',
                ndmin=2,
                converters=dict(converters) or None,
            )

    def _refuse_first_bad_line(self, start: int) -> None:
        for number, line in enumerate(self._lines[start:], start=start + 1):
            if not line.strip():
                continue
            place = f"{self._where}, line {number}"
            cells = _cells(line, self._separator, place)
            why = "" if len(cells) == self._width else f"{len(cells)} cells where the first line has {self._width}"
            for k, cell in enumerate(cells):
                if k == self._label:
                    bad = "is not a label" if not cell.strip() else "is not UTF-8" if "\ufffd" in cell else ""
                else:
                    bad = "" if k in self._others or _is_number(cell) else "is not a number"
                if bad and not why:
                    why = f"cell {k + 1}, '{shorten(cell)}', {bad}"
            if why:
                raise DataError(
                    f"{place}: {why}; every line must hold the same number of numbers. The line: '{shorten(line)}'"
                )


def _cells(line: str, separator: str | None, place: str) -> list[str]:
    if separator is None:
        return line.split()
    try:
        return next(csv.reader([line], delimiter=separator, skipinitialspace=True))
    except csv.Error as error:
        raise DataError(f"{place}: {shorten(str(error))}. The line: '{shorten(line)}'") from error


def _is_number(cell: str) -> bool:
    if len(cell) > _LONGEST_NUMBER:
        return False
    try:
        float(cell)
    except ValueError:
        return False
    return "_" not in cell  # Python reads 1_0 as 10
