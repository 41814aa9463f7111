"""From named columns of cells to a table: one column is the label, some are left out, the others are features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svm_cost_curves.datasets.errors import DataError, shorten
from svm_cost_curves.datasets.types import Table

_MISSING = ("", "?")
"""Missing texts; the second one in ARFF."""
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
) -> Table:
    """Make a table of columns.

    Parameters
    ----------
    names
        Of the columns.
    columns
        (n,) cells of each column: numbers, truth values or texts; missing ones are NaN.
    where
        Name of the data for messages.
    label_column
        0-based number, negative from the end, or a name.
    drop_columns
        0-based numbers of columns to leave out, of any type.
    parse
        Whether texts that are numbers count as numbers.

    Returns
    -------
    Table
        Dense float32 features; missing features are NaN, which `datasets.checks.check_table` refuses.

    Raises
    ------
    DataError
        There is no such column; a feature is a text; a label is missing.
    """
    label, others = chosen_columns(label_column, drop_columns, names, len(names), where)
    y, classes = labels_in(columns[label], f"{where}, column '{shorten(names[label], 40)}'", parse=parse)
    features: list[NDArray[np.float32]] = []
    for k, column in enumerate(columns):
        if k == label or k in others:
            continue
        numbers = numbers_in(column, parse=parse)
        if numbers is None:
            row = next(row for row, cell in enumerate(column) if numbers_in([cell], parse=parse) is None)
            raise DataError(
                f"{where}, row {row + 1}, column '{shorten(names[k], 40)}': '{shorten(str(column[row]), 40)}' is not a "
                "number; write the column as numbers, or leave it out: "
                f"dataset.drop_columns=[{','.join(map(str, sorted({k, *others})))}]."
            )
        with np.errstate(over="ignore"):  # too large for float32: becomes infinite, which check_finite refuses
            features.append(numbers.astype(np.float32))
    X = np.stack(features, axis=1) if features else np.empty((y.size, 0), np.float32)
    return Table(np.ascontiguousarray(X), y, classes)


def chosen_columns(
    label_column: int | str, drop_columns: Sequence[int], names: Sequence[str], width: int, where: str
) -> tuple[int, list[int]]:
    """Return the 0-based numbers of the label's column and, ascending, of those to leave out.

    Raises
    ------
    DataError
        There is no such column, or one is both.
    """
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
    """Return labels as numbers; text labels as the numbers of their classes, which are in alphabetical order.

    Raises
    ------
    DataError
        A label is missing, or neither a number nor a text.
    """
    numbers = numbers_in(column, parse=parse)
    if numbers is not None:
        return numbers, ()
    for row, cell in enumerate(column):
        if not isinstance(cell, str) or cell in _MISSING or "\ufffd" in cell:
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
