"""The one index of a figure's runs: a sample for each data set, series and point of the series' grid."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from ..reproduction.evidence import Evidence, Panel, Run


@dataclass(frozen=True, eq=False)
class Sample:
    """The runs of a series at one point of its grid on one data set; equal to itself only."""

    panel: Panel
    series: str
    """As in the figure's file."""
    values: Mapping[str, float]
    """By setting of the grid: ``{"problem.C": 1.0}``; empty without a grid."""
    name: str
    """Key of the runs in `Panel.runs`."""

    @property
    def value(self) -> float:
        """Value of the grid's one setting; 0 without a grid."""
        return next(iter(self.values.values()), 0.0)

    @cached_property
    def runs(self) -> tuple[Run, ...]:
        """Finished runs whose curve has a row, by rising seed."""
        return tuple(run for run in self.panel.runs.get(self.name, ()) if len(run.curve))

    @property
    def frames(self) -> list[pd.DataFrame]:
        """Their curves."""
        return [run.curve for run in self.runs]


def samples(
    evidence: Evidence, series: Collection[str] | None = None, panels: Sequence[Panel] | None = None
) -> list[Sample]:
    """Return the samples of some series, also those without runs, by data set and in the order of the figure's file.

    Parameters
    ----------
    evidence : Evidence
    series : collection of str, optional
        By default all; those that the figure does not have are left out.
    panels : sequence of Panel, optional
        By default the evidence's.
    """
    spec = evidence.spec
    names = [planned.name for planned in spec.series if series is None or planned.name in series]
    return [
        Sample(panel, name, values, member)
        for panel in (evidence.panels if panels is None else panels)
        for name in names
        for values, member in spec.points(name)
    ]


def with_every_data_set(evidence: Evidence) -> list[Panel]:
    """Return the figure's panels, and an empty one for each of its data sets that was not run.

    So a data set that is missing counts with as many cases as the others.
    """
    run = {panel.paper_dataset for panel in evidence.panels}
    return [*evidence.panels, *(Panel(name, name) for name in evidence.spec.datasets if name not in run)]
