"""Reads dense ARFF, the format of Weka and OpenML, by scipy."""

from __future__ import annotations

import bisect
import csv
import io
import re
from collections.abc import Sequence

import numpy as np

from ..errors import DataError, shorten
from ..types import Table, require_memory
from .columns import table_from
from .plain_text import decoded, lines_of
from .whole_numbers import EXACT

_QUOTED = re.compile(r"""((?:^|[,\t])\s*)(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")""")
"""A quoted cell, with the separator before it."""
_ARFF_BYTES = 32
"""Peak memory of parsing a character: scipy makes a Python number of every cell."""


def read_arff(content: bytes, where: str, label_column: int | str = -1, drop_columns: Sequence[int] = ()) -> Table:
    """Read dense ARFF, the format of Weka and OpenML; sparse ARFF is refused."""
    # imported here: few need it
    from scipy.io import arff

    require_memory(_ARFF_BYTES * len(content), f"{where}: reading the file")
    text = "\n".join(lines_of(decoded(content, where)))
    start = text.lower().find("@data")
    head, lines = text[:start], text[start:].split("\n")[1:] if start >= 0 else []
    rows = [row.strip() for row in lines if row.strip() and not row.lstrip().startswith("%")]
    if any(row.startswith("{") for row in rows):
        raise DataError(f"{where}: is sparse ARFF, which is not read; save it as LIBSVM text.")
    is_nested = re.search(r"^\s*@end\b", head, re.IGNORECASE | re.MULTILINE)  # a table within a cell has attributes
    if not is_nested:
        _check_cells(head, rows, where)
    limit = csv.field_size_limit()  # scipy raises it for the whole process
    try:
        data, meta = arff.loadarff(io.StringIO(text))
    except Exception as error:  # scipy raises some ten kinds for malformed text
        raise _malformed(head, rows, where) from error
    finally:
        csv.field_size_limit(limit)
    columns = [data[name] for name in meta.names()]
    columns = [np.char.decode(column, "latin-1") if column.dtype.kind == "S" else column for column in columns]
    for k, column in enumerate(() if is_nested else columns):
        if column.dtype.kind == "f" and (np.abs(column) >= EXACT).any():  # scipy has lost digits
            columns[k] = np.array([_cells_of(row)[k] for row in rows], object)
    return table_from(meta.names(), columns, where, label_column, drop_columns)


def _cells_of(row: str) -> list[str]:
    """Return the cells of a row; a quoted cell, in which a separator is none, is returned as ``q``."""
    plain = _QUOTED.sub(r"\1q", row) if "'" in row or '"' in row else row
    return [cell.strip() for cell in plain.split("," if "," in plain else "\t")]


def _check_cells(head: str, rows: Sequence[str], where: str) -> None:
    """Refuse a row that has more or fewer cells than there are attributes: scipy ignores some."""
    width = len(re.findall(r"^\s*@attribute\b", head, re.IGNORECASE | re.MULTILINE))
    for number, row in enumerate(rows, 1):
        if (count := len(_cells_of(row))) != width:
            raise DataError(
                f"{where}, row {number}: {count} cells, and the header has {width} attributes; each row needs a cell "
                f"for each attribute. The row: '{shorten(row)}'"
            )


def _malformed(head: str, rows: Sequence[str], where: str) -> DataError:
    """Return the error of ARFF that scipy refuses: the first row with which it does, or the header."""
    from scipy.io import arff

    def is_refused(count: int) -> bool:
        try:
            arff.loadarff(io.StringIO("\n".join([f"{head}@data", *rows[:count]])))
        except Exception:  # as above
            return True
        return False

    refused = bisect.bisect_left(range(len(rows) + 1), True, key=is_refused)
    why = "not a readable ARFF file"
    row = rows[refused - 1] if 0 < refused <= len(rows) else ""
    if not (row or head).isascii():
        return DataError(f"{where}: {why}: a value with a character beyond ASCII is not read; save it as CSV in UTF-8.")
    if re.search(r"^\s*@attribute\s.*\sstring\s*$", head, re.IGNORECASE | re.MULTILINE):
        return DataError(
            f"{where}: {why}: an attribute of kind string is not read; remove it, or list its values as {{a, b}}."
        )
    if not row:
        return DataError(
            f"{where}: {why}: it needs a line @relation NAME, lines @attribute NAME KIND, where KIND is numeric or the "
            "list of its values as {a, b}, a line @data, and rows."
        )
    return DataError(
        f"{where}, row {refused}: {why}: a cell is not of the kind that its @attribute line names (a number, or one of "
        f"the listed values). The row: '{shorten(row)}'"
    )
