"""Properties of a data set that the papers' theory names: what may explain where a claim holds."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ...curve import column
from ...reproduction.evidence import Evidence, Panel
from ..minibatch.data import spectrum_of
from ..problem import load_problem

if TYPE_CHECKING:
    from ...configuration.settings import RunSettings

SAMPLE: Final = 1024
"""Largest number of examples whose kernel matrix is decomposed."""
EPS_D: Final = 1e-16
"""Eigenvalues at or below this share of the largest count as 0."""
SHARE: Final = 0.99
OPTIMA: Final = ("smo", "svmlight", "libsvm", "optimum", "optimum C=1")
"""Series whose last predictor is an optimum, in the order of preference."""


@dataclass(frozen=True)
class Property:
    """A number that describes a data set as the runs use it."""

    name: str
    """With its unit, for an axis."""
    of: Callable[[Panel], float]
    """Computes it for a panel with runs; NaN if it is not known. Raises DataError without the data."""


def _last_of_optimum(panel: Panel, measure: str) -> float:
    """Return the median last value of a measure, from the first series of `OPTIMA` that has it; else NaN."""
    for series in OPTIMA:
        last_values = [values[-1] for frame in panel.curves(series) if len(values := _known(column(frame, measure)))]
        if last_values:
            return float(statistics.median(last_values))
    return math.nan


def _known(values: Any) -> list[float]:
    return [float(value) for value in values if math.isfinite(value)]


def _support_share(panel: Panel) -> float:
    return _last_of_optimum(panel, "support_vectors") / (panel.n or math.nan)


def _margin(panel: Panel) -> float:
    norm = _last_of_optimum(panel, "norm")
    return 1 / norm if norm > 0 else math.nan


def _counts(panel: Panel) -> Mapping[str, float]:
    """Return what the first run counted in the training set: n, d and, of stored points, nnz."""
    run = next(run for runs in panel.runs.values() for run in runs)
    counts: Mapping[str, float] = run.result["provenance"]["data"]["counts"]["train"]
    return counts


def _density(panel: Panel) -> float:
    counts = _counts(panel)
    return counts.get("nnz", math.nan) / (counts["n"] * counts["d"])


def _lambda_n(panel: Panel) -> float:
    problem = load_problem(_settings(panel))
    return problem.require_lambda() * problem.n


def _eigenvalues(panel: Panel) -> float:
    """Return how many eigenvalues of a sampled kernel matrix sum to `SHARE` of its trace."""
    from ....solvers.nystrom import Nystrom

    problem = load_problem(_settings(panel))
    eigenvalues = Nystrom.sample(problem, min(SAMPLE, problem.n), EPS_D, 0).eigenvalues
    return float(np.searchsorted(np.cumsum(eigenvalues), SHARE * eigenvalues.sum())) + 1


def _settings(panel: Panel) -> RunSettings:
    """Return settings with the data and the problem of most runs."""
    settings: RunSettings = next(iter(panel.settings.values()))
    return settings


PROPERTIES: Final[Mapping[str, Property]] = {
    "support_share": Property("support vectors of the optimum / n", _support_share),
    "margin": Property("margin of the optimum, 1 / ‖w‖", _margin),
    "nu": Property("nu of the optimum", lambda panel: _last_of_optimum(panel, "nu")),
    "error": Property("test error of a constant prediction", lambda panel: panel.trivial_error or math.nan),
    "density": Property("density", _density),
    "d": Property("features d", lambda panel: _counts(panel)["d"]),
    "n": Property("training examples n", lambda panel: _counts(panel)["n"]),
    "inverse_sigma2": Property("1 / sigma²", lambda panel: spectrum_of(_settings(panel)).inverse_sigma2),
    "lambda_n": Property("lambda n", _lambda_n),
    "eigenvalues": Property(f"eigenvalues with {SHARE:.0%} of the trace of K", _eigenvalues),
}
"""By the name that a figure's file has."""


def compute_properties(evidence: Evidence) -> dict[str, dict[str, float]]:
    """Return the properties that the figure's claims name, by data set; those that are not known are left out."""
    wanted = dict.fromkeys(claim.against for base in evidence.spec.based_on for claim in base.claims)
    return {panel.paper_dataset: dict(_of(panel, wanted)) for panel in evidence.panels if any(panel.runs.values())}


def _of(panel: Panel, names: Mapping[str, None]) -> Iterator[tuple[str, float]]:
    from ....datasets import DataError

    for name in names:
        try:
            value = float(PROPERTIES[name].of(panel))
        except DataError:
            continue
        if math.isfinite(value):
            yield name, value
