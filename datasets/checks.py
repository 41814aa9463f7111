"""Checks of every table that was read, and of every finished part."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..support.rounding import float32_losses, used_columns
from .errors import MOST_SENTENCES, DataError, shorten
from .readers.columns import missing_values
from .spec import MAX_FEATURES, ExpectedSpec
from .types import Features, Matrix, Table, count_nonzero

UNEVEN = 30
"""Times the range of the median feature from which `uneven_scales` speaks."""
TOO_LARGE = float(np.finfo(np.float32).max) * (1 + 2.0**-25)
"""Least value that becomes infinite in float32."""
_CODES = (-999, -9999, -99999)
"""Numbers that files often have in place of a missing value."""
_FEWEST_ROWS = 10
"""Rows from which a column is suspected to number them."""
_FULL_COLUMNS = 1000


def check_table(table: Table, where: str) -> None:
    """Refuse a table without rows, with more or fewer labels than rows, or with a value that is not finite."""
    X, y = table.X, table.y
    if y.size == 0:
        raise DataError(f"{where}: holds no data (0 rows).")
    if X.shape[0] != y.size:
        raise DataError(f"{where}: {X.shape[0]} rows of features but {y.size} labels.")
    bad = np.flatnonzero(~np.isfinite(y))
    if bad.size:
        if np.isnan(y[bad[0]]):
            more = f", as in {bad.size - 1:,} more of {y.size:,} rows" * (bad.size > 1)
            raise DataError(f"{where}, row {bad[0] + 1}: the label is missing{more}; remove the row or fill it in.")
        raise DataError(
            f"{where}: the label of row {bad[0] + 1} is {y[bad[0]]}"
            f"{f', and {bad.size - 1:,} more of {y.size:,} labels' * (bad.size > 1)}; labels must be finite numbers: "
            "remove the row, or fill the label in."
        )
    cell = _first_non_finite(X)
    if cell is None:
        return
    row, column, value = cell
    if np.isnan(value):
        raise _missing(X, where, table)
    raise DataError(
        f"{where}: the value in row {row + 1}, {table.column(column)} is {value}; features must be finite: remove the "
        "row, or write another value."
    )


def _missing(X: Features, where: str, table: Table) -> DataError:
    """Return the error that names a table's missing features; only rows and columns that have some are expanded."""
    if isinstance(X, np.ndarray):
        return missing_values(np.isnan(X), where, table.column)
    bad = X.copy()
    bad.data = np.isnan(X.data).astype(np.int8)
    bad.eliminate_zeros()
    shown, columns = used_columns(bad)
    # rows without any count, too; a block of zeros for each would not fit in memory
    rows = np.flatnonzero(np.diff(shown.indptr))
    return missing_values(
        shown[rows].toarray() > 0,
        where,
        lambda j: table.column(int(columns[j])),
        (rows + 1).tolist(),
        "row",
        table.y.size,
    )


def check_finite(X: Matrix, X_test: Matrix, table: Table, where: str) -> None:
    """Refuse a value that is not finite, or too large for float32, after the transforms; `table` names columns."""
    for name, part in (("training", X), ("test", X_test)):
        cell = _first_non_finite(part, TOO_LARGE)
        if cell is not None:
            row, column, value = cell
            raise DataError(
                f"{where}, {name} part: the value in row {row + 1}, {table.column(column)} is {value:g} when "
                "dataset.divide_by, dataset.scaling and dataset.row_norm have been applied; it must be finite and fit "
                "in float32 (below 3.4e38), which dataset.scaling=standard achieves for dense features."
            )


def losses(X: Matrix, table: Table, scaling: str) -> list[str]:
    """Return a sentence about each loss in the conversion of training features to float32."""
    advice = {
        "none": "dataset.scaling=standard scales in float64, before the conversion",
    }.get(scaling, "dataset.scaling=standard scales by the mean and the standard deviation")
    return [f"{loss}{f'; {advice}' * (scaling != 'standard')}" for loss in float32_losses(X, table.column)]


def doubtful(table: Table) -> list[str]:
    """Return sentences about columns of a user's table that may not be what they seem.

    They number the rows, or have a value that often stands for a missing one.
    """
    X, n = table.X, table.y.size
    if sparse.issparse(X):
        shown, used = used_columns(X)
        filled = np.flatnonzero(np.bincount(shown.indices, minlength=shown.shape[1]) >= n - 1)[:_FULL_COLUMNS]
        X, full = shown[:, filled].toarray(), used[filled]
    else:
        full = np.arange(X.shape[1])
    if n < _FEWEST_ROWS or not full.size:
        return []
    assert isinstance(X, np.ndarray)
    low, high = X.min(axis=0), X.max(axis=0)
    sentences = []
    for j in np.flatnonzero(high - low == n - 1):
        if (X[:, j] == np.rint(X[:, j])).all() and np.unique(X[:, j]).size == n:
            drop = _dropping(table, int(full[j]))
            sentences.append(
                f"{table.column(int(full[j]))} has each number from {low[j]:g} to {high[j]:g} once; if it numbers the "
                f"rows and is no feature, leave it out{drop}"
            )
    for code in _CODES:
        coded = np.equal(X, code)
        never_negative = np.where(coded, np.inf, X).min(axis=0) >= 0
        sentences += [
            f"{table.column(int(full[j]))} is {code} in {int(coded[:, j].sum()):,} rows and never negative elsewhere; "
            "if that stands for a missing value, fill it in or remove the rows: here it is a number"
            for j in np.flatnonzero(coded.any(axis=0) & never_negative)
        ]
    return sentences[:MOST_SENTENCES]


def _dropping(table: Table, j: int) -> str:
    """Return the setting that leaves a column out, where there is one."""
    return f" by dataset.drop_columns=[{table.columns[j].split()[0]}]" if j < len(table.columns) else ""


def uneven_scales(X: NDArray[np.float32], table: Table) -> list[str]:
    """Return a sentence about the training feature, without scaling, whose range is far above the others', if any."""
    low, high = X.min(axis=0), X.max(axis=0)
    ranges = high.astype(np.float64) - low
    largest, filled = int(np.argmax(ranges)), np.sort(ranges[ranges > 0])
    ratio = ranges[largest] / filled[(filled.size - 1) // 2] if filled.size else 0.0
    if ratio < UNEVEN:
        return []
    return [
        f"{table.column(largest)} has values from {low[largest]:g} to {high[largest]:g}, a range {ratio:,.0f} times "
        "that of the median column, so it decides distances nearly alone; dataset.scaling=standard makes columns "
        "comparable"
    ]


def _first_non_finite(X: Features, bound: float = np.inf) -> tuple[int, int, float] | None:
    """Return row, column and value of the first value that is NaN or at least as large as a bound."""
    if sparse.issparse(X):
        bad = np.flatnonzero(~(np.abs(X.data) < bound))
        if not bad.size:
            return None
        row = int(np.searchsorted(X.indptr, bad[0], side="right")) - 1
        return row, int(X.indices[bad[0]]), float(X.data[bad[0]])
    assert isinstance(X, np.ndarray)
    if X.dtype.kind != "f":
        return None
    # these save a mask as large as the data
    if X.size == 0 or (X.max() < bound and X.min() > -bound):
        return None
    rows, columns = np.nonzero(~(np.abs(X) < bound))
    return (int(rows[0]), int(columns[0]), float(X[rows[0], columns[0]])) if rows.size else None


def check_expected(table: Table, expected: ExpectedSpec, where: str) -> None:
    """Compare the counts of a file with the specification's."""
    if expected.n is not None and expected.n != table.y.size:
        raise DataError(f"{where}: expected {expected.n} rows, found {table.y.size}.")
    if expected.nnz is not None and expected.nnz != (entries := count_nonzero(table.X)):
        raise DataError(f"{where}: expected {expected.nnz} entries that are not zero, found {entries}.")
    if expected.classes:
        values, counts = np.unique(table.y, return_counts=True)
        names = [table.classes[int(v)] if table.classes else f"{v:.15g}" for v in values]
        classes = {name: int(c) for name, c in zip(names, counts, strict=True)}
        wanted = {label if table.classes else _written(label): rows for label, rows in expected.classes.items()}
        for label in sorted(wanted.keys() | classes.keys()):
            rows, rows_wanted = classes.get(label, 0), wanted.get(label, 0)
            if rows != rows_wanted:
                raise DataError(f"{where}: expected {rows_wanted} rows with label {shorten(label)}, found {rows}.")


def _written(label: str) -> str:
    """Return a label as text; a number is written in the form that labels of a table have."""
    try:
        return f"{float(label):.15g}"
    except ValueError:
        return label


def common_width(train: Table, test: Table | None, d: int | None, *, pad: bool, where: str) -> int:
    """Return the number of features of both parts: ``d`` of the specification, or the training part's.

    ``pad`` says whether a narrower part may be padded with zeros.
    """
    width = int(train.X.shape[1]) if d is None else d
    parts = [("training", train)] + ([("test", test)] if test is not None else [])
    for name, part in parts:
        columns = int(part.X.shape[1])
        if columns > width or (columns < width and not pad):
            wanted = f"dataset.d={d}" if d is not None else f"the training part has {width}"
            hint = " Set dataset.d to the larger width to pad the other part with zeros." if pad and d is None else ""
            raise DataError(f"{where}: the {name} part has {columns} features, but {wanted}.{hint}")
    if width < 1:
        raise DataError(f"{where}: no row has any feature.")
    if width > MAX_FEATURES:
        raise DataError(f"{where}: {width} features (the largest index); at most {MAX_FEATURES} can be numbered.")
    return width
