"""Numbers separated by commas or by white space, with or without a header line; one column holds the label."""

from __future__ import annotations

import csv
import warnings
from collections.abc import Sequence
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from datasets.dataset import Table
from datasets.errors import DataError

_SHOWN = 80


def read_csv(content: bytes, where: str, label_column: int | str = -1, drop_columns: Sequence[int] = ()) -> Table:
    """Parse CSV.

    The first line is a header when any of its cells is not a number. Blank lines are skipped. Where the first line has
    no comma, white space separates.

    Parameters
    ----------
    content
        The unpacked file.
    where
        Name of the file for messages.
    label_column
        0-based number, negative from the end, or a name of the header.
    drop_columns
        0-based numbers of columns that are neither label nor feature.

    Returns
    -------
    Table
        Dense float32 features (the label's column and the dropped ones left out) and float64 labels.

    Raises
    ------
    DataError
        Ragged lines or cells that are not numbers (file, line, text); no such label column or column to drop.
    """
    lines = content.decode("utf-8-sig", errors="replace").splitlines()
    first = next((k for k, line in enumerate(lines) if line.strip()), None)
    if first is None:
        return Table(np.empty((0, 0), np.float32), np.empty(0))
    separator = "," if "," in lines[first] else None
    cells = _cells(lines[first], separator)
    names = [] if all(map(_is_number, cells)) else [cell.strip() for cell in cells]
    start = first + 1 if names else first
    numbers = _numbers(lines, start, where, separator)
    width = numbers.shape[1] if numbers.size else len(cells)
    if names and len(names) != width:
        raise DataError(f"{where}: the header names {len(names)} columns, the lines have {width}.")
    column = _column(label_column, names, width, where)
    others = {_position(number, width, where, "drop_columns") for number in drop_columns}
    if column in others:
        raise DataError(f"{where}: column {column} holds the label and cannot be dropped (dataset.drop_columns).")
    if not numbers.size:
        return Table(np.empty((0, width - 1 - len(others)), np.float32), np.empty(0))
    with np.errstate(over="ignore"):  # too large for float32: found by the check for finite values
        X = np.delete(numbers, [column, *others], axis=1).astype(np.float32)
    return Table(X, numbers[:, column].copy())


def _numbers(lines: list[str], start: int, where: str, separator: str | None) -> NDArray[np.float64]:
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".*input contained no data", category=UserWarning)
            return np.loadtxt(lines[start:], delimiter=separator, comments=None, quotechar='"', ndmin=2)
    except ValueError as error:
        _refuse_first_bad_line(lines, start, where, separator)
        raise DataError(f"{where}: not readable as CSV ({error}).") from error


def _refuse_first_bad_line(lines: list[str], start: int, where: str, separator: str | None) -> None:
    width = None
    for number, line in enumerate(lines[start:], start=start + 1):
        if not line.strip():
            continue
        cells = _cells(line, separator)
        width = len(cells) if width is None else width
        if len(cells) != width:
            _refuse(where, number, line, f"{len(cells)} cells where the first line has {width}")
        for k, cell in enumerate(cells, start=1):
            if not _is_number(cell):
                _refuse(where, number, line, f"cell {k}, '{cell}', is not a number")


def _cells(line: str, separator: str | None) -> list[str]:
    return line.split() if separator is None else next(csv.reader([line], delimiter=separator, skipinitialspace=True))


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return "_" not in cell  # Python reads 1_0 as 10


def _refuse(where: str, number: int, line: str, why: str) -> NoReturn:
    shown = line if len(line) <= _SHOWN else line[:_SHOWN] + "..."
    raise DataError(
        f"{where}, line {number}: {why}; every line must hold the same number of numbers. The line: {shown!r}"
    )


def _column(label_column: int | str, names: list[str], width: int, where: str) -> int:
    if isinstance(label_column, str):
        if label_column not in names:
            known = ", ".join(names[:20]) if names else "none (the file has no header)"
            raise DataError(f"{where}: no column is called '{label_column}'; the header's names: {known}.")
        return names.index(label_column)
    return _position(label_column, width, where, "label_column")


def _position(number: int, width: int, where: str, setting: str) -> int:
    if not -width <= number < width:
        raise DataError(f"{where}: dataset.{setting}={number}, but the file has {width} columns (0 to {width - 1}).")
    return number % width
