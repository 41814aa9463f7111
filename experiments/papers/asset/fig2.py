"""Figure 2: progress on a stream, test error against CPU time, one panel for each dimension."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Final, Literal

import numpy as np
from numpy.typing import NDArray

from svm_cost_curves.experiments.curve import column, error_area
from svm_cost_curves.experiments.papers import layout
from svm_cost_curves.experiments.papers.asset import sweep
from svm_cost_curves.experiments.papers.cases import Case, Findings, Statistic, case_on, judge_claims
from svm_cost_curves.experiments.papers.panels import heading
from svm_cost_curves.experiments.papers.times import seconds_text
from svm_cost_curves.experiments.plotting import FAINT, STYLES, Style, axis_name
from svm_cost_curves.experiments.plotting.bands import Band, band, band_table
from svm_cost_curves.experiments.reproduction.evidence import Evidence
from svm_cost_curves.experiments.reproduction.figure_result import FigureResult, Table
from svm_cost_curves.experiments.reproduction.statistics import (
    FAILS,
    MISSING,
    UNCLEAR,
    Effort,
    cost_to_target,
    difference,
    ratio_of,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

METHODS: Final = ("asset_online", "asset_star_online")
EXACT: Final = "lasvm"
"""Series with the exact kernel, which has no d."""
LAST: Final = 10
"""The last error of a run is its mean over this many last evaluations, as in the paper."""
FROM: Final = 0.01
"""Mean errors along a run begin after this share of the stream."""
COSTS: Final = ("presentations", "cpu_seconds")
Values = NDArray[np.float64]


@dataclass(frozen=True)
class Stream:
    """The runs of one method with one d, on one data set; errors are in per cent.

    Attributes
    ----------
    frames : sequence of DataFrame
        Curves of the runs, of `LAST` evaluations at least.
    """

    frames: sweep.Frames

    def _points(self, cost: str) -> list[tuple[Values, Values]]:
        return [(column(frame, cost), 100 * column(frame, "test_error")) for frame in self.frames]

    @cached_property
    def last_errors(self) -> Values:
        """Test errors at the last evaluations, (runs, LAST)."""
        return np.stack([errors[-LAST:] for _, errors in self._points("presentations")])

    @property
    def means(self) -> Values:
        """Last error of each run."""
        means: Values = self.last_errors.mean(axis=1)
        return means

    @property
    def deviations(self) -> Values:
        """Standard deviation over the last evaluations of each run."""
        deviations: Values = self.last_errors.std(axis=1, ddof=1)
        return deviations

    @property
    def squares(self) -> Values:
        """Squared deviations of the last evaluations from their run's mean; their mean is the variance."""
        squares: Values = np.square(self.last_errors - self.means[:, None]) * LAST / (LAST - 1)
        return squares.ravel()

    @property
    def areas(self) -> Values:
        """Mean error of each run over the logarithm of the number of examples, from `FROM` of them on."""
        curves = self._points("presentations")
        return np.array([error_area(seen, errors, max(FROM * seen[-1], seen[0]), seen[-1]) for seen, errors in curves])

    @property
    def seconds(self) -> Values:
        """CPU seconds of training of each run."""
        return np.array([column(frame, "cpu_seconds")[-1] for frame in self.frames])

    @cached_property
    def bands(self) -> dict[str, Band]:
        """Errors against each of `COSTS`."""
        bands = {cost: band(self._points(cost)) for cost in COSTS}
        return {cost: known for cost, known in bands.items() if known is not None}

    def examples_to(self, error: float) -> Effort:
        """Return the examples that each run needs to an error."""
        effort = cost_to_target(self.frames, "presentations", "test_error", error / 100)
        assert effort is not None  # a stream has runs
        return effort


Streams = sweep.Swept[Stream]
"""One data set: by method and d."""


@dataclass(frozen=True, kw_only=True)
class LowerAndFaster(Statistic):
    """One series ends at a lower error than another, and converges faster; for each dimension.

    Single runs of a random method decide nothing: the case is unclear.

    Attributes
    ----------
    series, other : str
        Series that are swept over d.
    faster : str
        The series converges faster if the other has a larger mean error along the run (``area``), or needs more
        examples to the other's own last error (``target``).
    """

    series: str
    other: str
    faster: Literal["area", "target"] = "area"

    def findings(self, data: Sequence[Streams], evidence: Evidence) -> Findings:
        """Compare both series on each data set, for each d."""
        cases = []
        for streams in data:
            for d in map(int, evidence.spec.members(self.series)):
                cases.append(self._difference(streams, d, "lower", "last errors", lambda stream: stream.means))
                if self.faster == "target":
                    cases.append(self._sooner(streams, d))
                else:
                    what = "mean errors along the run"
                    cases.append(self._difference(streams, d, "faster", what, lambda stream: stream.areas))
        return Findings(cases)

    def _pair(self, streams: Streams, d: int) -> list[Stream]:
        """Return the other and the series, if both have runs."""
        known = [stream for name in (self.other, self.series) if (stream := streams.get(name, d)) is not None]
        return known if len(known) == 2 else []

    def _difference(self, streams: Streams, d: int, key: str, what: str, errors: Callable[[Stream], Values]) -> Case:
        pair = self._pair(streams, d)
        interval = difference(*([errors(stream)] for stream in pair)) if pair else None
        text = f"{what}, {STYLES[self.other].name} less {STYLES[self.series].name} {{}} points"
        case = sweep.interval_case(streams.panel, f"{key} d={d}", interval, text, about=f"d = {d:,}")
        return _unclear_if_single(case, pair)

    def _sooner(self, streams: Streams, d: int) -> Case:
        """Compare the examples to the last error of the other series."""
        key, about, name = f"faster d={d}", f"d = {d:,}", STYLES[self.other].name
        pair = self._pair(streams, d)
        if not pair:
            return case_on(streams.panel, key, MISSING, note="no finished runs to compare", about=about)
        ratio = ratio_of(*(stream.examples_to(float(pair[0].means.mean())) for stream in pair))
        if ratio is None:
            case = case_on(streams.panel, key, FAILS, note=f"neither reaches the last error of {name}", about=about)
            return _unclear_if_single(case, pair)
        text = f"{name} needs {ratio.text()} times the examples"
        return _unclear_if_single(
            case_on(streams.panel, key, ratio.above(1.0), text, ratio.as_dict(), about=about), pair
        )


def _unclear_if_single(case: Case, pair: Sequence[Stream]) -> Case:
    """Return a case, unclear if one of the methods has a single run."""
    if case.ruling == "missing" or min(len(stream.frames) for stream in pair) > 1:
        return case
    return replace(case, decision=UNCLEAR, note="single runs")


STATISTICS = {"lower_and_faster": LowerAndFaster}
_SHOWN: Final = 1e-3
"""The axis begins at this share of the largest cost: before it most predictors still guess."""
_MARKS: Final = {METHODS[0]: "o", METHODS[1]: "s", EXACT: "^"}
_CAPTION: Final = (
    f"Medians over the runs; open symbol at the end: mean of the last {LAST} evaluations. Grey: ASSET with the other d."
)
_LASVM_CAPTION: Final = " LASVM, with the exact kernel: {rows:,} of the {of:,} images."


def _draw(figure: Figure | SubFigure, shown: Sequence[Streams]) -> None:
    """Draw one panel for each data set and d, against CPU time."""
    panels = [(streams, d) for streams in shown for d in streams.values]
    names = [name for name in _MARKS if any(name in streams.of for streams in shown)]
    styles = {name: replace(STYLES[name], line="-", marker=_MARKS[name]) for name in names}  # dashes blur on steps
    axes_names = axis_name("cpu_seconds"), "Test error, %"
    caption = [_caption(shown)]
    for axes, (streams, d) in layout.each_panel(figure, panels, styles.values(), caption, sweep.HEAD, axes_names):
        for other, stream in streams.of.get(METHODS[0], {}).items():
            if other != d:
                grey = stream.bands["cpu_seconds"]
                cost, median = grey.cost[:-LAST], grey.middle[:-LAST]
                axes.plot(cost, median, drawstyle="steps-post", color=FAINT, linewidth=0.6, alpha=0.6)
        largest = 0.0
        for name, style in styles.items():
            line = streams.get(name, 0 if name == EXACT else d)
            if line is not None and (shown_band := line.bands.get("cpu_seconds")) is not None:
                if name == EXACT:
                    layout.draw_line(axes, shown_band, style)
                else:
                    _draw_with_end(axes, shown_band, style)
                largest = max(largest, float(shown_band.cost[-1]))
        axes.set_xlim(left=max(_SHOWN * largest, axes.get_xlim()[0]))
        layout.plain_ticks(axes.yaxis)
        heading(axes, streams.panel, f"d = {d:,}")


def _draw_with_end(axes: Axes, band: Band, style: Style) -> None:
    """Draw a median line to its last evaluations, and the mean of these as an open symbol."""
    end = band.cost[-1], band.middle[-LAST:].mean()
    if len(band.cost) > LAST:
        cost, median, low, high = (part[:-LAST] for part in (band.cost, band.middle, band.low, band.high))
        layout.draw_line(axes, Band(cost, median, low, high, band.runs), style)
    marks = style.markers(1.2) | {"markerfacecolor": "white", "markeredgecolor": style.color, "markeredgewidth": 1.5}
    axes.plot(*end, linestyle="none", **marks, zorder=5)


def _caption(shown: Sequence[Streams]) -> str:
    """Return the caption, with the number of images of LASVM."""
    runs = [(streams.panel, run) for streams in shown for run in streams.panel.runs.get(EXACT, ())]
    known = {(run.result["provenance"]["data"]["counts"]["train"]["n"], panel.n) for panel, run in runs}
    return _CAPTION + "".join(_LASVM_CAPTION.format(rows=rows, of=of) for rows, of in sorted(known) if of and rows < of)


def all_streams(evidence: Evidence) -> list[Streams]:
    """Return the streams of all data sets."""
    return sweep.measured(evidence, (*METHODS, EXACT), Stream, whole=True, least=LAST)


def make(evidence: Evidence) -> FigureResult:
    """Draw the figure and judge its claim."""
    data = all_streams(evidence)
    shown = [streams for streams in data if streams.values]
    columns = ("panel", "dataset", "series", "d", "cost", "x", "median", "low", "high", "runs")
    rows = [
        (dict(zip(columns, (streams.panel.paper_dataset, streams.panel.dataset, name, d, cost), strict=False)), line)
        for streams in shown
        for name, d, stream in streams.items()
        for cost, line in stream.bands.items()
    ]
    return FigureResult(
        band_table(rows, "x", columns),
        partial(_draw, shown=shown),
        layout.size(sum(len(streams.values) for streams in shown), sweep.HEAD),
        table=partial(_table, shown),
        claims=judge_claims(evidence, data=data),
    )


def _table(shown: Sequence[Streams]) -> Table:
    rows = []
    for streams in shown:
        for name, d, stream in streams.items():
            label, errors = STYLES[name].name, stream.bands["presentations"].middle
            if name == EXACT:
                rows.append(_row(f"{label}, after one pass", "", stream, 0, float(errors[0])))
                rows.append(_row(f"{label}, at its end", "", stream, -1, float(errors[-1])))
            else:
                rows.append(_row(label, f"{d:,}", stream, -1, float(stream.means.mean())))
    notes = [
        f"Test error in per cent: mean over the last {LAST} evaluations, and over the runs. LASVM, with the exact "
        "kernel, has a part of the stream, as many images as its first pass has examples, and ends by its own rule; "
        "its errors are those of single evaluations."
    ]
    return Table(["method", "d", "examples", "CPU time", "test error"], rows, notes)


def _row(label: str, d: str, stream: Stream, place: int, error: float) -> list[str]:
    examples, seconds = (float(np.median([column(frame, cost)[place] for frame in stream.frames])) for cost in COSTS)
    return [label, d, f"{examples:,.0f}", seconds_text(seconds), f"{error:.2f}"]
