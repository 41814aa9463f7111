"""Runs by series and value of its grid, and what figures make of their errors: points, texts, bands and cases."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from svm_cost_curves.experiments.curve import column
from svm_cost_curves.experiments.papers.cases import Case, case_on, interval_text
from svm_cost_curves.experiments.plotting.bands import Band
from svm_cost_curves.experiments.reproduction.evidence import Evidence, Panel
from svm_cost_curves.experiments.reproduction.statistics import MISSING, Decision, Interval, above

T = TypeVar("T")
Frames = Sequence[pd.DataFrame]
"""Curves of some runs."""
HEAD: Final = 0.62
"""Inches above the panels of a figure, for a line of legend and a line of caption."""


def all_panels(evidence: Evidence) -> list[Panel]:
    """Return the figure's panels, and an empty one for each of its data sets that was not run.

    So a data set that is missing counts with as many cases as the others.
    """
    run = {panel.paper_dataset for panel in evidence.panels}
    return [*evidence.panels, *(Panel(name, name) for name in evidence.spec.datasets if name not in run)]


@dataclass(frozen=True, eq=False)
class Swept(Generic[T]):
    """One data set: what was measured by series and value of its grid, rising; equal only to itself.

    Attributes
    ----------
    panel : Panel
    of : mapping of str to mapping of float to T
        A series without a grid has the value 0. Those without runs are left out.
    """

    panel: Panel
    of: Mapping[str, Mapping[float, T]]

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
    evidence: Evidence, series: Iterable[str], measure: Callable[[Frames], T], *, whole: bool = False, least: int = 1
) -> list[Swept[T]]:
    """Measure the runs of each series at each value of its grid, on all data sets (`all_panels`).

    Series that the figure does not have are left out, as are curves with fewer than `least` rows of those with a grid.
    `whole`: the values are whole numbers.
    """
    known, data = {one.name for one in evidence.spec.series}, []
    for panel in all_panels(evidence):
        by_series: dict[str, dict[float, T]] = {}
        for name in filter(known.__contains__, series):
            for value, member in (evidence.spec.members(name) or {0.0: name}).items():
                if frames := runs_of(panel, member, least if value else 1):
                    by_series.setdefault(name, {})[int(value) if whole else value] = measure(frames)
        data.append(Swept(panel, by_series))
    return data


def runs_of(panel: Panel, series: str, least: int = 1) -> list[pd.DataFrame]:
    """Return the curves of a series that have at least some rows."""
    return [frame for frame in panel.curves(series) if len(frame) >= least]


def last_errors(frames: Frames) -> NDArray[np.float64]:
    """Return the test errors at the end of runs, in per cent, (runs,)."""
    return np.array([100 * float(column(frame, "test_error")[-1]) for frame in frames])


def spread(values: NDArray[np.float64]) -> float:
    """Return the standard deviation; 0 of a single run."""
    return float(values.std(ddof=1)) if len(values) > 1 else 0.0


def error_text(errors: NDArray[np.float64] | None) -> str:
    """Write a mean error, with its standard deviation if there are several runs; nothing without runs."""
    if errors is None:
        return ""
    return f"{errors.mean():.2f}" + (f" ± {spread(errors):.2f}" if len(errors) > 1 else "")


def error_columns(errors: NDArray[np.float64]) -> dict[str, Any]:
    """Return columns of a figure's data: mean error, standard deviation and number of runs."""
    return {"error": errors.mean(), "sd": spread(errors), "runs": len(errors)}


def points(rows: Iterable[tuple[Panel, Mapping[str, Any]]], columns: str) -> pd.DataFrame:
    """Return a figure's data, one row for each point, with the names of its panel's data sets."""
    named = [{"panel": panel.paper_dataset, "dataset": panel.dataset, **row} for panel, row in rows]
    return pd.DataFrame(named, columns=f"panel dataset {columns}".split(" "))


def band_of(groups: Mapping[Any, NDArray[np.float64]], middle: Callable[..., Any] = np.mean) -> Band:
    """Return the mean (or median), the least and the largest value of each group against the groups' numbers."""
    line, low, high = (np.array([pick(values) for values in groups.values()]) for pick in (middle, np.min, np.max))
    return Band(np.array(list(groups), dtype=np.float64), line, low, high, max(map(len, groups.values())))


def above_0(interval: Interval) -> Decision:
    """Decide whether a quantity is above 0."""
    return above(interval, 0.0)


def interval_case(
    panel: Panel,
    key: str,
    interval: Interval | None,
    text: str,
    decide: Callable[[Interval], Decision] = above_0,
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
