"""Spectral norms of the data sets of the mini-batch figures, and whether their optimum is known."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

from svm_cost_curves.experiments.papers.optimum import Optimum
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


def panels_with_runs(evidence: Evidence) -> Iterator[tuple[Panel, Any]]:
    """Yield the panels that have runs, with the settings of a run."""
    for panel in evidence.panels:
        if any(panel.runs.values()):
            yield panel, next(iter(panel.settings.values()))


def compute_spectra(evidence: Evidence) -> dict[str, Any]:
    """Return the spectra of a figure's data sets, or why they are not known; without runs nothing is loaded."""
    return {"spectra": {panel.paper_dataset: _plain(run) for panel, run in panels_with_runs(evidence)}}


def _plain(run: RunSettings) -> dict[str, Any]:
    from svm_cost_curves.datasets import DataError

    try:
        return asdict(spectrum_of(run))
    except DataError as error:
        return {"unknown": f"spectral norm: {str(error).partition(': ')[0]}"}


def known_spectrum(evidence: Evidence, panel: Panel) -> tuple[Spectrum | None, str]:
    """Return the spectrum of a panel's data set, or why it is not known; without runs there is neither."""
    known = dict(evidence.computed.get("spectra", {}).get(panel.paper_dataset, {}))
    unknown = str(known.pop("unknown", ""))
    return (Spectrum(**known) if known else None), unknown


KNOWN: Final = 1e-7
"""P* must be known to this duality gap."""


def why_unfit(panel: Panel, optimum: Optimum | None) -> str:
    """Say why distances from the optimum of a panel cannot be judged; empty if they can."""
    problems = {(repr(run.dataset), run.problem.lambda_) for run in panel.settings.values() if run is not None}
    if len(problems) > 1:
        return "its runs are not all of the same problem"
    if optimum is None:
        return "no finished runs of the optimum"
    if optimum.upper - optimum.lower > KNOWN:
        return f"P* is known to {optimum.upper - optimum.lower:.0e} only"
    return ""
