"""The largest singular value of the data: it bounds the steps of mini-batch methods (Takac et al. 2013)."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from ..support.disk_cache import cached_numbers, default_cache_dir
from .features import Features, stored_arrays
from .gram_store import checksum
from .problem import Problem

_SMALL = 64
"""Up to this number of rows or columns all singular values are computed."""


@dataclass(frozen=True)
class SpectralNorm:
    """||X||^2, the largest squared singular value of the data; sigma^2 of the mini-batch paper is this over n."""

    squared: float
    error: float
    """Bound on the distance of `squared` to the nearest squared singular value."""

    @property
    def upper(self) -> float:
        """The upper end of ||X||^2."""
        return self.squared + self.error


def beta(problem: Problem, batch_size: int) -> float:
    """Return beta_b = 1 + (b - 1) (n sigma^2 - 1) / (n - 1), n sigma^2 = ||X||^2, at least 1, for b = `batch_size`.

    Takac, Bijral, Richtarik, Srebro 2013, Lemma 1; of rows divided by the largest norm where that is above 1.
    """
    if batch_size == 1:
        return 1.0  # whatever the data
    largest = max(1.0, problem.largest_norm**2)
    upper = problem.compute_on_whole(lambda whole: spectral_norm(whole.X).upper)
    return max(1.0, 1.0 + (batch_size - 1) * (upper / largest - 1.0) / (problem.n - 1))


def spectral_norm(X: Features, folder: Path | None = None) -> SpectralNorm:
    """Return the largest squared singular value of (n, d) float32 points, computed once for each data set.

    Lanczos on the smaller of X'X and XX' (scipy's svds, in float64). The error is the norm of the residual: an
    eigenvalue is at most that far away. It is the largest one unless the random start vector is orthogonal to its
    eigenvector. The result is kept in `folder`, by default ``spectra`` in the cache on disk, under the checksum of X.
    """
    identity = {"data": checksum(f"{X.shape}", stored_arrays(X))}
    numbers = cached_numbers(folder or default_cache_dir() / "spectra", identity, lambda: asdict(_computed(X)))
    return SpectralNorm(**numbers)


def _computed(X: Features) -> SpectralNorm:
    A = X.astype(np.float64)
    if min(A.shape) <= _SMALL:
        return SpectralNorm(float(np.linalg.norm(A if isinstance(A, np.ndarray) else A.toarray(), 2) ** 2), 0.0)
    from scipy.sparse.linalg import svds  # takes a tenth of a second to import

    first = np.random.default_rng(0).standard_normal(min(A.shape))
    _, values, rows = svds(A, k=1, v0=first, tol=1e-10)
    squared, v = float(values[0] ** 2), rows[0]
    return SpectralNorm(squared, float(np.linalg.norm(A.T @ (A @ v) - squared * v)))
