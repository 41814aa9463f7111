"""Finds different whole numbers that become equal in float64: an error for labels, a warning for features."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ..errors import MOST_SENTENCES, DataError
from .plain_text import are_plain

EXACT: Final = 2**53
"""From here on float64 does not have each whole number."""
_LARGEST = 10**300
_DIGITS = 15
"""Digits of a number that float64 keeps."""


def refuse_equal(
    labels: NDArray[Any] | Sequence[Any],
    where: str,
    advice: str = "as smaller numbers, or as texts that are no numbers",
) -> None:
    """Refuse different labels that become equal in float64; `advice` says how to write the labels."""
    if pair := equal_in_float64(labels):
        raise DataError(
            f"{where}: the labels {pair[0]} and {pair[1]} become equal in float64, which has every whole number only "
            f"up to 2^53; write the labels {advice}."
        )


def equal_in_float64(cells: NDArray[Any] | Sequence[Any]) -> tuple[int, int] | None:
    """Return two different whole numbers among cells, numbers or texts, that float64 makes equal; None without any."""
    if isinstance(cells, np.ndarray) and cells.dtype.kind not in "iuO":
        return None
    if isinstance(cells, np.ndarray) and cells.dtype.kind != "O":
        if not cells.size or max(-int(cells.min()), int(cells.max())) <= EXACT:
            return None
        values = np.unique(cells).tolist()
    else:
        values = sorted({value for cell in cells if (value := long_whole(cell)) is not None})
    return next((pair for pair in itertools.pairwise(values) if float(pair[0]) == float(pair[1])), None)


def long_whole(cell: Any) -> int | None:
    """Return a cell that is a whole number from 2^53 on, also written as 9007199254740993.0 or 9.007199254740993e15."""
    if isinstance(cell, str | Decimal):
        if isinstance(cell, str) and ((len(cell) <= _DIGITS and "e" not in cell.lower()) or not are_plain([cell])):
            return None
        try:
            exact = Decimal(cell.strip()) if isinstance(cell, str) else cell
        except InvalidOperation:
            return None
        is_whole = exact.is_finite() and EXACT <= abs(exact) < _LARGEST and exact == exact.to_integral_value()
        return int(exact) if is_whole else None
    is_long = isinstance(cell, int | np.integer) and not isinstance(cell, np.timedelta64) and abs(int(cell)) >= EXACT
    return int(cell) if is_long and abs(int(cell)) < _LARGEST else None


def equal_warnings(columns: Iterable[tuple[NDArray[Any] | Sequence[Any], str]]) -> tuple[str, ...]:
    """Return a sentence for each feature whose different whole numbers become equal in float64.

    There are at most `MOST_SENTENCES`. `columns` has the cells of a feature and the place that names it.
    """
    pairs = ((column, pair) for cells, column in columns if (pair := equal_in_float64(cells)) is not None)
    return tuple(
        f"column {column} has whole numbers beyond 2^53 that become equal in float64, such as {first} and {second}; "
        "subtract a number from the column, or leave it out if it is no feature"
        for column, (first, second) in itertools.islice(pairs, MOST_SENTENCES)
    )
