"""The spectral norm of a data set and what follows from it: sigma^2, beta_b and 1 / sigma^2."""

from __future__ import annotations

from dataclasses import dataclass

from experiments.papers.problem import problem_of
from experiments.settings import RunSettings
from solvers.spectrum import beta, spectral_norm


@dataclass(frozen=True)
class Spectrum:
    """How much the examples of a mini-batch get in each other's way.

    Attributes
    ----------
    n : int
        Training examples.
    sigma2 : float
        ||X||^2 / n of rows of which the longest has norm 1 at most; between 1 / n and 1.
    growth : float
        beta_2 - 1: beta_b = 1 + (b - 1) growth (Lemma 1).
    lambda_ : float
        Weight of the regulariser in the problem that the data are of.
    """

    n: int
    sigma2: float
    growth: float
    lambda_: float

    @property
    def enough(self) -> float:
        """1 / sigma^2: up to mini-batches of this size beta_b is 2 at most."""
        return 1 / self.sigma2

    def beta(self, b: float) -> float:
        """beta_b, between 1 and b."""
        return 1 + (b - 1) * self.growth

    def share(self, b: float) -> float:
        """beta_b / b: what the bounds on the iterations are multiplied by."""
        return self.beta(b) / b


def spectrum_of(run: RunSettings) -> Spectrum:
    """Return the spectrum of a run's data; the norm is computed once for each data set and kept.

    Raises
    ------
    DataError
        The data cannot be had.
    """
    problem = problem_of(run)
    longest = max(1.0, problem.features.largest_norm**2)
    sigma2 = spectral_norm(problem.X).squared / longest / problem.n
    return Spectrum(problem.n, sigma2, beta(problem, 2) - 1, problem.require_lambda())
