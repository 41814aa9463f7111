"""The largest singular value of the data, which says how much the examples of a mini-batch get in each other's way."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from scipy.sparse.linalg import svds

from solvers.gram_store import default_directory
from solvers.problem import Features, Problem

_SMALL = 64
"""Rows or columns up to which all singular values are computed."""


@dataclass(frozen=True)
class Spectrum:
    """||X||^2, the largest squared singular value of the data."""

    squared_norm: float
    error: float
    """A singular value squared lies within so much of `squared_norm`, which is the largest that Lanczos found."""

    @property
    def upper(self) -> float:
        """The upper end."""
        return self.squared_norm + self.error

    def sigma2(self, n: int) -> float:
        """Return sigma^2 = ||X||^2 / n (Takac, Bijral, Richtarik, Srebro 2013, section 3)."""
        return self.squared_norm / n


def beta(problem: Problem, batch_size: int) -> float:
    """Return beta_b = 1 + (b - 1) (n sigma^2 - 1) / (n - 1), of rows divided by the largest norm if that is above 1."""
    largest = max(1.0, float(problem.features.largest_norm) ** 2)
    return max(1.0, 1.0 + (batch_size - 1) * (spectrum(problem.X).upper / largest - 1.0) / (problem.n - 1))


def spectrum(X: Features, directory: Path | None = None) -> Spectrum:
    """Return the largest squared singular value of (n, d) data, computed once for each data set.

    Lanczos on the smaller of X'X and XX' (scipy's svds, in float64). The error is the norm of the residual: some
    eigenvalue lies that near. That it is the largest is certain up to the choice of the first vector.

    Parameters
    ----------
    X : (n, d) float32, dense or CSR
    directory : Path, optional
        Where the value is kept from one process to the next, by the checksum of X; by default with the Gram matrices.
    """
    file = (directory or default_directory() / "spectra") / f"{_checksum(X)}.json"
    try:
        return Spectrum(**json.loads(file.read_text()))
    except (OSError, ValueError, TypeError):
        found = _computed(X)
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_suffix(f".{os.getpid()}")
    part.write_text(json.dumps(asdict(found)))
    part.replace(file)
    return found


def _checksum(X: Features) -> str:
    digest = hashlib.blake2b(f"{X.shape}".encode(), digest_size=16)
    for array in (X,) if isinstance(X, np.ndarray) else (X.data, X.indices, X.indptr):
        digest.update(np.ascontiguousarray(array).data.cast("B"))
    return digest.hexdigest()


def _computed(X: Features) -> Spectrum:
    A = X.astype(np.float64)
    if min(A.shape) <= _SMALL:
        return Spectrum(float(np.linalg.norm(A if isinstance(A, np.ndarray) else A.toarray(), 2) ** 2), 0.0)
    first = np.random.default_rng(0).standard_normal(min(A.shape))
    _, values, rows = svds(A, k=1, v0=first, tol=1e-10)
    squared, v = float(values[0] ** 2), rows[0]
    return Spectrum(squared, float(np.linalg.norm(A.T @ (A @ v) - squared * v)))
