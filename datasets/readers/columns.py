"""From named columns of cells to a table: one column is the label, some are left out, the others are features."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svm_cost_curves.datasets.errors import DataError, shorten
from svm_cost_curves.datasets.types import Table

_MISSING = ("", "?", "na", "n/a", "null", "none")
"""Missing values in small letters; the second one in ARFF."""
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")
_NAMED = 20
"""Most column names in a message."""


def table_from(
    names: Sequence[str],
    columns: Sequence[NDArray[Any]],
    where: str,
    label_column: int | str = -1,
    drop_columns: Sequence[int] = (),
    *,
    parse: bool = True,
    label_is_known: bool = False,
) -> Table:
    """Make a table of columns: dense float32 features; missing ones are NaN, which `check_table` refuses.

    Parameters
    ----------
    names
        Of the columns.
    columns
        (n,) cells of each column: numbers, truth values or texts; missing ones are NaN.
    where
        Name of the data for messages.
    label_column
        0-based number, negative from the end, or a name. Labels are numbers or texts.
    drop_columns
        0-based numbers of columns to leave out, of any type.
    parse
        Whether texts that are numbers count as numbers.
    label_is_known
        Whether no setting can choose the label.
    """
    label, others = chosen_columns(label_column, drop_columns, names, len(names), where)
    kept = [k for k in range(len(columns)) if k not in (label, *others)]
    numbers = {k: numbers_in(columns[k], parse=parse) for k in kept}
    if texts := [k for k in kept if numbers[k] is None]:
        column = columns[texts[0]]
        row = next(row for row, cell in enumerate(column) if numbers_in([cell], parse=parse) is None)
        raise no_number(f"{where}, row {row + 1}", names, texts, str(column[row]), others, label_is_known)
    y, classes = labels_in(columns[label], f"{where}, column {place_of(label, names)}", parse=parse)
    with np.errstate(over="ignore"):  # too large for float32: becomes infinite, which check_table refuses
        features = [column.astype(np.float32) for column in numbers.values() if column is not None]
    X = np.stack(features, axis=1) if features else np.empty((y.size, 0), np.float32)
    places = tuple(place_of(k, names) for k in kept)
    return Table(np.ascontiguousarray(X), y, classes, columns=places, label_column=place_of(label, names))


def place_of(k: int, names: Sequence[str]) -> str:
    """Return the number of a column, counted from 0, and its name, if the file has a header: ``2 ('age')``."""
    return f"{k} ('{shorten(names[k], 40)}')" if names else str(k)


def no_number(
    place: str,
    names: Sequence[str],
    texts: Sequence[int],
    cell: str,
    dropped: Sequence[int],
    label_is_known: bool = False,
) -> DataError:
    """Return the error of a feature cell that is no number.

    ``texts`` are all columns that hold texts, that of the cell first; ``dropped`` are left out already. Other
    parameters are those of `table_from`.
    """
    k, *more = texts
    drop = f"dataset.drop_columns=[{','.join(map(str, sorted({*texts, *dropped})))}]"
    where = f"{place}, column {place_of(k, names)}"
    if cell.strip().lower() in _MISSING:
        return DataError(
            f"{where}: the value is missing; fill it in, remove the row, or leave the column out by {drop}."
        )
    if _DECIMAL_COMMA.fullmatch(cell.strip()):
        return DataError(f"{where}: '{cell}' has a decimal comma; write {cell.strip().replace(',', '.')}.")
    others = f", with column{'s' * (len(more) > 1)} {', '.join(map(str, more))}," if more else ""
    name = names[k] if names and names[k].isidentifier() else k
    label = "" if label_is_known else f", or, if it is the label, choose it by dataset.label_column={name}"
    return DataError(
        f"{where}: '{shorten(cell, 40)}' is not a number; leave the column out{others} by {drop}{label} (columns are "
        "counted from 0)."
    )


def chosen_columns(
    label_column: int | str, drop_columns: Sequence[int], names: Sequence[str], width: int, where: str
) -> tuple[int, list[int]]:
    """Return the 0-based numbers of the label's column and, ascending, of those to leave out."""
    if not isinstance(label_column, str):
        label = _position(label_column, width, where, "label_column")
    elif (count := list(names).count(label_column)) == 1:
        label = list(names).index(label_column)
    elif count:
        raise DataError(f"{where}: more than one column is called '{shorten(label_column)}'; give the column's number.")
    else:
        known = ", ".join(shorten(name, 40) for name in names[:_NAMED]) or "none (the file has no header)"
        raise DataError(f"{where}: no column is called '{shorten(label_column)}'; the header's names: {known}.")
    others = {_position(number, width, where, "drop_columns") for number in drop_columns}
    if label in others:
        raise DataError(f"{where}: column {label} holds the label and cannot be dropped (dataset.drop_columns).")
    return label, sorted(others)


def _position(number: int, width: int, where: str, setting: str) -> int:
    if not -width <= number < width:
        raise DataError(f"{where}: dataset.{setting}={number}, but the file has {width} columns (0 to {width - 1}).")
    return number % width


def labels_in(column: NDArray[Any], place: str, *, parse: bool = True) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    """Return labels as numbers; text labels as the numbers of their classes, which are in alphabetical order."""
    numbers = numbers_in(column, parse=parse)
    if numbers is not None:
        return numbers, ()
    for row, cell in enumerate(column):
        if not isinstance(cell, str) or cell in ("", "?") or "\ufffd" in cell:
            raise DataError(f"{place}, row {row + 1}: the label is missing, or no text; remove the row or fill it in.")
    texts, codes = np.unique(column, return_inverse=True)
    return codes.astype(np.float64), tuple(map(str, texts))


def numbers_in(cells: NDArray[Any] | Sequence[Any], *, parse: bool = True) -> NDArray[np.float64] | None:
    """Return cells as float64, missing ones as NaN; None if a cell is no number."""
    if isinstance(cells, np.ndarray) and cells.dtype.kind in "biuf":
        return cells.astype(np.float64)
    joined = "".join(map(str, cells))
    if not parse or not joined.isascii() or "_" in joined:  # Python reads 1_0 as 10
        return None
    try:
        return np.asarray(cells, object).astype(np.float64)
    except (TypeError, ValueError):
        return None
