"""Reads the idx-ubyte format of the MNIST files: a big-endian header, then bytes."""

from __future__ import annotations

import math
import struct

import numpy as np

from svm_cost_curves.datasets.errors import DataError, shorten
from svm_cost_curves.datasets.types import Table

_UBYTE = 0x08


def read_idx(content: bytes | bytearray, where: str) -> Table:
    """Read an idx file of unsigned bytes.

    Returns
    -------
    Table
        Of one dimension the labels, else the features, (n, product of the others) uint8: images, row by row.

    Raises
    ------
    DataError
        The magic number, the type or the length is wrong.
    """
    if len(content) < 4 or content[:2] != b"\0\0" or content[2] != _UBYTE or content[3] < 1:
        raise DataError(f"{where}: not an idx file of unsigned bytes (first bytes {content[:4].hex() or 'none'}).")
    header = 4 + 4 * content[3]
    if len(content) < header:
        raise DataError(f"{where}: the idx header is cut short.")
    shape = struct.unpack(f">{content[3]}I", content[4:header])
    if len(content) - header != math.prod(shape):
        raise DataError(
            f"{where}: the header {shorten(str(shape))} asks for {shorten(str(math.prod(shape)))} bytes, found "
            f"{len(content) - header}."
        )
    array = np.frombuffer(content, np.uint8, offset=header)
    if len(shape) == 1:
        return Table(np.empty((array.size, 0), np.uint8), array.astype(np.float64))
    return Table(array.reshape(shape[0], math.prod(shape[1:])), np.empty(0))
