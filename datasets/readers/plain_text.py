"""Decodes text files, and finds the words and forms that all readers of text take alike."""

from __future__ import annotations

import codecs
import re
from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from ..errors import DataError, read_as

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),  # begins like UTF-16
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
"""Byte-order marks, and the encodings that they begin."""
_OTHER_FILES = (
    (b"PAR1", "a Parquet file; {parquet}"),
    (b"PK\x03\x04", "a zip archive; unpack it, or, if it holds numpy's arrays, {npz}"),
    (b"\x93NUMPY", "a single array of numpy; save it by numpy.savez with X and y"),
    (b"\x28\xb5\x2f\xfd", "packed by zstd, which is not read; unpack it"),
    (b"\x89HDF", "an HDF5 file, which is not read; save it as CSV or Parquet"),
)
"""First bytes of files that are no text."""
MISSING = frozenset(
    ("", "?", "-", ".", "na", "n/a", "#na", "#n/a", "<na>", "nan", "-nan", "null", "none", "nat", "1.#qnan", "-1.#ind")
)
"""Cells of a feature that mean a missing value, in small letters."""
NO_LABEL = frozenset({"", "?", "#na", "#n/a", "<na>", "nan", "-nan", "nat", "1.#qnan", "-1.#ind"})
"""Texts that are no label but a missing one, in small letters."""
DOUBTFUL_LABELS = frozenset({"na", "n/a", "null", "none"})
"""Texts, in small letters, that may be a label or a missing one."""
TRUTH = {"true": 1.0, "false": 0.0}
"""Truth values in small letters."""
_POINT_GROUPS = re.compile(r"([+-]?)([0-9]{1,3}(?:\.[0-9]{3})+|[0-9]+)(?:,([0-9]+))?")
_COMMA_GROUPS = re.compile(r"([+-]?)([0-9]{1,3}(?:,[0-9]{2,3})*,[0-9]{3}|[0-9]+)(?:\.([0-9]+))?")
_OTHER_GROUPS = re.compile(r"([+-]?)([0-9]{1,3}(?:[ '\u2019\u00a0\u2009\u202f][0-9]{3})+)(?:[.,]([0-9]+))?")


def decoded(content: bytes, where: str) -> str:
    r"""Return the text of a file: of its byte-order mark's encoding, else UTF-8; what is not becomes ``\ufffd``.

    Raises
    ------
    DataError
        It is a file of another kind, or UTF-16 without a mark.
    """
    encoding = encoding_of(content, where)
    if encoding == "utf-8" and b"\0" in content[:1000]:
        raise DataError(f"{where}: has zero bytes and so is no text; save it as text in UTF-8.")
    return content.decode(encoding, errors="replace")


def encoding_of(content: bytes, where: str) -> str:
    """Return the encoding of a text file; see `decoded`."""
    for first, kind in _OTHER_FILES:
        if content.startswith(first):
            formats = {name: read_as(name, f".{name}") for name in ("parquet", "npz")}
            raise DataError(f"{where}: is not text, but {kind.format(**formats)}.")
    return next((encoding for mark, encoding in _MARKS if content.startswith(mark)), "utf-8")


def lines_of(text: str) -> list[str]:
    r"""Return the lines of a text that ends them with ``\n``, ``\r\n`` or ``\r``, or with several of these."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def number_hint(text: str) -> str:
    """Return how to write a text that is a number with a decimal comma or with groups of digits; empty if it is none.

    ``1,234`` has two meanings, and the hint names both. In a table with decimal commas the point in ``1.234`` may
    separate thousands; then the hint says how to write ``1.234``, too.
    """
    text = text.strip()
    writings: list[str] = []
    for groups, meaning in (
        (_COMMA_GROUPS, "if commas separate thousands"),
        (_POINT_GROUPS, "if the comma is the decimal sign"),
        (_OTHER_GROUPS, ""),
    ):
        if match := groups.fullmatch(text):
            sign, whole, part = match.groups()
            number = sign + re.sub(r"\D", "", whole) + (f".{part}" if part else "")
            if number != text and not (whole.startswith("0") and len(whole) > 1):
                writings.append(f"{number}" + (f" {meaning}" if meaning else ""))
    if len(writings) == 1:
        number, _, meaning = writings[0].partition(" ")
        thousands = "; if the point in 1.234 separates thousands, write 1234" if "decimal" in meaning else ""
        return f"write {number}{thousands}"
    return f"write {', or '.join(writings)}" if writings else ""


def looks_like_libsvm(cells: Sequence[str]) -> bool:
    """Whether most of some cells have the form ``index:value``."""
    return sum(bool(re.fullmatch(r"\d+:\S+", cell.strip())) for cell in cells) * 2 >= len(cells) > 0


def are_plain(cells: NDArray[Any] | Sequence[Any]) -> bool:
    """Return whether the cells are ASCII without ``_``: Python reads ``1_0`` as 10, other programs do not."""
    joined = "".join(map(str, cells))
    return joined.isascii() and "_" not in joined
