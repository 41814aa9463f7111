"""Random Fourier features with random phases (Rahimi, Recht 2007; Lee, Wright 2011, equation 17)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from . import _core
from .errors import SettingsError
from .features import Features, squares
from .kernels import Gaussian
from .problem import Problem

_BLOCK = 4096  # features are computed for so many points at a time
_LARGEST_ANGLE = 4096.0  # of |x| |nu|: in float32 an angle is wrong by about 2^-24 times that


@dataclass(frozen=True)
class Cosines:
    """The features sqrt(2/d) cos(<nu_k, t> + beta_k), k = 1, ..., d, whose inner products tend to the Gaussian kernel.

    With a random phase a feature is one cosine, so d can be any number >= 1; `solvers.fourier` has pairs of cosine and
    sine. Two slips of the paper are corrected: equation (17) prints sqrt(1/d), which halves the kernel, and the density
    after (18) has sigma instead of 1/sigma. `frequencies` are nu ~ N(0, I / sigma^2), (d, n) float32, for points of n
    coordinates; `phases` are beta, (d,) float32, uniform on [0, 2 pi).
    """

    frequencies: NDArray[np.float32]
    phases: NDArray[np.float32]

    @classmethod
    def draw(cls, problem: Problem, count: int, seed: int) -> Cosines:
        """Draw `count` features for a problem's Gaussian kernel.

        Raises SettingsError if their number is not positive, or they do not fit in memory.
        """
        if count < 1:
            raise SettingsError(f"algo.features = {count}: it must be at least 1")
        assert isinstance(problem.kernel, Gaussian)  # as the solvers' `kernels` say
        problem.require_memory(
            20 * count * problem.d,  # twice in float64, once in float32
            f"algo.features = {count} cosines of {problem.d:,} frequencies each",
            "lower algo.features, or",
        )
        random = _core.Random(seed, _core.Purpose.features)
        normals = random.normal(count * problem.d).reshape(count, problem.d)
        frequencies = (normals / math.sqrt(problem.kernel.sigma2)).astype(np.float32)
        phases = np.array([2.0 * math.pi * random.uniform() for _ in range(count)], dtype=np.float32)
        return cls(frequencies, phases)

    @property
    def dimension(self) -> int:
        """Number of features."""
        return len(self.phases)

    def of(self, X: Features) -> NDArray[np.float32]:
        """Return the features of points, (m, dimension) float32, C-contiguous, for (m, n) float32 as `Problem.X`."""
        angles = angles_of(X, self.frequencies)
        angles += self.phases
        np.cos(angles, out=angles)
        angles *= np.float32(math.sqrt(2.0 / self.dimension))
        return angles

    def values(self, X: Features, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the inner products of the features of points, (m, n), with weights, (dimension, k): (m, k) float64."""
        single = np.ascontiguousarray(weights, dtype=np.float32)
        out = np.empty((X.shape[0], weights.shape[1]))
        for first in range(0, X.shape[0], _BLOCK):
            out[first : first + _BLOCK] = self.of(X[first : first + _BLOCK]) @ single
        return out


def angles_of(X: Features, frequencies: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the angles <nu_k, x_i>, (m, k) float32, C-contiguous, for points (m, n) and frequencies (k, n).

    Where the points are so long that float32 would lose digits which cosines need, the product is in float64, and a
    multiple of 2 pi is left out.
    """
    angles = np.ascontiguousarray(X @ frequencies.T, dtype=np.float32)
    far = np.flatnonzero(np.sqrt(squares(X) * squares(frequencies).max(initial=0.0)) > _LARGEST_ANGLE)
    if far.size:
        wide = frequencies.T.astype(np.float64)
        for first in range(0, far.size, _BLOCK):
            some = far[first : first + _BLOCK]
            angles[some] = np.remainder(np.asarray(X[some].astype(np.float64) @ wide), 2.0 * np.pi)
    return angles
