"""Reads numbers separated by commas, semicolons or white space, with or without a header; one column is the label."""

from __future__ import annotations

import csv
import itertools
from collections.abc import Iterator, Sequence

import numpy as np

from svm_cost_curves.datasets.errors import DataError, shorten
from svm_cost_curves.datasets.readers.columns import chosen_columns, labels_in, no_number, numbers_in, place_of
from svm_cost_curves.datasets.types import Table

_LOOKED_AT = 1000
"""Lines, after one with a text, in which further columns of texts are looked for."""


def read_csv(
    content: bytes | bytearray, where: str, label_column: int | str = -1, drop_columns: Sequence[int] = ()
) -> Table:
    """Parse CSV.

    Blank lines are skipped. The first line's separators count (`_separator`). Labels are texts if any of them is
    not a number. The first line is a header if one of its feature cells is not a number, if the label column is given
    by name, or if its label is a text and all others are numbers.

    Parameters
    ----------
    content
        The unpacked file.
    where
        Name of the file for messages.
    label_column
        0-based number, negative from the end, or a name of the header.
    drop_columns
        0-based numbers of columns to leave out; they may contain texts.

    Returns
    -------
    Table
        Dense float32 features (without label and dropped columns) and float64 labels.

    Raises
    ------
    DataError
        Ragged lines or cells that are not numbers (file, line, text); no such label column or column to drop; a first
        line that may be a header or a row.
    """
    rows = _rows(content.decode("utf-8-sig", errors="replace").splitlines(), where)
    line, first = next(rows, (0, []))
    if not first:
        return Table(np.empty((0, 0), np.float32), np.empty(0))
    first, width = [cell.strip() for cell in first], len(first)
    names = [] if numbers_in(first) is not None else first
    label, others = chosen_columns(label_column, drop_columns, names, width, where)
    features = [k for k in range(width) if k not in (label, *others)]

    header = isinstance(label_column, str) or numbers_in([first[k] for k in features]) is None
    no_numbers = all(numbers_in([cell]) is None for cell in first)
    shown_names = first if isinstance(label_column, str) or (header and no_numbers) else []
    values, labels = [], []
    if not header:
        values.append(np.array([first[k] for k in features], np.float64))
        labels.append(first[label])
    for number, row in rows:
        place = f"{where}, line {number}"
        if len(row) != width:
            raise DataError(f"{place}: {len(row)} cells where the first line has {width}.{_line(row)}")
        read = numbers_in([row[k] for k in features])
        if read is None:
            texts = _columns_of_texts([row, *itertools.islice((other for _, other in rows), _LOOKED_AT)], features)
            raise no_number(place, shown_names, texts, row[texts[0]], others)
        text = row[label].strip()
        if not text or "\ufffd" in text:
            why = "is not UTF-8" if text else "is missing: fill it in, or remove the line"
            raise DataError(f"{place}, column {place_of(label, shown_names)}: the label '{shorten(text)}' {why}.")
        values.append(read)
        labels.append(text)

    if not header and labels and numbers_in(labels[:1]) is None and labels[0] not in labels[1:] and labels[1:]:
        if numbers_in(labels[1:]) is None:
            raise DataError(
                f"{where}, line {line}: this may be a header or a row, as its label '{shorten(labels[0])}' is in no "
                "other line; name the label's column by it (dataset.label_column=NAME), or remove the line."
            )
        del values[0], labels[0]
    if not labels:
        return Table(np.empty((0, len(features)), np.float32), np.empty(0))
    with np.errstate(over="ignore"):  # too large for float32: becomes infinite, which check_finite refuses
        X = np.array(values, np.float32)
    columns = tuple(place_of(k, shown_names) for k in features)
    y, classes = labels_in(np.array(labels, object), where)
    return Table(X, y, classes, columns=columns, label_column=place_of(label, shown_names))


def _rows(lines: Sequence[str], where: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the cells of each line that is not blank."""
    separator = _separator(next((line for line in lines if line.strip()), ""))
    reader = csv.reader(
        (" ".join(line.split()) for line in lines) if separator == " " else lines,
        delimiter=separator,
        skipinitialspace=True,
    )
    before = 0
    try:
        for row in reader:
            if reader.line_num != before + 1:
                raise DataError(f"{where}, line {before + 1}: a quotation mark is not closed.{_line(row)}")
            before = reader.line_num
            if row not in ([], [""]):
                yield before, row
    except csv.Error as error:
        raise DataError(f"{where}, line {reader.line_num}: {shorten(str(error))}.") from error


def _separator(line: str) -> str:
    """Return what separates the cells of a line: semicolons where they make at least as many as commas do."""
    line = line[: csv.field_size_limit() // 2]  # a longer field is refused later
    semicolons, commas = (len(next(csv.reader([line], delimiter=separator))) for separator in ";,")
    return ";" if semicolons >= max(commas, 2) else "," if "," in line else " "


def _columns_of_texts(rows: Sequence[Sequence[str]], features: Sequence[int]) -> list[int]:
    """Return the features that are no number in some row, those of the first row first."""
    return list(dict.fromkeys(k for row in rows for k in features if k < len(row) and numbers_in([row[k]]) is None))


def _line(cells: Sequence[str]) -> str:
    return f" Every line must hold the same number of numbers. The line: '{shorten(','.join(cells))}'"
