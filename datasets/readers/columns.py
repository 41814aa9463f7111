"""Finds the columns of label and dropped features, and numbers text labels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from datasets.errors import DataError, shorten

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
