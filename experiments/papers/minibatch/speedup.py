"""Speed-up of an iteration by several threads or processes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

import pandas as pd

from svm_cost_curves.experiments.papers import layout
from svm_cost_curves.experiments.papers.effort import Effort, Ratio, ratio_of
from svm_cost_curves.experiments.papers.minibatch.data import Spectrum, compute_spectra, spectral
from svm_cost_curves.experiments.papers.minibatch.methods import METHOD_STYLES
from svm_cost_curves.experiments.papers.panels import empty, heading, name_of
from svm_cost_curves.experiments.plotting import FAINT, INK, Style, plain_frame
from svm_cost_curves.experiments.reproduction.evidence import Evidence, Panel, Run
from svm_cost_curves.experiments.reproduction.figure_result import FigureResult, Table
from svm_cost_curves.experiments.reproduction.statistics import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

_HEAD: Final = 0.78  # inches
_COLUMNS: Final = 2
_KINDS: Final = {"threads": Style("threads", "#00684a", "-", "o"), "ranks": Style("MPI ranks", "#cc7a00", "-", "s")}
_CAPTIONS: Final = (
    "Wall time of an iteration with one worker over that with several; medians over the runs, bars: 95 % intervals, or",
    "the range of fewer than five runs. Dotted: as many times as fast as there are workers.",
)


def _draw(figure: Figure | SubFigure, found: Sequence[WorkerTimes]) -> None:
    """Draw one panel per data set, with a row for each method and b."""
    panels: dict[str, list[WorkerTimes]] = {}
    for times in found:
        panels.setdefault(times.panel.paper_dataset, []).append(times)
    if not panels:
        empty(figure, "no finished runs")
        return
    axes = layout.add_panels(figure, len(panels), _HEAD, _COLUMNS)
    layout.legend_and_caption(figure, axes[0], _KINDS.values(), *_CAPTIONS)
    for place, own in zip(axes, panels.values(), strict=True):
        _draw_panel(place, own)


def _draw_panel(axes: Axes, own: Sequence[WorkerTimes]) -> None:
    rows = list(dict.fromkeys((times.method, times.b) for times in own))
    kinds = list(_KINDS)
    for times in own:
        style = _KINDS[times.kind]
        height = rows.index((times.method, times.b)) + 0.25 * (kinds.index(times.kind) - 0.5)
        for count, ratio in times.ratios.items():
            if count > 1:
                axes.axvline(count, color=FAINT, linewidth=1.0, linestyle=(0, (1.0, 2.0)), zorder=1)
                interval = ratio.interval
                axes.plot([interval.low, interval.high], [height] * 2, color=style.color, linewidth=1.6, zorder=2)
                axes.plot([interval.estimate], [height], linestyle="none", **style.markers(), zorder=3)
    axes.axvline(1.0, color=INK, linewidth=0.9, zorder=1)
    axes.set_xlim(left=0.0)
    axes.set_yticks(range(len(rows)), [f"{METHOD_STYLES[method].name},\n$b$ = {b:,}" for method, b in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlabel("Times as fast as one worker", color=INK)
    plain_frame(axes)
    box, room = axes.get_position(), 0.09  # of the figure's width, for the names of the rows
    axes.set_position((box.x0 + room, box.y0, box.width - room, box.height))
    heading(axes, own[0].panel)


COLUMNS: Final = ("panel", "dataset", "series", "b", "kind", "workers", "seconds", "speedup", "low", "high", "runs")


@dataclass(frozen=True)
class WorkerTimes:
    """One method with one b on one data set.

    Attributes
    ----------
    panel : Panel
    spectrum : Spectrum or None
    method, kind : str
        ``pegasos``; ``threads`` or ``ranks``.
    b : int
        Examples in a mini-batch.
    efforts : mapping of int to Effort
        Wall seconds of an iteration by the number of workers, one among them.
    """

    panel: Panel
    spectrum: Spectrum | None
    method: str
    kind: str
    b: int
    efforts: Mapping[int, Effort]

    @property
    def ratios(self) -> dict[int, Ratio]:
        """Speed-up over one worker, by the number of workers."""
        found = {1: Ratio(Interval(1.0, 1.0, 1.0))}
        for count, effort in self.efforts.items():
            if count > 1 and (ratio := ratio_of(self.efforts[1], effort)) is not None:
                found[count] = ratio
        return found


compute = compute_spectra


def make(evidence: Evidence) -> FigureResult:
    """Draw the figure; the paper makes no claim about wall time."""
    found = [times for panel in evidence.panels for times in _times(evidence, panel)]
    return FigureResult(
        _points(found),
        partial(_draw, found=found),
        layout.size(len({times.panel.paper_dataset for times in found}), _HEAD, _COLUMNS),
        table=_table(found),
    )


def _times(evidence: Evidence, panel: Panel) -> list[WorkerTimes]:
    """All series of one data set that have runs with one worker."""
    spectrum, spec = spectral(evidence, panel)[0], evidence.spec
    found = []
    for series in spec.series:
        method, b, kind = series.name.split("_")
        efforts = {
            int(count): Effort(seconds, (True,) * len(seconds))
            for count, member in spec.members(series.name).items()
            if (seconds := tuple(map(_of_iteration, panel.runs.get(member, ()))))
        }
        if 1 in efforts:
            found.append(WorkerTimes(panel, spectrum, method, kind, int(b), efforts))
    return found


def _of_iteration(run: Run) -> float:
    return float(run.result["wall_seconds"]) / int(run.result["counters"]["iterations"])


def _points(found: Sequence[WorkerTimes]) -> pd.DataFrame:
    rows = [
        {
            "panel": times.panel.paper_dataset,
            "dataset": times.panel.dataset,
            "series": times.method,
            "b": times.b,
            "kind": times.kind,
            "workers": count,
            "seconds": times.efforts[count].median,
            "speedup": ratio.interval.estimate,
            "low": ratio.interval.low,
            "high": ratio.interval.high,
            "runs": len(times.efforts[count].costs),
        }
        for times in found
        for count, ratio in times.ratios.items()
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _table(found: Sequence[WorkerTimes]) -> Table:
    rows = [
        [
            name_of(times.panel),
            METHOD_STYLES[times.method].name,
            f"{times.b:,}",
            "" if times.spectrum is None else f"{1 / times.spectrum.beta_over_b(times.b):.3g}",
            f"{count} {times.kind if count > 1 else times.kind.removesuffix('s')}",
            f"{1e6 * times.efforts[count].median:,.0f}",
            ratio.text() if count > 1 else "",
        ]
        for times in found
        for count, ratio in times.ratios.items()
    ]
    columns = ["data set", "method", "b", "b / beta_b", "workers", "microseconds", "speed-up"]
    notes = [
        "Wall time of an iteration inside the solver, median over the runs, one at a time; speed-up over one worker "
        "with its 95 % interval. b / beta_b: the speed-up in iterations over b = 1 that the bounds promise, to be had "
        "in full only where an iteration takes no longer than with b = 1."
    ]
    return Table(columns, rows, notes)
