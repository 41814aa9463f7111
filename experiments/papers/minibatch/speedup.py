"""Speed-up of an iteration by several threads or processes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import pandas as pd

from experiments.papers import layout
from experiments.papers.effort import Effort, Ratio, ratio_of
from experiments.papers.minibatch.data import Spectrum, spectral
from experiments.papers.minibatch.methods import METHOD_STYLES
from experiments.papers.panels import empty, heading, name_of
from experiments.plotting import INK, PANEL, Style
from experiments.reproduction.evidence import Evidence, Panel
from experiments.reproduction.figure_result import FigureResult, Table
from experiments.reproduction.spec import FigureSpec
from experiments.reproduction.statistics import Interval
from experiments.store import FinishedRun

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

_HEAD: Final = 0.62  # inches
_COLUMNS: Final = 2
_LINES: Final = ("-", (0, (4.0, 1.6)), (0, (1.2, 1.2)))
"""Line styles by rising b."""
_CAPTION: Final = (
    "Wall time of an iteration with one worker over that with several; medians over the runs, bars: 95 % intervals. "
    "Dotted: as many times as fast as there are workers."
)


def _draw(figure: Figure | SubFigure, found: Sequence[WorkerTimes]) -> None:
    """Draw one panel per data set and kind of worker."""
    panels = _panels(found)
    if not panels:
        empty(figure, "no finished runs")
        return
    axes = layout.add_panels(figure, len(panels), _HEAD, _COLUMNS)
    styles = _styles(found)
    layout.legend_and_caption(figure, axes[0], styles.values(), _CAPTION)
    for k, (place, own) in enumerate(zip(axes, panels, strict=True)):
        _draw_panel(place, own, styles, k)


def _panels(found: Sequence[WorkerTimes]) -> list[list[WorkerTimes]]:
    """Return the lines of each panel."""
    panels: dict[tuple[str, str], list[WorkerTimes]] = {}
    for times in found:
        panels.setdefault((times.panel.paper_dataset, times.kind), []).append(times)
    return list(panels.values())


def _styles(found: Sequence[WorkerTimes]) -> dict[tuple[str, int], Style]:
    """Style of each method with each b."""
    sizes = sorted({times.b for times in found})
    keys = dict.fromkeys((times.method, times.b) for times in found)
    return {
        (method, b): Style(
            f"{METHOD_STYLES[method].name}, b = {b:,}",
            METHOD_STYLES[method].color,
            _LINES[sizes.index(b) % len(_LINES)],
            METHOD_STYLES[method].marker,
        )
        for method, b in keys
    }


def _draw_panel(axes: Axes, own: Sequence[WorkerTimes], styles: dict[tuple[str, int], Style], place: int) -> None:
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    kind = own[0].kind
    layout.log_axes(axes, kind[0].upper() + kind[1:], "Times as fast as one", place, _COLUMNS)
    counts = sorted({count for times in own for count in times.efforts})
    axes.plot(counts, counts, color=INK, linewidth=1.0, linestyle=(0, (1.0, 2.0)), zorder=1)
    for times in own:
        style = styles[times.method, times.b]
        ratios = times.ratios
        middle = [ratio.interval.estimate for ratio in ratios.values()]
        spread = [
            [ratio.interval.estimate - ratio.interval.low for ratio in ratios.values()],
            [ratio.interval.high - ratio.interval.estimate for ratio in ratios.values()],
        ]
        look: dict[str, Any] = {"color": style.color, "linestyle": style.line, "linewidth": style.width * PANEL.lines}
        axes.errorbar(list(ratios), middle, spread, capsize=3, **look, **style.markers(PANEL.lines), zorder=3)
    axes.xaxis.set_major_locator(FixedLocator(counts))
    axes.set_yscale("linear")
    axes.set_ylim(bottom=0.0)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_minor_locator(NullLocator())
    spectrum = own[0].spectrum
    heading(axes, own[0].panel, "" if spectrum is None else _promised(spectrum, sorted({times.b for times in own})))


def _promised(spectrum: Spectrum, sizes: Sequence[int]) -> str:
    """Write the speed-up that the bounds promise for some sizes, once if it is the same for all."""
    shares = [f"{1 / spectrum.beta_over_b(b):.3g}" for b in sizes]
    if len(set(shares)) == 1:
        return f"b / beta_b = {shares[0]}"
    return "b / beta_b = " + ", ".join(f"{share} (b = {b:,})" for share, b in zip(shares, sizes, strict=True))


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


def make(evidence: Evidence) -> FigureResult:
    """Draw the figure; the paper makes no claim about wall time."""
    found = [times for panel in evidence.panels for times in _times(panel, evidence.spec)]
    return FigureResult(
        _points(found),
        partial(_draw, found=found),
        layout.size(len(_panels(found)), _HEAD, _COLUMNS),
        table=_table(found),
    )


def _times(panel: Panel, spec: FigureSpec) -> list[WorkerTimes]:
    """All series of one data set that have runs with one worker."""
    spectrum = spectral(panel)[0]
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


def _of_iteration(run: FinishedRun) -> float:
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
