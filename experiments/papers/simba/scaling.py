"""Section 5 on dense data with rare directions: accesses of SIMBA and Pegasos to an error against delta, B, d and n."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Final, Literal

import pandas as pd

from ...columns import MEASURE
from ...curve import column
from ...plotting import FAINT, INK, STYLES
from ...reproduction.evidence import Evidence, FigureResult, Panel, Reason, Table
from ...reproduction.statistics.interval import BESIDE, MISSING, UNCLEAR, Interval, at_most
from ...reproduction.statistics.ratio import Ratio, multiple_text, ratio_of
from ...reproduction.statistics.regression import LEAST_POINTS, exponent, medians_of
from ...reproduction.statistics.target import Effort, cost_to_target, effort_of
from .. import layout
from ..cases import Case, Statistic, case_on, interval_text, judge_claims
from ..samples import samples

if TYPE_CHECKING:
    from matplotlib.axes import Axes

AXES: Final[Mapping[str, tuple[str, str]]] = {
    "delta": ("1 / delta", r"$1/\delta$, with $n \propto B^2/\delta$"),
    "norm": ("B^2", r"$B^2$, with $n \propto B^2/\delta$"),
    "d": ("d", "$d$"),
    "n": ("n", "$n$"),
}
"""Ending of the series, name in sentences, and label."""
METHODS: Final = ("simba", "pegasos")
RIVALS: Final = ("pegasos", "pegasos2")
SHARE: Final = 1 / 16
"""delta over the share of rare rows."""
LENGTH: Final = 4 / 3
"""Mean squared length of a row before it is divided by its length, over d."""
_CAPTION: Final = (
    r"Feature accesses to a test error of $\delta$: medians over the runs, bars from the least to the largest run. "
    "Numbers: Pegasos's over SIMBA's.\n"
    r"Elsewhere $1/\delta = 160$, $B^2 = 21$, $d = 4096$, $n = 1000$. Dotted: the training set's $n d$."
)


@dataclass(frozen=True)
class Setting:
    """One generated data set, at the value x of the axis, with the runs of both methods."""

    axis: str
    """Key of `AXES`."""
    x: float
    n: int
    d: int
    delta: float
    squared_norm: float
    """The error to reach, and B^2."""
    costs: Mapping[str, Effort] = field(hash=False)
    """``simba`` and ``pegasos``: iterations to the error, of Pegasos with its better lambda; ``seconds``: CPU time of
    an iteration of SIMBA."""

    def accesses(self, method: str) -> Effort | None:
        """Return the feature accesses to the error, n + d an iteration of SIMBA and d of Pegasos; None without runs."""
        effort = self.costs.get(method)
        return effort and effort.times(self.n + self.d if method == "simba" else self.d)

    def gain(self, rival: str) -> Ratio | None:
        """Divide Pegasos's accesses, or the size n d, by SIMBA's; None without runs, or if neither is known."""
        size = Effort((float(self.n * self.d),), (True,))
        simba, rival_accesses = self.accesses("simba"), size if rival == "size" else self.accesses("pegasos")
        return ratio_of(rival_accesses, simba) if simba and rival_accesses else None


def settings_of(evidence: Evidence, panel: Panel) -> Iterator[Setting]:
    """Yield the settings axis by axis, also those without runs."""
    every = {(sample.series, sample.value): sample for sample in samples(evidence, panels=[panel])}
    for axis in AXES:
        for sample in samples(evidence, [f"simba_{axis}"], [panel]):
            if sample.name not in panel.settings:
                continue
            data = panel.settings[sample.name].dataset
            delta, n, d, norm2 = SHARE * float(data.rare), int(data.n), int(data.d or 0), LENGTH * data.directions
            runs = {method: every[f"{method}_{axis}", sample.value].frames for method in ("simba", *RIVALS)}
            efforts = {method: cost_to_target(frames, "iterations", MEASURE, delta) for method, frames in runs.items()}
            costs = {method: effort for method, effort in efforts.items() if effort is not None}
            if rivals := [costs[rival] for rival in RIVALS if rival in costs]:
                costs["pegasos"] = min(rivals, key=lambda effort: (not effort.mostly_reached, effort.median))
            if per_iteration := [
                column(run, "cpu_seconds")[-1] / column(run, "iterations")[-1] for run in runs["simba"]
            ]:
                costs["seconds"] = effort_of([float(seconds) for seconds in per_iteration], math.inf)
            x = {"delta": 1 / delta, "norm": norm2, "d": float(d), "n": float(n)}[axis]
            yield Setting(axis, x, n, d, delta, norm2, costs)


Data = tuple[Panel, Sequence[Setting]]
"""A data set and its settings."""


@dataclass(frozen=True, kw_only=True)
class Gain(Statistic, kind="gain"):
    """Feature accesses of SIMBA to the error, fewer than its rival's in each setting for which the theory says so.

    Settings for which the theory promises nothing are beside the claim, as is a setting that an earlier axis has.
    """

    rival: Literal["pegasos", "size"] = "pegasos"
    """Pegasos's accesses, or the training set's ``size`` n d."""
    far: float
    """Least d over B^2."""
    near: float
    """Largest delta log(B^2 / delta)."""

    def cases(self, item: Data, evidence: Evidence) -> Iterator[Case]:
        """Compare the accesses in each setting."""
        panel, settings = item
        first: dict[tuple[float, ...], str] = {}
        for setting in settings:
            case = self._at(panel, setting)
            same = first.setdefault((setting.n, setting.d, setting.delta, setting.squared_norm), case.about)
            repeated = same != case.about
            yield replace(case, ruling="beside", note=f"the same setting as {same}") if repeated else case

    def _at(self, panel: Panel, setting: Setting) -> Case:
        name = f"{AXES[setting.axis][0]} = {setting.x:.4g}"
        most = self.near / math.log(setting.squared_norm / setting.delta)
        promised = setting.d >= self.far * setting.squared_norm and setting.delta <= most
        ratio = setting.gain(self.rival)
        if ratio is not None:
            decision = ratio.above(1.0) if promised else BESIDE
            rival = "Pegasos" if self.rival == "pegasos" else "the training set's size"
            return case_on(
                panel, name, decision, f"accesses, {rival} over SIMBA, {ratio.text()}", ratio.as_dict(), about=name
            )
        run = all(method in setting.costs for method in METHODS)
        decision, note = (UNCLEAR, "neither reaches the error") if run else (MISSING, "no runs")
        return case_on(panel, name, decision if promised else BESIDE, note=note, about=name)


@dataclass(frozen=True, kw_only=True)
class Growth(Statistic, kind="growth"):
    """Exponents along settings in which one quantity grows, each at most the theory's exponent and a slack."""

    of: Literal["iterations", "seconds"]
    """``iterations`` of SIMBA to the error, over log n as in Theorem 4.3, or the ``seconds`` of an iteration. Pegasos's
    iterations are measured beside the claim."""
    exponents: dict[str, float]
    """The theory's exponent of each quantity that grows: a key of `AXES`, or ``n + d``."""
    slack: float

    def cases(self, item: Data, evidence: Evidence) -> Iterator[Case]:
        """Fit the exponent of each quantity."""
        panel, settings = item
        for axis, theory in self.exponents.items():
            along = tuple(setting for setting in settings if setting.axis in axis.split(" + "))
            for cost in METHODS if self.of == "iterations" else ("seconds",):
                name, a = AXES[axis][0] if axis in AXES else axis, growth(along, axis, cost)
                key, about = f"{cost} {name}", f"{'Pegasos' if cost == 'pegasos' else 'SIMBA'}, growing {name}"
                beside = BESIDE if cost == "pegasos" else None
                if isinstance(a, Reason):
                    yield case_on(panel, key, beside or MISSING, note=a.text, about=about)
                else:
                    decision = beside or at_most(a, theory + self.slack)
                    yield case_on(panel, key, decision, f"exponent {interval_text(a, '.2f')}", a.as_dict(), about=about)


@lru_cache(maxsize=64)
def growth(settings: tuple[Setting, ...], axis: str, cost: str) -> Interval | Reason:
    """Return the exponent of a cost along the axis, with its interval over the runs; or why there is none.

    SIMBA's iterations are divided by log n.
    """
    efforts = [setting.costs[cost] for setting in settings if cost in setting.costs]
    if len(efforts) < len(settings):
        return Reason("settings without runs")
    if not all(effort.mostly_reached for effort in efforts):
        return Reason("the error is not reached everywhere")
    units = [math.log(setting.n) if cost == "simba" else 1.0 for setting in settings]
    values = [effort.times(1 / unit).costs for effort, unit in zip(efforts, units, strict=True)]
    x = [setting.n + setting.d if axis == "n + d" else setting.x for setting in settings]
    fitted = exponent(x, medians_of(values), [len(runs) for runs in values])
    return Reason(f"fewer than {LEAST_POINTS} settings") if fitted is None else fitted


def make(evidence: Evidence) -> FigureResult:
    """Draw the figure and judge the claims; the data have a row for each run, `reached` is false for a lower bound."""
    data = [(panel, list(settings_of(evidence, panel))) for panel in evidence.panels]
    shown = [setting for _, settings in data for setting in settings if any(map(setting.accesses, METHODS))]
    panels = [along for axis in AXES if (along := [setting for setting in shown if setting.axis == axis])]
    columns = ["axis", "x", "n", "d", "delta", "B2", "method", "run", "accesses", "reached"]
    rows = [
        [setting.axis, setting.x, setting.n, setting.d, setting.delta, setting.squared_norm, method, run, cost, reached]
        for setting in shown
        for method in METHODS
        if (effort := setting.accesses(method)) is not None
        for run, (cost, reached) in enumerate(zip(effort.costs, effort.reached, strict=True))
    ]
    styles, names = [STYLES[name] for name in METHODS], ("", "Feature accesses")
    return FigureResult(
        lambda: pd.DataFrame(rows, columns=columns),
        *layout.drawing(panels, styles, _CAPTION, names, _draw, columns=2, head=0.5),
        table=partial(_table, shown),
        claims=judge_claims(evidence, data=data),
    )


def _draw(axes: Axes, settings: Sequence[Setting]) -> None:
    """Draw the accesses against one quantity; bars go from the least to the largest run."""
    axes.set_xlabel(AXES[settings[0].axis][1], color=INK)
    for method in METHODS:
        style = STYLES[method]
        measured = [(setting.x, effort) for setting in settings if (effort := setting.accesses(method)) is not None]
        axes.plot([x for x, _ in measured], [effort.median for _, effort in measured], **style.look, **style.markers())
        for x, effort in measured:
            axes.plot([x] * 2, [min(effort.costs), max(effort.costs)], color=style.color, linewidth=1.0, alpha=0.6)
    sizes = [setting.n * setting.d for setting in settings]
    axes.plot([setting.x for setting in settings], sizes, color=FAINT, linewidth=1.0, linestyle=(0, (1.0, 2.0)))
    for setting in settings:
        simba, ratio = setting.accesses("simba"), setting.gain("pegasos")
        if simba is not None and ratio is not None:
            text = {"at least": "> ", "at most": "< "}.get(ratio.bound, "")
            text += multiple_text(ratio.interval.estimate)
            spot = (setting.x, simba.median)
            axes.annotate(text, spot, (0, -14), textcoords="offset points", ha="center", color=INK)
    axes.margins(x=0.08, y=0.16)


def _table(settings: Sequence[Setting]) -> Table:
    columns = ["growing", "1 / delta", "B^2", "d", "n", "SIMBA", "Pegasos", "Pegasos over SIMBA", "n d over SIMBA"]
    rows = [
        [
            AXES[setting.axis][0],
            f"{1 / setting.delta:.0f}",
            f"{setting.squared_norm:.0f}",
            f"{setting.d:,}",
            f"{setting.n:,}",
            *(effort.text("{:.1e}".format) if (effort := setting.accesses(name)) else "" for name in METHODS),
            *(ratio.text() if (ratio := setting.gain(rival)) else "" for rival in ("pegasos", "size")),
        ]
        for setting in settings
    ]
    notes = [
        "Feature accesses to a test error of delta, a sixteenth of the rare share; medians over the runs. Pegasos has "
        "the better of lambda = 0.001 and 0.01."
    ]
    return Table(columns, rows, notes)
