"""Theorem 2: the duality gap of the mean of safe SDCA's dual variables, after the theorem's iterations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd

from ...plotting import INK, Style
from ...reproduction.evidence import Evidence, FigureResult, Panel
from ...reproduction.statistics.interval import MISSING, bootstrap_mean, under_bound
from .. import layout
from ..cases import Findings, Statistic, case_on, judge_claims
from ..panels import called, heading
from .bound import safe_bound, start_of_mean
from .data import Spectrum
from .reference import Rows, compiled_sdca, computed_on_each, rows_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ....solvers import Problem

SIZES: Final = (16, 256)
ACCURACIES: Final = (0.5, 0.2, 0.1)
"""Values of epsilon."""
SEEDS: Final = 5
MOST: Final = 6e8
"""Examples that one run may present: a smaller epsilon takes too long."""
ITERATES: Final = 500
"""Equally spaced iterates in the mean of the dual variables."""
STYLES: Final = {16: Style("b = 16", "#2b7bba", "-", "D"), 256: Style("b = 256", "#cc7a00", (0, (6.0, 1.6)), "s")}
_CAPTION: Final = (
    r"Duality gap $P(w(\bar\alpha)) - D(\bar\alpha)$ after the iterations that Theorem 2 asks for: one symbol for each "
    r"run. Black: $\epsilon$, the theorem's limit on their mean."
)

Gaps = tuple[Panel, Mapping[tuple[int, float], Sequence[float]]]
"""A data set, and its gaps by b and epsilon."""


def gap_of_mean(problem: Problem, rows: Rows, b: int, first: int, last: int, seed: int) -> float:
    """Return P(w(m)) - D(m) for the mean m of safe SDCA's dual variables from one iteration to another (eq. 21)."""
    core = compiled_sdca(problem, "safe", b, seed)
    chosen = np.unique(np.linspace(first, last - 1, ITERATES).round().astype(int))
    mean = np.zeros(rows.n)
    for t in chosen:
        core.advance(iterations=int(t))
        mean += core.alpha() / len(chosen)
    return rows.gap(mean)


def gaps_of(problem: Problem, spectrum: Spectrum) -> dict[str, list[float]]:
    """Return the gaps of all runs by ``b epsilon``; pairs that take too long are left out."""
    rows, gaps = rows_of(problem), {}
    for b in (size for size in SIZES if size <= rows.n):
        for epsilon in ACCURACIES:
            first, last = (round(bound(spectrum, b, epsilon)) for bound in (start_of_mean, safe_bound))
            if b * last <= MOST:
                gaps[f"{b} {epsilon:g}"] = [gap_of_mean(problem, rows, b, first, last, seed) for seed in range(SEEDS)]
    return gaps


def compute(evidence: Evidence) -> dict[str, Any]:
    """Return the gaps on each data set with runs."""
    return {"gaps": computed_on_each(evidence, "gaps", __file__, gaps_of)}


@dataclass(frozen=True, kw_only=True)
class GapOfMean(Statistic, kind="gap_of_mean"):
    """The mean gap over the runs is at most epsilon; one case for each b and epsilon."""

    def findings(self, data: Sequence[Gaps], evidence: Evidence) -> Findings:
        """Compare the gaps on each data set."""
        cases, slack = [], []
        for (panel, gaps), b, epsilon in product(data, SIZES, ACCURACIES):
            key, about = f"b={b} epsilon={epsilon:g}", f"b = {b}, epsilon = {epsilon:g}, {called(panel)}"
            if values := gaps.get((b, epsilon)):
                gap = bootstrap_mean(values)
                slack.append(epsilon / gap.estimate)
                cases.append(case_on(panel, key, under_bound(gap, epsilon), "", gap.as_dict(), about=about))
            elif panel.n is None or b <= panel.n:
                cases.append(case_on(panel, key, MISSING, note="it takes too long", about=about))
        summary = f"The gap is {min(slack):.3g} to {max(slack):.3g} times smaller than epsilon." if slack else ""
        return Findings(cases, summary)


def make(evidence: Evidence) -> FigureResult:
    """Draw the gaps and judge the theorem."""
    by_dataset = evidence.computed.get("gaps", {})
    data_sets = [
        (panel, {(int(b), float(epsilon)): gaps for key, gaps in by_key.items() for b, epsilon in [key.split()]})
        for panel in evidence.panels
        if (by_key := by_dataset.get(panel.paper_dataset)) is not None
    ]
    rows = [
        (panel.paper_dataset, panel.dataset, b, epsilon, seed, gap)
        for panel, gaps in data_sets
        for (b, epsilon), values in gaps.items()
        for seed, gap in enumerate(values)
    ]
    names = r"$\epsilon$", "Duality gap"
    return FigureResult(
        lambda: pd.DataFrame(rows, columns=["panel", "dataset", "b", "epsilon", "seed", "gap"]),
        *layout.drawing(data_sets, STYLES.values(), _CAPTION, names, _draw, columns=2),
        claims=judge_claims(evidence, data=data_sets),
    )


def _draw(axes: Axes, item: Gaps) -> None:
    panel, gaps = item
    axes.plot(ACCURACIES, ACCURACIES, color=INK, linewidth=1.2)
    for (b, epsilon), values in gaps.items():
        axes.plot([epsilon] * len(values), values, linestyle="none", **STYLES[b].markers(), zorder=3)
    layout.plain_ticks(axes.xaxis)
    axes.yaxis.labelpad = 9  # beside the exponents
    heading(axes, panel)
