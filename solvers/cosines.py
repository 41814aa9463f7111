"""Random Fourier features with random phases (Rahimi, Recht 2007; Lee, Wright 2011, equation 17)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solvers import _core
from solvers.errors import SettingsError
from solvers.features import Features
from solvers.kernels import Gaussian
from solvers.problem import Problem

_BLOCK = 4096  # features are computed for so many points at a time


@dataclass(frozen=True)
class Cosines:
    """The features sqrt(2/d) cos(<nu_k, t> + beta_k), k = 1, ..., d, whose inner products tend to the Gaussian kernel.

    With a random phase a feature is one cosine, so d can be any number >= 1; `solvers.fourier` has pairs of cosine and
    sine. Two slips of the paper are corrected: equation (17) prints sqrt(1/d), which halves the kernel, and the density
    after (18) has sigma instead of 1/sigma.

    Attributes
    ----------
    frequencies : (d, n) float32
        nu ~ N(0, I / sigma^2), for points of n coordinates.
    phases : (d,) float32
        beta, uniform on [0, 2 pi).
    """

    frequencies: NDArray[np.float32]
    phases: NDArray[np.float32]

    @classmethod
    def draw(cls, problem: Problem, count: int, seed: int) -> Cosines:
        """Draw `count` features for a problem's Gaussian kernel.

        Raises
        ------
        SettingsError
            The number of features is not positive, they do not fit in memory, or the kernel is not Gaussian.
        """
        if count < 1:
            raise SettingsError(f"algo.features = {count}: it must be at least 1")
        if not isinstance(problem.kernel, Gaussian):
            raise SettingsError(f"random cosines are for kernel=gaussian, got kernel={problem.kernel.name}")
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
        angles = np.ascontiguousarray(X @ self.frequencies.T, dtype=np.float32)
        angles += self.phases
        np.cos(angles, out=angles)
        angles *= np.float32(math.sqrt(2.0 / self.dimension))
        return angles

    def values(self, X: Features, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the inner products of the features of points with weights, (m, k) float64, block by block.

        Parameters
        ----------
        X : (m, n) float32
        weights : (dimension, k) float64
        """
        single = np.ascontiguousarray(weights, dtype=np.float32)
        out = np.empty((X.shape[0], weights.shape[1]))
        for first in range(0, X.shape[0], _BLOCK):
            out[first : first + _BLOCK] = self.of(X[first : first + _BLOCK]) @ single
        return out
