"""Cells of tables as numbers: which are missing, which are no number, which whole numbers become equal in float64."""

from __future__ import annotations

import contextlib
import itertools
import math
import numbers
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .plain_text import MISSING, TRUTH

WHOLE = 2**53
"""From here on float64 does not have each whole number."""
_LARGEST = 10**300
_DIGITS = 15


def is_missing(cell: object) -> bool:
    """Whether a cell that is no text is missing: None, NaN, or what pandas has in their place."""
    if isinstance(cell, Decimal):
        return cell.is_nan()
    if isinstance(cell, np.datetime64 | np.timedelta64):
        return bool(np.isnat(cell))
    return cell is None or type(cell).__name__ in ("NAType", "NaTType") or (isinstance(cell, float) and cell != cell)


def numbers_in(
    cells: NDArray[Any] | Sequence[Any], *, parse: bool = True, missing: frozenset[str] = MISSING
) -> NDArray[np.float64] | None:
    """Return cells as float64, missing ones as NaN; None if a cell is no number.

    ``parse``: texts that are numbers count, those in `missing` are NaN, and true and false are 1 and 0. Otherwise a
    text is no number.
    """
    if isinstance(cells, np.ndarray) and cells.dtype.kind in "biuf":
        return cells.astype(np.float64)
    if isinstance(cells, np.ndarray) and cells.dtype.kind in "mM":
        return None  # numpy would convert some units
    if parse and _are_plain(cells):
        with contextlib.suppress(TypeError, ValueError, OverflowError):
            return np.asarray(cells, object).astype(np.float64)
    values = np.empty(len(cells))
    for row, cell in enumerate(cells):
        if isinstance(cell, str):
            word = cell.strip().lower()
            if parse and word in missing:
                values[row] = math.nan
            elif parse and word in TRUTH:
                values[row] = TRUTH[word]
            else:
                if not parse or not _are_plain([word]):
                    return None
                try:
                    values[row] = float(word)
                except ValueError:
                    return None
        elif is_missing(cell):
            values[row] = math.nan
        elif isinstance(cell, numbers.Real | Decimal | np.bool_) and not isinstance(cell, np.timedelta64):
            try:
                values[row] = float(cell)
            except OverflowError:  # as a text of as many digits
                values[row] = math.inf if cell > 0 else -math.inf  # type: ignore[operator]
            except (TypeError, ValueError):
                return None
        else:
            return None
    return values


def _are_plain(cells: NDArray[Any] | Sequence[Any]) -> bool:
    """Whether Python reads no more numbers in cells than others do: 1_0 is 10 for it."""
    joined = "".join(map(str, cells))
    return joined.isascii() and "_" not in joined


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
        if len(cell) <= _DIGITS or not _are_plain([cell]):
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
