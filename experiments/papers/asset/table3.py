"""Table 3: test errors on a stream over its last examples, by the dimension of the random features."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

import numpy as np
import pandas as pd

from experiments.papers.asset import table3_picture
from experiments.papers.asset.looks import LOOKS
from experiments.papers.asset.printed import TABLE_3
from experiments.papers.asset.sizes import written
from experiments.papers.asset.streams import LAST, METHODS, Stream, Streams, all_streams
from experiments.papers.effort import seconds_text
from experiments.papers.panels import name_of
from experiments.papers.printed import compared, departure
from experiments.reproduction.evidence import Evidence
from experiments.reproduction.made import Made, Table
from experiments.reproduction.spec import NumberSpec
from experiments.reproduction.verdict import Number

COLUMNS: Final = ("panel", "dataset", "series", "d", "error", "sd", "seconds", "runs")
FULL: Final = 1_000_000


def make(evidence: Evidence) -> Made:
    """Draw the errors, and lay them beside those printed."""
    found = all_streams(evidence)
    shown = [each for each in found if each.of]
    return Made(
        _points(shown),
        partial(table3_picture.draw, found=shown),
        table3_picture.size(),
        table=_table(shown),
        numbers=[_number(spec, found) for spec in evidence.spec.numbers],
    )


def _number(spec: NumberSpec, found: Sequence[Streams]) -> Number:
    method, _, d = spec.name.partition(" error, d = ")
    each = next((each for each in found if each.panel.asked == "mnist_elastic"), None)
    own = None if each is None else each.of.get(method, {}).get(int(d))
    if each is None or own is None:
        return compared(spec, "", None)
    return compared(spec, departure(each.panel, FULL), float(own.means.mean()))


def deviation(own: Stream) -> float:
    """Return the standard deviation over the last looks of a run: the mean over the runs."""
    return float(np.mean(own.looks.std(axis=1, ddof=1)))


def _points(shown: Sequence[Streams]) -> pd.DataFrame:
    rows = [
        {
            "panel": each.panel.asked,
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
        *(LOOKS[name].name for name in METHODS),
        *(f"train, {LOOKS[name].name}" for name in METHODS),
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
        f"Test error in per cent over the last {LAST} looks, which in the full stream of a million lie 1,000 "
        "examples apart: mean ± standard deviation, the means of these over the runs. By the average of the last "
        "100 iterates. Training in CPU seconds, features in it, the images not: the printed ones are of 2011.",
        "The images are not those of the paper: another generator made them. Seconds of testing are printed as 34, "
        "69, 139, 270 and 546; ours are not recorded. LASVM is printed with 0.2 %, after 4.3 days.",
    ]
    return Table(columns, rows, notes)


def _error(own: Stream | None) -> str:
    return "" if own is None else written(float(own.means.mean()), deviation(own), LAST)


def _seconds(own: Stream | None) -> str:
    return "" if own is None else seconds_text(float(np.median(own.seconds)))
