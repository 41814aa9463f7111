"""Section 5 on dense data with rare directions: accesses of SIMBA and Pegasos to an error against delta, B, d and n."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache, partial
from typing import TYPE_CHECKING, Final

import numpy as np
import pandas as pd

from svm_cost_curves.experiments.curve import column, cost_to_reach
from svm_cost_curves.experiments.papers import layout
from svm_cost_curves.experiments.papers.cases import (
    BESIDE,
    MISSING,
    Case,
    Choice,
    Findings,
    at_most,
    case_on,
    interval_text,
    judge_claims,
)
from svm_cost_curves.experiments.papers.effort import Effort, Ratio, effort_of, multiple_text, ratio_of
from svm_cost_curves.experiments.papers.panels import MEASURE
from svm_cost_curves.experiments.plotting import FAINT, INK, STYLES
from svm_cost_curves.experiments.reproduction.evidence import Evidence, Panel
from svm_cost_curves.experiments.reproduction.figure_result import FigureResult, Table
from svm_cost_curves.experiments.reproduction.spec import FigureSpec
from svm_cost_curves.experiments.reproduction.statistics import Interval, bootstrap_groups, loglog_slope

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

AXES: Final[Mapping[str, tuple[str, str, float]]] = {
    "delta": ("1 / delta", r"$1/\delta$, with $n \propto B^2/\delta$", 0.0),
    "norm": ("B^2", r"$B^2$, with $n \propto B^2/\delta$", 1.0),
    "d": ("d", "$d$", 0.0),
    "n": ("n", "$n$", 0.0),
}
"""Ending of the series: name, label, and the theory's exponent of SIMBA's iterations."""
RIVALS: Final = ("pegasos", "pegasos2")
SHARE: Final = 1 / 16
"""delta over the share of rare rows."""
LENGTH: Final = 4 / 3
"""Mean squared length of a row before it is divided by its length, over d."""
RESAMPLES: Final = 1000
_HEAD: Final = 0.5  # inches


@dataclass(frozen=True, eq=False)
class Setting:
    """One data set of the family, and the runs of both methods.

    Attributes
    ----------
    axis : str
        Key of `AXES`.
    n, d : int
    delta, squared_norm : float
        The error to reach, and B^2.
    efforts : mapping of str to Effort
        Iterations to the error: SIMBA's, and Pegasos's for each lambda.
    seconds : tuple of float
        CPU time of an iteration in each run of SIMBA.
    """

    axis: str
    n: int
    d: int
    delta: float
    squared_norm: float
    efforts: Mapping[str, Effort]
    seconds: tuple[float, ...]

    @property
    def x(self) -> float:
        """Value of the quantity that varies."""
        return {"delta": 1 / self.delta, "norm": self.squared_norm, "d": float(self.d), "n": float(self.n)}[self.axis]

    @cached_property
    def accesses(self) -> dict[str, Effort]:
        """Feature accesses of SIMBA, and of Pegasos with its better lambda."""
        rivals = [self.efforts[name] for name in RIVALS if name in self.efforts]
        found = {"simba": _times(self.efforts["simba"], self.n + self.d)} if "simba" in self.efforts else {}
        if rivals:
            found["pegasos"] = _times(min(rivals, key=lambda effort: (not effort.known, effort.median)), self.d)
        return found

    @cached_property
    def size(self) -> Effort:
        """The coordinates of the training set, as a cost."""
        return Effort((float(self.n * self.d),), (True,))

    def per_iteration(self, method: str) -> float:
        """Return the accesses of an iteration; SIMBA's times log n."""
        return (self.n + self.d) * math.log(self.n) if method == "simba" else float(self.d)

    def promised(self, far: float, near: float) -> bool:
        """Whether the theory promises a gain."""
        return self.d >= far * self.squared_norm and self.delta <= near / math.log(self.squared_norm / self.delta)


def _times(effort: Effort, factor: float) -> Effort:
    return Effort(tuple(factor * cost for cost in effort.costs), effort.reached, effort.step)


def settings_of(panel: Panel, spec: FigureSpec) -> list[Setting]:
    """Return the settings axis by axis, also those without runs."""
    found: list[Setting] = []
    for axis in AXES:
        names = {method: spec.members(f"{method}_{axis}") for method in ("simba", *RIVALS)}
        for value, own in names["simba"].items():
            if own not in panel.settings:
                continue
            data = panel.settings[own].dataset
            delta, n, d = SHARE * float(data.rare), int(data.n), int(data.d or 0)
            runs = {method: panel.curves(members[value]) for method, members in names.items()}
            efforts = {method: _effort(frames, delta) for method, frames in runs.items() if frames}
            seconds = tuple(float(column(f, "cpu_seconds")[-1] / column(f, "iterations")[-1]) for f in runs["simba"])
            found.append(Setting(axis, n, d, delta, LENGTH * data.directions, efforts, seconds))
    return found


def _effort(frames: Sequence[pd.DataFrame], delta: float) -> Effort:
    """Return the iterations of some runs to a test error."""
    costs = [cost_to_reach(column(frame, "iterations"), column(frame, MEASURE), delta) for frame in frames]
    first = column(frames[0], "iterations")
    step = float(np.median(first[1:] / np.maximum(first[:-1], 1.0))) if len(first) > 1 else 1.0
    return effort_of(costs, max(float(column(frame, "iterations")[-1]) for frame in frames), step)


Found = Mapping[str, Sequence[Setting]]
"""Settings by the paper's data set."""


@lru_cache(maxsize=256)
def gain(setting: Setting, rival: str) -> Ratio | None:
    """Divide Pegasos's accesses, or the size n d, by SIMBA's; None without runs, or if neither is known."""
    simba, other = setting.accesses.get("simba"), setting.size if rival == "size" else setting.accesses.get("pegasos")
    return None if simba is None or other is None else ratio_of(other, simba)


def judge_gain(found: Found, evidence: Evidence, choice: Choice) -> Findings:
    """Judge simba.gain: SIMBA needs fewer accesses where the theory promises it."""
    rival = choice.option("rival")
    cases = []
    for panel in evidence.panels:
        for setting in found.get(panel.paper_dataset, ()):
            name = AXES[setting.axis][0]
            what, about = f"{name} = {setting.x:.4g}", f"{name} = {setting.x:.4g}"
            ratio = gain(setting, rival)
            promised = setting.promised(choice["far"], choice["near"])
            if ratio is None:
                cases.append(case_on(panel, what, MISSING if promised else BESIDE, note="no runs", about=about))
                continue
            decision = ratio.above(1.0) if promised else BESIDE
            cases.append(case_on(panel, what, decision, f"{ratio.text()} times", ratio.as_dict(), about=about))
    return Findings(cases)


@lru_cache(maxsize=64)
def exponent(settings: tuple[Setting, ...], what: str) -> Interval | None:
    """Exponent of a quantity along settings, with its interval over the runs; None for fewer than two settings.

    `what` is ``simba``, for iterations to the error over log n (as in Theorem 4.3), ``pegasos``, for iterations, or
    ``seconds``, for CPU time against n + d.
    """
    values = [
        setting.seconds
        if what == "seconds"
        else tuple(cost / setting.per_iteration(what) for cost in setting.accesses[what].costs)
        for setting in settings
        if what == "seconds" or what in setting.accesses
    ]
    if len(values) < 2 or not all(values):
        return None
    x = np.array([setting.n + setting.d if what == "seconds" else setting.x for setting in settings], dtype=float)

    @cache  # few runs have few different resamples
    def median(own: tuple[float, ...], runs: tuple[int, ...]) -> float:
        return float(np.median([own[run] for run in runs]))

    def fitted(*chosen: Sequence[int]) -> float:
        medians = [median(own, tuple(runs)) for own, runs in zip(values, chosen, strict=True)]
        return loglog_slope(x, np.array(medians))

    return bootstrap_groups(fitted, [len(own) for own in values], resamples=RESAMPLES)


def judge_growth(found: Found, evidence: Evidence, choice: Choice) -> Findings:
    """Judge simba.growth: SIMBA's iterations grow with B^2 only."""
    cases = []
    for panel in evidence.panels:
        for axis, (name, _, theory) in AXES.items():
            along = _along(found, panel, axis)
            cases.append(_exponent_case(panel, along, "simba", name, theory + choice["slack"]))
            cases.append(_exponent_case(panel, along, "pegasos", name, None))
    return Findings(cases)


def judge_time(found: Found, evidence: Evidence, choice: Choice) -> Findings:
    """Judge simba.time: the time of an iteration grows at most as n + d."""
    limit = 1 + choice["slack"]
    both = {panel.paper_dataset: _along(found, panel, "d") + _along(found, panel, "n") for panel in evidence.panels}
    cases = [_exponent_case(panel, both[panel.paper_dataset], "seconds", "n + d", limit) for panel in evidence.panels]
    return Findings(cases)


def _along(found: Found, panel: Panel, axis: str) -> tuple[Setting, ...]:
    return tuple(setting for setting in found.get(panel.paper_dataset, ()) if setting.axis == axis)


def _exponent_case(panel: Panel, along: tuple[Setting, ...], what: str, name: str, limit: float | None) -> Case:
    """Return the case of one exponent; without a limit it is beside the claim."""
    about = f"{'Pegasos' if what == 'pegasos' else 'SIMBA'}, growing {name}"
    complete = what == "seconds" or all(what in each.accesses and each.accesses[what].known for each in along)
    a = exponent(along, what) if complete else None
    if a is None:
        missing = BESIDE if limit is None else MISSING
        lacking = any(not (each.seconds if what == "seconds" else what in each.accesses) for each in along)
        note = "settings without runs" if lacking else "the error is not reached everywhere"
        return case_on(panel, f"{what} {name}", missing, note=note, about=about)
    decision = BESIDE if limit is None else at_most(a, limit)
    return case_on(panel, f"{what} {name}", decision, f"exponent {interval_text(a, '.2f')}", a.as_dict(), about=about)


OPTIONS = {"simba.gain": {"rival": ("pegasos", "size")}}
JUDGES: Final = {"simba.gain": judge_gain, "simba.growth": judge_growth, "simba.time": judge_time}


def make(evidence: Evidence) -> FigureResult:
    """Draw the figure and judge the claims."""
    found = {panel.paper_dataset: settings_of(panel, evidence.spec) for panel in evidence.panels}
    settings = [setting for own in found.values() for setting in own if setting.efforts]
    axes = {axis: [setting for setting in settings if setting.axis == axis] for axis in AXES}
    drawn = [(axis, own) for axis, own in axes.items() if own]
    return FigureResult(
        _data(settings),
        partial(_draw, panels=drawn),
        layout.size(len(drawn), _HEAD, 2),
        table=_table(settings),
        claims=judge_claims(evidence, {name: partial(judge, found) for name, judge in JUDGES.items()}),
    )


_CAPTION: Final = (
    r"Feature accesses to a test error of $\delta$: medians over the runs, bars from the least to the largest run. "
    "Numbers: Pegasos's over SIMBA's.\n"
    r"Elsewhere $1/\delta = 160$, $B^2 = 21$, $d = 4096$, $n = 1000$. Dotted: the training set's $n d$."
)


def _draw(figure: Figure | SubFigure, panels: Sequence[tuple[str, Sequence[Setting]]]) -> None:
    """Draw one panel for each quantity."""
    styles = [STYLES[name] for name in ("simba", "pegasos")]
    names = ("", "Feature accesses")
    for axes, (axis, settings) in layout.each_panel(figure, panels, styles, _CAPTION.split("\n"), _HEAD, names, 2):
        axes.set_xlabel(AXES[axis][1], color=INK)
        for method in ("simba", "pegasos"):
            _draw_method(axes, [each for each in settings if method in each.accesses], method)
        x = [each.x for each in settings]
        axes.plot(x, [each.n * each.d for each in settings], color=FAINT, linewidth=1.0, linestyle=(0, (1.0, 2.0)))
        for each in settings:
            if (ratio := gain(each, "pegasos")) is not None:
                spot = (each.x, each.accesses["simba"].median)
                text = {"at least": "> ", "at most": "< "}.get(ratio.bound, "") + multiple_text(ratio.interval.estimate)
                axes.annotate(text, spot, (0, -14), textcoords="offset points", ha="center", color=INK)
        axes.margins(x=0.08, y=0.16)


def _draw_method(axes: Axes, settings: Sequence[Setting], method: str) -> None:
    style = STYLES[method]
    efforts = [each.accesses[method] for each in settings]
    axes.plot([each.x for each in settings], [own.median for own in efforts], **style.look, **style.markers())
    for each, own in zip(settings, efforts, strict=True):
        axes.plot([each.x] * 2, [min(own.costs), max(own.costs)], color=style.color, linewidth=1.0, alpha=0.6)


def _data(settings: Sequence[Setting]) -> pd.DataFrame:
    """One row for each run: accesses to the error; `reached` is false for a lower bound."""
    columns = ["axis", "x", "n", "d", "delta", "B2", "method", "run", "accesses", "reached"]
    rows = [
        [each.axis, each.x, each.n, each.d, each.delta, each.squared_norm, method, run, cost, reached]
        for each in settings
        for method, own in each.accesses.items()
        for run, (cost, reached) in enumerate(zip(own.costs, own.reached, strict=True))
    ]
    return pd.DataFrame(rows, columns=columns)


def _table(settings: Sequence[Setting]) -> Table:
    columns = ["growing", "1 / delta", "B^2", "d", "n", "SIMBA", "Pegasos", "Pegasos over SIMBA", "n d over SIMBA"]
    rows = []
    for each in settings:
        costs = [own.text("{:.1e}".format) if (own := each.accesses.get(m)) else "" for m in ("simba", "pegasos")]
        ratios = [found.text() if (found := gain(each, rival)) else "" for rival in ("pegasos", "size")]
        sizes = [f"{1 / each.delta:.0f}", f"{each.squared_norm:.0f}", f"{each.d:,}", f"{each.n:,}"]
        rows.append([AXES[each.axis][0], *sizes, *costs, *ratios])
    notes = [
        "Feature accesses to a test error of delta, a sixteenth of the rare share; medians over the runs. Pegasos has "
        "the better of lambda = 0.001 and 0.01."
    ]
    return Table(columns, rows, notes)
