"""The running lower bound: L, J and J_opt along runs of SGD-s and SGD-m."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from datasets import DataError
from experiments.configuration.settings import RunSettings
from experiments.curve import column
from experiments.papers import layout
from experiments.papers.bands import Band, band, band_table
from experiments.papers.cases import Case, claim_from_groups, exclude_undeclared, holds, judge_claims
from experiments.papers.optimum import Optimum, optimum_of
from experiments.papers.panels import called, heading, name_of
from experiments.papers.problem import load_problem
from experiments.papers.sgdr import NO_PRINTED_VALUES
from experiments.plotting import INK, PANEL, STYLES
from experiments.reproduction.evidence import Evidence, Panel
from experiments.reproduction.figure_result import FigureResult, Table
from experiments.reproduction.spec import ClaimSpec
from experiments.reproduction.verdict import Claim
from solvers import _core

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

PASSES: Final = 30
ROUNDING: Final = 1e-9
"""Relative rounding error of a sum over all examples in another order."""


@dataclass(frozen=True)
class DualBox:
    """Dual variables and lower bound over the first passes of one run.

    Attributes
    ----------
    passes : int
    largest : float
        Largest dual variable over C.
    apart : float
        Largest distance of L from the dual objective of these variables, over the sum in it.
    """

    passes: int
    largest: float
    apart: float

    @property
    def holds(self) -> bool:
        """Whether all lie in [0, C] and L is the dual objective; they are counts, so none is negative."""
        return self.largest <= 1 and self.apart <= ROUNDING


def dual_box(run: RunSettings, passes: int = PASSES) -> DualBox:
    """Run SGD-s or SGD-m for at most `passes` passes and read its dual variables at the end of each.

    The passes repeat the run's first ones. Raises DataError without data.
    """
    problem = load_problem(run)
    core: Any = run.solver(problem, run.solver_settings, run.seed).make()
    X: Any = sparse.csr_matrix(problem.X, dtype=np.float64)
    done, largest, apart = 0, 0.0, 0.0
    while done < passes and core.advance(iterations=(done + 1) * problem.n) == _core.Status.iterations:
        done += 1
        shares = core.updates() / (core.counters.presentations / problem.n)  # of C
        alpha = problem.C * shares
        weights = X.T @ (alpha * problem.y)
        dual = problem.require_lambda() * (alpha.sum() - weights @ weights / 2)
        largest = max(largest, float(shares.max()))
        apart = max(apart, float(abs(core.lower_bound - dual) / (problem.require_lambda() * alpha.sum())))
    return DualBox(done, largest, apart)


METHODS: Final = ("sgd_s", "sgd_m")
OTHER_OPTIMUM: Final = "optimum_ocas"
"""Series that certifies the optimum by another method."""
AGREE: Final = 1e-6
"""Relative: two optima whose intervals are further apart contradict each other."""
RULE: Final = (
    "For each data set and algorithm. The bounds: whether L <= J_opt <= J at all evaluations of all runs, where J_opt "
    "is known as the interval that a run of dual coordinate descent has certified, with which another by cutting "
    f"planes must agree; {ROUNDING:.0e} (relative) is left to rounding. The box: whether at the end of each of the "
    f"first {PASSES} passes all dual variables lie in [0, C], and L is the dual objective there, summed up anew."
)


@dataclass(frozen=True)
class Bracket:
    """Extremes of the lower bounds and objectives of some runs, relative to the optimum.

    Attributes
    ----------
    lower_bounds, objectives : int
        Numbers of evaluations at which they are known.
    highest : float
        Largest L over the upper end of J_opt.
    lowest : float
        Least J over the lower end of J_opt.
    last : float
        Median over the runs of J / L - 1 at their ends; NaN if no lower bound is known.
    """

    lower_bounds: int
    objectives: int
    highest: float
    lowest: float
    last: float

    @property
    def holds(self) -> bool:
        """Whether all lower bounds are at most, and all objectives at least, the optimum."""
        return self.highest <= 1 + ROUNDING and self.lowest >= 1 - ROUNDING


def bracket(frames: tuple[pd.DataFrame, ...], optimum: Optimum) -> Bracket | None:
    """Return the extremes over all evaluations of some runs; None without a lower bound."""
    bounds, objectives = (_known(frames, name) for name in ("dual", "primal"))
    if not len(bounds) or not len(objectives):
        return None
    ends = [column(frame, "primal")[-1] / column(frame, "dual")[-1] - 1 for frame in frames if len(frame)]
    return Bracket(
        len(bounds),
        len(objectives),
        float(bounds.max() / optimum.upper),
        float(objectives.min() / optimum.lower),
        float(np.median(ends)),
    )


def judge_bounds(evidence: Evidence, spec: ClaimSpec) -> Claim:
    """Judge claim 1: the lower bound never exceeds the optimum, and the objective never falls below it."""
    answers = {
        name: [
            [exclude_undeclared(case(panel, name), evidence, panel) for panel in evidence.panels]
            for case in (_bounds_case, _box_case)
        ]
        for name in METHODS
    }
    sentences = [sentence for name, (bounds, boxes) in answers.items() for sentence in _sentences(name, bounds, boxes)]
    return claim_from_groups(spec, RULE, [cases for pair in answers.values() for cases in pair], " ".join(sentences))


def disagreement(panel: Panel) -> float | None:
    """Relative distance between the intervals of the two optima; None if one is missing."""
    first, second = optimum_of(panel), optimum_of(panel, OTHER_OPTIMUM)
    if first is None or second is None:
        return None
    return max(0.0, first.lower / second.upper - 1, second.lower / first.upper - 1)


def _known(frames: tuple[pd.DataFrame, ...], name: str) -> NDArray[np.float64]:
    values = np.concatenate([np.empty(0), *(column(frame, name) for frame in frames)])
    known: NDArray[np.float64] = values[np.isfinite(values)]
    return known


def _bounds_case(panel: Panel, series: str) -> Case:
    place, about = (panel.paper_dataset, f"{series} bounds"), called(panel)
    optimum, apart = optimum_of(panel), disagreement(panel)
    found = None if optimum is None else bracket(panel.curves(series), optimum)
    if optimum is None or found is None:
        lacking = "the optimum" if optimum is None else STYLES[series].name
        return Case(place, about, "not_applicable", note=f"no finished runs of {lacking}")
    statistic = {
        "lower_bounds": found.lower_bounds,
        "objectives": found.objectives,
        "highest_lower_bound": found.highest,
        "lowest_objective": found.lowest,
        "optimum": [optimum.lower, optimum.upper],
        "optima_differ_by": apart,
    }
    if apart is not None and apart > AGREE:
        note = f"two methods' optima differ by {apart:.1e} (relative)"
        return Case(place, about, "not_applicable", "", statistic, note)
    return Case(place, about, holds(found.holds), "", statistic)


def _box_case(panel: Panel, series: str) -> Case:
    place, about, name = (panel.paper_dataset, f"{series} box"), called(panel), STYLES[series].name
    if not panel.runs.get(series):
        return Case(place, about, "not_applicable", note=f"no finished runs of {name}")
    try:
        found = dual_box(panel.settings[series])
    except DataError as error:
        return Case(place, about, "not_applicable", note=f"{name}'s dual variables: {str(error).partition(': ')[0]}")
    return Case(place, about, holds(found.holds), "", asdict(found))


def _sentences(series: str, bounds: Sequence[Case], boxes: Sequence[Case]) -> Iterator[str]:
    """Write where an algorithm's bounds come nearest to the optimum, and the extremes of its dual variables."""
    name = STYLES[series].name
    if measured := [case for case in bounds if case.statistic]:
        high = max(measured, key=lambda case: float(case.statistic["highest_lower_bound"]))
        low = min(measured, key=lambda case: float(case.statistic["lowest_objective"]))
        counts = (sum(case.statistic[side] for case in measured) for side in ("lower_bounds", "objectives"))
        yield (
            f"{name}: L at most {_signed(high.statistic['highest_lower_bound'])} from J_opt ({high.about}) "
            f"and J at least {_signed(low.statistic['lowest_objective'])} ({low.about}), at "
            f"{' and '.join(f'{count:,}' for count in counts)} evaluations."
        )
    if measured := [case for case in boxes if case.statistic]:
        largest, apart = (max(case.statistic[what] for case in measured) for what in ("largest", "apart"))
        yield (
            f"{name}'s dual variables: at most {largest:.9g} C at the end of "
            f"{sum(case.statistic['passes'] for case in measured)} passes, L the dual objective there to {apart:.0e}."
        )


def _signed(ratio: float) -> str:
    return f"{100 * (ratio - 1):+.2g} %"


_HEAD: Final = 0.62  # inches
_CAPTION: Final = (
    "C = 1, medians over the runs, bands from the least to the largest: J above 0, L below. Epochs of SGD-m count as "
    "often as each example is presented."
)
_COLORS: Final = {"sgd_s": "#d95f02", "sgd_m": "#08306b"}
"""The methods' own two blues are too similar for one panel."""
_NEAR: Final = 1e-4
"""The axis is linear up to this distance and logarithmic beyond it."""
_FAR: Final = 1.0


def _draw(
    figure: Figure | SubFigure, panels: Sequence[Panel], shown: Mapping[str, Mapping[str, Mapping[str, Band]]]
) -> None:
    """Draw one panel per data set."""
    styles = {series: replace(STYLES[series], color=_COLORS[series]) for series in METHODS}
    names, nothing = ("Epochs", "J and L, per cent from J_opt"), "no finished runs with an optimum to compare with"
    for place, panel in layout.each_panel(figure, panels, styles.values(), [_CAPTION], _HEAD, names, nothing=nothing):
        for series, measures in shown[panel.paper_dataset].items():
            for own in measures.values():
                layout.draw_band(place, own, styles[series])
        _lay_out(place)
        heading(place, panel)
        optimum = optimum_of(panel)
        assert optimum is not None  # other panels are not shown
        inside: dict[str, Any] = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points"}
        text = f"J_opt = {optimum.upper:.6f}"
        place.annotate(text, (0, 0), (4, 3), size=PANEL.note, color=INK, **inside)


def _lay_out(axes: Axes) -> None:
    """Make the vertical axis logarithmic to both sides of the optimum, and begin with the first epoch."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    axes.set_yscale("symlog", linthresh=_NEAR, linscale=0.6)
    decades = [10.0**-k for k in range(5)]
    axes.yaxis.set_major_locator(FixedLocator([*(-value for value in decades), 0.0, *decades]))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:+g}" if value else "0"))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.set_ylim(-_FAR, _FAR)
    axes.set_xlim(left=0.9)  # the first lower bound comes at the end of the first epoch
    axes.axhline(0.0, color=INK, linewidth=1.2, zorder=1.5)


COLUMNS: Final = ("panel", "dataset", "series", "measure", "epochs", "median", "low", "high", "runs", "optimum")
SIDES: Final = ("primal", "dual")

Bands = dict[str, dict[str, Band]]
"""By algorithm and measure, relative to the optimum: J / J_opt - 1, L / J_opt - 1."""


def make(evidence: Evidence) -> FigureResult:
    """Draw the figure and judge the claim."""
    shown = {panel.paper_dataset: bands for panel in evidence.panels if (bands := relative(panel))}
    panels = [panel for panel in evidence.panels if panel.paper_dataset in shown]
    return FigureResult(
        _data(panels, shown),
        partial(_draw, panels=panels, shown=shown),
        layout.size(len(panels), _HEAD),
        table=_table(evidence.panels),
        claims=judge_claims(evidence, {"sgdr.1": judge_bounds}),
    )


def relative(panel: Panel) -> Bands:
    """Medians over the runs against epochs; empty without runs or without an optimum."""
    optimum = optimum_of(panel)
    if optimum is None:
        return {}
    found: Bands = {}
    for series in METHODS:
        for measure in SIDES:
            runs = [(column(frame, "epochs"), optimum.excess(column(frame, measure))) for frame in panel.curves(series)]
            if (own := band(runs)) is not None:
                found.setdefault(series, {})[measure] = own
    return found


def _data(panels: Sequence[Panel], shown: dict[str, Bands]) -> pd.DataFrame:
    rows = []
    for panel in panels:
        optimum = optimum_of(panel)
        assert optimum is not None  # other panels are not shown
        names = {"panel": panel.paper_dataset, "dataset": panel.dataset, "optimum": optimum.lower}
        for series, measures in shown[panel.paper_dataset].items():
            rows += [(names | {"series": series, "measure": measure}, own) for measure, own in measures.items()]
    return band_table(rows, "epochs", COLUMNS)


def _table(panels: Sequence[Panel]) -> Table:
    columns = ["data set", "n", "J_opt", "known to", "by OCAS", "differs by"]
    columns += ["algorithm", "runs", "evaluations", "largest L / J_opt - 1", "least J / J_opt - 1", "last J / L - 1"]
    rows = []
    for panel in panels:
        optimum, other = optimum_of(panel), optimum_of(panel, OTHER_OPTIMUM)
        if optimum is None:
            continue
        head = [
            name_of(panel),
            f"{panel.n:,}",
            f"{optimum.upper:.9f}",
            f"{optimum.uncertainty:.0e}",
            "" if other is None else f"{other.upper:.9f}",
            "" if other is None else f"{abs(other.upper / optimum.upper - 1):.0e}",
        ]
        for series in METHODS:
            found = bracket(panel.curves(series), optimum)
            if found is not None:
                values = (found.highest - 1, found.lowest - 1, found.last)
                rows.append(
                    [
                        *head,
                        STYLES[series].name,
                        str(len(panel.curves(series))),
                        f"{found.lower_bounds:,}",
                        *(f"{value:+.1e}" for value in values),
                    ]
                )
    notes = [
        "J_opt: objective at the end of a run of dual coordinate descent; known to: its relative duality gap there. By "
        "OCAS: objective at the end of a run of it; differs by: the relative distance of the two.",
        "Evaluations: those with a lower bound, of all runs. Last J / L - 1: at the end, median over the runs.",
        NO_PRINTED_VALUES,
    ]
    return Table(columns, rows, notes)
