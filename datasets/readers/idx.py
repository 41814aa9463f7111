"""Reads the idx-ubyte format of the MNIST files: a big-endian header, then bytes."""

from __future__ import annotations

import math
import struct

import numpy as np
from numpy.typing import NDArray

from datasets.errors import DataError, shorten

_UBYTE = 0x08


def read_idx(content: bytes | bytearray, where: str) -> NDArray[np.uint8]:
    """Read an idx file of unsigned bytes.

    Returns
    -------
    ndarray of uint8
        (n,) for one dimension (labels), else (n, product of the others) (images, row by row).

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
    return array if len(shape) == 1 else array.reshape(shape[0], math.prod(shape[1:]))
