"""The data sets of a figure: each with its optimum and its spectral norm, as far as they are known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from datasets import DataError
from experiments.papers.optimum import Optimum, optimum_of
from experiments.papers.problem import load_problem
from experiments.reproduction.evidence import Panel
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
    def inverse_sigma2(self) -> float:
        """1 / sigma^2: up to mini-batches of this size beta_b is 2 at most."""
        return 1 / self.sigma2

    def beta(self, b: float) -> float:
        """beta_b, between 1 and b."""
        return 1 + (b - 1) * self.growth

    def beta_over_b(self, b: float) -> float:
        """beta_b / b: what the bounds on the iterations are multiplied by."""
        return self.beta(b) / b


def spectrum_of(run: RunSettings) -> Spectrum:
    """Return the spectrum of a run's data; the norm is computed once for each data set and kept.

    Raises
    ------
    DataError
        The data cannot be had.
    """
    problem = load_problem(run)
    longest = max(1.0, problem.features.largest_norm**2)
    sigma2 = spectral_norm(problem.X).squared / longest / problem.n
    return Spectrum(problem.n, sigma2, beta(problem, 2) - 1, problem.require_lambda())


KNOWN: Final = 1e-7
"""P* must be known to this duality gap."""


@dataclass(frozen=True)
class Data:
    """What is known of one data set.

    Attributes
    ----------
    panel : Panel
    optimum : Optimum or None
        P*, as an interval.
    spectrum : Spectrum or None
    unfit : str
        Why nothing can be judged on it; empty where it can.
    """

    panel: Panel
    optimum: Optimum | None
    spectrum: Spectrum | None
    unfit: str


def data_of(panel: Panel) -> Data:
    """Collect what is known of a panel's data set; they are loaded, unless there are no runs."""
    optimum = optimum_of(panel)
    spectrum, unknown = spectral(panel)
    return Data(panel, optimum, spectrum, why_unfit(panel, optimum) or unknown)


def why_unfit(panel: Panel, optimum: Optimum | None) -> str:
    """Say why distances from the optimum of a panel cannot be judged; empty where they can."""
    if len({_problem(run) for run in panel.settings.values() if run is not None}) > 1:
        return "its runs are not all of the same problem"
    if optimum is None:
        return "no finished runs of the optimum"
    if optimum.upper - optimum.lower > KNOWN:
        return f"P* is known to {optimum.upper - optimum.lower:.0e} only"
    return ""


def spectral(panel: Panel) -> tuple[Spectrum | None, str]:
    """Return the spectrum of a panel's data set, or why it is not known; without runs there is neither."""
    if not any(panel.runs.values()):
        return None, ""
    try:
        return spectrum_of(next(iter(panel.settings.values()))), ""
    except DataError as error:
        return None, f"spectral norm: {str(error).partition(': ')[0]}"


def _problem(run: RunSettings) -> tuple[str, float | None]:
    """Return the data and lambda of a run, to be compared."""
    return repr(run.dataset), run.problem.lambda_
