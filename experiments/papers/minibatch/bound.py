"""Theorems 1 and 2: their bounds compared with the iterations of Figure 1."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np
import pandas as pd

from ...curve import column
from ...reproduction.evidence import Evidence, FigureResult, Table
from ...reproduction.statistics.interval import UNCLEAR, Interval, bootstrap, bootstrap_medians, under_bound
from ...reproduction.statistics.ratio import multiple_text
from ...reproduction.statistics.target import Effort
from ..cases import Case, Findings, Statistic, judge_claims
from ..panels import heading, name_of
from .data import ACCURACY, Size, Spectrum, Study, compute_spectra, points, sizes_of, studies
from .methods import METHOD_STYLES, TAIL, draw_iterations, drawing, name_of_method

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def pegasos_bound(spectrum: Spectrum, b: int, epsilon: float) -> float:
    """Return the T after which Pegasos's tail mean has P(w) - P* <= epsilon in expectation (Theorem 1)."""
    return spectrum.beta_over_b(b) * 30 / (spectrum.lambda_ * epsilon)


def start_of_mean(spectrum: Spectrum, b: int, epsilon: float) -> float:
    """Return T_0 of Theorem 2, from which on safe SDCA's dual variables are averaged (eqs. 18 and 19)."""
    n, lambda_, beta = spectrum.n, spectrum.lambda_, spectrum.beta(b)
    t0 = max(0, math.ceil(n / b * math.log(2 * lambda_ * n / beta)))
    return t0 + beta / b * max(0.0, 4 / (lambda_ * epsilon) - 2 * n / beta)


def safe_bound(spectrum: Spectrum, b: int, epsilon: float) -> float:
    """Return the T after which the duality gap of safe SDCA's mean is at most epsilon in expectation (eq. 20)."""
    least = max(math.ceil(spectrum.n / b), spectrum.beta_over_b(b) / (spectrum.lambda_ * epsilon))
    return start_of_mean(spectrum, b, epsilon) + least


BOUNDS: Final[Mapping[str, Callable[[Spectrum, int, float], float]]] = {TAIL: pegasos_bound, "safe": safe_bound}


def bound(study: Study, method: str, b: int) -> float:
    """Return a theorem's bound on the iterations of its method."""
    assert study.spectrum is not None  # others are not shown, and their cases are missing
    return BOUNDS[method](study.spectrum, b, ACCURACY)


@dataclass(frozen=True, kw_only=True)
class IterationsUnderBound(Statistic, kind="iterations_under_bound"):
    """The iterations of Pegasos and of safe SDCA until P(w) - P* <= 0.001 are at most those of the theorems."""

    def findings(self, data: Sequence[Study], evidence: Evidence) -> Findings:
        """Compare the iterations with the bound on each data set; one case for each method and b."""
        cases, slacks = [case for study in data for case in study.not_run(list(BOUNDS))], []
        for method in BOUNDS:
            of_method = [_bound_case(*size) for size in sizes_of(data, [method])]
            of_runs = [case.statistic for case in of_method if case.statistic]
            slack = [values["bound"] / values["largest"] for values in of_runs if values["reached"] == values["runs"]]
            if slack:
                least, most = map(multiple_text, (min(slack), max(slack)))
                slacks.append(f"{least} to {most} ({name_of_method(method)})")
            cases += of_method
        return Findings(cases, f"The bounds are {' and '.join(slacks)} times the measurements." if slacks else "")


def _bound_case(study: Study, method: str, b: int, effort: Effort) -> Case:
    key = f"{method} b={b}"
    if missing := study.missing(method, key):
        return missing
    limit, note = bound(study, method, b), f"b = {b:,}"
    median = bootstrap_medians(lambda medians: medians[:, 0], [effort.costs])
    decision = under_bound(median, limit)
    if not all(effort.reached) and decision.ruling != "fails":
        decision, note = UNCLEAR, f"{note}: runs ended at a budget below the bound"
    return study.case(method, key, decision, "", {"b": b, "bound": limit, **effort.columns("iterations")}, note)


@dataclass(frozen=True, kw_only=True)
class ShareOfTheorem1(Statistic, kind="share_of_theorem1"):
    """P(w) - P* of Pegasos along its runs is at most the bound of Theorem 1."""

    def cases(self, item: Study, evidence: Evidence) -> Iterable[Case]:
        """Compare the mean over the runs with the bound at all evaluations; one case for each b."""
        for b in item.of(TAIL):
            if missing := item.missing(TAIL, f"b={b}"):
                yield missing
                continue
            assert item.optimum is not None  # `Study.missing` leaves out the others
            assert item.spectrum is not None
            share = largest_share(item.planned[TAIL][b].frames, item.optimum.lower, item.spectrum, b)
            text = f"b = {b:,}: at most {share.estimate:.2g} of the bound"
            yield item.case(TAIL, f"b={b}", under_bound(share, 1.0), text, share.as_dict())


def largest_share(frames: Sequence[pd.DataFrame], optimum: float, spectrum: Spectrum, b: float) -> Interval:
    """Return the largest quotient of P(w) - P*, as a mean over runs, and Theorem 1's bound.

    All runs have the same evaluations, at numbers of iterations T.
    """
    length = min(map(len, frames))
    distance = np.array([column(frame, "primal")[:length] - optimum for frame in frames])
    iterations = column(frames[0], "iterations")[:length]
    shares = distance * iterations * spectrum.lambda_ / (30 * spectrum.beta_over_b(b))
    share = bootstrap(lambda runs: np.nanmax(shares[runs].mean(axis=1), axis=1), len(frames))
    assert share is not None  # there are runs, and P(w) is known
    return share


compute: Final = compute_spectra
_CAPTION: Final = (
    rf"Iterations to $P(w) - P^* \leq {ACCURACY:g}$, as in Figure 1; open symbols at the top edge: most runs missed "
    "the target. Thin lines without symbols: Theorem 1 for Pegasos, Theorem 2 for safe SDCA."
)


def make(evidence: Evidence) -> FigureResult:
    """Draw the figure and judge the theorems."""
    data_sets = studies(evidence)
    shown = [study for study in data_sets if study.efforts and study.spectrum is not None]
    sizes = sizes_of(shown, BOUNDS)
    return FigureResult(
        lambda: points(sizes).assign(bound=[bound(*size[:3]) for size in sizes]),
        *drawing(shown, BOUNDS, _CAPTION, _draw),
        table=partial(_table, sizes),
        claims=judge_claims(evidence, data=data_sets),
    )


def _draw(axes: Axes, study: Study) -> None:
    for name in BOUNDS:
        efforts, style = study.of(name), METHOD_STYLES[name]
        axes.plot(list(efforts), [bound(study, name, b) for b in efforts], color=style.color, linewidth=1.0)
        draw_iterations(axes, efforts, style)
    lambda_ = 0.0 if study.spectrum is None else study.spectrum.lambda_
    heading(axes, study.panel, f"lambda = {lambda_:g}, 1/sigma² = {study.enough:.3g}")


def _table(sizes: Sequence[Size]) -> Table:
    rows = [
        [
            name_of(study.panel),
            name_of_method(method),
            f"{b:,}",
            effort.text(lambda cost: f"{cost:,.0f}"),
            f"{(limit := bound(study, method, b)):,.0f}",
            f"{limit / effort.median:,.3g}" if effort.mostly_reached else "",
        ]
        for study, method, b, effort in sizes
    ]
    notes = [
        f"Iterations to P(w) - P* <= {ACCURACY:g}, median over the runs; >: most were ended by their budget. Bounds: "
        "Theorem 1 for Pegasos by the mean of its tail, Theorem 2 (eqs. 18 to 20) for safe SDCA."
    ]
    return Table(["data set", "method", "b", "iterations", "bound", "bound / iterations"], rows, notes)
