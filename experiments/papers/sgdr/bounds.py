"""The running lower bound: L, J and J_opt along runs of SGD-s and SGD-m."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from svm_cost_curves.experiments.curve import column
from svm_cost_curves.experiments.papers import layout
from svm_cost_curves.experiments.papers.bands import Band, band, band_table
from svm_cost_curves.experiments.papers.cases import (
    MISSING,
    TRIVIAL,
    TRIVIAL_SLACK,
    UNCLEAR,
    Case,
    Choice,
    Findings,
    above,
    case_on,
    holds,
    interval_text,
    judge_claims,
)
from svm_cost_curves.experiments.papers.optimum import Optimum, optimum_of
from svm_cost_curves.experiments.papers.panels import heading, name_of
from svm_cost_curves.experiments.papers.sgdr import NO_PRINTED_VALUES
from svm_cost_curves.experiments.papers.sgdr.comparisons import geometric_interval
from svm_cost_curves.experiments.papers.sgdr.dual_box import METHODS, DualBox, dual_box, on_each, random_exponent
from svm_cost_curves.experiments.plotting import INK, STYLES
from svm_cost_curves.experiments.reproduction.evidence import Evidence, Panel
from svm_cost_curves.experiments.reproduction.figure_result import FigureResult, Table
from svm_cost_curves.experiments.reproduction.statistics import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

OTHER_OPTIMUM: Final = "optimum_ocas"
"""Series that certifies the optimum by another method."""
Boxes = Mapping[str, Mapping[str, DualBox | str]]
"""By algorithm and data set; a text where there is none: why."""


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


def _known(frames: tuple[pd.DataFrame, ...], name: str) -> NDArray[np.float64]:
    values = np.concatenate([np.empty(0), *(column(frame, name) for frame in frames)])
    known: NDArray[np.float64] = values[np.isfinite(values)]
    return known


def disagreement(panel: Panel) -> float | None:
    """Relative distance between the intervals of the two optima; None if one is missing."""
    first, second = optimum_of(panel), optimum_of(panel, OTHER_OPTIMUM)
    if first is None or second is None:
        return None
    return max(0.0, first.lower / second.upper - 1, second.lower / first.upper - 1)


def judge_bounds(evidence: Evidence, choice: Choice, boxes: Boxes) -> Findings:
    """Judge whether L <= J_opt <= J at all evaluations, and the box constraints at the ends of passes."""
    cases = [
        case
        for panel in evidence.panels
        for series in METHODS
        for case in (*_bounds_cases(panel, series, choice), _box_case(panel, series, choice, boxes))
    ]
    return Findings(cases, " ".join(_extremes(cases)))


def _extremes(cases: Sequence[Case]) -> Iterator[str]:
    """Write the case that comes nearest to its limit, for each algorithm and kind of case."""
    for what in dict.fromkeys(case.place[1] for case in cases):
        measured = [case for case in cases if case.place[1] == what and case.measured]
        if measured:
            nearest = max(measured, key=lambda case: float(case.statistic["largest"]))
            yield f"{nearest.measured} ({nearest.about})."


def _bounds_cases(panel: Panel, series: str, choice: Choice) -> list[Case]:
    optimum, apart, name = optimum_of(panel), disagreement(panel), STYLES[series].name
    found = None if optimum is None else bracket(panel.curves(series), optimum)
    if optimum is None or found is None:
        note = f"no finished runs of {'the optimum' if optimum is None else name}"
        return [case_on(panel, f"{series} {side}", MISSING, note=note) for side in ("L", "J")]
    agree = apart is None or apart <= choice["agreement"]
    note = "" if agree else f"two methods' optima differ by {apart:.1e} (relative)"
    cases = []
    for side, share, count in (("L", found.highest, found.lower_bounds), ("J", 1 / found.lowest, found.objectives)):
        # the larger of the two values over the smaller, as it should be; a bound of 0 or less holds trivially
        slack = 1 / share if share > 0 else math.inf
        decision = TRIVIAL if slack > TRIVIAL_SLACK else holds(share <= 1 + choice["rounding"])
        statistic = {"evaluations": count, "largest": share, "optima_differ_by": apart}
        text = f"{name}: {'L / J_opt' if side == 'L' else 'J_opt / J'} at most {share:.6g} at {count:,} evaluations"
        cases.append(case_on(panel, f"{series} {side}", decision if agree else UNCLEAR, text, statistic, note or text))
    return cases


def _box_case(panel: Panel, series: str, choice: Choice, boxes: Boxes) -> Case:
    found, name = boxes[series][panel.dataset], STYLES[series].name
    if isinstance(found, str):
        return case_on(panel, f"{series} box", MISSING, note=f"{name}'s dual variables: {found}")
    text = (
        f"{name}'s dual variables: at most {found.largest:.9g} C at the end of {found.passes} passes, L the dual "
        f"objective there to {found.apart:.0e}"
    )
    decision = holds(found.largest <= 1 and found.apart <= choice["rounding"])
    return case_on(panel, f"{series} box", decision, text, asdict(found), text)


def judge_random(evidence: Evidence, choice: Choice, exponents: Mapping[str, Interval | str]) -> Findings:
    """Judge whether the largest dual variable of SGD-r tends to C."""
    return Findings([_random_case(panel, choice, exponents[panel.dataset]) for panel in evidence.panels])


def _random_case(panel: Panel, choice: Choice, found: Interval | str) -> Case:
    if isinstance(found, str):
        return case_on(panel, "random", MISSING, note=found)
    text = f"excess over C falls as epochs^-{interval_text(found, '.2f')}"
    return case_on(panel, "random", above(found, choice["exponent"]), text, found.as_dict(), text)


def judge_multiple(evidence: Evidence, choice: Choice, boxes: Boxes) -> Findings:
    """Judge whether the closed form of the multiple update is that of presentations one by one."""
    return Findings([_multiple_case(panel, boxes["sgd_m"][panel.dataset]) for panel in evidence.panels])


def _multiple_case(panel: Panel, found: DualBox | str) -> Case:
    if isinstance(found, str):
        return case_on(panel, "multiple updates", MISSING, note=found)
    text = f"{found.different} of {found.updates:,} multiple updates differ"
    return case_on(panel, "multiple updates", holds(not found.different), text, asdict(found), text)


def judge_increase(evidence: Evidence, choice: Choice) -> Findings:
    """Judge whether L increases more slowly with multiple updates."""
    return Findings([_increase_case(panel, choice) for panel in evidence.panels])


def _increase_case(panel: Panel, choice: Choice) -> Case:
    optimum = optimum_of(panel)
    found = None if optimum is None else distance_ratio(panel, optimum, choice["epochs"])
    if found is None:
        return case_on(panel, "increase", MISSING, note="no finished runs of both methods and the optimum")
    text = f"J_opt - L of SGD-m is {interval_text(found, '.3g')} times that of SGD-s"
    return case_on(panel, "increase", above(found, 1.0), text, found.as_dict(), text)


def distance_ratio(panel: Panel, optimum: Optimum, first: float) -> Interval | None:
    """Return J_opt - L of SGD-m over that of SGD-s: geometric mean over equal epochs from `first` on and over runs."""
    logs = []
    for slow, fast in zip(*(panel.curves(series) for series in reversed(METHODS)), strict=False):
        curves = [
            dict(zip(column(frame, "epochs"), optimum.upper - column(frame, "dual"), strict=True))
            for frame in (slow, fast)
        ]
        common = [(curves[0][at], curves[1][at]) for at in curves[0].keys() & curves[1].keys() if at >= first]
        if known := [math.log(mine / other) for mine, other in common if mine > 0 and other > 0]:
            logs.append(math.fsum(known) / len(known))
    return geometric_interval(logs) if logs else None


_HEAD: Final = 0.62  # inches
_CAPTION: Final = (
    "$C$ = 1, medians over the runs, bands from the least to the largest: $J$ above 0, $L$ below. An epoch in "
    "which SGD-m presents each example five times counts as five."
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
    names = ("Epochs", r"$J$ and $L$, per cent from $J_{\mathrm{opt}}$")
    nothing = "no finished runs with an optimum to compare with"
    for place, panel in layout.each_panel(figure, panels, styles.values(), [_CAPTION], _HEAD, names, nothing=nothing):
        for series, measures in shown[panel.paper_dataset].items():
            for own in measures.values():
                layout.draw_band(place, own, styles[series])
        _lay_out(place)
        heading(place, panel)
        optimum = optimum_of(panel)
        assert optimum is not None  # other panels are not shown
        inside: dict[str, Any] = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points"}
        text = rf"$J_{{\mathrm{{opt}}}}$ = {optimum.upper:.6f}"
        place.annotate(text, (0, 0), (4, 3), color=INK, **inside)


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


T = TypeVar("T")


def compute(evidence: Evidence) -> dict[str, Any]:
    """Return the dual variables of both methods and SGD-r's exponents by data set; a text where there is none: why."""
    found: dict[str, Mapping[str, Any]] = {series: on_each(evidence, series, dual_box) for series in METHODS}
    found["sgd_r"] = on_each(evidence, METHODS[0], random_exponent)
    return {
        series: {dataset: own if isinstance(own, str) else asdict(own) for dataset, own in each.items()}
        for series, each in found.items()
    }


def _computed(evidence: Evidence, series: str, kind: Callable[..., T]) -> dict[str, T | str]:
    known = evidence.computed.get(series, {})
    each = {panel.dataset: known.get(panel.dataset, "not computed") for panel in evidence.panels}
    return {dataset: own if isinstance(own, str) else kind(**own) for dataset, own in each.items()}


def make(evidence: Evidence) -> FigureResult:
    """Draw the figure and judge the claims."""
    boxes = {series: _computed(evidence, series, DualBox) for series in METHODS}
    exponents = _computed(evidence, "sgd_r", Interval)
    shown = {panel.paper_dataset: bands for panel in evidence.panels if (bands := relative(panel))}
    panels = [panel for panel in evidence.panels if panel.paper_dataset in shown]
    return FigureResult(
        _data(panels, shown),
        partial(_draw, panels=panels, shown=shown),
        layout.size(len(panels), _HEAD),
        table=_table(evidence.panels),
        claims=judge_claims(
            evidence,
            {
                "sgdr.1": lambda evidence, choice: judge_bounds(evidence, choice, boxes),
                "sgdr.random": lambda evidence, choice: judge_random(evidence, choice, exponents),
                "sgdr.multiple": lambda evidence, choice: judge_multiple(evidence, choice, boxes),
                "sgdr.increase": judge_increase,
            },
        ),
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
