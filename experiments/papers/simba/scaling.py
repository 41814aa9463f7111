"""Section 5 on dense data with rare directions: accesses of SIMBA and Pegasos to an error against delta, B, d and n."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from typing import TYPE_CHECKING, Final, Literal

import pandas as pd

from svm_cost_curves.experiments.columns import MEASURE
from svm_cost_curves.experiments.curve import column
from svm_cost_curves.experiments.papers import layout
from svm_cost_curves.experiments.papers.cases import Case, Findings, Statistic, case_on, interval_text, judge_claims
from svm_cost_curves.experiments.plotting import FAINT, INK, STYLES
from svm_cost_curves.experiments.reproduction.evidence import Evidence, Panel
from svm_cost_curves.experiments.reproduction.figure_result import FigureResult, Table
from svm_cost_curves.experiments.reproduction.spec import FigureSpec
from svm_cost_curves.experiments.reproduction.statistics import (
    BESIDE,
    LEAST_POINTS,
    MISSING,
    UNCLEAR,
    Effort,
    Interval,
    Ratio,
    at_most,
    cost_to_target,
    effort_of,
    exponent,
    medians_of,
    multiple_text,
    ratio_of,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure, SubFigure

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
_HEAD: Final = 0.5  # inches


@dataclass(frozen=True, eq=False)
class Setting:
    """One data set of the family, and the runs of both methods.

    Attributes
    ----------
    axis : str
        Key of `AXES`: the quantity that varies.
    x : float
        Its value.
    n, d : int
    delta, squared_norm : float
        The error to reach, and B^2.
    costs : mapping of str to Effort
        ``simba`` and ``pegasos``: iterations to the error, of Pegasos with its better lambda; ``seconds``: CPU time of
        an iteration of SIMBA.
    """

    axis: str
    x: float
    n: int
    d: int
    delta: float
    squared_norm: float
    costs: Mapping[str, Effort]

    @cached_property
    def accesses(self) -> dict[str, Effort]:
        """Feature accesses to the error: of SIMBA n + d an iteration, of Pegasos d."""
        each = {"simba": self.n + self.d, "pegasos": self.d}
        return {method: self.costs[method].times(each[method]) for method in METHODS if method in self.costs}


def settings_of(panel: Panel, spec: FigureSpec) -> list[Setting]:
    """Return the settings axis by axis, also those without runs."""
    settings: list[Setting] = []
    for axis in AXES:
        names = {method: spec.members(f"{method}_{axis}") for method in ("simba", *RIVALS)}
        for value, series in names["simba"].items():
            if series not in panel.settings:
                continue
            data = panel.settings[series].dataset
            delta, n, d = SHARE * float(data.rare), int(data.n), int(data.d or 0)
            runs = {method: panel.curves(members[value]) for method, members in names.items()}
            efforts = {method: cost_to_target(frames, "iterations", MEASURE, delta) for method, frames in runs.items()}
            costs = {method: effort for method, effort in efforts.items() if effort is not None}
            if rivals := [costs[rival] for rival in RIVALS if rival in costs]:
                costs["pegasos"] = min(rivals, key=lambda effort: (not effort.known, effort.median))
            if runs["simba"]:
                ends = [(column(run, "cpu_seconds")[-1], column(run, "iterations")[-1]) for run in runs["simba"]]
                costs["seconds"] = effort_of([float(seconds / iterations) for seconds, iterations in ends], math.inf)
            norm2 = LENGTH * data.directions
            x = {"delta": 1 / delta, "norm": norm2, "d": float(d), "n": float(n)}[axis]
            settings.append(Setting(axis, x, n, d, delta, norm2, costs))
    return settings


def gain(setting: Setting, rival: str) -> Ratio | None:
    """Divide Pegasos's accesses, or the size n d, by SIMBA's; None without runs, or if neither is known."""
    size = Effort((float(setting.n * setting.d),), (True,))
    simba, other = setting.accesses.get("simba"), size if rival == "size" else setting.accesses.get("pegasos")
    return None if simba is None or other is None else ratio_of(other, simba)


Data = Sequence[tuple[Panel, Sequence[Setting]]]
"""The settings of each data set."""


@dataclass(frozen=True, kw_only=True)
class Gain(Statistic):
    """Feature accesses of SIMBA to the error, fewer than its rival's in each setting for which the theory says so.

    Attributes
    ----------
    rival : str
        Pegasos's accesses, or the training set's ``size`` n d.
    far : float
        Least d over B^2.
    near : float
        Largest delta log(B^2 / delta).
    """

    rival: Literal["pegasos", "size"] = "pegasos"
    far: float
    near: float

    def findings(self, data: Data, evidence: Evidence) -> Findings:
        """Compare the accesses.

        Settings for which the theory promises nothing are beside the claim, as is a setting that an earlier axis has.
        """
        return Findings([case for panel, settings in data for case in self._cases(panel, settings)])

    def _cases(self, panel: Panel, settings: Sequence[Setting]) -> list[Case]:
        cases: list[Case] = []
        first: dict[tuple[float, ...], str] = {}
        for setting in settings:
            case = self._case(panel, setting)
            same = first.setdefault((setting.n, setting.d, setting.delta, setting.squared_norm), case.about)
            repeated = replace(case, decision=BESIDE, note=f"the same setting as {same}")
            cases.append(case if same == case.about else repeated)
        return cases

    def _case(self, panel: Panel, setting: Setting) -> Case:
        name = f"{AXES[setting.axis][0]} = {setting.x:.4g}"
        most = self.near / math.log(setting.squared_norm / setting.delta)
        promised = setting.d >= self.far * setting.squared_norm and setting.delta <= most
        ratio = gain(setting, self.rival)
        if ratio is not None:
            decision = ratio.above(1.0) if promised else BESIDE
            return case_on(panel, name, decision, f"{ratio.text()} times", ratio.as_dict(), about=name)
        run = len(setting.accesses) == len(METHODS)
        decision, note = (UNCLEAR, "neither reaches the error") if run else (MISSING, "no runs")
        return case_on(panel, name, decision if promised else BESIDE, note=note, about=name)


@dataclass(frozen=True, kw_only=True)
class Growth(Statistic):
    """Exponents along settings in which one quantity grows, each at most the theory's exponent and a slack.

    Attributes
    ----------
    of : str
        ``iterations`` of SIMBA to the error, over log n as in Theorem 4.3, or the ``seconds`` of an iteration.
        Pegasos's iterations are measured beside the claim.
    exponents : dict of str to float
        The theory's exponent of each quantity that grows: a key of `AXES`, or ``n + d``.
    slack : float
    """

    of: Literal["iterations", "seconds"]
    exponents: dict[str, float]
    slack: float

    def findings(self, data: Data, evidence: Evidence) -> Findings:
        """Fit the exponent of each quantity."""
        costs = METHODS if self.of == "iterations" else ("seconds",)
        return Findings(
            [
                self._case(panel, tuple(own for own in settings if own.axis in axis.split(" + ")), axis, cost)
                for panel, settings in data
                for axis in self.exponents
                for cost in costs
            ]
        )

    def _case(self, panel: Panel, along: tuple[Setting, ...], axis: str, cost: str) -> Case:
        name = AXES[axis][0] if axis in AXES else axis
        what, about = f"{cost} {name}", f"{'Pegasos' if cost == 'pegasos' else 'SIMBA'}, growing {name}"
        a = growth(along, axis, cost)
        if isinstance(a, str):
            return case_on(panel, what, BESIDE if cost == "pegasos" else MISSING, note=a, about=about)
        decision = BESIDE if cost == "pegasos" else at_most(a, self.exponents[axis] + self.slack)
        return case_on(panel, what, decision, f"exponent {interval_text(a, '.2f')}", a.as_dict(), about=about)


@lru_cache(maxsize=64)
def growth(settings: tuple[Setting, ...], axis: str, cost: str) -> Interval | str:
    """Return the exponent of one of the `costs` of settings, with its interval over the runs; or why there is none.

    SIMBA's iterations are divided by log n.
    """
    efforts = [setting.costs[cost] for setting in settings if cost in setting.costs]
    if len(efforts) < len(settings):
        return "settings without runs"
    if not all(effort.known for effort in efforts):
        return "the error is not reached everywhere"
    units = [math.log(setting.n) if cost == "simba" else 1.0 for setting in settings]
    values = [effort.times(1 / unit).costs for effort, unit in zip(efforts, units, strict=True)]
    x = [setting.n + setting.d if axis == "n + d" else setting.x for setting in settings]
    found = exponent(x, medians_of(values), [len(runs) for runs in values])
    return f"fewer than {LEAST_POINTS} settings" if found is None else found


STATISTICS = {"gain": Gain, "growth": Growth}


def make(evidence: Evidence) -> FigureResult:
    """Draw the figure and judge the claims."""
    data = [(panel, settings_of(panel, evidence.spec)) for panel in evidence.panels]
    shown = [setting for _, settings in data for setting in settings if setting.accesses]
    panels = [(axis, along) for axis in AXES if (along := [setting for setting in shown if setting.axis == axis])]
    return FigureResult(
        _data(shown),
        partial(_draw, panels=panels),
        layout.size(len(panels), _HEAD, 2),
        table=partial(_table, shown),
        claims=judge_claims(evidence, data=data),
    )


_CAPTION: Final = (
    r"Feature accesses to a test error of $\delta$: medians over the runs, bars from the least to the largest run. "
    "Numbers: Pegasos's over SIMBA's.\n"
    r"Elsewhere $1/\delta = 160$, $B^2 = 21$, $d = 4096$, $n = 1000$. Dotted: the training set's $n d$."
)


def _draw(figure: Figure | SubFigure, panels: Sequence[tuple[str, Sequence[Setting]]]) -> None:
    """Draw one panel for each quantity; bars go from the least to the largest run."""
    styles = [STYLES[name] for name in METHODS]
    names = ("", "Feature accesses")
    for axes, (axis, settings) in layout.each_panel(figure, panels, styles, _CAPTION.split("\n"), _HEAD, names, 2):
        axes.set_xlabel(AXES[axis][1], color=INK)
        for method in METHODS:
            style, known = STYLES[method], [setting for setting in settings if method in setting.accesses]
            medians = [setting.accesses[method].median for setting in known]
            axes.plot([setting.x for setting in known], medians, **style.look, **style.markers())
            for setting in known:
                ends = [pick(setting.accesses[method].costs) for pick in (min, max)]
                axes.plot([setting.x] * 2, ends, color=style.color, linewidth=1.0, alpha=0.6)
        x, sizes = [setting.x for setting in settings], [setting.n * setting.d for setting in settings]
        axes.plot(x, sizes, color=FAINT, linewidth=1.0, linestyle=(0, (1.0, 2.0)))
        for setting in settings:
            if (ratio := gain(setting, "pegasos")) is not None:
                spot = (setting.x, setting.accesses["simba"].median)
                text = {"at least": "> ", "at most": "< "}.get(ratio.bound, "") + multiple_text(ratio.interval.estimate)
                axes.annotate(text, spot, (0, -14), textcoords="offset points", ha="center", color=INK)
        axes.margins(x=0.08, y=0.16)


def _data(settings: Sequence[Setting]) -> pd.DataFrame:
    """One row for each run: accesses to the error; `reached` is false for a lower bound."""
    columns = ["axis", "x", "n", "d", "delta", "B2", "method", "run", "accesses", "reached"]
    rows = [
        [setting.axis, setting.x, setting.n, setting.d, setting.delta, setting.squared_norm, method, run, cost, reached]
        for setting in settings
        for method, effort in setting.accesses.items()
        for run, (cost, reached) in enumerate(zip(effort.costs, effort.reached, strict=True))
    ]
    return pd.DataFrame(rows, columns=columns)


def _table(settings: Sequence[Setting]) -> Table:
    columns = ["growing", "1 / delta", "B^2", "d", "n", "SIMBA", "Pegasos", "Pegasos over SIMBA", "n d over SIMBA"]
    rows = [
        [
            AXES[setting.axis][0],
            f"{1 / setting.delta:.0f}",
            f"{setting.squared_norm:.0f}",
            f"{setting.d:,}",
            f"{setting.n:,}",
            *(setting.accesses[name].text("{:.1e}".format) if name in setting.accesses else "" for name in METHODS),
            *(ratio.text() if (ratio := gain(setting, rival)) else "" for rival in ("pegasos", "size")),
        ]
        for setting in settings
    ]
    notes = [
        "Feature accesses to a test error of delta, a sixteenth of the rare share; medians over the runs. Pegasos has "
        "the better of lambda = 0.001 and 0.01."
    ]
    return Table(columns, rows, notes)
