"""Speed-up of an iteration by several threads or processes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import pandas as pd

from ...plotting import FAINT, INK, Style
from ...reproduction.evidence import Evidence, FigureResult, Panel, Table
from ...reproduction.statistics.interval import Interval
from ...reproduction.statistics.ratio import Ratio, ratio_of
from ...reproduction.statistics.target import Effort
from .. import layout
from ..panels import heading, name_of
from ..samples import samples
from .data import compute_spectra, studies
from .methods import name_of_method

if TYPE_CHECKING:
    from matplotlib.axes import Axes

compute: Final = compute_spectra
COLUMNS: Final = ("panel", "dataset", "series", "b", "kind", "workers", "seconds", "speedup", "low", "high", "runs")
RANKS: Final = "ranks"
METHODS: Final = {name + suffix: name for name in ("pegasos", "aggressive") for suffix in ("", "_ranks")}
"""Method of each series."""
_KINDS: Final = {"threads": Style("threads", "#00684a", "-", "o"), RANKS: Style("MPI ranks", "#cc7a00", "-", "s")}
_CAPTION: Final = (
    "Wall time of an iteration with one worker over that with several; medians over the runs, bars: 95 % intervals, or"
    "\nthe range of fewer than five runs. Dotted: as many times as fast as there are workers."
)


def make(evidence: Evidence) -> FigureResult:
    """Draw the figure; the paper makes no claim about wall time."""
    times = pd.DataFrame(
        [row for panel in evidence.panels for row in _times(evidence, panel)], columns=[*COLUMNS, "text"]
    )
    of_panel = [(panel, times[times["panel"] == panel.paper_dataset]) for panel in evidence.panels]
    panels = [(panel, rows) for panel, rows in of_panel if len(rows)]
    names = ("Times as fast as one worker", "")
    return FigureResult(
        lambda: times[list(COLUMNS)],
        *layout.drawing(panels, _KINDS.values(), _CAPTION, names, _draw, columns=2, head=0.78),
        table=partial(_table, evidence, times),
    )


def _times(evidence: Evidence, panel: Panel) -> Iterator[tuple[Any, ...]]:
    """Yield the wall seconds of an iteration, median over the runs, of all series that have runs with one worker."""
    efforts: dict[tuple[str, int], dict[int, Effort]] = {}
    for sample in samples(evidence, panels=[panel]):
        b, count = map(int, sample.values.values())
        if results := [run.result for run in sample.runs]:
            seconds = tuple(float(result["wall_seconds"]) / int(result["counters"]["iterations"]) for result in results)
            efforts.setdefault((sample.series, b), {})[count] = Effort(seconds, (True,) * len(seconds))
    for (series, b), by_count in efforts.items():
        kind = "threads" if series == METHODS[series] else RANKS
        for count, effort in by_count.items() if 1 in by_count else ():
            ratio = Ratio(Interval(1.0, 1.0, 1.0)) if count == 1 else ratio_of(by_count[1], effort)
            assert ratio is not None  # all costs are known
            names = panel.paper_dataset, panel.dataset, METHODS[series], b, kind, count, effort.median
            ends_of = ratio.interval.estimate, ratio.interval.low, ratio.interval.high
            yield *names, *ends_of, len(effort.costs), ratio.text() if count > 1 else ""


def _table(evidence: Evidence, times: pd.DataFrame) -> Table:
    data_sets = {study.panel.paper_dataset: study for study in studies(evidence)}
    rows = [
        [
            name_of(data_sets[row["panel"]].panel),
            name_of_method(row["series"]),
            f"{row['b']:,}",
            f"{1 / spectrum.beta_over_b(row['b']):.3g}" if (spectrum := data_sets[row["panel"]].spectrum) else "",
            f"{row['workers']} {row['kind'] if row['workers'] > 1 else row['kind'].removesuffix('s')}",
            f"{1e6 * row['seconds']:,.0f}",
            row["text"],
        ]
        for row in times.to_dict("records")
    ]
    columns = ["data set", "method", "b", "b / beta_b", "workers", "microseconds", "speed-up"]
    notes = [
        "Wall time of an iteration inside the solver, median over the runs, one at a time; speed-up over one worker "
        "with its 95 % interval. b / beta_b: the speed-up in iterations over b = 1 that the bounds promise, to be had "
        "in full only where an iteration takes no longer than with b = 1."
    ]
    return Table(columns, rows, notes)


def _draw(axes: Axes, item: tuple[Panel, pd.DataFrame]) -> None:
    """Draw a row for each method and b of one data set."""
    panel, times = item
    axes.set_xscale("linear")
    axes.set_yscale("linear")
    rows = list(dict.fromkeys(zip(times["series"], times["b"], strict=True)))
    for row in times[times["workers"] > 1].to_dict("records"):
        style = _KINDS[row["kind"]]
        height = rows.index((row["series"], row["b"])) + 0.25 * (list(_KINDS).index(row["kind"]) - 0.5)
        axes.axvline(row["workers"], color=FAINT, linewidth=1.0, linestyle=(0, (1.0, 2.0)), zorder=1)
        axes.plot([row["low"], row["high"]], [height] * 2, color=style.color, linewidth=1.6, zorder=2)
        axes.plot([row["speedup"]], [height], linestyle="none", **style.markers(), zorder=3)
    axes.axvline(1.0, color=INK, linewidth=0.9, zorder=1)
    axes.set_xlim(left=0.0)
    axes.set_yticks(range(len(rows)), [f"{name_of_method(method)},\n$b$ = {b:,}" for method, b in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    box, room = axes.get_position(), 0.09  # of the figure's width, for the names of the rows
    axes.set_position((box.x0 + room, box.y0, box.width - room, box.height))
    heading(axes, panel)
