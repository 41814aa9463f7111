"""Table 1 in the regime of its bounds: the number of examples grows as the wanted error falls (equation 3.5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from svm_cost_curves.experiments.curve import Points, known_points, shared_costs, values_on
from svm_cost_curves.experiments.papers import layout
from svm_cost_curves.experiments.papers.bands import Band
from svm_cost_curves.experiments.papers.cases import (
    MISSING,
    Case,
    Choice,
    Findings,
    at_most,
    case_on,
    interval_text,
    judge_claims,
)
from svm_cost_curves.experiments.papers.panels import heading, name_of
from svm_cost_curves.experiments.papers.sbp.comparisons import method_name
from svm_cost_curves.experiments.papers.sbp.growth import LEAST_POINTS, settled
from svm_cost_curves.experiments.plotting import STYLES
from svm_cost_curves.experiments.reproduction.evidence import Evidence, Panel
from svm_cost_curves.experiments.reproduction.figure_result import FigureResult, Table
from svm_cost_curves.experiments.reproduction.spec import FigureSpec
from svm_cost_curves.experiments.reproduction.statistics import Interval, bootstrap_groups, loglog_slope

if TYPE_CHECKING:
    from matplotlib.figure import Figure, SubFigure

EXAMPLES: Final = 40.0
"""n times the wanted error; a constant that equation 3.5 leaves open."""
EXPONENTS: Final[Mapping[str, int]] = {"sbp": 1, "smo": 2, "pegasos": 3}
"""Exponents of 1/ε in the right column of Table 1."""
RESAMPLES: Final = 1000


@dataclass(frozen=True)
class Size:
    """Runs of a method on n examples.

    Attributes
    ----------
    n : int
    grid : (m,) float64
        Kernel evaluations.
    errors : (runs, m) float64
    """

    n: int
    grid: NDArray[np.float64]
    errors: NDArray[np.float64]

    @property
    def target(self) -> float:
        """The wanted error."""
        return EXAMPLES / self.n

    def cost(self, runs: Sequence[int]) -> float:
        """Return the kernel evaluations after which the mean error of some runs stays at most the target.

        inf: never; 0: from the start, so unknown.
        """
        return float(settled(self.grid, self.errors[list(runs)].mean(axis=0), [self.target])[0])


Sizes = Sequence[Size]


def sizes_of(panel: Panel, spec: FigureSpec, method: str) -> Sizes:
    """Return a method's runs by rising n, each iteration charged n evaluations; sizes without runs are left out."""
    sizes = []
    for value, name in spec.members(method).items():
        n = int(value)
        points = [known_points(frame, "iterations", "test_error") for frame in panel.curves(name)]
        runs: list[Points] = [(n * iterations, errors) for iterations, errors in points if len(iterations)]
        if runs:
            grid = shared_costs(runs)
            sizes.append(Size(n, grid, values_on(runs, grid)))
    return sizes


def growth(sizes: Sizes, less: Sizes = ()) -> Interval | None:
    """Exponent of the evaluations over 1/ε with its interval over the runs, or its difference from that of others.

    None with fewer than `LEAST_POINTS` errors that are reached.
    """

    def slope(own: Sizes, runs: Sequence[Sequence[int]]) -> float | None:
        pairs = [(1 / size.target, size.cost(chosen)) for size, chosen in zip(own, runs, strict=True)]
        known = [(x, cost) for x, cost in pairs if 0 < cost < np.inf]
        return None if len(known) < LEAST_POINTS else loglog_slope(*zip(*known, strict=True))

    def statistic(*runs: Sequence[int]) -> float | None:
        first = slope(sizes, runs[: len(sizes)])
        second = slope(less, runs[len(sizes) :]) if less else 0.0
        return None if first is None or second is None else first - second

    counts = [len(size.errors) for size in (*sizes, *less)]
    return bootstrap_groups(statistic, counts, resamples=RESAMPLES) if counts else None


def judge(evidence: Evidence, choice: Choice) -> Findings:
    """Judge sbp.regime: each method's exponent is at most its bound's, and the SBP's is below the others'."""
    return Findings([case for panel in evidence.panels for case in _cases(panel, evidence.spec, choice["logs"])])


def _cases(panel: Panel, spec: FigureSpec, logs: float) -> list[Case]:
    sizes = {method: sizes_of(panel, spec, method) for method in EXPONENTS}
    cases = []
    for method, exponent in EXPONENTS.items():
        cases.append(_case(panel, f"{method_name(method)} within its bound", growth(sizes[method]), exponent + logs))
    for method in ("smo", "pegasos"):
        gap = growth(sizes["sbp"], sizes[method]) if sizes["sbp"] and sizes[method] else None
        cases.append(_case(panel, f"SBP less {method_name(method)}", gap, 0.0))
    return cases


def _case(panel: Panel, what: str, found: Interval | None, limit: float) -> Case:
    if found is None:
        return case_on(panel, what, MISSING, note="too few of the wanted errors are reached", about=what)
    measured = f"exponent {interval_text(found, '.2f')}"
    return case_on(panel, what, at_most(found, limit), measured, {"exponent": found.as_dict()}, about=what)


_HEAD: Final = 0.62  # inches
_CAPTION: Final = (
    f"Kernel evaluations from which on the mean test error over the runs is at most ε; n = {EXAMPLES:g}/ε examples.\n"
    "Dotted: the bounds 1/ε (SBP), 1/ε² (SMO) and 1/ε³ (Pegasos), each through its method's first symbol."
)


def make(evidence: Evidence) -> FigureResult:
    """Draw the evaluations against 1/ε and judge the claim."""
    found = [(panel, _points(panel, evidence.spec)) for panel in evidence.panels if any(panel.runs.values())]
    tables = [points for _, points in found]
    return FigureResult(
        pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=COLUMNS),
        partial(_draw, found=found),
        layout.size(len(found), _HEAD, columns=1),
        table=Table(
            ["data set", "method", "n", "ε", "evaluations", "runs"],
            [
                [
                    *(name_of(panel), method_name(row["series"]), f"{row['n']:,}"),
                    *(f"{row['error']:g}", f"{row['evaluations']:.3g}", str(row["runs"])),
                ]
                for panel, points in found
                for row in points.to_dict("records")
            ],
        ),
        claims=judge_claims(evidence, {"sbp.regime": judge}),
    )


COLUMNS: Final = ["dataset", "series", "n", "error", "evaluations", "runs"]


def _points(panel: Panel, spec: FigureSpec) -> pd.DataFrame:
    """Return the evaluations of each method at each size; inf: the error is not reached."""
    rows: list[dict[str, Any]] = [
        {
            "dataset": panel.dataset,
            "series": method,
            "n": size.n,
            "error": size.target,
            "evaluations": size.cost(range(len(size.errors))),
            "runs": len(size.errors),
        }
        for method in EXPONENTS
        for size in sizes_of(panel, spec, method)
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def _draw(figure: Figure | SubFigure, found: Sequence[tuple[Panel, pd.DataFrame]]) -> None:
    """Draw one panel per data set, on logarithmic axes."""
    styles = [STYLES[method] for method in EXPONENTS]
    names = "1/ε", "Kernel evaluations"
    for axes, (panel, points) in layout.each_panel(figure, found, styles, [_CAPTION], _HEAD, names, columns=1):
        for method, exponent in EXPONENTS.items():
            own = points[points["series"] == method]
            own = own[(own["evaluations"] > 0) & np.isfinite(own["evaluations"])]
            if own.empty:
                continue
            x, y = 1 / own["error"].to_numpy(), own["evaluations"].to_numpy()
            layout.draw_line(axes, Band(x, y, y, y, 1), STYLES[method], steps=False)
            bound = y[0] * (x / x[0]) ** exponent
            axes.plot(x, bound, color=STYLES[method].color, linewidth=1.1, linestyle=(0, (0.8, 1.6)))
        layout.plain_ticks(axes.xaxis)
        heading(axes, panel, f"to {points['n'].max():,}")
