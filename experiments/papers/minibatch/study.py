"""Iterations to an accurate primal solution against the size of the mini-batches, on one data set."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd

from experiments.curve import column, cost_to_reach
from experiments.papers.cases import above, at_most, interval_text
from experiments.papers.effort import RESAMPLES, Effort, effort_of
from experiments.papers.minibatch.data import Data, data_of
from experiments.papers.minibatch.methods import METHODS, TAIL
from experiments.papers.optimum import Optimum
from experiments.reproduction.evidence import Evidence, Panel
from experiments.reproduction.spec import FigureSpec
from experiments.reproduction.statistics import Interval, bootstrap_groups, loglog_slope
from experiments.reproduction.verdict import Ruling

ACCURACY: Final = 1e-3
"""Target of P(w) - P*."""
ROUNDING: Final = 1e-12
POINTS: Final = ("panel", "dataset", "series", "b", "iterations", "least", "largest", "runs", "reached")

Efforts = Mapping[int, Effort]
"""Iterations to the target by mini-batch size, rising."""


@dataclass(frozen=True)
class Study:
    """One data set.

    Attributes
    ----------
    data : Data
    efforts : mapping of str to mapping of int to Effort
        Iterations of each method with runs, by b; empty without an optimum.
    """

    data: Data
    efforts: Mapping[str, Efforts]

    @property
    def panel(self) -> Panel:
        """Its panel."""
        return self.data.panel

    def of(self, method: str) -> Efforts:
        """Return the iterations of one method, by b; empty without runs."""
        return self.efforts.get(method, {})

    @property
    def sizes(self) -> list[int]:
        """All b that there are runs for."""
        return sorted({b for efforts in self.efforts.values() for b in efforts})


@dataclass(frozen=True)
class Exponent:
    """a of T ~ b^-a, T the iterations.

    Attributes
    ----------
    interval : Interval
    bound : bool
        Whether the interval is an upper bound: budgets ended runs with large b.
    largest : int
        Largest b of the fit.
    """

    interval: Interval
    bound: bool
    largest: int

    def above(self, limit: float) -> Ruling:
        """Rule whether the exponent is above a limit; an upper bound can only deny it."""
        ruling = above(self.interval, limit)
        return "not_applicable" if self.bound and ruling != "not_reproduced" else ruling

    def at_most(self, limit: float) -> Ruling:
        """Rule whether the exponent is at most a limit; an upper bound can only confirm it."""
        ruling = at_most(self.interval, limit)
        return "not_applicable" if self.bound and ruling != "reproduced" else ruling

    def as_dict(self) -> dict[str, Any]:
        """JSON-able form."""
        return self.interval.as_dict() | {"at_most": self.bound, "largest_b": self.largest}

    def text(self) -> str:
        """Write the estimate and its interval."""
        return ("at most " if self.bound else "") + interval_text(self.interval, ".2f")


def studies(evidence: Evidence) -> list[Study]:
    """Return the data sets of the figure's panels."""
    return [_study(panel, evidence.spec) for panel in evidence.panels]


def points(
    found: Sequence[Study], methods: Sequence[str], more: Callable[[Study, str, int], Mapping[str, Any]]
) -> pd.DataFrame:
    """Return the figure's points: one row per data set, method and b.

    `more` returns further columns of a row, from the data set, the method and b.
    """
    rows = [
        {
            "panel": study.panel.paper_dataset,
            "dataset": study.panel.dataset,
            "series": method,
            "b": b,
            **effort.columns("iterations"),
            **more(study, method, b),
        }
        for study in found
        for method in methods
        for b, effort in study.of(method).items()
    ]
    return pd.DataFrame(rows) if rows else pd.DataFrame(columns=list(POINTS))


def exponent(efforts: Efforts, least: float) -> Exponent | None:
    """Fit the exponent to medians at all b from `least` on.

    A size at which most runs miss the target counts with its budget if that is at least the next smaller size's
    iterations; the fitted exponent is then an upper bound. With a smaller budget the size is left out.

    Returns
    -------
    Exponent or None
        None if fewer than three sizes are left.
    """
    chosen = {b: effort for b, effort in _usable(efforts).items() if b >= least}
    if len(chosen) < 3:
        return None
    sizes = np.array(list(chosen), dtype=np.float64)
    costs = [np.array(effort.costs) for effort in chosen.values()]

    def fitted(*runs: Sequence[int]) -> float:
        return -loglog_slope(sizes, [np.median(own[list(rows)]) for own, rows in zip(costs, runs, strict=True)])

    interval = bootstrap_groups(fitted, [len(own) for own in costs], resamples=RESAMPLES)
    assert interval is not None  # there are runs at three sizes or more
    return Exponent(interval, not all(effort.known for effort in chosen.values()), int(sizes[-1]))


def _usable(efforts: Efforts) -> Efforts:
    """Return the sizes that the exponent can be fitted to."""
    last = float("inf")
    usable: dict[int, Effort] = {}
    for b, effort in efforts.items():
        if effort.known or effort.median >= last:
            usable[b] = effort
        if effort.known:
            last = effort.median
    return usable


def _study(panel: Panel, spec: FigureSpec) -> Study:
    data = data_of(panel)
    optimum = data.optimum
    if optimum is None:
        return Study(data, {})
    efforts = {
        method: {
            int(b): effort for b, name in spec.members(method).items() if (effort := _effort(panel, name, optimum))
        }
        for method in (*METHODS, TAIL)
        if any(series.name == method for series in spec.series)
    }
    return Study(data, {method: own for method, own in efforts.items() if own})


def _effort(panel: Panel, series: str, optimum: Optimum) -> Effort | None:
    """Count iterations of runs to their first evaluation with P(w) - P* <= `ACCURACY`; None without runs."""
    frames = [frame for frame in panel.curves(series) if len(frame)]
    if not frames:
        return None
    found = [
        cost_to_reach(column(frame, "iterations"), column(frame, "primal") - optimum.lower, ACCURACY + ROUNDING)
        for frame in frames
    ]
    return effort_of(found, max(float(column(frame, "iterations")[-1]) for frame in frames))
