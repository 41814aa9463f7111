"""Table 3: test errors on a stream over its last examples, by the dimension of the random features."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from svm_cost_curves.experiments.papers import layout
from svm_cost_curves.experiments.papers.asset.errors import written
from svm_cost_curves.experiments.papers.asset.streams import LAST, METHODS, Stream, Streams, all_streams
from svm_cost_curves.experiments.papers.cases import (
    MISSING,
    Case,
    Choice,
    Findings,
    above,
    case_on,
    interval_text,
    judge_claims,
)
from svm_cost_curves.experiments.papers.effort import seconds_text
from svm_cost_curves.experiments.papers.panels import heading, name_of
from svm_cost_curves.experiments.papers.printed import compare_number, data_difference
from svm_cost_curves.experiments.plotting import STYLES
from svm_cost_curves.experiments.reproduction.claim_spec import NumberSpec
from svm_cost_curves.experiments.reproduction.evidence import Evidence
from svm_cost_curves.experiments.reproduction.figure_result import FigureResult, Table
from svm_cost_curves.experiments.reproduction.spec import FigureSpec
from svm_cost_curves.experiments.reproduction.statistics import Interval, bootstrap_means
from svm_cost_curves.experiments.reproduction.verdict import Number

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

_NAME: Final = re.compile(r"(?:(\w+) (error|deviation|last error)|(train|test) time), d = (\d+)( over d = 1024)?")
FULL: Final = 1_000_000
UP_TO: Final = 8192
"""The paper's sentence on the deviation is about d up to this."""
Printed = Mapping[str, Mapping[int, float]]
"""By quantity (``asset_online error``, ``train``) and d."""


def printed_in(spec: FigureSpec) -> Printed:
    """Return the printed numbers."""
    found: dict[str, dict[int, float]] = {}
    for number in spec.numbers:
        parts = _NAME.fullmatch(number.name)
        assert parts is not None, number.name
        if not parts[5]:
            found.setdefault(parts[3] or f"{parts[1]} {parts[2]}", {})[int(parts[4])] = number.paper
    return found


def judge_dimension(found: Sequence[Streams], evidence: Evidence, choice: Choice) -> Findings:
    """Judge whether error and deviation of ASSET fall with d, and the deviation of ASSET* less."""
    cases = []
    for each in found:
        errors, squares, star = (
            {d: pick(own) for d, own in each.of.get(name, {}).items() if d <= UP_TO}
            for name, pick in ((METHODS[0], _lasts), (METHODS[0], _squares), (METHODS[1], _squares))
        )
        both = {d: (squares[d], star[d]) for d in squares if d in star}
        cases += [
            _case(each, "error", _fall(list(errors), list(errors.values())), " points"),
            _case(each, "deviation", _fall(list(squares), list(squares.values()), roots=1), " doublings"),
            _case(each, "less for ASSET*", _fall(list(both), [own for pair in both.values() for own in pair], roots=2)),
        ]
    return Findings(cases)


def _lasts(own: Stream) -> NDArray[np.float64]:
    return own.last_errors.ravel()


def _squares(own: Stream) -> NDArray[np.float64]:
    return own.squares


def _fall(sizes: Sequence[int], groups: Sequence[NDArray[np.float64]], roots: int = 0) -> Interval | None:
    """Return what the mean of the groups loses by each doubling of d, by least squares.

    `roots`: 1 for variances, whose root is compared by its logarithm to base 2; 2 for pairs of variances, of which the
    first loses so much more than the second.
    """
    if len(sizes) < 3:
        return None
    logs = np.log2(sizes)
    line = (logs - logs.mean()) / np.square(logs - logs.mean()).sum()

    def statistic(means: NDArray[np.float64]) -> NDArray[np.float64]:
        values = 0.5 * np.log2(np.maximum(means, 1e-12)) if roots else means
        if roots == 2:
            values = values[:, 0::2] - values[:, 1::2]
        fall: NDArray[np.float64] = -(values @ line)
        return fall

    return bootstrap_means(statistic, groups)


def _case(each: Streams, what: str, interval: Interval | None, unit: str = "") -> Case:
    if interval is None:
        return case_on(each.panel, what, MISSING, note="fewer than three dimensions have finished runs", about=what)
    measured = f"falls by {interval_text(interval, '.2f', unit)} for each doubling of d"
    return case_on(
        each.panel, what, above(interval, 0.0), measured, interval.as_dict(), about=what[0].upper() + what[1:]
    )


_HEAD: Final = 0.62  # inches
_CAPTION: Final = (
    f"Left: means over the last {LAST} evaluations and the runs. Right: standard deviations over these evaluations. "
    "Open, dotted: printed, for other images."
)


def _draw(figure: Figure | SubFigure, found: Sequence[Streams], printed: Printed) -> None:
    """Draw two panels per data set: the errors and their deviations."""
    pairs = [(each, quantity) for each in found for quantity in ("error", "deviation")]
    styles = [replace(STYLES[name], line="-", marker=mark) for name, mark in zip(METHODS, "os", strict=True)]
    names = ("$d$, random features", "Test error, %")
    for place, (each, quantity) in layout.each_panel(figure, pairs, styles, [_CAPTION], _HEAD, names, 2):
        sizes = sorted({*each.dimensions, *(d for own in printed.values() for d in own)})
        for name in METHODS:
            own = each.of.get(name, {})
            measured = [(stream.means if quantity == "error" else stream.deviations).mean() for stream in own.values()]
            _line(place, list(own), measured, name, own=True)
            theirs = printed.get(f"{name} {quantity}", {})
            _line(place, list(theirs), list(theirs.values()), name, own=False)
        layout.doubling_axis(place, sizes)
        layout.plain_ticks(place.yaxis)
        heading(place, each.panel, "mean" if quantity == "error" else "standard deviation, points")


def _line(axes: Axes, sizes: Sequence[int], values: Sequence[float], name: str, *, own: bool) -> None:
    color, width = STYLES[name].color, 0.85
    look: dict[str, Any] = {"color": color, "marker": "os"[METHODS.index(name)], "markersize": 6.0 * width}
    look |= {"linestyle": "-", "linewidth": 2.0 * width} if own else {"linestyle": ":", "linewidth": 1.0}
    axes.plot(sizes, values, markerfacecolor=color if own else "white", zorder=4 if own else 3, **look)


COLUMNS: Final = ("panel", "dataset", "series", "d", "error", "sd", "seconds", "runs")


def make(evidence: Evidence) -> FigureResult:
    """Draw the errors and compare them with the printed ones."""
    found, printed = all_streams(evidence), printed_in(evidence.spec)
    shown = [each for each in found if each.of]
    return FigureResult(
        _points(shown),
        partial(_draw, found=shown, printed=printed),
        layout.size(2 * max(1, len(shown)), _HEAD, 2),
        table=_table(shown, printed),
        claims=judge_claims(evidence, {"asset.variability": partial(judge_dimension, found)}),
        numbers=[_number(spec, found) for spec in evidence.spec.numbers],
    )


def _number(spec: NumberSpec, found: Sequence[Streams]) -> Number:
    parts = _NAME.fullmatch(spec.name)
    assert parts is not None  # `printed_in` has read it
    method, quantity, time, d, over = parts.groups()
    each = next((each for each in found if each.panel.paper_dataset == "mnist_elastic"), None)
    own = None if each is None else each.of.get(method or METHODS[0], {}).get(int(d))
    if each is None or own is None or time == "test":  # a run does not record the seconds of its evaluations
        return compare_number(spec, "", None)
    why = data_difference(each.panel, FULL)
    if over:
        least = each.of[METHODS[0]].get(1024)
        # the images do not matter; two clock readings of one program differ by some per cent
        why = "" if each.panel.n == FULL else "a shorter stream"
        return compare_number(spec, why, None if least is None else own.seconds / least.seconds, deviation=0.05)
    values = {"error": own.means, "deviation": own.deviations, "last error": own.last_errors[:, -1]}
    return compare_number(spec, why, values.get(quantity or "", own.seconds))


def _points(shown: Sequence[Streams]) -> pd.DataFrame:
    rows = [
        {
            "panel": each.panel.paper_dataset,
            "dataset": each.panel.dataset,
            "series": method,
            "d": d,
            "error": own.means.mean(),
            "sd": own.deviations.mean(),
            "seconds": np.median(own.seconds),
            "runs": len(own.means),
        }
        for each in shown
        for method, streams in each.of.items()
        for d, own in streams.items()
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _table(shown: Sequence[Streams], printed: Printed) -> Table:
    names = [STYLES[name].name for name in METHODS]
    columns = ["data set", "d", *names, *(f"train, {name}" for name in names), "test"]
    rows: list[list[str]] = []
    for d in sorted({*printed["train"], *(d for each in shown for d in each.dimensions)}):
        if d in printed["train"]:
            values = [[printed[f"{name} {quantity}"][d] for quantity in ("error", "deviation")] for name in METHODS]
            train, test = (f"{printed[kind][d]:,.0f} s" for kind in ("train", "test"))
            errors = [f"{error:g} ± {deviation:.2f}" for error, deviation in values]
            rows.append(["MNIST-E, as printed", f"{d:,}", *errors, train, train, test])
        for each in shown:
            own = [each.of.get(method, {}).get(d) for method in METHODS]
            if any(own):
                rows.append([name_of(each.panel), f"{d:,}", *map(_error, own), *map(_seconds, own), ""])
    notes = [
        f"Test error in per cent over the last {LAST} evaluations, which are 1,000 examples apart in the full stream "
        "of a million: mean ± standard deviation, the means of these over the runs. By the average of the last 100 "
        "iterates. Training in CPU seconds, features in it, the images not: the printed ones are of 2011.",
        "The images are not those of the paper: another generator made them. Our seconds of testing are not recorded. "
        "LASVM is printed with 0.2 %, after 4.3 days and with 1,504 s for a test.",
    ]
    return Table(columns, rows, notes)


def _error(own: Stream | None) -> str:
    return "" if own is None else written(float(own.means.mean()), float(own.deviations.mean()), LAST)


def _seconds(own: Stream | None) -> str:
    return "" if own is None else seconds_text(float(np.median(own.seconds)))
