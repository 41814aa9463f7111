"""Runs by series and value of its grid, and what figures make of their errors: points, texts, bands and cases."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...curve import column
from ...plotting.bands import Band
from ...reproduction.evidence import Evidence, Panel
from ...reproduction.statistics.interval import MISSING, Decision, Interval, above
from ...reproduction.statistics.target import Effort, cost_to_target
from ..cases import Case, case_on, interval_text
from ..samples import samples, with_every_data_set

T = TypeVar("T")
Frames = Sequence[pd.DataFrame]
"""Curves of some runs."""
Values = NDArray[np.float64]
"""One number for each run, such as its test error in per cent."""


@dataclass(frozen=True, eq=False)
class Swept(Generic[T]):
    """One data set: what was measured by series and value of its grid, rising; equal only to itself."""

    panel: Panel
    of: Mapping[str, Mapping[float, T]]
    """A series without a grid has the value 0. Those without runs are left out."""

    def get(self, series: str, value: float) -> T | None:
        """Return what was measured of one series at one value; None without runs."""
        return self.of.get(series, {}).get(value)

    def items(self) -> Iterator[tuple[str, float, T]]:
        """Yield each series and value with what was measured."""
        for series, by_value in self.of.items():
            for value, result in by_value.items():
                yield series, value, result

    @property
    def values(self) -> list[float]:
        """All values of the grids that have runs."""
        return sorted({value for by_value in self.of.values() for value in by_value if value})


def measured(
    evidence: Evidence, series: Sequence[str], measure: Callable[[Frames], T], *, whole: bool = False, least: int = 1
) -> list[Swept[T]]:
    """Measure the runs of each series at each value of its grid, on all data sets (`with_every_data_set`).

    Series that the figure does not have are left out, as are curves with fewer than `least` rows of those with a grid.
    `whole`: the values are whole numbers.
    """
    data = []
    for panel in with_every_data_set(evidence):
        by_series: dict[str, dict[float, T]] = {}
        for sample in samples(evidence, series, [panel]):
            if frames := [frame for frame in sample.frames if not sample.values or len(frame) >= least]:
                value = int(sample.value) if whole else sample.value
                by_series.setdefault(sample.series, {})[value] = measure(frames)
        data.append(Swept(panel, {name: by_series[name] for name in series if name in by_series}))
    return data


def runs_of(panel: Panel, series: str) -> list[pd.DataFrame]:
    """Return the curves of a series that have a row."""
    return [frame for frame in panel.curves(series) if len(frame)]


def last_errors(frames: Frames) -> Values:
    """Return the test errors at the end of runs, in per cent, (runs,)."""
    return np.array([100 * float(column(frame, "test_error")[-1]) for frame in frames])


def effort_to(error: float, frames: Frames, cost: str, *, settled: bool = False) -> Effort:
    """Return the cost of runs, one at least, to a test error in per cent; `settled`: it must stay there."""
    effort = cost_to_target(frames, cost, "test_error", error / 100, settled=settled)
    assert effort is not None  # there are curves with rows
    return effort


def spread(values: Values) -> float:
    """Return the standard deviation; 0 of a single run."""
    return float(values.std(ddof=1)) if len(values) > 1 else 0.0


def error_text(errors: Values | None) -> str:
    """Write a mean error, with its standard deviation if there are several runs; nothing without runs."""
    if errors is None:
        return ""
    return f"{errors.mean():.2f}" + (f" ± {spread(errors):.2f}" if len(errors) > 1 else "")


def points(
    data: Iterable[Swept[T]], columns: str, values: Callable[[Any, str, float, T], Iterable[Any]]
) -> pd.DataFrame:
    """Return a figure's data: a row for each data set, series and value, with the names of the panel's data sets.

    `values` are those of the columns in order, from the data set, the series, its value and what was measured.
    """
    rows = [
        (swept.panel.paper_dataset, swept.panel.dataset, *values(swept, series, value, result))
        for swept in data
        for series, value, result in swept.items()
    ]
    return pd.DataFrame(rows, columns=f"panel dataset {columns}".split(" "))


def band_of(groups: Mapping[Any, Values], middle: Callable[..., Any] = np.mean) -> Band:
    """Return the mean (or median), the least and the largest value of each group against the groups' numbers."""
    line, low, high = (np.array([pick(values) for values in groups.values()]) for pick in (middle, np.min, np.max))
    return Band(np.array(list(groups), dtype=np.float64), line, low, high, max(map(len, groups.values())))


def undecided(case: Case) -> Case:
    """Return a case that single runs measure, as unclear: one run of a random method decides nothing."""
    return case if case.ruling == "missing" else replace(case, ruling="unclear", more_runs=None, note="single runs")


def interval_case(
    panel: Panel,
    key: str,
    interval: Interval | None,
    text: str,
    decide: Callable[[Interval], Decision] = lambda interval: above(interval, 0.0),
    *,
    about: str = "",
    why: str = "no finished runs to compare",
) -> Case:
    """Return a case that an interval decides; without one it was not run, and `why` says why.

    `text` is the measurement, with braces for the interval; `about` a label in place of the data set's name. By default
    it holds if the interval is above 0.
    """
    if interval is None:
        return case_on(panel, key, MISSING, note=why, about=about)
    measured = text.format(interval_text(interval, "+.2f"))
    return case_on(panel, key, decide(interval), measured, interval.as_dict(), about=about)
