"""Whole numbers that float64 makes equal: different labels are refused, different values of a feature told."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError
from .plain_text import are_plain

WHOLE = 2**53
"""From here on float64 does not have each whole number."""
_LARGEST = 10**300
_DIGITS = 15


def refuse_equal(
    labels: NDArray[Any] | Sequence[Any],
    place: str,
    advice: str = "as smaller numbers, or as texts that are no numbers",
) -> None:
    """Refuse labels of which float64 makes two equal; `advice` says how else they can be written."""
    if pair := equal_in_float64(labels):
        raise DataError(
            f"{place}: the labels {pair[0]} and {pair[1]} are one number in float64, which has each whole number only "
            f"up to 2^53; write them {advice}."
        )


def equal_in_float64(cells: NDArray[Any] | Sequence[Any]) -> tuple[int, int] | None:
    """Return two different whole numbers among cells, numbers or texts, that float64 makes equal; None without any."""
    if isinstance(cells, np.ndarray) and cells.dtype.kind not in "iuO":
        return None
    if isinstance(cells, np.ndarray) and cells.dtype.kind != "O":
        if not cells.size or max(-int(cells.min()), int(cells.max())) <= WHOLE:
            return None
        values = np.unique(cells).tolist()
    else:
        values = sorted({value for cell in cells if (value := _long_whole(cell)) is not None})
    return next((pair for pair in itertools.pairwise(values) if float(pair[0]) == float(pair[1])), None)


def _long_whole(cell: Any) -> int | None:
    """Return a cell that is a whole number from 2^53 on, also written as 9007199254740993.0 or 9.007199254740993e15."""
    if isinstance(cell, str):
        if len(cell) <= _DIGITS or not are_plain([cell]):
            return None
        try:
            exact = Decimal(cell.strip())
        except InvalidOperation:
            return None
        is_whole = exact.is_finite() and WHOLE <= abs(exact) < _LARGEST and exact == exact.to_integral_value()
        return int(exact) if is_whole else None
    is_long = isinstance(cell, int | np.integer) and not isinstance(cell, np.timedelta64) and abs(int(cell)) >= WHOLE
    return int(cell) if is_long and abs(int(cell)) < _LARGEST else None


def equal_warning(cells: NDArray[Any] | Sequence[Any], column: str) -> list[str]:
    """Return a sentence if different whole numbers of a feature become equal in float64."""
    if (pair := equal_in_float64(cells)) is None:
        return []
    return [
        f"column {column} has whole numbers beyond 2^53 that become equal in float64, such as {pair[0]} and {pair[1]}; "
        "subtract a number from the column, or leave it out if it is no feature"
    ]
