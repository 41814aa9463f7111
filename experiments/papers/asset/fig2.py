"""Figure 2: progress on a stream, test error against CPU time, one panel for each dimension."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
import pandas as pd

from ...curve import column, error_area
from ...plotting import FAINT, STYLES, Style, axis_name
from ...plotting.bands import Band, band, band_table
from ...reproduction.claim_spec import NumberSpec
from ...reproduction.evidence import Evidence, FigureResult, Panel, Table
from ...reproduction.numbers import Number
from ...reproduction.statistics.comparison import difference
from ...reproduction.statistics.interval import FAILS, MISSING
from ...reproduction.statistics.ratio import ratio_of
from .. import layout
from ..cases import Case, Statistic, case_on, judge_claims
from ..panels import heading
from ..printed import compare_number
from ..times import seconds_text
from . import sweep
from .sweep import Frames, Values

if TYPE_CHECKING:
    from matplotlib.axes import Axes

METHODS: Final = ("asset_online", "asset_star_online")
EXACT: Final = "lasvm"
"""Series with the exact kernel, which has no d."""
LAST: Final = 10
"""The last error of a run is its mean over this many last evaluations, as in the paper."""
COSTS: Final = ("presentations", "cpu_seconds")

Streams = sweep.Swept[Frames]
"""One data set: by method and d the curves of its runs."""


def all_streams(evidence: Evidence) -> list[Streams]:
    """Return the streams of all data sets; curves with a d and fewer than `LAST` evaluations are left out."""
    return sweep.measured(evidence, (*METHODS, EXACT), lambda frames: frames, whole=True, least=LAST)


def last_errors(frames: Frames) -> Values:
    """Return the test errors at the last evaluations in per cent, (runs, LAST)."""
    return np.stack([100 * column(frame, "test_error")[-LAST:] for frame in frames])


def mean_errors(frames: Frames) -> Values:
    """Return the last error of each run in per cent, (runs,)."""
    return np.asarray(last_errors(frames).mean(axis=1))


def _points(frame: pd.DataFrame, cost: str) -> tuple[Values, Values]:
    return column(frame, cost), 100 * column(frame, "test_error")


def _bands(frames: Frames) -> dict[str, Band]:
    """Return the errors against each of `COSTS`."""
    bands = {cost: band([_points(frame, cost) for frame in frames]) for cost in COSTS}
    return {cost: drawn for cost, drawn in bands.items() if drawn is not None}


def _areas(frames: Frames) -> Values:
    """Return each run's mean error over log(examples), from a hundredth of the examples on."""
    curves = [_points(frame, "presentations") for frame in frames]
    return np.array([error_area(seen, errors, max(0.01 * seen[-1], seen[0]), seen[-1]) for seen, errors in curves])


@dataclass(frozen=True, kw_only=True)
class LowerAndFaster(Statistic, kind="lower_and_faster"):
    """One series ends at a lower error than another, and converges faster; for each dimension.

    Single runs of a random method decide nothing: the case is unclear. The `series` converges faster if the `other` has
    a larger mean error along the run (``area``), or needs more examples to the other's own last error (``target``).
    """

    series: str
    other: str
    faster: Literal["area", "target"] = "area"

    def cases(self, streams: Streams, evidence: Evidence) -> Iterator[Case]:
        """Compare both series for each d."""
        for d in map(int, evidence.spec.members(self.series)):
            pair = [frames for name in (self.other, self.series) if (frames := streams.get(name, d))]
            single = min(map(len, pair), default=0) < 2
            for case in self._two_cases(streams.panel, d, pair if len(pair) == 2 else []):
                yield sweep.undecided(case) if single else case

    def _two_cases(self, panel: Panel, d: int, pair: Sequence[Frames]) -> Iterator[Case]:
        yield self._difference(panel, d, "lower", "last errors", pair, mean_errors)
        key, about, name = f"faster d={d}", f"d = {d:,}", STYLES[self.other].name
        if self.faster == "area":
            yield self._difference(panel, d, "faster", "mean errors along the run", pair, _areas)
        elif not pair:
            yield case_on(panel, key, MISSING, note="no finished runs to compare", about=about)
        else:
            target = float(mean_errors(pair[0]).mean())
            ratio = ratio_of(*(sweep.effort_to(target, frames, "presentations") for frames in pair))
            if ratio is None:
                yield case_on(panel, key, FAILS, note=f"neither reaches the last error of {name}", about=about)
            else:
                text = f"{name} needs {ratio.text()} times the examples"
                yield case_on(panel, key, ratio.above(1.0), text, ratio.as_dict(), about=about)

    def _difference(
        self, panel: Panel, d: int, key: str, errors: str, pair: Sequence[Frames], measure: Callable[[Frames], Values]
    ) -> Case:
        interval = difference(*([measure(frames)] for frames in pair)) if pair else None
        text = f"{errors}, {STYLES[self.other].name} less {STYLES[self.series].name} {{}} points"
        return sweep.interval_case(panel, f"{key} d={d}", interval, text, about=f"d = {d:,}")


_MARKS: Final = {METHODS[0]: "o", METHODS[1]: "s", EXACT: "^"}
_CAPTION: Final = f"Medians over the runs; open symbol: mean of the last {LAST} evaluations. Grey: ASSET with other d."


def _draw(axes: Axes, item: tuple[Streams, float], styles: Mapping[str, Style]) -> None:
    """Draw the methods with one d, and ASSET with the others, against CPU time."""
    (streams, d), largest = item, 0.0
    for other_d, frames in streams.of.get(METHODS[0], {}).items():
        if other_d != d:
            grey = _bands(frames)["cpu_seconds"]
            look: dict[str, Any] = {"drawstyle": "steps-post", "color": FAINT, "linewidth": 0.6, "alpha": 0.6}
            axes.plot(grey.cost[:-LAST], grey.middle[:-LAST], **look)
    for name, style in styles.items():
        shown = _bands(streams.get(name, 0 if name == EXACT else d) or []).get("cpu_seconds")
        if shown is not None:
            (layout.draw_line if name == EXACT else _draw_with_end)(axes, shown, style)
            largest = max(largest, float(shown.cost[-1]))
    axes.set_xlim(left=max(1e-3 * largest, axes.get_xlim()[0]))  # before it most predictors still guess
    layout.plain_ticks(axes.yaxis)
    heading(axes, streams.panel, f"d = {d:,}")


def _draw_with_end(axes: Axes, band: Band, style: Style) -> None:
    """Draw a median line to its last evaluations, and the mean of these as an open symbol."""
    if len(band.cost) > LAST:
        cost, median, low, high = (part[:-LAST] for part in (band.cost, band.middle, band.low, band.high))
        layout.draw_line(axes, Band(cost, median, low, high, band.runs), style)
    marks = style.markers(1.2) | {"markerfacecolor": "white", "markeredgecolor": style.color, "markeredgewidth": 1.5}
    axes.plot(band.cost[-1], band.middle[-LAST:].mean(), linestyle="none", **marks, zorder=5)


def _caption(shown: Sequence[Streams]) -> str:
    """Return the caption, with the number of images of LASVM."""
    runs = [(streams.panel, run) for streams in shown for run in streams.panel.runs.get(EXACT, ())]
    sizes = {(run.result["provenance"]["data"]["counts"]["train"]["n"], panel.n) for panel, run in runs}
    parts = [(rows, of) for rows, of in sorted(sizes) if of and rows < of]
    return _CAPTION + "".join(f" LASVM: {rows:,} of the {of:,} images." for rows, of in parts)


def make(evidence: Evidence) -> FigureResult:
    """Draw the figure and judge its claim."""
    data = all_streams(evidence)
    shown = [streams for streams in data if streams.values]
    columns = ("panel", "dataset", "series", "d", "cost", "x", "median", "low", "high", "runs")
    rows = [
        (dict(zip(columns, (streams.panel.paper_dataset, streams.panel.dataset, name, d, cost), strict=False)), line)
        for streams in shown
        for name, d, frames in streams.items()
        for cost, line in _bands(frames).items()
    ]
    names = [name for name in _MARKS if any(name in streams.of for streams in shown)]
    styles = {name: replace(STYLES[name], line="-", marker=_MARKS[name]) for name in names}  # dashes blur on steps
    items = [(streams, d) for streams in shown for d in streams.values]
    axes_names = axis_name("cpu_seconds"), "Test error, %"
    return FigureResult(
        lambda: band_table(rows, "x", columns),
        *layout.drawing(items, styles.values(), _caption(shown), axes_names, partial(_draw, styles=styles)),
        table=partial(_table, shown),
        claims=judge_claims(evidence, data=data),
        numbers=[_number(spec, shown) for spec in evidence.spec.numbers],
    )


def _number(spec: NumberSpec, shown: Sequence[Streams]) -> Number:
    """Compare a number of LASVM at its end."""
    frames = next((curves for streams in shown if (curves := streams.get(EXACT, 0))), ())
    name, factor = ("test_error", 100.0) if spec.name == "last error" else ("cpu_seconds", 1.0)
    values = [factor * column(frame, name)[-1] for frame in frames]
    return compare_number(spec, "a part of another stream", values or None)


def _table(shown: Sequence[Streams]) -> Table:
    rows = []
    for streams in shown:
        for name, d, frames in streams.items():
            label, errors = STYLES[name].name, _bands(frames)["presentations"].middle
            if name == EXACT:
                rows.append(_row(f"{label}, after one pass", "", frames, 0, float(errors[0])))
                rows.append(_row(f"{label}, at its end", "", frames, -1, float(errors[-1])))
            else:
                rows.append(_row(label, f"{d:,}", frames, -1, float(mean_errors(frames).mean())))
    notes = [
        f"Test error in per cent: mean over the last {LAST} evaluations, and over the runs. LASVM, with the exact "
        "kernel, has a part of the stream, as many images as its first pass has examples, and ends by its own rule; "
        "its errors are those of single evaluations."
    ]
    return Table(["method", "d", "examples", "CPU time", "test error"], rows, notes)


def _row(label: str, d: str, frames: Frames, index: int, error: float) -> list[str]:
    examples, seconds = (float(np.median([column(frame, cost)[index] for frame in frames])) for cost in COSTS)
    return [label, d, f"{examples:,.0f}", seconds_text(seconds), f"{error:.2f}"]
