"""Arrays that start at a cache line."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from svm_cost_curves.solvers import aligned


@given(st.integers(0, 40), st.integers(0, 40))
def test_shape_type_and_alignment(rows: int, columns: int) -> None:
    made = aligned.empty(rows, columns)
    assert made.shape == (rows, columns)
    assert made.dtype == np.float32
    assert made.flags.c_contiguous
    assert made.size == 0 or made.ctypes.data % aligned.LINE == 0
    made[:] = np.arange(rows * columns, dtype=np.float32).reshape(rows, columns)
    assert made.ravel().tolist() == list(range(rows * columns))
