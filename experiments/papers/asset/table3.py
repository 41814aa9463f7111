"""Table 3: test errors on a stream over its last examples, by the dimension of the random features."""

from __future__ import annotations

import operator
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ...curve import column
from ...plotting import STYLES
from ...reproduction.claim_spec import NumberSpec
from ...reproduction.evidence import Evidence, FigureResult, Table
from ...reproduction.numbers import Number
from ...reproduction.spec import FigureSpec
from ...reproduction.statistics.regression import trend
from .. import layout
from ..cases import Case, Statistic, judge_claims
from ..panels import heading, name_of
from ..printed import compare_number, data_difference
from ..times import seconds_text
from . import sweep
from .fig2 import LAST, METHODS, Streams, all_streams, last_errors, mean_errors
from .sweep import Frames, Values

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ...configuration.settings import RunSettings

_NAME: Final = re.compile(r"(?:(\w+) (error|deviation|last error)|(train|test) time), d = (\d+)( over d = 1024)?")
FULL: Final = 1_000_000  # images
IMAGES: Final = "mnist_elastic"
Tests = Mapping[str, Mapping[str, Sequence[float]]]
"""Seconds of a test, by data set and d."""
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


def _deviations(frames: Frames) -> Values:
    """Return the standard deviation over the last evaluations of each run."""
    return np.asarray(last_errors(frames).std(axis=1, ddof=1))


def _variances(frames: Frames) -> Values:
    """Return the variance over the last evaluations of each run."""
    return np.asarray(last_errors(frames).var(axis=1, ddof=1))


def _seconds(frames: Frames) -> Values:
    """Return the CPU seconds of training of each run."""
    return np.array([column(frame, "cpu_seconds")[-1] for frame in frames])


TESTS: Final = 5
"""Measurements of the seconds of a test."""


def compute(evidence: Evidence) -> dict[str, Any]:
    """Return CPU seconds of `TESTS` tests by data set and dimension, of `METHODS`' first one."""
    return {
        "test_seconds": {
            panel.paper_dataset: {
                str(int(d)): test_seconds(panel.settings[name])
                for d, name in evidence.spec.members(METHODS[0]).items()
                if panel.runs.get(name)
            }
            for panel in evidence.panels
        }
    }


def test_seconds(run: RunSettings) -> list[float]:
    """Return CPU seconds in which a predictor is applied to all test images, by one thread: `TESTS` measurements.

    The time does not depend on the weights, so a single iteration precedes. Raises DataError: the data are not
    available.
    """
    from .... import datasets
    from ....solvers import Limit, blas
    from ...run.assembly import assemble
    from ...run.console import note

    cache = datasets.default_cache_dir()
    data = datasets.load(run.dataset, cache_dir=cache, note=note)
    solver = run.solver(assemble(run, data, cache_dir=cache).problem, run.solver_settings, run.seed)
    solver.advance(Limit(iterations=1))
    predictor, seconds = solver.snapshot(), []
    with blas.connected():
        for _ in range(TESTS):
            begun = time.process_time()
            predictor.decision_values(data.X_test)
            seconds.append(time.process_time() - begun)
    return seconds


@dataclass(frozen=True, kw_only=True)
class FallWithDimension(Statistic, kind="fall_with_dimension"):
    """Error and deviation of a `series` fall as the dimension d grows, and the deviation of `less_for` falls less.

    The deviation is that of a run's last evaluations. Each falls by the slope of a line against log2 d, over d at most
    `up_to`, with an interval over the runs; single runs of a random method decide nothing.
    """

    series: str
    less_for: str
    up_to: int

    def cases(self, streams: Streams, evidence: Evidence) -> Iterator[Case]:
        """Measure the three slopes."""
        first, second = (
            {d: frames for d, frames in streams.of.get(name, {}).items() if d <= self.up_to}
            for name in (self.series, self.less_for)
        )
        both = [d for d in first if d in second]
        errors = [mean_errors(frames) for frames in first.values()]
        pairs = [_variances(by_d[d]) for d in both for by_d in (first, second)]
        for quantity, unit, sizes, groups, values in (
            ("error", "points", list(first), errors, operator.neg),
            ("deviation", "doublings", list(first), [*map(_variances, first.values())], _log_roots),
            (f"less for {STYLES[self.less_for].name}", "doublings", both, pairs, _log_root_ratios),
        ):
            fall = trend(sizes, groups, values) if len(sizes) > 2 else None
            text = f"falls by {{}} {unit} for each doubling of d"
            why, about = "fewer than three dimensions have finished runs", quantity[0].upper() + quantity[1:]
            case = sweep.interval_case(streams.panel, quantity, fall, text, about=about, why=why)
            single = min(map(len, groups), default=0) < 2
            yield sweep.undecided(case) if single else case


def _log_roots(variances: Values) -> Values:
    """Return -log2 of the deviations."""
    return np.asarray(-0.5 * np.log2(np.maximum(variances, 1e-12)))


def _log_root_ratios(variances: Values) -> Values:
    """Return -log2 of the ratios of two series' deviations, (m, points), from their variances, (m, 2 points)."""
    logs = _log_roots(variances)
    return np.asarray(logs[:, 0::2] - logs[:, 1::2])


_CAPTION: Final = (
    f"Left: means over the last {LAST} evaluations and the runs. Right: standard deviations over these evaluations. "
    "Open, dotted: printed, for other images."
)


def _draw(axes: Axes, item: tuple[Streams, str], printed: Printed) -> None:
    """Draw the errors of both methods, or their deviations, and the printed ones."""
    streams, quantity = item
    measure = mean_errors if quantity == "error" else _deviations
    for name, marker in zip(METHODS, "os", strict=True):
        ours = {d: float(measure(frames).mean()) for d, frames in streams.of.get(name, {}).items()}
        look: dict[str, Any] = {"color": STYLES[name].color, "marker": marker, "markersize": 5.1}
        axes.plot(list(ours), list(ours.values()), linestyle="-", linewidth=1.7, zorder=4, **look)
        theirs = printed.get(f"{name} {quantity}", {})
        axes.plot(list(theirs), list(theirs.values()), ":", linewidth=1.0, markerfacecolor="white", zorder=3, **look)
    sizes = {*streams.values, *(d for by_d in printed.values() for d in by_d)}
    layout.doubling_axis(axes, sorted(map(int, sizes)))
    layout.plain_ticks(axes.yaxis)
    heading(axes, streams.panel, "mean" if quantity == "error" else "standard deviation, points")


def make(evidence: Evidence) -> FigureResult:
    """Draw the errors and compare them with the printed ones."""
    data, printed = all_streams(evidence), printed_in(evidence.spec)
    tests: Tests = evidence.computed.get("test_seconds", {})
    shown = [streams for streams in data if streams.values]

    def values(_: Streams, name: str, d: float, frames: Frames) -> tuple[Any, ...]:
        errors, deviations = mean_errors(frames), _deviations(frames)
        return name, d, errors.mean(), deviations.mean(), np.median(_seconds(frames)), len(frames)

    items = [(streams, quantity) for streams in shown for quantity in ("error", "deviation")]
    styles = [replace(STYLES[name], line="-", marker=mark) for name, mark in zip(METHODS, "os", strict=True)]
    names = ("$d$, random features", "Test error, %")
    return FigureResult(
        lambda: sweep.points(shown, "series d error sd seconds runs", values),
        *layout.drawing(items, styles, _CAPTION, names, partial(_draw, printed=printed), columns=2),
        table=partial(_table, shown, printed, tests),
        claims=judge_claims(evidence, data=data),
        numbers=[_number(number, data, tests.get(IMAGES, {})) for number in evidence.spec.numbers],
    )


def _number(spec: NumberSpec, data: Sequence[Streams], tests: Mapping[str, Sequence[float]]) -> Number:
    parts = _NAME.fullmatch(spec.name)
    assert parts is not None  # `printed_in` has read it
    method, quantity, kind, d, over = parts.groups()
    streams = next((candidate for candidate in data if candidate.panel.paper_dataset == IMAGES), None)
    frames = None if streams is None else streams.get(method or METHODS[0], int(d))
    if streams is None or frames is None:
        return compare_number(spec, "", None)
    why = data_difference(streams.panel, FULL)
    if kind == "test":
        seconds, of_least = (np.array(tests.get(size, ())) for size in (d, "1024"))
        if not len(seconds) or (over and not len(of_least)):
            return compare_number(spec, "", None)
        return compare_number(spec, "", seconds / of_least) if over else compare_number(spec, why, seconds)
    if over:
        least = streams.get(METHODS[0], 1024)
        # the images do not matter
        why = "" if streams.panel.n == FULL else "a shorter stream"
        return compare_number(spec, why, None if least is None else _seconds(frames) / _seconds(least))
    if quantity == "last error":
        return compare_number(spec, why, last_errors(frames)[:, -1])
    return compare_number(spec, why, {"error": mean_errors, "deviation": _deviations}.get(quantity, _seconds)(frames))


def _table(shown: Sequence[Streams], printed: Printed, tests: Tests) -> Table:
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
                    f"{mean_errors(run).mean():.2f} ± {_deviations(run).mean():.2f}" if run else "" for run in ours
                ]
                times = [seconds_text(float(np.median(_seconds(run)))) if run else "" for run in ours]
                measured = tests.get(streams.panel.paper_dataset, {}).get(f"{d:g}")
                times.append(seconds_text(float(np.median(measured))) if measured else "")
                rows.append([name_of(streams.panel), f"{d:,}", *errors, *times])
    notes = [
        f"Test error in per cent over the last {LAST} evaluations, which are 1,000 examples apart in the full stream "
        "of a million: mean ± standard deviation, the means of these over the runs. By the average of the last 100 "
        "iterates. Training in CPU seconds, features in it, the images not: the printed ones are of 2011.",
        "The images are not those of the paper: another generator made them. A test is that of all test images by one "
        f"thread: median of {TESTS}. LASVM is printed with 0.2 %, after 4.3 days and with 1,504 s for a test.",
    ]
    return Table(columns, rows, notes)
