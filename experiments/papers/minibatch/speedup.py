"""How much faster an iteration is when several threads, or processes, share its examples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import pandas as pd

from experiments.papers.effort import Effort, Ratio, ratio_of
from experiments.papers.minibatch import speedup_picture
from experiments.papers.minibatch.data import spectral
from experiments.papers.minibatch.looks import LOOKS
from experiments.papers.minibatch.spectrum import Spectrum
from experiments.papers.panels import name_of
from experiments.reproduction.evidence import Evidence, Panel
from experiments.reproduction.made import Made, Table
from experiments.reproduction.spec import FigureSpec
from experiments.reproduction.statistics import Interval
from experiments.store import FinishedRun

COLUMNS: Final = ("panel", "dataset", "series", "b", "kind", "workers", "seconds", "speedup", "low", "high", "runs")


@dataclass(frozen=True)
class Times:
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
        """How many times as fast as one worker so many are."""
        found = {1: Ratio(Interval(1.0, 1.0, 1.0))}
        for count, effort in self.efforts.items():
            if count > 1 and (ratio := ratio_of(self.efforts[1], effort)) is not None:
                found[count] = ratio
        return found


def make(evidence: Evidence) -> Made:
    """Draw the figure; the paper says nothing of the clock that is so or not."""
    found = [times for panel in evidence.panels for times in _times(panel, evidence.spec)]
    return Made(
        _points(found), partial(speedup_picture.draw, found=found), speedup_picture.size(found), table=_table(found)
    )


def _times(panel: Panel, spec: FigureSpec) -> list[Times]:
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
            found.append(Times(panel, spectrum, method, kind, int(b), efforts))
    return found


def _of_iteration(run: FinishedRun) -> float:
    return float(run.result["wall_seconds"]) / int(run.result["counters"]["iterations"])


def _points(found: Sequence[Times]) -> pd.DataFrame:
    rows = [
        {
            "panel": times.panel.asked,
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


def _table(found: Sequence[Times]) -> Table:
    rows = [
        [
            name_of(times.panel),
            LOOKS[times.method].name,
            f"{times.b:,}",
            "" if times.spectrum is None else f"{1 / times.spectrum.share(times.b):.3g}",
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
