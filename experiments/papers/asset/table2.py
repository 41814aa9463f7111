"""Table 2: training time and test error of all methods for s = 512 and s = 1024."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ...plotting import INK, STYLES, axis_name
from ...plotting.legend import write_legend
from ...reproduction.claim_spec import NumberSpec
from ...reproduction.evidence import Evidence, FigureResult, Panel, Table
from ...reproduction.numbers import Number
from ...reproduction.spec import FigureSpec
from .. import layout
from ..cases import judge_claims
from ..panels import heading, name_of
from ..printed import compare_number, data_difference, size_of_test_set
from ..times import seconds_text
from . import sweep
from .race import TO_TARGET, Cell, Entry, entries_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROWS: Final = {"adult": 32561, "mnist": 58100, "rcv1_ccat": 78127, "ijcnn1": 113352, "covtype": 464809}
"""Training rows of the paper's data sets."""
SECONDS: Final = {"s": 1.0, "h": 3600.0}
"""Units of printed times, which have one decimal."""
DROPPED: Final = "lasvm_dropped"
"""LASVM without its smallest coefficients; its errors are in the notes on LASVM's."""
_NAME: Final = re.compile(r"(time of )?(\w+) (error|time|over asset) on (\w+)(?:, s = (\d+))?")
Printed = Mapping[tuple[str, str, int], Mapping[str, NumberSpec]]
"""By ``error``, ``time`` or ``over asset``, the paper's data set and s: by method the printed number."""


def printed_in(spec: FigureSpec) -> Printed:
    """Return the printed numbers; methods without s are in both halves of the table."""
    printed: dict[tuple[str, str, int], dict[str, NumberSpec]] = {}
    for number in spec.numbers:
        parts = _NAME.fullmatch(number.name)
        assert parts is not None, number.name
        for s in [parts[5]] if parts[5] else map(int, spec.members("asset")):
            printed.setdefault((parts[3], parts[4], int(s)), {})[parts[2]] = number
    return printed


_OTHERS: Final = ("sklearn_nystroem", "libsvm")
"""Programs that the paper does not have; the others' errors set the vertical axis."""
_ONE_SIZE: Final = ("lasvm", "svmlight", "libsvm")
"""Methods without s."""
_MARKS: Final = {
    "asset": "D", "asset_star": "*", "cpsp": ">", "cpny": "s", "lasvm": "^", "svmlight": "h", "sklearn_nystroem": "<",
    "libsvm": "X",
}  # fmt: skip
_CAPTION: Final = (
    "Medians over the runs, lines from least to most. Filled: s = {large:,}; open: s = {small:,}. Arrow: most runs "
    "missed CPNY's error. With a number: error beyond the axis."
)


Drawn = tuple[Panel, Sequence[tuple[str, Cell, bool]], Sequence[str]]
"""One data set: its methods and their cells, filled or not; and the methods in a legend above its panel."""


def _draw(axes: Axes, item: Drawn) -> None:
    panel, cells, legend = item
    if legend:
        _draw_legend(axes, legend)
    axes.set_yscale("linear")
    axes.margins(x=0.08)
    # the axis is set by the errors of the paper's methods
    errors = [float(cell.errors.mean()) for name, cell, _ in cells if name not in _OTHERS]
    errors = errors or [float(cell.errors.mean()) for _, cell, _ in cells]
    margin = 0.2 * (max(errors) - min(errors)) or 0.1 * max(errors) or 0.1
    axes.set_ylim(min(errors) - margin, max(errors) + margin)
    for name, cell, filled in cells:
        missed = name in TO_TARGET and not cell.effort.mostly_reached
        _draw_cell(axes, cell, _marks(name, filled=filled), missed=missed)
    heading(axes, panel)


def _marks(name: str, *, filled: bool) -> dict[str, Any]:
    """Return matplotlib's arguments for a method's marker."""
    marks = replace(STYLES[name], marker=_MARKS[name]).markers(1.5) | {"markeredgecolor": STYLES[name].color}
    return marks if filled else marks | {"markerfacecolor": "white"}


def _draw_legend(axes: Axes, names: Sequence[str]) -> None:
    """Write the names of the methods with their symbols: filled and open where a method has both."""
    from matplotlib.lines import Line2D

    handles = [
        tuple(Line2D([], [], linestyle="none", **_marks(name, filled=filled)) for filled in kinds)
        for name in names
        for kinds in [(True,) if name in _ONE_SIZE else (True, False)]
    ]
    location: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (axes.get_position().x0, 1), "handlelength": 2.2}
    write_legend(axes.figure, handles, [STYLES[name].name for name in names], len(names), **location)


def _draw_cell(axes: Axes, cell: Cell, marks: Mapping[str, Any], *, missed: bool) -> None:
    """Draw a method's times at its error; one beyond the axis is at the edge, with its number."""
    seconds, mean, (low, high) = cell.effort.median, float(cell.errors.mean()), axes.get_ylim()
    error, color = min(max(mean, low), high), marks["markeredgecolor"]
    axes.plot([min(cell.effort.costs), max(cell.effort.costs)], [error, error], color=color, linewidth=1.2, zorder=2)
    if error != mean:
        look: dict[str, Any] = {"textcoords": "offset points", "ha": "center", "va": "center", "color": color}
        inwards = 13 if marks["markerfacecolor"] == "white" else 24  # the numbers of two sizes may be side by side
        axes.annotate(f"{mean:.1f} %", (seconds, error), (0, -inwards if mean > high else inwards), **look)
    axes.plot([seconds], [error], linestyle="none", clip_on=False, **marks)
    if missed:
        arrow = {"arrowstyle": "<|-", "color": INK, "linewidth": 0.8, "shrinkA": 4.0, "shrinkB": 0.0}
        axes.annotate("", (seconds, error), (16, 0), textcoords="offset points", arrowprops=arrow)


def make(evidence: Evidence) -> FigureResult:
    """Draw the figure, judge its claims and compare its numbers."""
    data = entries_of(evidence)
    names = [series.name for series in evidence.spec.series if not series.reference_only]
    shown = [entry for entry in data if entry.cells]
    cells_by_s = [
        sweep.Swept(entry.panel, {name: {entry.s: cell} for name, cell in entry.cells.items()}) for entry in shown
    ]

    def values(_: sweep.Swept[Cell], name: str, s: float, cell: Cell) -> tuple[Any, ...]:
        seconds, errors = cell.effort.columns("seconds").values(), cell.errors
        return s, name, *seconds, errors.mean(), sweep.spread(errors), cell.last.mean()

    there = [name for name in names if any(name in entry.cells for entry in shown)]
    items: list[Drawn] = []
    sizes = sorted({entry.s for entry in shown})
    for panel in {entry.panel.paper_dataset: entry.panel for entry in shown}.values():
        entries = [entry for entry in shown if entry.panel is panel]
        cells = [(name, cell, entry.s == sizes[-1]) for entry in entries for name, cell in entry.cells.items()]
        items.append((panel, cells, [] if items else there))
    caption = _CAPTION.format(small=sizes[0], large=sizes[-1]) if sizes else ""
    return FigureResult(
        lambda: sweep.points(cells_by_s, "s series seconds least largest runs reached error sd error_at_end", values),
        *layout.drawing(items, (), caption, (axis_name("cpu_seconds"), "Test error, %"), _draw),
        table=partial(_table, shown, names, printed_in(evidence.spec)),
        claims=judge_claims(evidence, data=data),
        numbers=list(_numbers(evidence.spec, data)),
    )


def _numbers(spec: FigureSpec, data: Sequence[Entry]) -> Iterator[Number]:
    """Compare errors, and ratios within a row, with the printed ones; list our times next to the printed times.

    The machine divides out of a ratio.
    """
    entries = {(entry.panel.paper_dataset, entry.s): entry for entry in data}
    for number in spec.numbers:
        parts = _NAME.fullmatch(number.name)
        assert parts is not None  # `printed_in` has read it
        _, method, kind, dataset, s = parts.groups()
        entry = entries.get((dataset, int(s or min(spec.members("asset")))))
        cell, asset = (None if entry is None else entry.cells.get(name) for name in (method, "asset"))
        if entry is None or cell is None or (kind == "over asset" and asset is None):
            yield compare_number(number, "", None)
            continue
        departure = data_difference(entry.panel, ROWS[dataset])
        if kind == "error":
            yield _error(number, entry, departure, cell, method)
        elif kind == "time" or asset is None:
            yield compare_number(number, departure, np.array(cell.effort.costs) / SECONDS[number.unit])
        else:
            efforts = [cell.effort, asset.effort]
            missed = (
                "" if all(effort.mostly_reached for effort in efforts) else "half or more of the runs miss CPNY's error"
            )
            values = [
                cost / asset_cost for cost, asset_cost in zip(*(effort.costs for effort in efforts), strict=False)
            ]
            yield compare_number(number, departure or entry.unfit or missed, values)


def _error(spec: NumberSpec, entry: Entry, departure: str, cell: Cell, method: str) -> Number:
    """Compare an error at the method's own stop; the note has that at the end of the runs, or without coefficients."""
    compared = partial(compare_number, spec, departure, test_rows=size_of_test_set(entry.panel))
    dropped = sweep.runs_of(entry.panel, DROPPED) if method == "lasvm" else []
    errors, where = cell.last, "at the end of the runs"
    if dropped:
        errors = sweep.last_errors(dropped)
        where = "without coefficients below a thousandth of the largest, as the program saves a model"
    elif method not in TO_TARGET:
        return compared(cell.errors)
    beside = compared(errors)
    remark = f"{beside.measured:.2f} % {where}" + ("" if departure else f": {beside.outcome}")
    return compared(cell.errors, remark)


def _table(shown: Sequence[Entry], names: Sequence[str], printed: Printed) -> Table:
    columns = ["s", "data set", *(STYLES[name].name for name in names)]
    rows: list[list[str]] = []
    for entry in shown:
        rows.append([f"{entry.s:,}", name_of(entry.panel), *(_cell(entry.cells.get(name)) for name in names)])
        dataset = entry.panel.paper_dataset
        times, errors = (printed.get((kind, dataset, entry.s), {}) for kind in ("time", "error"))
        if times:
            seconds = {name: seconds_text(SECONDS[time.unit] * time.paper) for name, time in times.items()}
            cells = (f"{seconds[name]} ({errors[name].paper:.2f})" if name in times else "" for name in names)
            rows.append([f"{entry.s:,}", f"{dataset}, as printed", *cells])
    counts = {name: sorted({len(entry.cells[name].errors) for entry in shown if name in entry.cells}) for name in names}
    runs = [f"{STYLES[name].name} {' or '.join(map(str, counts[name]))}" for name in names if counts[name]]
    to_target = ", ".join(STYLES[name].name for name in TO_TARGET if name in names)
    notes = [
        "Training CPU time, features and bases in it, median over the runs; in brackets the mean test error in per "
        "cent ± standard deviation, then that at the end of the runs. Ours on one thread of one machine, one run at a "
        "time; the printed ones are of 2011.",
        f"{to_target}: to the first evaluation with a test error of at most CPNY's on the same split of the data, a "
        "stop by the test set as in the paper; >: half of the runs or more missed it within this time. The others: to "
        "the end set by their own rules. Methods without s are in both halves.",
        "ASSET and ASSET* are evaluated ten times per epoch, by the average of their last 100 iterates; scikit-learn "
        "after 1, 2, 4, ... passes. LASVM, SVMlight and LIBSVM have an intercept, as the programs have by default. "
        "Each run has its own split of the data; the paper's 50 repetitions share one.",
        f"Runs: {', '.join(runs)}." if runs else "",
    ]
    return Table(columns, rows, notes)


def _cell(cell: Cell | None) -> str:
    if cell is None:
        return ""
    end = f"; {cell.last.mean():.2f}" if abs(cell.last.mean() - cell.errors.mean()) >= 0.005 else ""
    return f"{cell.effort.text(seconds_text)} ({sweep.error_text(cell.errors)}{end})"
