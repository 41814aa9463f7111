"""Arrays that start at a cache line of the processor."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

LINE = 64
"""Bytes of a cache line."""


def empty(rows: int, columns: int) -> NDArray[np.float32]:
    """Return an uninitialised C-contiguous array, (rows, columns) float32, that starts at a cache line.

    numpy aligns arrays to 16 bytes only. With this one a row of 16 k columns covers k cache lines, not k + 1.
    """
    bytes_ = np.empty(rows * columns * 4 + LINE, dtype=np.uint8)
    first = -bytes_.ctypes.data % LINE
    return bytes_[first : first + rows * columns * 4].view(np.float32).reshape(rows, columns)
