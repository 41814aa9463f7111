"""From named columns of cells to a table: one column is the label, some are left out, the others are features."""

from __future__ import annotations

import contextlib
import math
import numbers
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError, advice, shorten
from ..types import Table
from .plain_text import DOUBTFUL_LABELS, MISSING, NO_LABEL, TRUTH, are_plain, number_hint
from .whole_numbers import equal_warnings, refuse_equal

_NAMED = 20
"""Most column names in a message."""
_INDEX_NAMES = re.compile(r"|unnamed: 0(\.\d+)?|__index_level_\d+__", re.IGNORECASE)
"""Names of a column that a program has added: pandas writes its row numbers without a name, and reads them as such."""
_MOSTLY = 0.5
"""Share of missing values of a column from which a message advises to leave it out."""


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
    """Make a table of columns: dense float64 features; missing ones are NaN, which `check_table` refuses.

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
    label, dropped = chosen_columns(label_column, drop_columns, names, len(names), where)
    kept = [k for k in range(len(columns)) if k not in (label, *dropped)]
    parsed = {k: numbers_in(columns[k], parse=parse) for k in kept}
    if texts := [k for k in kept if parsed[k] is None]:
        column = columns[texts[0]]
        refused = [row for row in range(len(column)) if numbers_in(column[row : row + 1], parse=parse) is None]
        row = next((row for row in refused if not is_missing(column[row])), refused[0])
        raise no_number(f"{where}, row {row + 1}", names, texts, str(column[row]), dropped, label_is_known)
    y, classes = labels_in(columns[label], f"{where}, column {place_of(label, names)}", parse=parse)
    features = [column for column in parsed.values() if column is not None]
    X = np.stack(features, axis=1) if features else np.empty((y.size, 0))
    equal = equal_warnings((columns[k], place_of(k, names)) for k in kept)
    table = table_of(X, y, classes, names, kept, label)
    return replace(table, warnings=(*table.warnings, *equal))


def table_of(
    X: NDArray[np.float64],
    y: NDArray[np.float64],
    classes: tuple[str, ...],
    names: Sequence[str],
    kept: Sequence[int],
    label: int | None = None,
) -> Table:
    """Make a table of (n, d) features, which are the columns `kept` of a file; row numbers without a name go."""
    warnings: tuple[str, ...] = ()
    counting = [j for j, k in enumerate(kept) if names and _numbers_rows(names[k], X[:, j])]
    if counting and len(counting) < len(kept):
        warnings = tuple(
            f"column {place_of(kept[j], names)} numbers the rows ({X[:, j].min():g} to {X[:, j].max():g}), as programs "
            "add it to a table, and is left out; with a name of its own it is a feature"
            for j in counting
        )
        stay = [j for j in range(len(kept)) if j not in counting]
        X, kept = X[:, stay], [kept[j] for j in stay]
    return Table(
        np.ascontiguousarray(X),
        y,
        classes,
        columns=tuple(place_of(k, names) for k in kept),
        label_column="" if label is None else place_of(label, names),
        warnings=warnings,
    )


def _numbers_rows(name: str, column: NDArray[np.float64]) -> bool:
    """Whether a column looks like row numbers: it has such a name, and different whole numbers >= 0."""
    return (
        _INDEX_NAMES.fullmatch(name.strip()) is not None
        and bool((column >= 0).all() and (column == np.rint(column)).all())
        and np.unique(column).size == column.size
    )


def missing_values(
    bad: NDArray[np.bool_],
    where: str,
    column: Callable[[int], str],
    rows: Sequence[int] | None = None,
    unit: str = "line",
    n: int | None = None,
) -> DataError:
    """Return the error of missing features: how many, in how many rows, and in which columns.

    Parameters
    ----------
    bad
        (n, d), whether a value is missing.
    where
        Name of the data.
    column
        Names a feature by its number.
    rows, unit
        Numbers of the rows, and what they count; None: rows from 1.
    n
        Number of rows, if `bad` has only some of them.
    """
    counts, affected = bad.sum(axis=0), np.flatnonzero(bad.any(axis=1))
    (filled,) = np.nonzero(counts)
    first = int(affected[0])
    first_row = f"row {first + 1}" if rows is None else f"{unit} {rows[first]}"
    cells, n = int(counts.sum()), n or len(bad)
    by_count = sorted((int(j) for j in filled), key=lambda j: -counts[j])
    mostly = [column(j) for j in by_count[:_NAMED] if counts[j] > _MOSTLY * n]
    dropping = [match[1] for text in mostly if (match := re.match(r"column (\d+)\b(?! \(counted)", text))]
    listed = ",".join(dropping)
    drop = advice(f", or leave out what is mostly missing by dataset.drop_columns=[{listed}]") if dropping else ""
    kinds = "(empty, ?, NA, NaN, null, ...)"
    if cells == 1:
        return DataError(
            f"{where}, {first_row}, {column(by_count[0])}: the value is missing {kinds}; fill it in, or remove the row"
            f"{drop}."
        )
    listed = ", ".join(f"{counts[j]:,} in {column(j)}" for j in by_count[:5])
    more = f", and {len(by_count) - 5:,} more columns" if len(by_count) > 5 else ""
    return DataError(
        f"{where}: {cells:,} values are missing {kinds} in {len(affected):,} of {n:,} rows, the first in "
        f"{first_row}: {listed}{more}; fill them in, or remove the rows{drop}."
    )


def place_of(k: int, names: Sequence[str]) -> str:
    """Return the number of a column, counted from 0, and its name, if the file has a header: ``2 ('age')``."""
    return f"{k} ('{shorten(names[k], 40)}')" if names and names[k].strip() else str(k)


def check_names(columns: Sequence[str], trained: Sequence[str], where: str, source: str) -> None:
    """Refuse a feature whose name differs from the name of the training feature with the same number.

    `columns` and `trained`, (d,), are texts of `place_of`.

    A feature without a name, or whose name is its number, is not compared.
    """
    for j, (given, wanted) in enumerate(zip(columns, trained, strict=False)):
        name, expected = _name_in(given), _name_in(wanted)
        if name is not None and expected is not None and name != expected:
            raise DataError(
                f"{where}: feature {j} (counted from 0) is '{name}', and in {source} it is '{expected}'; features are "
                f"matched by position: write the columns in the same order as in {source}."
            )


def _name_in(column: str) -> str | None:
    """Return the name in a place of `place_of`; None if the column has none."""
    match = re.fullmatch(r"(\d+) \('(.*)'\)", column)
    return match[2] if match and match[1] != match[2] else None


def no_number(
    row: str,
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
    drop = advice(f"dataset.drop_columns=[{','.join(map(str, sorted({*texts, *dropped})))}]")
    where = f"{row}, column {place_of(k, names)}"
    if numbers_in([cell]) is not None:
        leave = drop and f", or leave it out by {drop}"
        return DataError(f"{where}: '{shorten(cell, 40)}' is a text; save the column as numbers{leave}.")
    if hint := number_hint(cell):
        return DataError(f"{where}: '{shorten(cell, 40)}' is not a plain number: {hint}.")
    if not drop:
        without = f", of which these are left out: {', '.join(map(str, dropped))}" if dropped else ""
        return DataError(
            f"{where}: '{shorten(cell, 40)}' is not a number; write the columns of the training data in their order"
            f"{without} (columns are counted from 0)."
        )
    besides = f", with column{'s' * (len(more) > 1)} {', '.join(map(str, more))}," if more else ""
    name = names[k] if names and names[k].isidentifier() else k
    label = "" if label_is_known else f", or, if it is the label, choose it by dataset.label_column={name}"
    return DataError(
        f"{where}: '{shorten(cell, 40)}' is not a number; leave the column out{besides} by {drop}{label} (columns are "
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
        number = advice("give the column's number", "give them different names")
        raise DataError(f"{where}: more than one column is called '{shorten(label_column)}'; {number}.")
    else:
        header = ", ".join(shorten(name, 40) for name in names[:_NAMED]) or "none (the file has no header)"
        raise DataError(f"{where}: no column is called '{shorten(label_column)}'; the header's names: {header}.")
    dropped = {_position(number, width, where, "drop_columns") for number in drop_columns}
    if label in dropped:
        whose = advice(
            "cannot be dropped (dataset.drop_columns)",
            "was left out in training; write the columns in the order of the training data",
        )
        raise DataError(f"{where}: column {label} holds the label and {whose}.")
    return label, sorted(dropped)


def _position(number: int, width: int, where: str, setting: str) -> int:
    if not -width <= number < width:
        whose = advice(f"dataset.{setting}={number}", f"the training data had {setting}={number}")
        raise DataError(f"{where}: {whose}, but the file has {width} columns (0 to {width - 1}).")
    return number % width


def labels_in(column: NDArray[Any], where: str, *, parse: bool = True) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    """Return labels as numbers; text labels as the numbers of their classes, which are in alphabetical order.

    Blanks at either end of a text do not count.
    """
    if isinstance(column, np.ndarray) and column.dtype.kind in "biuf":
        refuse_equal(column, where)
        return column.astype(np.float64), ()
    cells = [cell.strip() if isinstance(cell, str) else cell for cell in column]
    if missing := missing_labels(cells):
        several = len(missing) > 1
        more = f", as in {len(missing) - 1:,} more of {len(cells):,} rows; remove the rows or fill them in"
        raise DataError(
            f"{where}, row {missing[0] + 1}: the label is missing"
            f"{more if several else '; remove the row or fill it in'}."
        )
    values = numbers_in(np.array(cells, object), parse=parse, missing=frozenset())
    if values is not None:
        refuse_equal(cells, where)
        return values, ()
    for row, cell in enumerate(cells):
        if not isinstance(cell, str) or "\ufffd" in cell:
            raise DataError(
                f"{where}, row {row + 1}: the label {shorten(repr(cell), 40)} is neither a number nor a text in UTF-8."
            )
    texts, codes = np.unique(np.array(cells, str), return_inverse=True)
    return codes.astype(np.float64), tuple(map(str, texts))


def missing_labels(cells: Sequence[Any]) -> list[int]:
    """Return the rows whose label is missing; a text such as NA is a label if there are other texts."""
    texts = {cell for cell in cells if isinstance(cell, str)}
    marks = set(NO_LABEL)
    if numbers_in([text for text in texts if text.lower() not in {*NO_LABEL, *DOUBTFUL_LABELS}]) is not None and any(
        numbers_in([cell], missing=frozenset()) is not None for cell in (*texts, *cells[:1])
    ):
        marks |= DOUBTFUL_LABELS
    return [row for row, cell in enumerate(cells) if is_missing(cell) or str(cell).lower() in marks]


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
    if parse and are_plain(cells):
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
                if not parse or not are_plain([word]):
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
