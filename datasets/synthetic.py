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
rare
    `directions` sign vectors g_0 = s, g_1, ... in {-1, +1}^d, the products of s with Walsh functions, which are
    orthogonal if d is a multiple of a power of two that is at least `directions`. A row is y g_k + x with a random
    label y: k is 0 for most rows, and with probability ``rare`` one of the others. The rare rows decide how many rows
    a learner must read, so importance weights pay. The sum of all g_k separates the rows, whose length is about
    sqrt(4 d / 3), with a margin of about sqrt(d / directions).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from .spec import SyntheticData
from .split import PURPOSE_SYNTHETIC, raw_integers
from .types import Table, require_memory

_BYTES_A_VALUE = 32
"""Peak memory of a value: random number, grid position, float64, and twice float32."""


def generate(spec: SyntheticData) -> tuple[Table, Table]:
    """Generate training and test rows.

    Random numbers are drawn in the order signs (d), labels' noise or rows' directions (rows), features (row by row),
    and for ``rare`` labels (rows). Features are dense float32, labels -1 and +1.
    """
    assert spec.d is not None  # check_spec
    shape, n, d = spec.shape, spec.n, spec.d
    rows = n + spec.n_test
    require_memory(
        _BYTES_A_VALUE * (rows + 1) * d, f"{rows:,} x {d:,} synthetic values", "Use a smaller dataset.n or dataset.d."
    )
    raw = raw_integers(spec.data_seed, PURPOSE_SYNTHETIC, d + rows + rows * d + (rows if shape == "rare" else 0))
    signs = np.where(raw[:d] >> np.uint64(63), 1.0, -1.0)
    uniform = (raw[d : d + rows] >> np.uint64(11)).astype(np.float64) * 2.0**-53
    grid = (raw[d + rows : d + rows + rows * d] >> np.uint64(40)).astype(np.float64).reshape(rows, d)
    X = (grid - 2.0**23) * 2.0**-23
    y = np.where(X @ signs >= 0, 1.0, -1.0)
    if shape == "noisy":
        y[uniform < spec.noise] *= -1
    if shape == "margin":
        step = spec.margin / math.sqrt(d) * signs
        X += y[:, None] * step
        X[0], X[1] = step, -step
        y[:2] = 1.0, -1.0
    if shape == "rare":
        y = np.where(raw[d + rows + rows * d :] >> np.uint64(63), 1.0, -1.0)
        last = spec.directions - 2
        rarer = np.minimum(uniform / spec.rare * (last + 1), last).astype(np.int64)
        chosen = np.where(uniform < spec.rare, 1 + rarer, 0)
        for k in range(spec.directions):
            X[chosen == k] += y[chosen == k, None] * (signs * _walsh(k, d))
    with np.errstate(over="ignore"):  # values too large for float32 become infinite, which check_finite refuses
        features = X.astype(np.float32)
    return Table(features[:n], y[:n]), Table(features[n:], y[n:])


def _walsh(k: int, d: int) -> NDArray[np.float64]:
    """First d values of the k-th Walsh function: -1 where j and k have an odd number of common binary digits."""
    values = np.ones(d)
    for digit in range(k.bit_length()):
        if k >> digit & 1:
            values[(np.arange(d) >> digit & 1) == 1] *= -1
    return values
