"""The evidence for a figure: the finished runs of its series, and what is missing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import pandas as pd

from svm_cost_curves.experiments.reproduction.spec import FigureSpec


class Run(Protocol):
    """A finished run, of a store or of the published evidence."""

    @property
    def key(self) -> str:
        """Identity of the run (`experiments.run.identity.run_key`)."""

    @property
    def result(self) -> dict[str, Any]:
        """Content of result.json."""

    @property
    def alone(self) -> bool:
        """Whether its command made one run at a time; False if the record does not say it."""

    @property
    def curve(self) -> pd.DataFrame:
        """The curve (`experiments.curve`)."""


@dataclass(frozen=True)
class Panel:
    """One data set of a figure.

    Attributes
    ----------
    dataset : str
        The data set that was used.
    paper_dataset : str
        The paper's data set; differs from `dataset` for a stand-in.
    stand_in : str
        Why `dataset` only stands in for the paper's; empty if it does not.
    runs : mapping of str to tuple of Run
        Finished runs by rising seed for each series of the figure, in its order; may be empty.
    settings : mapping of str to RunSettings
        Settings of each series' run with seed 0. From published evidence: of each series with runs, what their record
        says of data set, kernel and problem, by the same names (`experiments.reproduction.from_evidence`).
    missing : mapping of str to str
        Why a series has fewer runs than its scale needs (``of 10 runs 2 failed``).
    left_out : mapping of str to str
        Series that cannot solve the problem, and why.
    """

    dataset: str
    paper_dataset: str
    stand_in: str = ""
    runs: Mapping[str, tuple[Run, ...]] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
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
        """Number of training examples that the runs recorded; None without runs."""
        counts = self._counts
        return None if counts is None else int(counts["train"]["n"])

    @property
    def trivial_error(self) -> float | None:
        """Test error of a constant prediction; None without runs."""
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
    """The input of a figure's module.

    Attributes
    ----------
    spec : FigureSpec
    scale : str
        ``demo``, ``quick`` or ``paper``.
    panels : tuple of Panel
        In the order of the paper, without the data sets in `absent`.
    absent : mapping of str to str
        Data sets that are not available, and why.
    computed : mapping of str to Any
        What the figure's module has computed from data (its `compute`); JSON-able, published with the runs.
    """

    spec: FigureSpec
    scale: str
    panels: tuple[Panel, ...]
    absent: Mapping[str, str] = field(default_factory=dict)
    computed: Mapping[str, Any] = field(default_factory=dict)

    @property
    def absent_because(self) -> dict[str, str]:
        """Data sets that are not available, and why, without what is about this machine: addresses tried, folders."""
        return {name: why.partition(": ")[0] for name, why in self.absent.items()}

    @property
    def stand_ins(self) -> dict[str, str]:
        """Stand-ins and their reasons."""
        return {panel.dataset: panel.stand_in for panel in self.panels if panel.stand_in}

    def declared(self, panel: Panel) -> bool:
        """Whether a data set is the paper's or the stand-in in the figure's file."""
        return not panel.stand_in or self.spec.stand_ins.get(panel.paper_dataset) == panel.dataset
