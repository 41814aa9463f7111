"""Data sets of the mini-batch figures, with optimum and spectral norm."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

from svm_cost_curves.experiments.papers.optimum import Optimum, optimum_of
from svm_cost_curves.experiments.papers.problem import load_problem
from svm_cost_curves.experiments.reproduction.evidence import Evidence, Panel

if TYPE_CHECKING:
    from svm_cost_curves.experiments.configuration.settings import RunSettings


@dataclass(frozen=True)
class Spectrum:
    """Spectral norm of a data set, and the quantities of the bounds that follow from it.

    Attributes
    ----------
    n : int
        Training examples.
    sigma2 : float
        ||X||^2 / n, rows scaled to norm 1 at most; between 1 / n and 1.
    growth : float
        beta_2 - 1: beta_b = 1 + (b - 1) growth (Lemma 1).
    lambda_ : float
        Weight of the regulariser.
    """

    n: int
    sigma2: float
    growth: float
    lambda_: float

    @property
    def inverse_sigma2(self) -> float:
        """1 / sigma^2: for mini-batches up to this size beta_b is at most 2."""
        return 1 / self.sigma2

    def beta(self, b: float) -> float:
        """beta_b, between 1 and b."""
        return 1 + (b - 1) * self.growth

    def beta_over_b(self, b: float) -> float:
        """beta_b / b, the factor in the bounds on the iterations."""
        return self.beta(b) / b


def spectrum_of(run: RunSettings) -> Spectrum:
    """Return the spectrum of a run's data; the norm is cached on disk. Raises DataError without data."""
    from svm_cost_curves.solvers.spectrum import beta, spectral_norm

    problem = load_problem(run)
    longest = max(1.0, problem.features.largest_norm**2)
    sigma2 = spectral_norm(problem.X).squared / longest / problem.n
    return Spectrum(problem.n, sigma2, beta(problem, 2) - 1, problem.require_lambda())


KNOWN: Final = 1e-7
"""P* must be known to this duality gap."""


@dataclass(frozen=True)
class Data:
    """One data set with its optimum and spectrum.

    Attributes
    ----------
    panel : Panel
    optimum : Optimum or None
        P*, as an interval.
    spectrum : Spectrum or None
    unfit : str
        Why it is not judged; empty if it is.
    """

    panel: Panel
    optimum: Optimum | None
    spectrum: Spectrum | None
    unfit: str


def compute_spectra(evidence: Evidence) -> dict[str, Any]:
    """Return the spectra of a figure's data sets, or why they are not known; without runs nothing is loaded."""
    return {"spectra": {panel.paper_dataset: _plain(panel) for panel in evidence.panels if any(panel.runs.values())}}


def _plain(panel: Panel) -> dict[str, Any]:
    from svm_cost_curves.datasets import DataError

    try:
        return asdict(spectrum_of(next(iter(panel.settings.values()))))
    except DataError as error:
        return {"unknown": f"spectral norm: {str(error).partition(': ')[0]}"}


def spectral(evidence: Evidence, panel: Panel) -> tuple[Spectrum | None, str]:
    """Return the spectrum of a panel's data set, or why it is not known; without runs there is neither."""
    known = evidence.computed.get("spectra", {}).get(panel.paper_dataset)
    if known is None:
        return None, ""
    return (None, str(known["unknown"])) if "unknown" in known else (Spectrum(**known), "")


def data_of(evidence: Evidence, panel: Panel) -> Data:
    """Return a panel's data set with its optimum and spectrum."""
    optimum = optimum_of(panel)
    spectrum, unknown = spectral(evidence, panel)
    return Data(panel, optimum, spectrum, why_unfit(panel, optimum) or unknown)


def why_unfit(panel: Panel, optimum: Optimum | None) -> str:
    """Say why distances from the optimum of a panel cannot be judged; empty if they can."""
    if len({_problem(run) for run in panel.settings.values() if run is not None}) > 1:
        return "its runs are not all of the same problem"
    if optimum is None:
        return "no finished runs of the optimum"
    if optimum.upper - optimum.lower > KNOWN:
        return f"P* is known to {optimum.upper - optimum.lower:.0e} only"
    return ""


def _problem(run: RunSettings) -> tuple[str, float | None]:
    """Return a key that two runs share if they have the same data and lambda."""
    return repr(run.dataset), run.problem.lambda_
