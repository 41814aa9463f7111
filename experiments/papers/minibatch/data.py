"""The data sets of the mini-batch figures: spectral norm, optimum, and iterations to an accurate primal solution."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

import pandas as pd

from ...curve import column
from ...reproduction.evidence import Evidence, Panel, Reason
from ...reproduction.statistics.interval import MISSING, Decision
from ...reproduction.statistics.target import Effort, cost_to_target
from ..cases import Case, case_on
from ..optimum import Optimum, optimum_of
from ..panels import called
from ..problem import load_problem
from ..samples import Sample, samples
from .methods import METHODS, TAIL, name_of_method

if TYPE_CHECKING:
    from ...configuration.settings import RunSettings

ACCURACY: Final = 1e-3
"""Target of P(w) - P*."""
KNOWN: Final = 1e-7
"""P* must be known to this duality gap."""

Efforts = Mapping[int, Effort]
"""Iterations to the target by mini-batch size, rising."""


@dataclass(frozen=True)
class Spectrum:
    """Spectral norm of a data set whose rows are scaled to norm 1 at most, and the factors of the bounds."""

    n: int
    sigma2: float
    """||X||^2 / n, between 1 / n and 1."""
    growth: float
    """beta_2 - 1: beta_b = 1 + (b - 1) growth (Lemma 1)."""
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
    from ....solvers.spectrum import beta, spectral_norm

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
    from ....datasets import DataError

    spectra: dict[str, dict[str, Any]] = {}
    for panel, run in panels_with_runs(evidence):
        try:
            spectra[panel.paper_dataset] = asdict(spectrum_of(run))
        except DataError as error:
            spectra[panel.paper_dataset] = Reason(f"spectral norm: {str(error).partition(': ')[0]}").as_dict()
    return {"spectra": spectra}


def why_unfit(panel: Panel, optimum: Optimum | None) -> str:
    """Say why distances from the optimum of a panel cannot be judged; empty if they can."""
    problems = {(repr(run.dataset), run.problem.lambda_) for run in panel.settings.values() if run is not None}
    if len(problems) > 1:
        return "its runs are not all of the same problem"
    if optimum is None:
        return "no finished runs of the optimum"
    gap = optimum.upper - optimum.lower
    return f"P* is known to {gap:.0e} only" if gap > KNOWN else ""


@dataclass(frozen=True)
class Study:
    """One data set with its optimum, its spectrum and the iterations of the methods."""

    panel: Panel
    optimum: Optimum | None
    spectrum: Spectrum | None
    unfit: str
    """Why it is not judged; empty if it is."""
    efforts: Mapping[str, Efforts]
    """Iterations of each method with runs, by b; empty without an optimum."""
    planned: Mapping[str, Mapping[int, Sample]]
    """Runs of each method by b, up to n, as in the figure's file; also those without runs."""

    def of(self, method: str) -> Efforts:
        """Return the iterations of one method, by b; empty without runs."""
        return self.efforts.get(method, {})

    @property
    def sizes(self) -> list[int]:
        """All b that there are runs for."""
        return sorted({b for efforts in self.efforts.values() for b in efforts})

    @property
    def enough(self) -> float:
        """1 / sigma^2; NaN if it is not known."""
        return math.nan if self.spectrum is None else self.spectrum.inverse_sigma2

    def beta_over_b(self, b: float) -> float:
        """Return beta_b / b; NaN if it is not known."""
        return math.nan if self.spectrum is None else self.spectrum.beta_over_b(b)

    def case(self, method: str, key: str, ruled: Decision, text: str = "", values: Any = None, note: str = "") -> Case:
        """Return a case about a method; `text` is its measurement, `values` its statistic."""
        about = f"{name_of_method(method)} on {called(self.panel)}"
        return case_on(self.panel, key, ruled, text, values, note, about=about)

    def missing(self, method: str, key: str) -> Case | None:
        """Return a missing case if the data are unfit or the method has no runs; otherwise None."""
        why = self.unfit or ("" if self.of(method) else "no finished runs")
        return self.case(method, key, MISSING, note=why) if why else None

    def not_run(self, methods: Sequence[str], low: float = 0.0, high: float = math.inf) -> list[Case]:
        """Return a missing case for each planned size without runs that lies between two limits."""
        return [
            case_on(
                self.panel,
                sample.name,
                MISSING,
                note="it takes too long" if self.panel.runs and sample.name not in self.panel.runs else "",
                about=f"{name_of_method(method)} with b = {b:,} on {called(self.panel)}",
            )
            for method in methods
            if self.of(method) and not self.unfit
            for b, sample in self.planned.get(method, {}).items()
            if b not in self.of(method) and low < b <= high
        ]

    def naive_fails(self, worse: float) -> dict[int, bool | None]:
        """Return for each b whether naive SDCA fails; None: its budget is too small to decide.

        It fails if it takes more than `worse` times the iterations of the best smaller b, or misses the target within
        aggressive SDCA's median iterations.
        """
        failing: dict[int, bool | None] = {}
        best = math.inf
        for b, effort in self.of("naive").items():
            if effort.mostly_reached:
                failing[b] = effort.median > worse * best
                best = min(best, effort.median)
            else:
                aggressive = self.of("aggressive").get(b)
                enough = aggressive is not None and aggressive.mostly_reached and min(effort.costs) >= aggressive.median
                failing[b] = True if enough or effort.median > worse * best else None
        return failing

    def naive_fails_from(self, worse: float) -> int | None:
        """Return the smallest b from which naive SDCA fails at every decidable size; None if there is none."""
        first = None
        for b, fails in reversed(self.naive_fails(worse).items()):
            if fails is False:
                break
            first = b if fails else first
        return first


Size = tuple[Study, str, int, Effort]
"""A data set, a method, b, and the iterations."""


def studies(evidence: Evidence) -> list[Study]:
    """Return the data sets of the figure's panels."""
    return [_study(evidence, panel) for panel in evidence.panels]


def _study(evidence: Evidence, panel: Panel) -> Study:
    optimum = optimum_of(panel)
    computed = evidence.value("spectra", panel.paper_dataset)
    spectrum = None if isinstance(computed, Reason) else Spectrum(**computed)
    unfit = why_unfit(panel, optimum) or (computed.text if isinstance(computed, Reason) else "")
    planned: dict[str, dict[int, Sample]] = {}
    efforts: dict[str, dict[int, Effort]] = {}
    for sample in samples(evidence, (*METHODS, TAIL), [panel]):
        b = int(sample.value)
        if panel.n is None or b <= panel.n:
            planned.setdefault(sample.series, {})[b] = sample
            if (effort := _effort(sample, optimum)) is not None:
                efforts.setdefault(sample.series, {})[b] = effort
    return Study(panel, optimum, spectrum, unfit, efforts, planned)


def _effort(sample: Sample, optimum: Optimum | None) -> Effort | None:
    """Count iterations of runs to their first evaluation with P(w) - P* <= `ACCURACY`; None without runs or P*."""
    if optimum is None:
        return None
    return cost_to_target(sample.frames, "iterations", lambda frame: column(frame, "primal") - optimum.lower, ACCURACY)


def sizes_of(data_sets: Sequence[Study], methods: Iterable[str]) -> list[Size]:
    """Return a `Size` for each data set, method and b that has runs."""
    return [
        (study, method, b, effort)
        for study in data_sets
        for method in methods
        for b, effort in study.of(method).items()
    ]


def points(sizes: Sequence[Size]) -> pd.DataFrame:
    """Return the points of a figure, a row for each data set, method and b."""
    rows = [
        {"panel": study.panel.paper_dataset, "dataset": study.panel.dataset, "series": method, "b": b}
        | effort.columns("iterations")
        for study, method, b, effort in sizes
    ]
    columns = ["panel", "dataset", "series", "b", "iterations", "least", "largest", "runs", "reached"]
    return pd.DataFrame(rows, columns=columns)
