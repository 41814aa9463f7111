"""Figures of CPU times: all methods on all data sets for several C, as tables of shades and as curves."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import geometric_mean
from typing import TYPE_CHECKING, Any, Final

import pandas as pd

from experiments.curve import column
from experiments.papers import layout
from experiments.papers.bands import Band, band
from experiments.papers.cases import judge_claims
from experiments.papers.effort import multiple_text, seconds_text
from experiments.papers.panels import empty, heading, name_of
from experiments.papers.sgdr import NO_PRINTED_VALUES
from experiments.papers.sgdr.timing import ACCURACY, STOPPING, TimedProblem, methods, timed_problems
from experiments.plotting import FAINT, INK, PANEL, STYLES, axis_name, legend_row
from experiments.reproduction.evidence import Evidence
from experiments.reproduction.figure_result import Bold, FigureResult, Table
from experiments.reproduction.spec import ClaimSpec, FigureSpec
from experiments.reproduction.verdict import Claim

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

_NAMES, _MARGIN, _BETWEEN = 1.35, 0.12, 0.14  # inches
_ROW, _ABOVE = 0.26, 0.5  # inches
_KEY: Final = (1.0, 3.0, 10.0, 30.0, 100.0)
"""Multiples of the fastest in the key; larger ones have the last shade."""
_DARK: Final = 20.0
"""Text is white on the shades of larger multiples."""
_PLACED: Final[dict[str, Any]] = {"textcoords": "offset points", "parse_math": False}


def _heat_height(methods: int) -> float:
    """Height of the picture, in inches."""
    return _ABOVE + _ROW * methods


def _draw_heat(figure: Figure | SubFigure, problems: Sequence[TimedProblem], names: Sequence[str], top: float) -> None:
    """Draw a block per C, `top` inches from the top: one column per data set, one row per method."""
    width, whole = figure.bbox.width / figure.dpi, figure.bbox.height / figure.dpi
    values = sorted({problem.C for problem in problems})
    block, tall = (width - _NAMES - _MARGIN + _BETWEEN) / len(values) - _BETWEEN, _ROW * len(names)
    bottom = whole - top - _ABOVE - tall
    for k, C in enumerate(values):
        left = _NAMES + k * (block + _BETWEEN)
        axes = figure.add_axes((left / width, bottom / whole, block / width, tall / whole))
        _draw_block(axes, [problem for problem in problems if problem.C == C], names)
        if k == 0:
            beside: dict[str, Any] = {"xycoords": ("axes fraction", "data"), "ha": "right", "va": "center"} | _PLACED
            for row, name in enumerate(names):
                axes.annotate(STYLES[name].name, (0, row + 0.5), (-6, 0), size=PANEL.ticks, color=INK, **beside)


def _draw_block(axes: Axes, problems: Sequence[TimedProblem], names: Sequence[str]) -> None:
    from matplotlib.patches import Rectangle

    axes.set_xlim(0, len(problems))
    axes.set_ylim(len(names), 0)
    axes.set_axis_off()
    above: dict[str, Any] = {"color": INK, "va": "baseline"} | _PLACED
    axes.annotate(
        f"C = {problems[0].C:g}", (0, 1), (0, 21), xycoords="axes fraction", size=PANEL.label, weight="bold", **above
    )
    for place, problem in enumerate(problems):
        axes.annotate(problem.short, (place + 0.5, 0), (0, 6), xycoords="data", ha="center", size=PANEL.note, **above)
        for row, method in enumerate(names):
            effort = problem.efforts.get(method)
            multiple = problem.multiple(method)
            color = "#eeeeee" if multiple is None else _shade(multiple)
            axes.add_patch(Rectangle((place, row), 1, 1, facecolor=color, edgecolor="white", linewidth=1.2))
            axes.text(
                place + 0.5,
                row + 0.5,
                "-" if effort is None else effort.text(seconds_text),
                ha="center",
                va="center_baseline",
                size=PANEL.note - 1.2,
                weight="bold" if multiple == 1 else "normal",
                color=FAINT if multiple is None else "white" if multiple > _DARK else INK,
            )


def _draw_key(figure: Figure | SubFigure, top: float) -> None:
    """Draw the key of the shades in one line."""
    from matplotlib.patches import Rectangle

    width, whole = figure.bbox.width / figure.dpi, figure.bbox.height / figure.dpi
    axes = figure.add_axes((0, 1 - (top + 0.2) / whole, 1, 0.2 / whole))
    axes.set_xlim(0, width)
    axes.set_ylim(0, 0.2)
    axes.set_axis_off()
    words: dict[str, Any] = {"size": PANEL.note, "color": INK, "va": "center", "parse_math": False}
    axes.text(_NAMES, 0.1, "multiple of the fastest:", **words)
    for k, multiple in enumerate(_KEY):
        left = _NAMES + 1.5 + 0.75 * k
        axes.add_patch(Rectangle((left, 0.02), 0.26, 0.16, facecolor=_shade(multiple), edgecolor=FAINT, linewidth=0.5))
        axes.text(left + 0.32, 0.1, f"{multiple:g}{' and more' if multiple == _KEY[-1] else ''}", **words)


def _shade(multiple: float) -> str:
    """Colour of a multiple of the fastest time."""
    import matplotlib as mpl
    from matplotlib.colors import to_hex

    return to_hex(mpl.colormaps["YlOrBr"](min(math.log(multiple) / math.log(_KEY[-1]), 1.0) * 0.9))


_HEAD: Final = 0.42  # inches, as below
_LEGEND: Final = 0.26
_PER_LINE: Final = 6
_GAP: Final = 0.55
_NEAREST: Final = 1e-4
_FARTHEST: Final = 10.0


@dataclass(frozen=True)
class ConvergencePath:
    """(J - J_opt) / J_opt of all methods against CPU seconds, on one problem."""

    problem: TimedProblem
    bands: Mapping[str, Band]


def _size(
    problems: Sequence[TimedProblem], paths: Sequence[ConvergencePath], names: Sequence[str]
) -> tuple[float, float]:
    """Width and height of the drawing, in inches."""
    if not _any_times(problems):
        return layout.WIDTH, layout.height(1)
    return layout.WIDTH, _HEAD + _heat_height(len(names)) + _paths_head(names) + layout.height(len(paths))


def _draw(
    figure: Figure | SubFigure, problems: Sequence[TimedProblem], paths: Sequence[ConvergencePath], names: Sequence[str]
) -> None:
    """Draw both parts."""
    if not _any_times(problems):
        empty(figure, "no finished runs with an optimum to compare with")
        return
    whole = figure.bbox.height / figure.dpi
    stopping = ", ".join(STYLES[name].name for name in STOPPING if name in names)
    caption = (
        f"CPU time to (J - J_opt) / J_opt <= {ACCURACY:g}, medians over the runs; {stopping}: to the end set by "
        "the method's own rule. >: not reached in this time. *: stand-in."
    )
    figure.text(0.12 / layout.WIDTH, 1 - 0.02 / whole, caption, size=PANEL.note, color=FAINT, va="top")
    _draw_key(figure, 0.2)
    _draw_heat(figure, problems, names, _HEAD)
    top = _HEAD + _heat_height(len(names)) + _GAP
    axes = layout.add_panels(figure, len(paths), top - _GAP + _paths_head(names))
    if not paths:
        return
    left = axes[0].get_position().x0
    text = f"Convergence for C = {paths[0].problem.C:g}: (J - J_opt) / J_opt against CPU time, medians over the runs"
    figure.text(left, 1 - (top - 0.08) / whole, text, size=PANEL.label, style="italic", color=INK, va="bottom")
    shown = [name for name in names if any(name in path.bands for path in paths)]
    for line in range(0, len(shown), _PER_LINE):
        place = 1 - (top + _LEGEND * line / _PER_LINE) / whole
        legend_row(figure, [STYLES[name] for name in shown[line : line + _PER_LINE]], (left, place))
    for k, (each, path) in enumerate(zip(axes, paths, strict=True)):
        layout.log_axes(each, axis_name("cpu_seconds"), "(J - J_opt) / J_opt", k)
        _draw_path(each, path)
        heading(each, path.problem.panel)


def _any_times(problems: Sequence[TimedProblem]) -> bool:
    return any(problem.efforts for problem in problems)


def _paths_head(names: Sequence[str]) -> float:
    return _GAP + _LEGEND * -(-len(names) // _PER_LINE)


def _draw_path(axes: Axes, path: ConvergencePath) -> None:
    axes.axhline(ACCURACY, color=INK, linewidth=1.0, linestyle=(0, (1.0, 2.0)), zorder=1.5)
    ends = []
    for name, own in path.bands.items():
        layout.draw_line(axes, own.at_least(_NEAREST / 2), STYLES[name])
        ends += [own.cost[own.median <= _FARTHEST][:1], own.cost[own.median >= _NEAREST][-1:]]
    axes.set_ylim(_NEAREST, _FARTHEST)
    limits = [float(end[0]) for end in ends if len(end)]
    if limits:
        axes.set_xlim(min(limits) / 1.2, max(limits) * 1.2)


COLUMNS: Final = ("panel", "dataset", "C", "series", "seconds", "least", "largest", "runs", "reached", "over_fastest")


def _time_points(problems: Sequence[TimedProblem], names: Sequence[str]) -> pd.DataFrame:
    """Return a row for each data set, C and method: CPU seconds, and the multiple of the fastest method's."""
    rows = [
        {
            "panel": problem.panel.paper_dataset,
            "dataset": problem.panel.dataset,
            "C": problem.C,
            "series": name,
            **effort.columns("seconds"),
            "over_fastest": problem.multiple(name),
        }
        for problem in problems
        for name in names
        if (effort := problem.efforts.get(name)) is not None
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _table(problems: Sequence[TimedProblem], names: Sequence[str]) -> Table:
    """Return for each C the optima and a row for each method, with a column for each data set."""
    rows: list[list[str | Bold]] = []
    for C in sorted({problem.C for problem in problems}):
        own = [problem for problem in problems if problem.C == C]
        optima = ["" if problem.optimum is None else f"{problem.optimum.upper:.6f}" for problem in own]
        rows.append([f"{C:g}", "J_opt", *optima, ""])
        rows += [
            [f"{C:g}", STYLES[name].name, *(_cell(problem, name) for problem in own), _mean(own, name)]
            for name in names
        ]
        to_target = [problem.to_target() for problem in own]
        rows += [
            [
                f"{C:g}",
                f"({STYLES[name].name}, first evaluation)",
                *(_cell(problem, name) for problem in to_target),
                "",
            ]
            for name in STOPPING
            if name in names
        ]
    data_sets = {problem.panel.paper_dataset: problem for problem in problems}
    stopping = " and ".join(STYLES[name].name for name in STOPPING if name in names)
    notes = [
        f"CPU time in the solver to (J - J_opt) / J_opt <= {ACCURACY:g}, median over the runs; in brackets the "
        "multiple of the fastest, in the last column its geometric mean. >: half of the runs or more missed it within "
        "this time.",
        f"Timed to the first evaluation of that accuracy; evaluations are close on a logarithmic scale; {stopping} to "
        "the end set by the method's own rule, after an epoch, and in brackets to the first evaluation too.",
        "; ".join(f"{problem.short}: {name_of(problem.panel)}" for problem in data_sets.values()) + ".",
        *(f"{problem.name}: {problem.unfit}." for problem in problems if problem.unfit),
        NO_PRINTED_VALUES,
    ]
    return Table(["C", "method", *(problem.short for problem in data_sets.values()), "mean multiple"], rows, notes)


def _cell(problem: TimedProblem, name: str) -> str | Bold:
    effort, multiple = problem.efforts.get(name), problem.multiple(name)
    if effort is None:
        return ""
    text = effort.text(seconds_text)
    if multiple is None:
        return text
    return Bold(text) if multiple == 1 else f"{text} ({multiple_text(multiple)})"


def _mean(problems: Sequence[TimedProblem], name: str) -> str:
    """Write the mean over all data sets; nothing where one of them has no time."""
    known = [multiple for problem in problems if (multiple := problem.multiple(name)) is not None]
    return multiple_text(geometric_mean(known)) if known and len(known) == len(problems) else ""


Judge = Callable[[Evidence, ClaimSpec, Sequence[TimedProblem]], Claim]


def make_times(evidence: Evidence, judges: Mapping[str, Judge]) -> FigureResult:
    """Draw the figure and judge its claims by id. All its series are swept over the same values of C."""
    found, names = timed_problems(evidence), methods(evidence.spec)
    paths = [path for problem in middle(found) if (path := _path(problem, evidence.spec, names)).bands]
    return FigureResult(
        pd.concat([_time_points(found, names), *(_path_points(path) for path in paths)], ignore_index=True),
        partial(_draw, problems=found, paths=paths, names=names),
        _size(found, paths, names),
        table=_table(found, names),
        claims=judge_claims(
            evidence, {name: partial(_judge, judge=judge, found=found) for name, judge in judges.items()}
        ),
    )


def middle(found: Sequence[TimedProblem]) -> list[TimedProblem]:
    """Return the cases with the middle value of C, the smaller of two."""
    values = sorted({problem.C for problem in found})
    chosen = values[(len(values) - 1) // 2 : (len(values) + 1) // 2]
    return [problem for problem in found if problem.C in chosen]


def _judge(evidence: Evidence, spec: ClaimSpec, judge: Judge, found: Sequence[TimedProblem]) -> Claim:
    return judge(evidence, spec, found)


def _path(problem: TimedProblem, spec: FigureSpec, names: Sequence[str]) -> ConvergencePath:
    optimum = problem.optimum
    if optimum is None:
        return ConvergencePath(problem, {})
    bands = {
        name: band(
            [
                (column(frame, "cpu_seconds"), optimum.excess(column(frame, "primal")))
                for frame in problem.panel.curves(spec.members(name)[problem.C])
            ]
        )
        for name in names
    }
    return ConvergencePath(problem, {name: found for name, found in bands.items() if found is not None})


def _path_points(path: ConvergencePath) -> pd.DataFrame:
    return pd.concat(
        [
            pd.DataFrame(
                {
                    "panel": path.problem.panel.paper_dataset,
                    "dataset": path.problem.panel.dataset,
                    "C": path.problem.C,
                    "series": name,
                    "seconds": band.cost,
                    "runs": band.runs,
                    "excess": band.median,
                }
            )
            for name, band in path.bands.items()
        ],
        ignore_index=True,
    )
