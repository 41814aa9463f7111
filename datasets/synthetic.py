"""Seeded synthetic data with a known separating hyperplane.

All numbers are multiples of 2^-23, so sums are exact in float64 whatever their order, and labels do
not depend on the machine. With signs s in {-1, +1}^d and x uniform on the grid in [-1, 1)^d, the
hyperplane through the origin has the unit normal u = s / sqrt(d).

separable
    y = sign of <s, x>, zero counting as +1. The margin is whatever the draw gives.
noisy
    As separable, then each label flipped with probability ``noise``.
margin
    As separable, then each x moved by y * margin * u, and the first two training rows set to
    +margin * u and -margin * u: every row is at least ``margin`` from the hyperplane and two opposite
    training rows are exactly there, so the largest possible margin of the training rows *is*
    ``margin`` (to float32 rounding).
"""

from __future__ import annotations

import math

import numpy as np

from datasets.memory import ask
from datasets.split import PURPOSE_SYNTHETIC, raw_integers
from datasets.types import Table

_BYTES_A_VALUE = 32
"""While points are made: the random number, its place on the grid, the feature in float64, and twice in float32."""


def generate(shape: str, n: int, n_test: int, d: int, noise: float, margin: float, seed: int) -> tuple[Table, Table]:
    """Generate training and test rows.

    Parameters
    ----------
    shape
        ``separable``, ``noisy`` or ``margin``.
    n, n_test, d
        Rows and features.
    noise
        Share of flipped labels in [0, 0.5); used by ``noisy`` only.
    margin
        Distance to the hyperplane, > 0; used by ``margin`` only.
    seed
        In [0, 2^64). Draws are consumed in the order signs (d), labels' noise (rows), features (row by row).

    Returns
    -------
    train, test : Table
        Dense float32 features, labels -1 and +1.

    Raises
    ------
    DataError
        They do not fit in memory.
    """
    rows = n + n_test
    ask(_BYTES_A_VALUE * (rows + 1) * d, f"{rows:,} x {d:,} synthetic values", "Use a smaller dataset.n or dataset.d.")
    raw = raw_integers(seed, PURPOSE_SYNTHETIC, d + rows + rows * d)
    signs = np.where(raw[:d] >> np.uint64(63), 1.0, -1.0)
    grid = (raw[d + rows :] >> np.uint64(40)).astype(np.float64).reshape(rows, d)
    X = (grid - 2.0**23) * 2.0**-23
    y = np.where(X @ signs >= 0, 1.0, -1.0)
    if shape == "noisy":
        uniform = (raw[d : d + rows] >> np.uint64(11)).astype(np.float64) * 2.0**-53
        y[uniform < noise] *= -1
    if shape == "margin":
        step = margin / math.sqrt(d) * signs
        X += y[:, None] * step
        X[0], X[1] = step, -step
        y[:2] = 1.0, -1.0
    with np.errstate(over="ignore"):  # too large for float32: found by the check for finite values
        features = X.astype(np.float32)
    return Table(features[:n], y[:n]), Table(features[n:], y[n:])
