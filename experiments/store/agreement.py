"""Whether two finished runs of one key say the same: their times always differ, counts and measures should not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

DIGITS = 1e-6
"""Measures agree to this share of the largest value of their curve: other instruction sets round otherwise."""


def agree(one: pd.DataFrame, other: pd.DataFrame) -> bool:
    """Whether two curves (`experiments.curve`) have equal counts, and measures that agree to six digits."""
    from experiments.columns import COUNTS, MEASURES
    from experiments.curve import column

    if not one[list(COUNTS)].equals(other[list(COUNTS)]):
        return False
    for name in MEASURES:
        mine, theirs = column(one, name), column(other, name)
        largest = np.max(np.abs(mine), initial=0.0, where=np.isfinite(mine))
        if not np.allclose(mine, theirs, rtol=DIGITS, atol=DIGITS * largest, equal_nan=True):
            return False
    return True
