"""Arrays that begin where a line of the processor's cache does."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

LINE = 64
"""Bytes."""


def empty(rows: int, columns: int) -> NDArray[np.float32]:
    """Return a C-contiguous array (rows, columns) of float32 that has not been written; numpy aligns to 16 bytes only.

    A row of as many columns as make whole lines then lies in no more of them than it must.
    """
    bytes_ = np.empty(rows * columns * 4 + LINE, dtype=np.uint8)
    first = -bytes_.ctypes.data % LINE
    return bytes_[first : first + rows * columns * 4].view(np.float32).reshape(rows, columns)
