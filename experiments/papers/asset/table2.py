"""Table 2: training time and test error of all methods for s = 512 and s = 1024."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from svm_cost_curves.experiments.papers import layout
from svm_cost_curves.experiments.papers.asset import sweep
from svm_cost_curves.experiments.papers.asset.race import (
    TO_TARGET,
    Cell,
    Entry,
    TimeOverOtherDataSets,
    TimesAndErrors,
    entries_of,
)
from svm_cost_curves.experiments.papers.cases import judge_claims
from svm_cost_curves.experiments.papers.panels import empty, heading, name_of
from svm_cost_curves.experiments.papers.printed import compare_number, data_difference, size_of_test_set
from svm_cost_curves.experiments.papers.times import seconds_text
from svm_cost_curves.experiments.plotting import INK, STYLES, axis_name
from svm_cost_curves.experiments.plotting.legend import write_legend
from svm_cost_curves.experiments.reproduction.claim_spec import NumberSpec
from svm_cost_curves.experiments.reproduction.evidence import Evidence
from svm_cost_curves.experiments.reproduction.figure_result import FigureResult, Table
from svm_cost_curves.experiments.reproduction.numbers import Number
from svm_cost_curves.experiments.reproduction.spec import FigureSpec

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

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


STATISTICS = {"times_and_errors": TimesAndErrors, "time_over_other_data_sets": TimeOverOtherDataSets}
_HEAD: Final = 0.62  # inches
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


def _draw(figure: Figure | SubFigure, shown: Sequence[Entry], names: Sequence[str]) -> None:
    """Draw one panel per data set."""
    if not shown:
        empty(figure, "no finished runs")
        return
    panels = {entry.panel.paper_dataset: entry.panel for entry in shown}
    panel_axes = dict(zip(panels, layout.add_panels(figure, len(panels), _HEAD), strict=True))
    sizes = sorted({entry.s for entry in shown})
    caption = _CAPTION.format(small=sizes[0], large=sizes[-1])
    first = next(iter(panel_axes.values()))
    layout.legend_and_caption(figure, first, (), caption, per_line=1)
    _draw_legend(figure, first, shown, names)
    for k, (dataset, axes) in enumerate(panel_axes.items()):
        layout.log_axes(axes, axis_name("cpu_seconds"), "Test error, %", k)
        axes.set_yscale("linear")
        axes.margins(x=0.08)
        entries = [entry for entry in shown if entry.panel.paper_dataset == dataset]
        _draw_range(axes, entries)
        for entry in entries:
            for name, cell in entry.cells.items():
                missed = name in TO_TARGET and not cell.effort.known
                _draw_cell(axes, cell, _marks(name, filled=entry.s == sizes[-1]), missed=missed)
        heading(axes, panels[dataset])


def _draw_range(axes: Axes, entries: Sequence[Entry]) -> None:
    """Set the vertical axis by the errors of the paper's methods."""
    cells = [(name, float(cell.errors.mean())) for entry in entries for name, cell in entry.cells.items()]
    errors = [error for name, error in cells if name not in _OTHERS] or [error for _, error in cells]
    margin = 0.2 * (max(errors) - min(errors)) or 0.1 * max(errors) or 0.1
    axes.set_ylim(min(errors) - margin, max(errors) + margin)


def _marks(name: str, *, filled: bool) -> dict[str, Any]:
    """Return matplotlib's arguments for a method's marker."""
    marks = replace(STYLES[name], marker=_MARKS[name]).markers(1.5) | {"markeredgecolor": STYLES[name].color}
    return marks if filled else marks | {"markerfacecolor": "white"}


def _draw_legend(figure: Figure | SubFigure, first: Axes, shown: Sequence[Entry], names: Sequence[str]) -> None:
    """Write the names of the methods with their symbols: filled and open where a method has both."""
    from matplotlib.lines import Line2D

    there = [name for name in names if any(name in entry.cells for entry in shown)]
    kinds = {name: (True,) if name in _ONE_SIZE else (True, False) for name in there}
    handles = [
        tuple(Line2D([], [], linestyle="none", **_marks(name, filled=filled)) for filled in kinds[name])
        for name in there
    ]
    place: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (first.get_position().x0, 1), "handlelength": 2.2}
    write_legend(figure, handles, [STYLES[name].name for name in there], len(there), **place)


def _draw_cell(axes: Axes, cell: Cell, marks: Mapping[str, Any], *, missed: bool) -> None:
    """Draw a method's times at its error; one beyond the axis is at the edge, with its number."""
    seconds, ends = cell.effort.median, [min(cell.effort.costs), max(cell.effort.costs)]
    low, high = axes.get_ylim()
    mean = float(cell.errors.mean())
    error = min(max(mean, low), high)
    color = marks["markeredgecolor"]
    axes.plot(ends, [error, error], color=color, linewidth=1.2, zorder=2)
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
    rows = [
        (
            entry.panel,
            {"s": entry.s, "series": name, "error_at_end": cell.last.mean()}
            | sweep.error_columns(cell.errors)
            | cell.effort.columns("seconds"),
        )
        for entry in shown
        for name, cell in entry.cells.items()
    ]
    return FigureResult(
        sweep.points(rows, "s series seconds least largest runs reached error sd error_at_end"),
        partial(_draw, shown=shown, names=names),
        layout.size(len({entry.panel.paper_dataset for entry in shown}), _HEAD),
        table=partial(_table, shown, names, printed_in(evidence.spec)),
        claims=judge_claims(evidence, data=data),
        numbers=list(_numbers(evidence.spec, data)),
    )


def _numbers(spec: FigureSpec, data: Sequence[Entry]) -> Iterator[Number]:
    """Compare the printed errors, and put our times beside the printed ones."""
    entries = {(entry.panel.paper_dataset, entry.s): entry for entry in data}
    for number in spec.numbers:
        parts = _NAME.fullmatch(number.name)
        assert parts is not None  # `printed_in` has read it
        _, method, kind, dataset, s = parts.groups()
        entry = entries.get((dataset, int(s or min(spec.members("asset")))))
        cell = None if entry is None else entry.cells.get(method)
        if entry is None or cell is None:
            yield compare_number(number, "", None)
        elif kind == "time":
            yield compare_number(number, _departure(entry), np.array(cell.effort.costs) / SECONDS[number.unit])
        elif kind == "over asset":
            yield _ratio(number, entry, method)
        else:
            yield _error(number, entry, cell, method)


def _departure(entry: Entry) -> str:
    return data_difference(entry.panel, ROWS[entry.panel.paper_dataset])


def _error(spec: NumberSpec, entry: Entry, cell: Cell, method: str) -> Number:
    """Compare an error at the method's own stop; the note has that at the end of the runs, or without coefficients."""
    rows, why = size_of_test_set(entry.panel), _departure(entry)

    def compared(errors: NDArray[np.float64], remark: str = "") -> Number:
        return compare_number(spec, why, errors, remark, test_rows=rows)

    def beside(errors: NDArray[np.float64], where: str) -> str:
        other = compared(errors)
        return f"{other.measured:.2f} % {where}" + (f": {other.outcome}" if not why else "")

    remark = beside(cell.last, "at the end of the runs") if method in TO_TARGET else ""
    dropped = sweep.runs_of(entry.panel, DROPPED)
    if method == "lasvm" and dropped:
        where = "without coefficients below a thousandth of the largest, as the program saves a model"
        remark = beside(sweep.last_errors(dropped), where)
    return compared(cell.errors, remark)


def _ratio(spec: NumberSpec, entry: Entry, method: str) -> Number:
    """Compare the ratio of two times within a row of the table: the machine divides out."""
    if "asset" not in entry.cells:
        return compare_number(spec, "", None)
    efforts = [entry.cells[name].effort for name in (method, "asset")]
    missed = "" if all(effort.known for effort in efforts) else "half or more of the runs miss CPNY's error"
    values = [one / other for one, other in zip(*(effort.costs for effort in efforts), strict=False)]
    return compare_number(spec, _departure(entry) or entry.unfit or missed, values)


def _table(shown: Sequence[Entry], names: Sequence[str], printed: Printed) -> Table:
    columns = ["s", "data set", *(STYLES[name].name for name in names)]
    rows: list[list[str]] = []
    for entry in shown:
        rows.append([f"{entry.s:,}", name_of(entry.panel), *(_cell(entry.cells.get(name)) for name in names)])
        dataset = entry.panel.paper_dataset
        times, errors = (printed.get((kind, dataset, entry.s), {}) for kind in ("time", "error"))
        if times:
            cells = (_printed(times[name], errors[name]) if name in times else "" for name in names)
            rows.append([f"{entry.s:,}", f"{dataset}, as printed", *cells])
    to_target = ", ".join(STYLES[name].name for name in TO_TARGET if name in names)
    notes = [
        "Training CPU time, features and bases in it, median over the runs; in brackets the mean test error in per "
        "cent ± standard deviation, then that at the end of the runs. Ours on one thread of one machine, one run at a "
        "time; the printed ones are of 2011.",
        f"{to_target}: to the first evaluation with a test error of at most CPNY's mean, a stop by the test set as in "
        "the paper; >: half of the runs or more missed it within this time. The others: to the end set by their own "
        "rules. Methods without s are in both halves.",
        "ASSET and ASSET* are evaluated ten times per epoch, by the average of their last 100 iterates; scikit-learn "
        "after 1, 2, 4, ... passes. LASVM, SVMlight and LIBSVM have an intercept, as the programs have by default. "
        "Each run has its own split of the data; the paper's 50 repetitions share one.",
        _runs(shown, names),
    ]
    return Table(columns, rows, notes)


def _runs(shown: Sequence[Entry], names: Sequence[str]) -> str:
    counts = {name: {len(entry.cells[name].errors) for entry in shown if name in entry.cells} for name in names}
    texts = [f"{STYLES[name].name} {' or '.join(map(str, sorted(runs)))}" for name, runs in counts.items() if runs]
    return f"Runs: {', '.join(texts)}." if texts else ""


def _cell(cell: Cell | None) -> str:
    if cell is None:
        return ""
    end = f"; {cell.last.mean():.2f}" if abs(cell.last.mean() - cell.errors.mean()) >= 0.005 else ""
    return f"{cell.effort.text(seconds_text)} ({sweep.error_text(cell.errors)}{end})"


def _printed(time: NumberSpec, error: NumberSpec) -> str:
    return f"{seconds_text(SECONDS[time.unit] * time.paper)} ({error.paper:.2f})"
