"""Theorems 1 and 2: their bounds compared with the iterations of Figure 1."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd

from svm_cost_curves.experiments.curve import column
from svm_cost_curves.experiments.papers import layout
from svm_cost_curves.experiments.papers.cases import UNCLEAR, Case, Findings, judge_claims, under_bound
from svm_cost_curves.experiments.papers.effort import Effort, multiple_text
from svm_cost_curves.experiments.papers.minibatch.data import Spectrum, compute_spectra
from svm_cost_curves.experiments.papers.minibatch.methods import METHOD_STYLES, TAIL, draw_iterations
from svm_cost_curves.experiments.papers.minibatch.study import ACCURACY, Found, Study, points, studies
from svm_cost_curves.experiments.papers.panels import heading, name_of
from svm_cost_curves.experiments.reproduction.evidence import Evidence
from svm_cost_curves.experiments.reproduction.figure_result import FigureResult, Table
from svm_cost_curves.experiments.reproduction.statistics import Interval

if TYPE_CHECKING:
    from matplotlib.figure import Figure, SubFigure


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


compute = compute_spectra


def make(evidence: Evidence) -> FigureResult:
    """Draw the figure and judge the theorems."""
    found = studies(evidence)
    shown = [study for study in found if study.efforts and study.data.spectrum is not None]
    shares = [_share_case(study, b, name) for study in found for b, name in evidence.spec.members(TAIL).items()]
    judges = {
        "minibatch.bound": lambda *_: Findings(_cases(found), _summary(shown)),
        "minibatch.theorem1": lambda *_: Findings([case for case in shares if case is not None]),
    }
    return FigureResult(
        points(shown, list(BOUNDS), lambda study, method, b: {"bound": bound(study, method, b)}),
        partial(_draw, found=shown),
        layout.size(len(shown), _HEAD, _COLUMNS),
        table=_table(shown),
        claims=judge_claims(evidence, judges),
    )


def bound(study: Study, method: str, b: int) -> float:
    """Return a theorem's bound on the iterations of its method."""
    assert study.data.spectrum is not None  # others are not shown
    return BOUNDS[method](study.data.spectrum, b, ACCURACY)


def _cases(found: Sequence[Study]) -> list[Case]:
    cases = [
        study.case(method, f"{method} b={b}", partial(_within, study, method, b, effort))
        for study in found
        for method in BOUNDS
        for b, effort in study.of(method).items()
    ]
    return [*cases, *(case for study in found for case in study.not_run(list(BOUNDS)))]


def _within(study: Study, method: str, b: int, effort: Effort) -> Found:
    limit = bound(study, method, b)
    measured = Interval(effort.median, min(effort.costs), max(effort.costs), len(effort.costs))
    statistic = {"b": b, "bound": limit, **effort.columns("iterations")}
    decision = under_bound(measured, limit)
    if not all(effort.reached) and decision.ruling != "fails":
        return Found(UNCLEAR, statistic=statistic, note=f"b = {b:,}: runs ended at a budget below the bound")
    return Found(decision, statistic=statistic, note=f"b = {b:,}")


def _summary(shown: Sequence[Study]) -> str:
    """Write how many times the iterations each bound is."""
    sentences = []
    for method in BOUNDS:
        slack = [
            bound(study, method, b) / max(effort.costs)
            for study in shown
            for b, effort in study.of(method).items()
            if all(effort.reached)
        ]
        if slack:
            low, high = (multiple_text(pick(slack)) for pick in (min, max))
            sentences.append(
                f"{METHOD_STYLES[method].name}: the bound is {low} to {high} times the largest measurement."
            )
    return " ".join(sentences)


def _share_case(study: Study, b: float, series: str) -> Case | None:
    """Compare P(w) - P* with Theorem 1 along the runs with one b; None if there are no such runs."""
    frames = study.panel.curves(series)
    if not frames or study.data.optimum is None or study.data.spectrum is None:
        return None
    share = largest_share(frames, study.data.optimum.lower, study.data.spectrum, b)
    text = f"b = {b:,.0f}: at most {share.estimate:.2g} of the bound"
    return study.case(TAIL, f"b={b:g}", lambda: Found(under_bound(share, 1.0), text, share.as_dict(), text))


def largest_share(frames: Sequence[pd.DataFrame], optimum: float, spectrum: Spectrum, b: float) -> Interval:
    """Return the largest quotient of P(w) - P*, as a mean over runs, and Theorem 1's bound; ends: of single runs.

    All runs have the same evaluations, at numbers of iterations T.
    """
    length = min(map(len, frames))
    distance = np.array([column(frame, "primal")[:length] - optimum for frame in frames])
    iterations = column(frames[0], "iterations")[:length]
    shares = distance * iterations * spectrum.lambda_ / (30 * spectrum.beta_over_b(b))
    single = np.nanmax(shares, axis=1)
    whole = float(np.nanmax(shares.mean(axis=0)))
    return Interval(whole, min(whole, single.min()), max(whole, single.max()), len(frames))


_HEAD: Final = 0.62  # inches
_COLUMNS: Final = 2
_CAPTION: Final = (
    rf"Iterations to $P(w) - P^* \leq {ACCURACY:g}$, as in Figure 1; open symbols at the top edge: most runs missed "
    "the target. Thin lines without symbols: Theorem 1 for Pegasos, Theorem 2 for safe SDCA."
)


def _draw(figure: Figure | SubFigure, found: Sequence[Study]) -> None:
    """Draw one panel per data set."""
    styles, nothing = [METHOD_STYLES[name] for name in BOUNDS], "no finished runs with an optimum to compare with"
    names = "$b$, examples in a mini-batch", "Iterations"
    for place, study in layout.each_panel(figure, found, styles, [_CAPTION], _HEAD, names, _COLUMNS, nothing):
        spectrum = study.data.spectrum
        assert spectrum is not None  # other panels are not shown
        for name in BOUNDS:
            look: dict[str, Any] = {"color": METHOD_STYLES[name].color, "linewidth": 1.0}
            place.plot(list(study.of(name)), [bound(study, name, b) for b in study.of(name)], **look)
            draw_iterations(place, study.of(name), METHOD_STYLES[name])
        heading(place, study.panel, f"lambda = {spectrum.lambda_:g}, 1/sigma² = {spectrum.inverse_sigma2:.3g}")


def _table(found: Sequence[Study]) -> Table:
    rows = [
        [
            name_of(study.panel),
            METHOD_STYLES[method].name,
            f"{b:,}",
            effort.text(lambda cost: f"{cost:,.0f}"),
            f"{(limit := bound(study, method, b)):,.0f}",
            f"{limit / effort.median:,.3g}" if effort.known else "",
        ]
        for study in found
        for method in BOUNDS
        for b, effort in study.of(method).items()
    ]
    notes = [
        f"Iterations to P(w) - P* <= {ACCURACY:g}, median over the runs; >: most were ended by their budget. Bounds: "
        "Theorem 1 for Pegasos by the mean of its tail, Theorem 2 (eqs. 18 to 20) for safe SDCA."
    ]
    return Table(["data set", "method", "b", "iterations", "bound", "bound / iterations"], rows, notes)
