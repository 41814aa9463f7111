"""Arrays that start at a cache line of the processor."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

LINE = 64
"""Bytes of a cache line."""


def empty(rows: int, columns: int, dtype: DTypeLike = np.float32) -> NDArray[Any]:
    """Return an uninitialised C-contiguous array, (rows, columns), that starts at a cache line.

    numpy aligns arrays to 16 bytes only. With this one a row of 64 k bytes covers k cache lines, not k + 1.
    """
    size = rows * columns * np.dtype(dtype).itemsize
    bytes_ = np.empty(size + LINE, dtype=np.uint8)
    first = -bytes_.ctypes.data % LINE
    return bytes_[first : first + size].view(dtype).reshape(rows, columns)
