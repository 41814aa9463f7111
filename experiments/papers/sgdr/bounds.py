"""The running lower bound: L, J and J_opt along runs of SGD-s and SGD-m."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np

from ...curve import column
from ...plotting import INK, STYLES, Style
from ...plotting.bands import Band, band, band_table
from ...reproduction.evidence import Evidence, FigureResult, Panel, Reason, Table, cell
from ...reproduction.statistics.interval import (
    MISSING,
    TRIVIAL,
    TRIVIAL_SLACK,
    UNCLEAR,
    Decision,
    Interval,
    bootstrap_geometric_mean,
    holds,
)
from .. import layout
from ..cases import Case, Findings, Statistic, case_on, interval_text, judge_claims
from ..kinds import Limits
from ..optimum import Optimum, optimum_of
from ..panels import heading, name_of
from . import NO_PRINTED_VALUES
from .comparisons import findings_of
from .dual_box import METHODS, DualBox, dual_box, on_each, random_exponent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

OTHER_OPTIMUM: Final = "optimum_ocas"
"""Series that certifies the optimum by another method."""
Curves = Sequence[tuple[Mapping[str, Any], Band]]
"""J / J_opt - 1 and L / J_opt - 1 against epochs, with their data set, series and measure."""
T = TypeVar("T")


def extreme(panel: Panel, optimum: Optimum | None, series: str, side: str) -> tuple[float, int] | None:
    """Return the largest L / J_opt, or J_opt / J, over all evaluations, and their number; None without one."""
    values = [column(frame, "dual" if side == "L" else "primal") for frame in panel.curves(series)]
    finite = np.concatenate([np.empty(0), *values])
    finite = finite[np.isfinite(finite)]
    if optimum is None or not len(finite):
        return None
    return float(finite.max() / optimum.upper if side == "L" else optimum.lower / finite.min()), len(finite)


def disagreement(panel: Panel) -> float | None:
    """Relative distance between the intervals of the two optima; None if one is missing."""
    first, second = optimum_of(panel), optimum_of(panel, OTHER_OPTIMUM)
    if first is None or second is None:
        return None
    return max(0.0, first.lower / second.upper - 1, second.lower / first.upper - 1)


@dataclass(frozen=True, kw_only=True)
class Bounds(Statistic, kind="bounds"):
    """L <= J_opt <= J at all evaluations, and the box constraints at the ends of passes.

    For each of the `series` three cases on each data set: L, J and the box constraints. `rounding` is the relative
    excess that counts as rounding, `agreement` the largest relative distance between two methods' optima.
    """

    series: list[str]
    rounding: float
    agreement: float

    def findings(self, data: Any, evidence: Evidence) -> Findings:
        """Measure the extremes on each data set."""
        answers = {
            f"{side} of {STYLES[name].name}": [self._bound_case(panel, name, side) for panel in evidence.panels]
            for name, side in product(self.series, ("L", "J"))
        }
        for name in self.series:
            answers[f"box constraints of {STYLES[name].name}"] = [
                _computed_case(evidence, panel, name, DualBox, f"{name} box", self._box) for panel in evidence.panels
            ]
        return findings_of(answers, worst="largest")

    def _bound_case(self, panel: Panel, series: str, side: str) -> Case:
        optimum, apart, name = optimum_of(panel), disagreement(panel), STYLES[series].name
        measured = extreme(panel, optimum, series, side)
        if measured is None:
            note = f"no finished runs of {'the optimum' if optimum is None else name}"
            return case_on(panel, f"{series} {side}", MISSING, note=note)
        share, count = measured
        # the larger of the two values over the smaller, as it should be; a bound of 0 or less holds trivially
        slack = 1 / share if share > 0 else math.inf
        decision, note = TRIVIAL if slack > TRIVIAL_SLACK else holds(share <= 1 + self.rounding), ""
        text = f"{name}: {'L / J_opt' if side == 'L' else 'J_opt / J'} at most {share:.6g} at {count:,} evaluations"
        if apart is not None and apart > self.agreement:
            decision, note = UNCLEAR, f"two methods' optima differ by {apart:.1e} (relative)"
        statistic = {"evaluations": count, "largest": share, "optima_differ_by": apart}
        return case_on(panel, f"{series} {side}", decision, text, statistic, note)

    def _box(self, box: DualBox) -> tuple[Decision, str]:
        text = f"dual variables at most {box.largest:.9g} C in {box.passes} passes, L right to {box.apart:.0e}"
        return holds(box.largest <= 1 and box.apart <= self.rounding), text


def _computed_case(
    evidence: Evidence,
    panel: Panel,
    series: str,
    kind: Callable[..., T],
    key: str,
    judged: Callable[[T], tuple[Decision, str]],
) -> Case:
    """Return the case on what `compute` has computed on a data set for a method."""
    values, method = evidence.value(series, panel.dataset), STYLES[series].name
    if isinstance(values, Reason):
        return case_on(panel, key, MISSING, note=f"{method}: {values.text}")
    decision, text = judged(kind(**values))
    return case_on(panel, key, decision, f"{method}: {text}", values)


@dataclass(frozen=True, kw_only=True)
class RandomExponent(Limits, kind="random_exponent"):
    """The exponent a with which SGD-r's largest dual variable tends to C: its excess falls as epochs^-a."""

    def case(self, panel: Panel, evidence: Evidence) -> Case:
        """Decide on the exponent."""
        return _computed_case(evidence, panel, "sgd_r", Interval, "random", self._judged)

    def _judged(self, exponent: Interval) -> tuple[Decision, str]:
        return self.decide(exponent), f"excess over C falls as epochs^-{interval_text(exponent, '.2f')}"


@dataclass(frozen=True, kw_only=True)
class MultipleUpdates(Statistic, kind="multiple_updates"):
    """The closed-form multiple update equals presenting the example k times."""

    def case(self, panel: Panel, evidence: Evidence) -> Case:
        """Decide on the number of updates that differ."""
        return _computed_case(evidence, panel, "sgd_m", DualBox, "multiple updates", self._judged)

    def _judged(self, box: DualBox) -> tuple[Decision, str]:
        return holds(not box.different), f"{box.different} of {box.updates:,} multiple updates differ"


@dataclass(frozen=True, kw_only=True)
class DistanceRatio(Limits, kind="distance_ratio"):
    """J_opt - L of the `first` series over that of the `second`: geometric mean over equal epochs and over runs.

    It begins at the number of `epochs`.
    """

    first: str
    second: str
    epochs: float

    def case(self, panel: Panel, evidence: Evidence) -> Case:
        """Compare the two methods."""
        optimum, logs = optimum_of(panel), []
        upper = math.nan if optimum is None else optimum.upper
        for frames in zip(*map(panel.curves, (self.first, self.second)), strict=False):
            first, second = (
                dict(zip(column(frame, "epochs"), upper - column(frame, "dual"), strict=True)) for frame in frames
            )
            common = [at for at in second.keys() & first.keys() if at >= self.epochs]
            if log_ratios := [math.log(first[at] / second[at]) for at in common if first[at] > 0 and second[at] > 0]:
                logs.append(math.fsum(log_ratios) / len(log_ratios))
        if not logs:
            return case_on(panel, "increase", MISSING, note="no finished runs of both methods and the optimum")
        ratio = bootstrap_geometric_mean(logs)
        names = [STYLES[name].name for name in (self.first, self.second)]
        text = f"J_opt - L of {names[0]} is {interval_text(ratio, '.3g')} times that of {names[1]}"
        return case_on(panel, "increase", self.decide(ratio), text, ratio.as_dict())


_CAPTION: Final = (
    "$C$ = 1, medians over the runs, bands from the least to the largest: $J$ above 0, $L$ below. An epoch in "
    "which SGD-m presents each example five times counts as five."
)
_COLORS: Final = {"sgd_s": "#d95f02", "sgd_m": "#08306b"}
"""The methods' own two blues are too similar for one panel."""
_NEAR: Final = 1e-4
"""The axis is linear up to this distance from the optimum, and logarithmic beyond it to both sides, up to 1."""


def _draw(axes: Axes, panel: Panel, curves: Curves, styles: Mapping[str, Style]) -> None:
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    for about, curve in curves:
        if about["panel"] == panel.paper_dataset:
            layout.draw_band(axes, curve, styles[about["series"]])
    axes.set_yscale("symlog", linthresh=_NEAR, linscale=0.6)
    decades = [10.0**-k for k in range(5)]
    axes.yaxis.set_major_locator(FixedLocator([*(-value for value in decades), 0.0, *decades]))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:+g}" if value else "0"))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.set_ylim(-1.0, 1.0)
    axes.set_xlim(left=0.9)  # the first lower bound comes at the end of the first epoch
    axes.axhline(0.0, color=INK, linewidth=1.2, zorder=1.5)
    heading(axes, panel)
    if (optimum := optimum_of(panel)) is not None:
        inside: dict[str, Any] = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points"}
        axes.annotate(rf"$J_{{\mathrm{{opt}}}}$ = {optimum.upper:.6f}", (0, 0), (4, 3), color=INK, **inside)


def compute(evidence: Evidence) -> dict[str, Any]:
    """Return the dual variables of both methods and SGD-r's exponents by data set; the reason where there is none."""
    boxes = {series: on_each(evidence, series, dual_box) for series in METHODS}
    return {**boxes, "sgd_r": on_each(evidence, METHODS[0], random_exponent)}


def make(evidence: Evidence) -> FigureResult:
    """Draw the figure and judge the claims."""
    curves = [curve for panel in evidence.panels for curve in _curves(panel)]
    drawn = {about["panel"] for about, _ in curves}
    panels = [panel for panel in evidence.panels if panel.paper_dataset in drawn]
    styles = {series: replace(STYLES[series], color=_COLORS[series]) for series in METHODS}
    names = ("Epochs", r"$J$ and $L$, per cent from $J_{\mathrm{opt}}$")
    draw, nothing = partial(_draw, curves=curves, styles=styles), "no finished runs with an optimum to compare with"
    columns = ("panel", "dataset", "series", "measure", "epochs", "median", "low", "high", "runs", "optimum")
    return FigureResult(
        lambda: band_table(curves, "epochs", columns),
        *layout.drawing(panels, styles.values(), _CAPTION, names, draw, nothing=nothing),
        table=partial(_table, evidence.panels),
        claims=judge_claims(evidence),
    )


def _curves(panel: Panel) -> Curves:
    if (optimum := optimum_of(panel)) is None:
        return []
    about = {"panel": panel.paper_dataset, "dataset": panel.dataset, "optimum": optimum.lower}
    curves = []
    for series, measure in product(METHODS, ("primal", "dual")):
        runs = [(column(frame, "epochs"), optimum.excess(column(frame, measure))) for frame in panel.curves(series)]
        if (curve := band(runs)) is not None:
            curves.append((about | {"series": series, "measure": measure}, curve))
    return curves


def _table(panels: Sequence[Panel]) -> Table:
    columns = ["data set", "n", "J_opt", "known to", "by OCAS", "differs by"]
    columns += ["algorithm", "runs", "evaluations", "largest L / J_opt - 1", "least J / J_opt - 1", "last J / L - 1"]
    rows = []
    for panel in panels:
        optimum, ocas = optimum_of(panel), optimum_of(panel, OTHER_OPTIMUM)
        if optimum is None:
            continue
        head = [name_of(panel), f"{panel.n:,}", f"{optimum.upper:.9f}", f"{optimum.uncertainty:.0e}"]
        by_ocas = math.nan if ocas is None else ocas.upper
        head += [cell(by_ocas, ".9f"), cell(abs(by_ocas / optimum.upper - 1), ".0e")]
        for series in METHODS:
            bound, objective = (extreme(panel, optimum, series, side) for side in ("L", "J"))
            if bound is not None and objective is not None:
                frames = panel.curves(series)
                last = np.median([column(frame, "primal")[-1] / column(frame, "dual")[-1] - 1 for frame in frames])
                values = [f"{value:+.1e}" for value in (bound[0] - 1, 1 / objective[0] - 1, last)]
                rows.append([*head, STYLES[series].name, f"{len(frames)}", f"{bound[1]:,}", *values])
    notes = [
        "J_opt: objective at the end of a run of dual coordinate descent; known to: its relative duality gap there. By "
        "OCAS: objective at the end of a run of it; differs by: the relative distance of the two.",
        "Evaluations: those with a lower bound, of all runs. Last J / L - 1: at the end, median over the runs.",
        NO_PRINTED_VALUES,
    ]
    return Table(columns, rows, notes)
