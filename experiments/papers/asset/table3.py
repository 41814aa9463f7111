"""Table 3: test errors on a stream over its last examples, by the dimension of the random features."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from svm_cost_curves.experiments.papers import layout
from svm_cost_curves.experiments.papers.asset import sweep
from svm_cost_curves.experiments.papers.asset.fig2 import LAST, METHODS, Streams, all_streams
from svm_cost_curves.experiments.papers.cases import Case, Findings, Statistic, judge_claims
from svm_cost_curves.experiments.papers.panels import heading, name_of
from svm_cost_curves.experiments.papers.printed import compare_number, data_difference
from svm_cost_curves.experiments.papers.times import seconds_text
from svm_cost_curves.experiments.plotting import STYLES
from svm_cost_curves.experiments.reproduction.claim_spec import NumberSpec
from svm_cost_curves.experiments.reproduction.evidence import Evidence, Panel
from svm_cost_curves.experiments.reproduction.figure_result import FigureResult, Table
from svm_cost_curves.experiments.reproduction.numbers import Number
from svm_cost_curves.experiments.reproduction.spec import FigureSpec
from svm_cost_curves.experiments.reproduction.statistics import trend

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

_NAME: Final = re.compile(r"(?:(\w+) (error|deviation|last error)|(train|test) time), d = (\d+)( over d = 1024)?")
FULL: Final = 1_000_000
Printed = Mapping[str, Mapping[float, float]]
"""By quantity (``asset_online error``, ``train``) and d."""


def printed_in(spec: FigureSpec) -> Printed:
    """Return the printed numbers."""
    printed: dict[str, dict[float, float]] = {}
    for number in spec.numbers:
        parts = _NAME.fullmatch(number.name)
        assert parts is not None, number.name
        if not parts[5]:
            printed.setdefault(parts[3] or f"{parts[1]} {parts[2]}", {})[int(parts[4])] = number.paper
    return printed


@dataclass(frozen=True, kw_only=True)
class FallWithDimension(Statistic):
    """Error and deviation of a series fall as the dimension d grows, and the deviation of another one less.

    The deviation is that of the last evaluations. Each falls by the slope of a line against log2 d.

    Attributes
    ----------
    series, less_for : str
        Series that are swept over d.
    up_to : int
        The largest d.
    """

    series: str
    less_for: str
    up_to: int

    def findings(self, data: Sequence[Streams], evidence: Evidence) -> Findings:
        """Measure the three slopes on each data set."""
        return Findings([case for streams in data for case in self._cases(streams)])

    def _cases(self, streams: Streams) -> list[Case]:
        first, second = (
            {d: stream for d, stream in streams.of.get(name, {}).items() if d <= self.up_to}
            for name in (self.series, self.less_for)
        )
        both = [d for d in first if d in second]
        errors = [stream.last_errors.ravel() for stream in first.values()]
        squares = [stream.squares for stream in first.values()]
        pairs = [groups for d in both for groups in (first[d].squares, second[d].squares)]
        return [
            _case(streams.panel, "error", first, errors, operator.neg),
            _case(streams.panel, "deviation", first, squares, _log_roots),
            _case(streams.panel, f"less for {STYLES[self.less_for].name}", both, pairs, _log_root_ratios),
        ]


def _log_roots(variances: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return -log2 of the deviations."""
    return -0.5 * np.log2(np.maximum(variances, 1e-12))


def _log_root_ratios(variances: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the same of ratios of deviations; (m, 2 points) variances to (m, points)."""
    logs = _log_roots(variances)
    return logs[:, 0::2] - logs[:, 1::2]


def _case(
    panel: Panel,
    what: str,
    sizes: Collection[float],
    groups: Sequence[NDArray[np.float64]],
    values: Callable[[NDArray[np.float64]], NDArray[np.float64]],
) -> Case:
    """Judge what values of the groups' means lose with each doubling of d."""
    fall = trend(list(sizes), groups, values) if len(sizes) > 2 else None
    text = "falls by {}" + (" points" if what == "error" else " doublings") + " for each doubling of d"
    why, about = "fewer than three dimensions have finished runs", what[0].upper() + what[1:]
    case = sweep.interval_case(panel, what, fall, text, about=about, why=why)
    # the interval is over evaluations of single runs: no number of runs follows from it
    return replace(case, decision=replace(case.decision, more_runs=None))


STATISTICS = {"fall_with_dimension": FallWithDimension}
_CAPTION: Final = (
    f"Left: means over the last {LAST} evaluations and the runs. Right: standard deviations over these evaluations. "
    "Open, dotted: printed, for other images."
)


def _draw(figure: Figure | SubFigure, shown: Sequence[Streams], printed: Printed) -> None:
    """Draw two panels per data set: the errors and their deviations."""
    panels = [(streams, quantity) for streams in shown for quantity in ("error", "deviation")]
    styles = [replace(STYLES[name], line="-", marker=mark) for name, mark in zip(METHODS, "os", strict=True)]
    names = ("$d$, random features", "Test error, %")
    for axes, (streams, quantity) in layout.each_panel(figure, panels, styles, [_CAPTION], sweep.HEAD, names, 2):
        for name in METHODS:
            by_d = streams.of.get(name, {})
            measured = {d: (one.means if quantity == "error" else one.deviations).mean() for d, one in by_d.items()}
            _line(axes, measured, name, ours=True)
            _line(axes, printed.get(f"{name} {quantity}", {}), name, ours=False)
        layout.doubling_axis(
            axes, sorted({*map(int, streams.values), *(int(d) for values in printed.values() for d in values)})
        )
        layout.plain_ticks(axes.yaxis)
        heading(axes, streams.panel, "mean" if quantity == "error" else "standard deviation, points")


def _line(axes: Axes, values: Mapping[float, float], name: str, *, ours: bool) -> None:
    color, width = STYLES[name].color, 0.85
    look: dict[str, Any] = {"color": color, "marker": "os"[METHODS.index(name)], "markersize": 6.0 * width}
    look |= {"linestyle": "-", "linewidth": 2.0 * width} if ours else {"linestyle": ":", "linewidth": 1.0}
    face = color if ours else "white"
    axes.plot(list(values), list(values.values()), markerfacecolor=face, zorder=4 if ours else 3, **look)


def make(evidence: Evidence) -> FigureResult:
    """Draw the errors and compare them with the printed ones."""
    data, printed = all_streams(evidence), printed_in(evidence.spec)
    shown = [streams for streams in data if streams.values]
    rows = [
        (
            streams.panel,
            {
                "series": method,
                "d": d,
                "error": stream.means.mean(),
                "sd": stream.deviations.mean(),
                "seconds": np.median(stream.seconds),
                "runs": len(stream.means),
            },
        )
        for streams in shown
        for method, d, stream in streams.items()
    ]
    return FigureResult(
        sweep.points(rows, "series d error sd seconds runs"),
        partial(_draw, shown=shown, printed=printed),
        layout.size(2 * max(1, len(shown)), sweep.HEAD, 2),
        table=partial(_table, shown, printed),
        claims=judge_claims(evidence, data=data),
        numbers=[_number(number, data) for number in evidence.spec.numbers],
    )


def _number(spec: NumberSpec, data: Sequence[Streams]) -> Number:
    parts = _NAME.fullmatch(spec.name)
    assert parts is not None  # `printed_in` has read it
    method, quantity, time, d, over = parts.groups()
    streams = next((one for one in data if one.panel.paper_dataset == "mnist_elastic"), None)
    stream = None if streams is None else streams.get(method or METHODS[0], int(d))
    if streams is None or stream is None or time == "test":  # a run does not record the seconds of its evaluations
        return compare_number(spec, "", None)
    why = data_difference(streams.panel, FULL)
    if over:
        least = streams.get(METHODS[0], 1024)
        # the images do not matter
        why = "" if streams.panel.n == FULL else "a shorter stream"
        return compare_number(spec, why, None if least is None else stream.seconds / least.seconds)
    values = {"error": stream.means, "deviation": stream.deviations, "last error": stream.last_errors[:, -1]}
    return compare_number(spec, why, values.get(quantity or "", stream.seconds))


def _table(shown: Sequence[Streams], printed: Printed) -> Table:
    names = [STYLES[name].name for name in METHODS]
    columns = ["data set", "d", *names, *(f"train, {name}" for name in names), "test"]
    rows: list[list[str]] = []
    for d in sorted({*printed["train"], *(d for streams in shown for d in streams.values)}):
        if d in printed["train"]:
            values = [[printed[f"{name} {quantity}"][d] for quantity in ("error", "deviation")] for name in METHODS]
            train, test = (f"{printed[kind][d]:,.0f} s" for kind in ("train", "test"))
            errors = [f"{error:g} ± {deviation:.2f}" for error, deviation in values]
            rows.append(["MNIST-E, as printed", f"{d:,}", *errors, train, train, test])
        for streams in shown:
            ours = [streams.get(method, d) for method in METHODS]
            if any(ours):
                errors = [
                    "" if run is None else f"{run.means.mean():.2f} ± {run.deviations.mean():.2f}" for run in ours
                ]
                times = [seconds_text(float(np.median(run.seconds))) if run else "" for run in ours]
                rows.append([name_of(streams.panel), f"{d:,}", *errors, *times, ""])
    notes = [
        f"Test error in per cent over the last {LAST} evaluations, which are 1,000 examples apart in the full stream "
        "of a million: mean ± standard deviation, the means of these over the runs. By the average of the last 100 "
        "iterates. Training in CPU seconds, features in it, the images not: the printed ones are of 2011.",
        "The images are not those of the paper: another generator made them. Our seconds of testing are not recorded. "
        "LASVM is printed with 0.2 %, after 4.3 days and with 1,504 s for a test.",
    ]
    return Table(columns, rows, notes)
