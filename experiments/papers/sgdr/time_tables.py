"""Figures of costs: all methods on all data sets for several C, as tables of shades and as curves."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from statistics import geometric_mean
from typing import TYPE_CHECKING, Any, Final

import pandas as pd

from ...plotting import FAINT, INK, STYLES, axis_name, legend_row
from ...plotting.bands import band_table
from ...reproduction.evidence import Bold, FigureResult, Table
from ...reproduction.spec import FigureSpec
from ...reproduction.statistics.ratio import multiple_text
from ...reproduction.verdict import Claim
from .. import layout
from ..optimum import SERIES
from ..panels import empty, heading, name_of
from ..times import seconds_text
from . import NO_PRINTED_VALUES
from .comparisons import problems_at
from .timing import ACCURACY, PROTOCOLS, SECONDS, STOPPING, ProblemRuns

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

_NAMES, _MARGIN, _BETWEEN = 1.75, 0.12, 0.14  # inches, as the next line
_ROW, _ABOVE, _HEAD, _BLOCK_HEAD = 0.26, 0.5, 0.6, 0.62
"""Heights of a row of the table, of the names above it, of caption and key, of title and legend of panels."""
_KEY: Final = (1.0, 3.0, 10.0, 30.0, 100.0)
"""Multiples of the fastest in the key; larger ones have the last shade."""
_DARK: Final = 20.0
"""Text is white on the shades of larger multiples."""
_PLACED: Final[dict[str, Any]] = {"textcoords": "offset points"}
_NEAREST: Final = 1e-4
_FARTHEST: Final = 10.0
_EXCESS: Final = r"$(J - J_{\mathrm{opt}})\,/\,J_{\mathrm{opt}}$"
_GROUPS: Final[Mapping[str, tuple[str, ...]]] = {
    "stochastic gradients": ("pegasos", "svmsgd", "sgdqn", "sgdqn_2009", "sgd_r", "sgd_s", "sgd_m"),
    "cutting planes and dual methods, and SGD-m": ("svmperf", "ocas", "liblinear", "dcd", "mpu", "sgd_m"),
}
"""Methods that share a panel."""

Lines = Sequence[tuple[str, str, str]]
"""Method, protocol and name of each row."""


def lines(spec: FigureSpec) -> Lines:
    """Return the rows of a table: all methods, then the other readings of those that stop by themselves."""
    methods = [series.name for series in spec.series if series.name != SERIES]
    stopping = [(name, protocol) for name in methods if name in STOPPING for protocol in PROTOCOLS if protocol != "own"]
    rows = [*((name, "own") for name in methods), *stopping]
    return [(name, protocol, STYLES[name].name + PROTOCOLS[protocol]) for name, protocol in rows]


def _draw_heat(figure: Figure | SubFigure, problems: Sequence[ProblemRuns], rows: Lines, top: float) -> None:
    """Draw a block per C, `top` inches from the top: one column per data set, one row per method and reading."""
    width, whole = figure.bbox.width / figure.dpi, figure.bbox.height / figure.dpi
    values = sorted({problem.C for problem in problems})
    block, tall = (width - _NAMES - _MARGIN + _BETWEEN) / len(values) - _BETWEEN, _ROW * len(rows)
    bottom = whole - top - _ABOVE - tall
    for k, C in enumerate(values):
        left = _NAMES + k * (block + _BETWEEN)
        axes = figure.add_axes((left / width, bottom / whole, block / width, tall / whole))
        _draw_block(axes, [problem for problem in problems if problem.C == C], rows)
        if k == 0:
            beside: dict[str, Any] = {"xycoords": ("axes fraction", "data"), "ha": "right", "va": "center"} | _PLACED
            for row, (_, protocol, name) in enumerate(rows):
                look: dict[str, Any] = {"color": INK} if protocol == "own" else {"color": FAINT, "style": "italic"}
                axes.annotate(name, (0, row + 0.5), (-6, 0), **look, **beside)


def _draw_block(axes: Axes, problems: Sequence[ProblemRuns], rows: Lines) -> None:
    from matplotlib.patches import Rectangle

    axes.set(xlim=(0, len(problems)), ylim=(len(rows), 0))
    axes.set_axis_off()
    above: dict[str, Any] = {"color": INK, "va": "baseline"} | _PLACED
    title: dict[str, Any] = {"xycoords": "axes fraction", "size": "large", "weight": "bold"}
    axes.annotate(f"$C$ = {problems[0].C:g}", (0, 1), (0, 21), **title, **above)
    for column, problem in enumerate(problems):
        axes.annotate(problem.short, (column + 0.5, 0), (0, 6), xycoords="data", ha="center", **above)
        for row, (method, protocol, _) in enumerate(rows):
            effort = problem.effort(method, protocol)
            multiple = problem.multiple(effort)
            color = "#eeeeee" if multiple is None else _shade(multiple)
            axes.add_patch(Rectangle((column, row), 1, 1, facecolor=color, edgecolor="white", linewidth=1.2))
            axes.text(
                column + 0.5,
                row + 0.5,
                "-" if effort is None else effort.text(seconds_text),
                ha="center",
                va="center_baseline",
                size="small",
                style="normal" if protocol == "own" else "italic",
                weight="bold" if multiple == 1 and protocol == "own" else "normal",
                color=FAINT if multiple is None else "white" if multiple > _DARK else INK,
            )
    if readings := sum(protocol != "own" for _, protocol, _ in rows):
        axes.axhline(len(rows) - readings, color=INK, linewidth=0.8)


def _draw_key(figure: Figure | SubFigure, top: float) -> None:
    """Draw the key of the shades in one line."""
    from matplotlib.patches import Rectangle

    width, whole = figure.bbox.width / figure.dpi, figure.bbox.height / figure.dpi
    axes = figure.add_axes((0, 1 - (top + 0.2) / whole, 1, 0.2 / whole))
    axes.set(xlim=(0, width), ylim=(0, 0.2))
    axes.set_axis_off()
    look: dict[str, Any] = {"color": INK, "va": "center"}
    axes.text(_NAMES, 0.1, "multiple of the fastest:", **look)
    for k, multiple in enumerate(_KEY):
        left = _NAMES + 1.5 + 0.75 * k
        axes.add_patch(Rectangle((left, 0.02), 0.26, 0.16, facecolor=_shade(multiple), edgecolor=FAINT, linewidth=0.5))
        axes.text(left + 0.32, 0.1, f"{multiple:g}{' and more' if multiple == _KEY[-1] else ''}", **look)


def _shade(multiple: float) -> tuple[float, float, float, float]:
    """Colour of a multiple of the fastest time."""
    import matplotlib as mpl

    share = math.log(max(multiple, 1.0)) / math.log(_KEY[-1])
    return mpl.colormaps["YlOrBr"](min(share, 1.0) * 0.9)


def _groups(rows: Lines) -> dict[str, list[str]]:
    """Return the methods of each block of panels that a figure has."""
    names = {name for name, _, _ in rows}
    groups = {title: [name for name in group if name in names] for title, group in _GROUPS.items()}
    return {title: group for title, group in groups.items() if len(group) > 1}


def _draw(
    figure: Figure | SubFigure,
    problems: Sequence[ProblemRuns],
    shown: Sequence[ProblemRuns],
    rows: Lines,
    has_optima: bool,
) -> None:
    """Draw the times, and the curves of the problems that are shown below them."""
    if not has_optima:
        empty(figure, "no finished runs with an optimum to compare with")
        return
    whole = figure.bbox.height / figure.dpi
    caption = (
        rf"CPU time to {_EXCESS} $\leq$ {ACCURACY:g}, medians over the runs; {', '.join(_stopping(rows))}: to the own "
        "stop, with the largest parameter whose stop is within it.\nItalics: other readings of the same methods. >: "
        "not reached in this time. *: stand-in."
    )
    figure.text(0.12 / layout.WIDTH, 1 - 0.02 / whole, caption, color=FAINT, va="top")
    _draw_key(figure, 0.4)
    _draw_heat(figure, problems, rows, _HEAD)
    top = _HEAD + _ABOVE + _ROW * len(rows) + 0.2
    for title, group in _groups(rows).items() if shown else ():
        panels = layout.add_panels(figure, len(shown), top + _BLOCK_HEAD)
        left = panels[0].get_position().x0
        text = f"{_EXCESS} against CPU time for $C$ = {shown[0].C:g}, medians over the runs: {title}"
        figure.text(left, 1 - (top + 0.3) / whole, text, size="large", style="italic", color=INK, va="bottom")
        legend_row(figure, [STYLES[name] for name in group], (left, 1 - (top + 0.38) / whole))
        for index, (axes, problem) in enumerate(zip(panels, shown, strict=True)):
            layout.log_axes(axes, axis_name(SECONDS), _EXCESS, index)
            _draw_curves(axes, problem, group)
            heading(axes, problem.panel)
        top += _BLOCK_HEAD + layout.height(len(shown))


def _stopping(rows: Lines) -> list[str]:
    """Return the names of the methods that stop by themselves."""
    return [STYLES[name].name for name in STOPPING if any(method == name for method, _, _ in rows)]


def _draw_curves(axes: Axes, problem: ProblemRuns, group: Sequence[str]) -> None:
    axes.axhline(ACCURACY, color=INK, linewidth=1.0, linestyle=(0, (1.0, 2.0)), zorder=1.5)
    limits: list[float] = []
    for name in group:
        if (excess := problem.bands.get(name)) is not None:
            layout.draw_line(axes, excess.at_least(_NEAREST / 2), STYLES[name])
            limits += [*excess.cost[excess.middle <= _FARTHEST][:1], *excess.cost[excess.middle >= _NEAREST][-1:]]
    axes.set_ylim(_NEAREST, _FARTHEST)
    if limits:
        axes.set_xlim(min(limits) / 1.2, max(limits) * 1.2)


def _points(problems: Sequence[ProblemRuns], shown: Sequence[ProblemRuns], rows: Lines) -> pd.DataFrame:
    """Return the times of each data set, C, method and reading in seconds, and the points of the curves shown."""

    def named(problem: ProblemRuns, series: str) -> dict[str, Any]:
        panel = problem.panel
        return {"panel": panel.paper_dataset, "dataset": panel.dataset, "C": problem.C, "series": series}

    times = [
        named(problem, name)
        | {"protocol": protocol, **effort.columns("seconds"), "step": effort.step}
        | {"over_fastest": problem.multiple(effort)}
        for problem in problems
        for name, protocol, _ in rows
        if (effort := problem.effort(name, protocol)) is not None
    ]
    curves = [(named(problem, name), curve) for problem in shown for name, curve in problem.bands.items()]
    points = band_table(curves, SECONDS, ("panel", "dataset", "C", "series", SECONDS, "runs", "median"))
    points = points.rename(columns={SECONDS: "seconds", "median": "excess"})
    return pd.concat([pd.DataFrame(times), points], ignore_index=True)


def _table(problems: Sequence[ProblemRuns], rows: Lines) -> Table:
    """Return for each C the optima and a row for each method and reading, with a column for each data set."""
    table: list[list[str | Bold]] = []
    for C in sorted({problem.C for problem in problems}):
        columns = [problem for problem in problems if problem.C == C]
        optima = ["" if problem.optimum is None else f"{problem.optimum.upper:.6f}" for problem in columns]
        table.append([f"{C:g}", "J_opt", *optima, ""])
        for name, protocol, label in rows:
            cells = [_cell(problem, name, protocol) for problem in columns]
            multiples = [problem.multiple(problem.effort(name, protocol)) for problem in columns]
            finite = [multiple for multiple in multiples if multiple is not None]
            whole = protocol == "own" and len(finite) == len(columns)
            mean = multiple_text(geometric_mean(finite)) if whole else ""
            table.append([f"{C:g}", label if protocol == "own" else f"({label})", *cells, mean])
    data_sets = {problem.panel.paper_dataset: problem for problem in problems}
    stopping = " and ".join(_stopping(rows))
    notes = [
        f"CPU time in the solver to (J - J_opt) / J_opt <= {ACCURACY:g}, median over the runs; in brackets the "
        "multiple of the fastest, in the last column its geometric mean. >: half of the runs or more missed it within "
        "this time.",
        f"Timed to the first evaluation of that accuracy; evaluations are close on a logarithmic scale. {stopping}: to "
        "the end set by the method's own rule, at the largest parameter whose end has that accuracy; rows in brackets: "
        f"with the parameter {ACCURACY:g}, and to the first evaluation.",
        "; ".join(f"{problem.short}: {name_of(problem.panel)}" for problem in data_sets.values()) + ".",
        *(f"{problem.name}: {problem.unfit}." for problem in problems if problem.unfit),
        NO_PRINTED_VALUES,
    ]
    return Table(["C", "method", *(problem.short for problem in data_sets.values()), "mean multiple"], table, notes)


def _cell(problem: ProblemRuns, name: str, protocol: str) -> str | Bold:
    effort = problem.effort(name, protocol)
    multiple = problem.multiple(effort)
    if effort is None:
        return ""
    text = effort.text(seconds_text)
    if multiple is None:
        return text
    return Bold(text) if multiple == 1 and protocol == "own" else f"{text} ({multiple_text(multiple)})"


def make_tables(spec: FigureSpec, problems: Sequence[ProblemRuns], claims: Sequence[Claim]) -> FigureResult:
    """Draw all problems of a figure, whose series are swept over the same values of C."""
    rows, has_optima = lines(spec), any(problem.optimum is not None for problem in problems)
    shown = [problem for problem in problems_at(problems, "middle") if problem.bands]
    draw = partial(_draw, problems=problems, shown=shown, rows=rows, has_optima=has_optima)
    blocks = len(_groups(rows)) * (_BLOCK_HEAD + layout.height(len(shown))) if shown else 0.0
    height = _HEAD + _ABOVE + _ROW * len(rows) + 0.2 + blocks if has_optima else layout.height(1)
    table, size = partial(_table, problems, rows), (layout.WIDTH, height)
    return FigureResult(lambda: _points(problems, shown, rows), draw, size, table=table, claims=claims)
