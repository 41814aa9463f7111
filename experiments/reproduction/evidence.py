"""What a figure is made from: the finished runs of each of its curves, and what is missing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pandas as pd

from experiments.configuration.settings import RunSettings
from experiments.reproduction.spec import FigureSpec
from experiments.store import FinishedRun


@dataclass(frozen=True)
class Panel:
    """One data set of a figure.

    Attributes
    ----------
    dataset : str
        The data set that was used.
    paper_dataset : str
        The paper's; another name than `dataset` where a stand-in takes its place.
    stand_in : str
        Why the data set only stands in for the paper's; empty where it is the paper's.
    runs : mapping of str to tuple of FinishedRun
        For each series of the figure, in its order, the finished runs by rising seed; empty tuple: there is none.
    settings : mapping of str to RunSettings
        For each series, the settings of its run with seed 0; for a figure that looks inside a solver.
    missing : mapping of str to str
        Why a series has fewer runs than the scale asks for (``2 of 10 runs failed``); only where it has.
    left_out : mapping of str to str
        Series that its problem is not for, and why.
    """

    dataset: str
    paper_dataset: str
    stand_in: str = ""
    runs: Mapping[str, tuple[FinishedRun, ...]] = field(default_factory=dict)
    settings: Mapping[str, RunSettings] = field(default_factory=dict)
    missing: Mapping[str, str] = field(default_factory=dict)
    left_out: Mapping[str, str] = field(default_factory=dict)

    def curves(self, series: str) -> tuple[pd.DataFrame, ...]:
        """Full curves (`experiments.curve`) of a series, by rising seed."""
        return tuple(run.curve for run in self.runs.get(series, ()))

    def seeds(self, series: str) -> tuple[int, ...]:
        """Seeds of a series' runs, rising."""
        return tuple(int(run.result["seed"]) for run in self.runs.get(series, ()))

    @property
    def n(self) -> int | None:
        """Number of training examples, as the runs recorded it; None while there is no run."""
        counts = self._counts
        return None if counts is None else int(counts["train"]["n"])

    @property
    def trivial_error(self) -> float | None:
        """Test error of one answer for every example; None while there is no run."""
        counts = self._counts
        if counts is None:
            return None
        share = float(counts["test"]["positives"] / counts["test"]["n"])
        return min(share, 1 - share)

    @property
    def _counts(self) -> dict[str, dict[str, int]] | None:
        run = next((run for runs in self.runs.values() for run in runs), None)
        return None if run is None else run.result["provenance"]["data"]["counts"]


@dataclass(frozen=True)
class Evidence:
    """Everything that a maker gets.

    Attributes
    ----------
    spec : FigureSpec
    scale : str
        ``demo``, ``quick`` or ``paper``.
    panels : tuple of Panel
        In the order of the paper; data sets that cannot be had at all are left out, and named in `absent`.
    absent : mapping of str to str
        Data set to why it cannot be had.
    """

    spec: FigureSpec
    scale: str
    panels: tuple[Panel, ...]
    absent: Mapping[str, str] = field(default_factory=dict)

    @property
    def stand_ins(self) -> dict[str, str]:
        """Data set used to the reason, for those that only stand in for the paper's."""
        return {panel.dataset: panel.stand_in for panel in self.panels if panel.stand_in}

    def declared(self, panel: Panel) -> bool:
        """Whether a data set is the paper's, or the stand-in that the figure's file declares for it."""
        return not panel.stand_in or self.spec.instead.get(panel.paper_dataset) == panel.dataset
