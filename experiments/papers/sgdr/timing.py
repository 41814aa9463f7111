"""The times of all methods on every data set and for every C."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from experiments.papers.effort import Effort, unequal
from experiments.papers.optimum import KNOWN, SERIES, Optimum, optimum_of
from experiments.papers.panels import called
from experiments.papers.sgdr.effort import STOPPING, effort
from experiments.reproduction.evidence import Evidence, Panel
from experiments.reproduction.spec import FigureSpec

SHORT: Final[Mapping[str, str]] = {
    "covtype": "Forest",
    "covtype_subset": "Forest",
    "ijcnn1": "IJCNN1",
    "newsgroups_binary": "20 News",
    "rcv1_ccat": "CCAT",
    "rcv1_ccat_subset": "CCAT",
}
"""Data sets as they are called above narrow columns; others by their own names."""


@dataclass(frozen=True)
class Case:
    """One data set with one C.

    Attributes
    ----------
    panel : Panel
    C : float
    optimum : Optimum or None
    efforts : mapping of str to Effort
        By method, those with runs, in the figure's order; empty without an optimum.
    told : mapping of str to Effort
        The same of `STOPPING` methods, as if they were told when they are there, as the others are.
    unfit : str
        Why these times decide nothing; empty where they do.
    """

    panel: Panel
    C: float
    optimum: Optimum | None
    efforts: Mapping[str, Effort]
    told: Mapping[str, Effort]
    unfit: str

    @property
    def name(self) -> str:
        """Data set and C."""
        return f"{called(self.panel)}, C = {self.C:g}"

    @property
    def short(self) -> str:
        """Data set, in ten letters; with a star where it is a stand-in."""
        name = SHORT.get(self.panel.dataset, self.panel.dataset).replace("_", " ")
        return textwrap.wrap(name[0].upper() + name[1:], 10)[0] + ("*" if self.panel.stand_in else "")

    def when_told(self) -> Case:
        """Return the case with `told` for these methods."""
        return replace(self, efforts={**self.efforts, **self.told})

    def multiple(self, method: str) -> float | None:
        """How many times as long as the fastest a method takes, by medians; None where it is not known to get there."""
        effort = self.efforts.get(method)
        if effort is None or not effort.known:
            return None
        return effort.median / min(other.median for other in self.efforts.values() if other.known)


def methods(spec: FigureSpec) -> list[str]:
    """Series that are timed, in the figure's order."""
    return [series.name for series in spec.series if series.name != SERIES]


def cases(evidence: Evidence) -> list[Case]:
    """Return all data sets, for each all values of C."""
    spec = evidence.spec
    return [_case(panel, spec, C) for panel in evidence.panels for C in spec.members(SERIES)]


def _case(panel: Panel, spec: FigureSpec, C: float) -> Case:
    series = {name: spec.members(name)[C] for name in methods(spec)}
    optimum = optimum_of(panel, spec.members(SERIES)[C])
    if optimum is None:
        return Case(panel, C, None, {}, {}, "the optimum is not known")
    runs = {name: panel.runs.get(member, ()) for name, member in series.items()}
    efforts = {
        name: found
        for name, own in runs.items()
        if (found := effort(own, optimum, to_the_end=name in STOPPING)) is not None
    }
    told = {name: found for name in STOPPING if (found := effort(runs.get(name, ()), optimum)) is not None}
    unfit = ""
    if optimum.uncertainty > KNOWN:
        unfit = f"the optimum is known to {100 * optimum.uncertainty:.2g} % only"
    return Case(panel, C, optimum, efforts, told, unfit or unequal(panel, series.values()))
