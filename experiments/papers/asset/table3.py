"""Table 3: test errors on a stream over its last examples, by the dimension of the random features."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd

from experiments.papers import layout
from experiments.papers.asset.errors import written
from experiments.papers.asset.printed import TABLE_3
from experiments.papers.asset.streams import LAST, METHODS, Stream, Streams, all_streams
from experiments.papers.effort import seconds_text
from experiments.papers.panels import heading, name_of
from experiments.papers.printed import compare_number, data_difference
from experiments.plotting import FAINT, PANEL, STYLES
from experiments.reproduction.evidence import Evidence
from experiments.reproduction.figure_result import FigureResult, Table
from experiments.reproduction.spec import NumberSpec
from experiments.reproduction.verdict import Number

if TYPE_CHECKING:
    from matplotlib.figure import Figure, SubFigure

_HEAD: Final = 0.62  # inches
_CAPTION: Final = (
    "Means over the last evaluations and the runs, bars: range of the evaluations. Grey, same symbols: printed, for "
    "other images."
)


def _draw(figure: Figure | SubFigure, found: Sequence[Streams]) -> None:
    """Draw one panel per data set."""
    styles, names = [STYLES[name] for name in METHODS], ("d, random features", "Test error, %")
    for place, each in layout.each_panel(figure, found, styles, [_CAPTION], _HEAD, names, max(2, len(found))):
        for column, name in enumerate(METHODS):
            style = STYLES[name]
            printed = [cell[2 * column] for cell in TABLE_3.values()]
            grey: dict[str, Any] = style.markers(PANEL.lines) | {"markerfacecolor": FAINT}
            place.plot(list(TABLE_3), printed, color=FAINT, linewidth=0.8, linestyle=style.line, **grey, zorder=2)
            own = each.of.get(name, {})
            means = [stream.means.mean() for stream in own.values()]
            look: dict[str, Any] = {"color": style.color, "linestyle": style.line, **style.markers(PANEL.lines)}
            place.plot(list(own), means, linewidth=style.width, **look, zorder=4)
            for d, stream in own.items():
                place.plot(
                    [d, d],
                    [stream.last_errors.min(), stream.last_errors.max()],
                    color=style.color,
                    linewidth=1.0,
                    zorder=3,
                )
        layout.doubling_axis(place, list(TABLE_3))
        layout.plain_ticks(place.yaxis)
        heading(place, each.panel)


COLUMNS: Final = ("panel", "dataset", "series", "d", "error", "sd", "seconds", "runs")
FULL: Final = 1_000_000


def make(evidence: Evidence) -> FigureResult:
    """Draw the errors and compare them with the printed ones."""
    found = all_streams(evidence)
    shown = [each for each in found if each.of]
    return FigureResult(
        _points(shown),
        partial(_draw, found=shown),
        layout.size(1, _HEAD),
        table=_table(shown),
        numbers=[_number(spec, found) for spec in evidence.spec.numbers],
    )


def _number(spec: NumberSpec, found: Sequence[Streams]) -> Number:
    method, _, d = spec.name.partition(" error, d = ")
    each = next((each for each in found if each.panel.paper_dataset == "mnist_elastic"), None)
    own = None if each is None else each.of.get(method, {}).get(int(d))
    if each is None or own is None:
        return compare_number(spec, "", None)
    return compare_number(spec, data_difference(each.panel, FULL), float(own.means.mean()))


def deviation(own: Stream) -> float:
    """Return the standard deviation over the last evaluations of a run, as mean over the runs."""
    return float(np.mean(own.last_errors.std(axis=1, ddof=1)))


def _points(shown: Sequence[Streams]) -> pd.DataFrame:
    rows = [
        {
            "panel": each.panel.paper_dataset,
            "dataset": each.panel.dataset,
            "series": method,
            "d": d,
            "error": own.means.mean(),
            "sd": deviation(own),
            "seconds": np.median(own.seconds),
            "runs": len(own.means),
        }
        for each in shown
        for method, streams in each.of.items()
        for d, own in streams.items()
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _table(shown: Sequence[Streams]) -> Table:
    columns = [
        "data set",
        "d",
        *(STYLES[name].name for name in METHODS),
        *(f"train, {STYLES[name].name}" for name in METHODS),
    ]
    rows: list[list[str]] = []
    for d in sorted({*TABLE_3, *(d for each in shown for d in each.dimensions)}):
        if d in TABLE_3:
            first, first_sd, second, second_sd, train, _ = TABLE_3[d]
            errors = [f"{first:g} ± {first_sd:.2f}", f"{second:g} ± {second_sd:.2f}"]
            rows.append(["MNIST-E, as printed", f"{d:,}", *errors, f"{train:,.0f} s", f"{train:,.0f} s"])
        for each in shown:
            own = [each.of.get(method, {}).get(d) for method in METHODS]
            if any(own):
                rows.append([name_of(each.panel), f"{d:,}", *map(_error, own), *map(_seconds, own)])
    notes = [
        f"Test error in per cent over the last {LAST} evaluations, which are 1,000 examples apart in the full stream "
        "of a million: mean ± standard deviation, the means of these over the runs. By the average of the last 100 "
        "iterates. Training in CPU seconds, features in it, the images not: the printed ones are of 2011.",
        "The images are not those of the paper: another generator made them. Seconds of testing are printed as 34, "
        "69, 139, 270 and 546; ours are not recorded. LASVM is printed with 0.2 %, after 4.3 days.",
    ]
    return Table(columns, rows, notes)


def _error(own: Stream | None) -> str:
    return "" if own is None else written(float(own.means.mean()), deviation(own), LAST)


def _seconds(own: Stream | None) -> str:
    return "" if own is None else seconds_text(float(np.median(own.seconds)))
