"""Speed-up of an iteration by several threads or processes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

import pandas as pd

from svm_cost_curves.experiments.papers import layout
from svm_cost_curves.experiments.papers.minibatch.data import compute_spectra, known_spectrum
from svm_cost_curves.experiments.papers.minibatch.methods import COLUMNS, name_of_method, names_of_data
from svm_cost_curves.experiments.papers.panels import empty, heading, name_of
from svm_cost_curves.experiments.plotting import FAINT, INK, Style, plain_frame
from svm_cost_curves.experiments.reproduction.evidence import Evidence, Panel, Run
from svm_cost_curves.experiments.reproduction.figure_result import FigureResult, Table
from svm_cost_curves.experiments.reproduction.statistics import Effort, Interval, Ratio, ratio_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure


@dataclass(frozen=True)
class WorkerTimes:
    """One method with one b on one data set.

    Attributes
    ----------
    panel : Panel
    method, kind : str
        ``pegasos``; ``threads`` or ``ranks``.
    b : int
        Examples in a mini-batch.
    efforts : mapping of int to Effort
        Wall seconds of an iteration by the number of workers, one among them.
    """

    panel: Panel
    method: str
    kind: str
    b: int
    efforts: Mapping[int, Effort]

    @property
    def measured(self) -> dict[int, tuple[Effort, Ratio]]:
        """Seconds, and the speed-up over one worker, by the number of workers."""
        measured = {1: (self.efforts[1], Ratio(Interval(1.0, 1.0, 1.0)))}
        for count, effort in self.efforts.items():
            if count > 1 and (ratio := ratio_of(self.efforts[1], effort)) is not None:
                measured[count] = effort, ratio
        return measured


compute = compute_spectra


def make(evidence: Evidence) -> FigureResult:
    """Draw the figure; the paper makes no claim about wall time."""
    all_times = [times for panel in evidence.panels for times in _times(evidence, panel)]
    return FigureResult(
        _points(all_times),
        partial(_draw, all_times=all_times),
        layout.size(len({times.panel.paper_dataset for times in all_times}), _HEAD, COLUMNS),
        table=partial(_table, evidence, all_times),
    )


def _times(evidence: Evidence, panel: Panel) -> list[WorkerTimes]:
    """Return all series of one data set that have runs with one worker."""
    times = []
    for series in evidence.spec.series:
        method, b, kind = series.name.split("_")
        efforts = {
            int(count): Effort(seconds, (True,) * len(seconds))
            for count, member in evidence.spec.members(series.name).items()
            if (seconds := tuple(map(_of_iteration, panel.runs.get(member, ()))))
        }
        if 1 in efforts:
            times.append(WorkerTimes(panel, method, kind, int(b), efforts))
    return times


def _of_iteration(run: Run) -> float:
    return float(run.result["wall_seconds"]) / int(run.result["counters"]["iterations"])


POINTS: Final = ("panel", "dataset", "series", "b", "kind", "workers", "seconds", "speedup", "low", "high", "runs")


def _points(all_times: Sequence[WorkerTimes]) -> pd.DataFrame:
    rows = [
        (
            *names_of_data(times.panel),
            times.method,
            times.b,
            times.kind,
            count,
            effort.median,
            *astuple(ratio.interval)[:3],
            len(effort.costs),
        )
        for times in all_times
        for count, (effort, ratio) in times.measured.items()
    ]
    return pd.DataFrame(rows, columns=list(POINTS))


def _table(evidence: Evidence, all_times: Sequence[WorkerTimes]) -> Table:
    spectra = {panel.paper_dataset: known_spectrum(evidence, panel)[0] for panel in evidence.panels}
    rows = [
        [
            name_of(times.panel),
            name_of_method(times.method),
            f"{times.b:,}",
            f"{1 / spectrum.beta_over_b(times.b):.3g}" if (spectrum := spectra[times.panel.paper_dataset]) else "",
            f"{count} {times.kind if count > 1 else times.kind.removesuffix('s')}",
            f"{1e6 * effort.median:,.0f}",
            ratio.text() if count > 1 else "",
        ]
        for times in all_times
        for count, (effort, ratio) in times.measured.items()
    ]
    columns = ["data set", "method", "b", "b / beta_b", "workers", "microseconds", "speed-up"]
    notes = [
        "Wall time of an iteration inside the solver, median over the runs, one at a time; speed-up over one worker "
        "with its 95 % interval. b / beta_b: the speed-up in iterations over b = 1 that the bounds promise, to be had "
        "in full only where an iteration takes no longer than with b = 1."
    ]
    return Table(columns, rows, notes)


_HEAD: Final = 0.78  # inches
_KINDS: Final = {"threads": Style("threads", "#00684a", "-", "o"), "ranks": Style("MPI ranks", "#cc7a00", "-", "s")}
_CAPTIONS: Final = (
    "Wall time of an iteration with one worker over that with several; medians over the runs, bars: 95 % intervals, or",
    "the range of fewer than five runs. Dotted: as many times as fast as there are workers.",
)


def _draw(figure: Figure | SubFigure, all_times: Sequence[WorkerTimes]) -> None:
    """Draw one panel per data set, with a row for each method and b."""
    panels: dict[str, list[WorkerTimes]] = {}
    for times in all_times:
        panels.setdefault(times.panel.paper_dataset, []).append(times)
    if not panels:
        empty(figure, "no finished runs")
        return
    all_axes = layout.add_panels(figure, len(panels), _HEAD, COLUMNS)
    layout.legend_and_caption(figure, all_axes[0], _KINDS.values(), *_CAPTIONS)
    for axes, of_data_set in zip(all_axes, panels.values(), strict=True):
        _draw_panel(axes, of_data_set)


def _draw_panel(axes: Axes, of_data_set: Sequence[WorkerTimes]) -> None:
    rows = list(dict.fromkeys((times.method, times.b) for times in of_data_set))
    for times in of_data_set:
        style = _KINDS[times.kind]
        height = rows.index((times.method, times.b)) + 0.25 * (list(_KINDS).index(times.kind) - 0.5)
        for count, (_, ratio) in times.measured.items():
            if count > 1:
                axes.axvline(count, color=FAINT, linewidth=1.0, linestyle=(0, (1.0, 2.0)), zorder=1)
                interval = ratio.interval
                axes.plot([interval.low, interval.high], [height] * 2, color=style.color, linewidth=1.6, zorder=2)
                axes.plot([interval.estimate], [height], linestyle="none", **style.markers(), zorder=3)
    axes.axvline(1.0, color=INK, linewidth=0.9, zorder=1)
    axes.set_xlim(left=0.0)
    axes.set_yticks(range(len(rows)), [f"{name_of_method(method)},\n$b$ = {b:,}" for method, b in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlabel("Times as fast as one worker", color=INK)
    plain_frame(axes)
    box, room = axes.get_position(), 0.09  # of the figure's width, for the names of the rows
    axes.set_position((box.x0 + room, box.y0, box.width - room, box.height))
    heading(axes, of_data_set[0].panel)
