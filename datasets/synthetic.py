"""Seeded synthetic data with a known separating hyperplane.

All numbers are multiples of 2^-23, so sums are exact in float64 whatever their order, and labels do
not depend on the machine. With signs s in {-1, +1}^d and x uniform on the grid in [-1, 1)^d, the
hyperplane through the origin has the unit normal u = s / sqrt(d).

separable
    y = sign of <s, x>, +1 for zero. The margin is random.
noisy
    As separable, then each label flipped with probability ``noise``.
margin
    As separable, then each x moved by y * margin * u, and the first two training rows set to
    +margin * u and -margin * u: every row is at least ``margin`` from the hyperplane and two opposite
    training rows are at that distance, so the largest margin of the training rows is ``margin``
    (up to float32 rounding).
"""

from __future__ import annotations

import math

import numpy as np

from datasets.memory import require_memory
from datasets.split import PURPOSE_SYNTHETIC, raw_integers
from datasets.types import Table

_BYTES_A_VALUE = 32
"""Peak memory of a value: random number, grid position, float64, and twice float32."""


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
        In [0, 2^64). Random numbers are drawn in the order signs (d), labels' noise (rows), features (row by row).

    Returns
    -------
    train, test : Table
        Dense float32 features, labels -1 and +1.

    Raises
    ------
    DataError
        The data do not fit in memory.
    """
    rows = n + n_test
    require_memory(
        _BYTES_A_VALUE * (rows + 1) * d, f"{rows:,} x {d:,} synthetic values", "Use a smaller dataset.n or dataset.d."
    )
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
    with np.errstate(over="ignore"):  # values too large for float32 become infinite, which check_finite refuses
        features = X.astype(np.float32)
    return Table(features[:n], y[:n]), Table(features[n:], y[n:])
