"""Checks of every table that was read, and of every finished part."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from svm_cost_curves.datasets.errors import DataError, shorten
from svm_cost_curves.datasets.spec import MAX_FEATURES, ExpectedSpec
from svm_cost_curves.datasets.types import Features, Matrix, Table, count_nonzero

UNEVEN = 30
"""Times the range of the median feature from which `uneven_scales` speaks."""


def check_table(table: Table, where: str) -> None:
    """Refuse a table without rows, with more or fewer labels than rows, or with a value that is not finite."""
    X, y = table.X, table.y
    if y.size == 0:
        raise DataError(f"{where}: holds no data (0 rows).")
    if X.shape[0] != y.size:
        raise DataError(f"{where}: {X.shape[0]} rows of features but {y.size} labels.")
    bad = np.flatnonzero(~np.isfinite(y))
    if bad.size:
        raise DataError(f"{where}: the label of row {bad[0] + 1} is {y[bad[0]]}; labels must be finite numbers.")
    place = _first_non_finite(X)
    if place is not None:
        row, column, value = place
        leave_out = ", or leave the column out by dataset.drop_columns" if table.columns else ""
        raise DataError(
            f"{where}: the value in row {row + 1}, {table.column(column)} is "
            f"{'missing or ' * bool(np.isnan(value))}{value}; features must be finite and fit in float32 (below "
            f"3.4e38): remove the row, fill the value in{leave_out}."
        )


def check_finite(X: Matrix, X_test: Matrix, where: str) -> None:
    """Refuse a value that is not finite after the transforms."""
    for name, part in (("training", X), ("test", X_test)):
        place = _first_non_finite(part)
        if place is not None:
            row, column, value = place
            raise DataError(
                f"{where}, {name} part: the value in row {row + 1}, column {column + 1} (counted from 1) is {value} "
                "after dataset.divide_by, dataset.scaling and dataset.row_norm; it must be finite and fit in float32 "
                "(below 3.4e38)."
            )


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


def _first_non_finite(X: Features) -> tuple[int, int, float] | None:
    if sparse.issparse(X):
        bad = np.flatnonzero(~np.isfinite(X.data))
        if not bad.size:
            return None
        row = int(np.searchsorted(X.indptr, bad[0], side="right")) - 1
        return row, int(X.indices[bad[0]]), float(X.data[bad[0]])
    assert isinstance(X, np.ndarray)
    if X.dtype.kind != "f":
        return None
    # a finite sum saves a mask as large as the data; it may overflow, so that an infinite one proves nothing
    with np.errstate(invalid="ignore"):
        if np.isfinite(X.sum(dtype=np.float64)):
            return None
    rows, columns = np.nonzero(~np.isfinite(X))
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
    """Write a label that is a number like the table's."""
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
