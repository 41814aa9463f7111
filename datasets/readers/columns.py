"""Finds the columns of label and dropped features, and turns columns of cells into numbers and numbered labels."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from datasets.errors import DataError, shorten
from datasets.types import Table

MISSING = "?"
"""A missing value in ARFF."""
_NAMED = 20
"""Most column names in a message."""


def column_of(label_column: int | str, names: Sequence[str], width: int, where: str) -> int:
    """Return the 0-based number of the label column.

    Raises
    ------
    DataError
        There is no such column.
    """
    if not isinstance(label_column, str):
        return _position(label_column, width, where, "label_column")
    if label_column not in names:
        known = ", ".join(shorten(name, 40) for name in names[:_NAMED]) or "none (the file has no header)"
        raise DataError(f"{where}: no column is called '{shorten(label_column)}'; the header's names: {known}.")
    if list(names).count(label_column) > 1:
        raise DataError(f"{where}: more than one column is called '{shorten(label_column)}'; give the column's number.")
    return list(names).index(label_column)


def dropped_columns(drop_columns: Sequence[int], label: int, width: int, where: str) -> list[int]:
    """Return the 0-based numbers of the dropped columns, ascending.

    Raises
    ------
    DataError
        There is no such column, or it holds the label.
    """
    others = {_position(number, width, where, "drop_columns") for number in drop_columns}
    if label in others:
        raise DataError(f"{where}: column {label} holds the label and cannot be dropped (dataset.drop_columns).")
    return sorted(others)


def _position(number: int, width: int, where: str, setting: str) -> int:
    if not -width <= number < width:
        raise DataError(f"{where}: dataset.{setting}={number}, but the file has {width} columns (0 to {width - 1}).")
    return number % width


def in_alphabetical_order(
    codes: NDArray[np.float64], texts: Sequence[str]
) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    """Renumber text labels in alphabetical order.

    Parameters
    ----------
    codes
        (n,) position in ``texts`` of each row's label.
    texts
        The labels, each once.

    Returns
    -------
    codes : (n,) float64
    texts : tuple of str
        In alphabetical order.
    """
    order = sorted(range(len(texts)), key=lambda k: texts[k])
    places = np.empty(len(texts))
    places[order] = np.arange(len(texts))
    return places[codes.astype(np.intp)], tuple(texts[k] for k in order)


def table_of(
    names: Sequence[str], columns: Sequence[NDArray[Any]], label: int, others: Collection[int], where: str
) -> Table:
    """Make a table of columns whose cells are numbers or texts.

    Parameters
    ----------
    names
        Of the columns.
    columns
        (n,) cells of each column: numbers, truth values or texts; missing ones are NaN or `MISSING`.
    label
        0-based number of the label's column.
    others
        0-based numbers of the columns to leave out.
    where
        Name of the data for messages.

    Returns
    -------
    Table
        Dense float32 features; missing features are NaN, which `datasets.checks.check_table` refuses.

    Raises
    ------
    DataError
        A feature is a text; a label is missing.
    """
    y, classes = labels_in(columns[label], f"{where}, column '{shorten(names[label], 40)}'")
    features: list[NDArray[np.float32]] = []
    for k, column in enumerate(columns):
        if k == label or k in others:
            continue
        numbers = _numbers(column)
        if numbers is None:
            text = next(str(cell) for cell in column if _numbers(np.array([cell], dtype=object)) is None)
            raise DataError(
                f"{where}, column '{shorten(names[k], 40)}': '{shorten(text, 40)}' is not a number; write the column "
                f"as numbers, or leave it out: dataset.drop_columns=[{','.join(map(str, sorted({k, *others})))}]."
            )
        with np.errstate(over="ignore"):  # too large for float32: becomes infinite, which check_finite refuses
            features.append(numbers.astype(np.float32))
    X = np.stack(features, axis=1) if features else np.empty((y.size, 0), np.float32)
    return Table(np.ascontiguousarray(X), y, classes)


def labels_in(column: NDArray[Any], place: str) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    """Return labels as numbers; text labels as the numbers of their classes, which are in alphabetical order.

    Raises
    ------
    DataError
        A text label is missing.
    """
    numbers = _numbers(column)
    if numbers is not None:
        return numbers, ()
    missing = next((row for row, cell in enumerate(column) if cell in ("", MISSING) or cell != cell), None)
    if missing is not None:
        raise DataError(f"{place}, row {missing + 1}: the label is missing; remove the row or fill it in.")
    texts, codes = np.unique(np.array([str(cell) for cell in column], dtype=object), return_inverse=True)
    return codes.astype(np.float64), tuple(map(str, texts))


def _numbers(column: NDArray[Any]) -> NDArray[np.float64] | None:
    """Return cells as numbers, missing ones as NaN; None if a cell is a text or a date."""
    if column.dtype.kind in "biuf":
        return column.astype(np.float64)
    if column.dtype.kind not in "OU":
        return None
    try:
        return np.array([np.nan if cell == MISSING else _number(cell) for cell in column], dtype=np.float64)
    except (TypeError, ValueError):
        return None


def _number(cell: Any) -> float:
    if isinstance(cell, str) and "_" in cell:  # Python reads 1_0 as 10
        raise ValueError
    return float(cell)
