"""Iterations to an accurate primal solution against the size of the mini-batches, on one data set."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

import pandas as pd

from svm_cost_curves.experiments.curve import column
from svm_cost_curves.experiments.papers.cases import Case, case_on
from svm_cost_curves.experiments.papers.minibatch.data import Spectrum, known_spectrum, why_unfit
from svm_cost_curves.experiments.papers.minibatch.methods import METHODS, TAIL, name_of_method
from svm_cost_curves.experiments.papers.optimum import Optimum, optimum_of
from svm_cost_curves.experiments.papers.panels import called
from svm_cost_curves.experiments.reproduction.evidence import Evidence, Panel
from svm_cost_curves.experiments.reproduction.statistics import (
    MISSING,
    Decision,
    Effort,
    Ratio,
    cost_to_target,
    exponent,
    medians_of,
)

ACCURACY: Final = 1e-3
"""Target of P(w) - P*."""
POINTS: Final = ("panel", "dataset", "series", "b", "iterations", "least", "largest", "runs", "reached")

Values = Mapping[str, Any]
NOTHING: Final[Values] = MappingProxyType({})
Efforts = Mapping[int, Effort]
"""Iterations to the target by mini-batch size, rising."""


@dataclass(frozen=True)
class Study:
    """One data set with its optimum, its spectrum and the iterations of the methods.

    Attributes
    ----------
    panel : Panel
    optimum : Optimum or None
        P*, as an interval.
    spectrum : Spectrum or None
    unfit : str
        Why it is not judged; empty if it is.
    efforts : mapping of str to mapping of int to Effort
        Iterations of each method with runs, by b; empty without an optimum.
    planned : mapping of str to mapping of int to str
        Series of each method by b, up to n, as in the figure's file.
    """

    panel: Panel
    optimum: Optimum | None
    spectrum: Spectrum | None
    unfit: str
    efforts: Mapping[str, Efforts] = field(default_factory=dict)
    planned: Mapping[str, Mapping[int, str]] = field(default_factory=dict)

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

    def split(self, method: str, multiple: float = 1.0) -> tuple[int, list[int]]:
        """Return the largest size of a method up to a multiple of 1 / sigma^2 (else its smallest), and all above."""
        sizes = list(self.of(method))
        base = max((b for b in sizes if b <= multiple * self.enough), default=sizes[0])
        return base, [b for b in sizes if b > base]

    def case(
        self, method: str, key: str, decision: Decision, measured: str = "", values: Values = NOTHING, note: str = ""
    ) -> Case:
        """Return a case about a method; `values` is its statistic."""
        about = f"{name_of_method(method)} on {called(self.panel)}"
        return case_on(self.panel, key, decision, measured, values, note, about=about)

    def missing(self, method: str, key: str) -> Case | None:
        """Return a missing case if the data are unfit or the method has no runs; otherwise None."""
        why = self.unfit or ("" if self.of(method) else "no finished runs")
        return self.case(method, key, MISSING, note=why) if why else None

    def not_run(self, methods: Sequence[str], low: float = 0.0, high: float = math.inf) -> list[Case]:
        """Return a missing case for each planned size without runs that lies between two limits."""
        left_out = "it takes too long" if self.panel.runs else ""
        return [
            case_on(
                self.panel,
                series,
                MISSING,
                note="" if series in self.panel.runs else left_out,
                about=f"{name_of_method(method)} with b = {b:,} on {called(self.panel)}",
            )
            for method in methods
            if self.of(method) and not self.unfit
            for b, series in self.planned.get(method, {}).items()
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
            if effort.known:
                failing[b] = effort.median > worse * best
                best = min(best, effort.median)
            else:
                other = self.of("aggressive").get(b)
                enough = other is not None and other.known and min(effort.costs) >= other.median
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


def studies(evidence: Evidence) -> list[Study]:
    """Return the data sets of the figure's panels."""
    return [_study(evidence, panel) for panel in evidence.panels]


def _study(evidence: Evidence, panel: Panel) -> Study:
    optimum, spec = optimum_of(panel), evidence.spec
    spectrum, unknown = known_spectrum(evidence, panel)
    efforts: dict[str, Efforts] = {}
    planned: dict[str, dict[int, str]] = {}
    for method in (series.name for series in spec.series if series.name in (*METHODS, TAIL)):
        members = {int(b): series for b, series in spec.members(method).items() if panel.n is None or b <= panel.n}
        of_method = {b: effort for b, series in members.items() if (effort := _effort(panel, series, optimum))}
        efforts |= {method: of_method} if of_method else {}
        planned[method] = members
    return Study(panel, optimum, spectrum, why_unfit(panel, optimum) or unknown, efforts, planned)


def _effort(panel: Panel, series: str, optimum: Optimum | None) -> Effort | None:
    """Count iterations of runs to their first evaluation with P(w) - P* <= `ACCURACY`; None without runs or P*."""
    if optimum is None:
        return None
    return cost_to_target(
        panel.curves(series), "iterations", lambda frame: column(frame, "primal") - optimum.lower, ACCURACY
    )


def points(
    data_sets: Sequence[Study],
    methods: Sequence[str],
    more: Callable[[Study, str, int], Mapping[str, Any]] = lambda *_: {},
) -> pd.DataFrame:
    """Return the figure's points: one row per data set, method and b.

    `more` returns further columns of a row, from the data set, the method and b.
    """
    rows = [
        {
            "panel": study.panel.paper_dataset,
            "dataset": study.panel.dataset,
            "series": method,
            "b": b,
            **effort.columns("iterations"),
            **more(study, method, b),
        }
        for study in data_sets
        for method in methods
        for b, effort in study.of(method).items()
    ]
    return pd.DataFrame(rows) if rows else pd.DataFrame(columns=list(POINTS))


def exponent_of(efforts: Efforts, least: float) -> tuple[Ratio, int] | None:
    """Fit the exponent a of T ~ b^-a to medians at all b from `least` on.

    A size at which most runs miss the target counts with its budget if that is at least the next smaller size's
    iterations; the fitted exponent is then an upper bound. With a smaller budget the size is left out.

    Returns
    -------
    (Ratio, int) or None
        The exponent, and the largest b of the fit. None if fewer than three sizes are left.
    """
    last = math.inf
    chosen: dict[int, Effort] = {}
    for b, effort in efforts.items():
        if b >= least and (effort.known or effort.median >= last):
            chosen[b] = effort
        if effort.known:
            last = effort.median
    costs = [effort.costs for effort in chosen.values()]
    medians = medians_of(costs)
    fitted = exponent(list(chosen), lambda *runs: 1 / medians(*runs), [len(runs) for runs in costs])
    if fitted is None:
        return None
    known = all(effort.known for effort in chosen.values())
    return Ratio(fitted, bound="" if known else "at most"), max(chosen)
