"""The argument of a figure's module, the evidence, and its result.

The evidence has the finished runs of the figure's series, and what is missing; the result a drawing, its points, a
table, judged claims and compared numbers. The evidence of a published figure is collected here (`from_evidence`): no
data set, no solver and no settings are needed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np
import pandas as pd

from ...support.text import number_of
from .numbers import Number
from .options import Options, resolve_options
from .published import SINGLE, EvidenceError, PublishedRun, read_facts, read_runs, read_series
from .series_spec import SeriesSpec
from .spec import OWN_FILES, FigureSpec, known_data_sets
from .verdict import Claim

if TYPE_CHECKING:
    from matplotlib.figure import Figure, SubFigure


class Run(Protocol):
    """A finished run, of a store or of the published evidence."""

    @property
    def key(self) -> str:
        """Identity of the run (`experiments.run.identity.run_key`)."""

    @property
    def result(self) -> dict[str, Any]:
        """Content of result.json."""

    @property
    def timed(self) -> bool:
        """Whether its times can be compared (`experiments.provenance.is_timed`)."""

    @property
    def curve(self) -> pd.DataFrame:
        """The curve (`experiments.curve`)."""


@dataclass(frozen=True)
class Panel:
    """One data set of a figure."""

    dataset: str
    """The data set that was used."""
    paper_dataset: str
    """The paper's data set; differs from `dataset` for a stand-in."""
    stand_in: str = ""
    """Why `dataset` only stands in for the paper's; empty if it does not."""
    runs: Mapping[str, tuple[Run, ...]] = field(default_factory=dict)
    """Finished runs by rising seed for each series of the figure, in its order; may be empty."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Settings of each series' run with seed 0. From evidence: only `dataset`, `kernel` and `problem`, as
    result.json records them."""
    missing: Mapping[str, str] = field(default_factory=dict)
    """Why a series has fewer runs than its scale needs (``of 10 runs 2 failed``)."""
    left_out: Mapping[str, str] = field(default_factory=dict)
    """Series that cannot solve the problem, and why."""

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


_UNKNOWN: Final = "unknown"
"""Key of the reason in place of a value that was computed."""


@dataclass(frozen=True)
class Reason:
    """Why a value is not known, in a few words, in place of the value."""

    text: str

    def as_dict(self) -> dict[str, str]:
        """Return the form in which `Evidence.computed` has it."""
        return {_UNKNOWN: self.text}


@dataclass(frozen=True)
class Evidence:
    """The input of a figure's module."""

    spec: FigureSpec
    scale: str
    """``demo``, ``quick`` or ``paper``."""
    panels: tuple[Panel, ...]
    """In the order of the paper, without the data sets in `absent`."""
    absent: Mapping[str, str] = field(default_factory=dict)
    """Data sets that are not available, and why."""
    computed: Mapping[str, Any] = field(default_factory=dict)
    """What the figure's module has computed from data (its `compute`); JSON-able, published with the runs. In place of
    an unknown value it has `Reason.as_dict`."""

    def value(self, *names: str) -> Any | Reason:
        """Return ``computed[names[0]][names[1]]...``, or the reason why the value is not known."""
        value: Any = self.computed
        for name in names:
            if name not in value:
                return Reason("not computed")
            value = value[name]
        return Reason(value[_UNKNOWN]) if isinstance(value, Mapping) and _UNKNOWN in value else value

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


@dataclass(frozen=True)
class Bold:
    """A table's cell in bold type, such as the best of a row."""

    bold: str


def cell(value: float | None, form: str, after: str = "") -> str:
    """Write a number for a table, such as ``12,000`` with the form ``,.0f``; an empty cell for None and NaN."""
    return "" if value is None or math.isnan(value) else f"{value:{form}}{after}"


@dataclass(frozen=True)
class Table:
    """A table of a paper, as text without markup."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str | Bold]]
    """Each as long as `columns`; an empty string is an empty cell."""
    notes: Sequence[str] = ()
    """Paragraphs below the table."""


@dataclass(frozen=True)
class FigureResult:
    """A figure before it is written."""

    make_data: Callable[[], pd.DataFrame]
    """Makes `data`, which a verdict does not need."""
    draw: Callable[[Figure | SubFigure], None]
    """Draws into an empty part of a figure, without title and small print."""
    size: tuple[float, float] = (12.0, 7.0)
    """Width and height of the drawing in inches."""
    table: Callable[[], Table] | None = None
    """Makes the table, which a map does not need of the figures whose claims it takes."""
    claims: Sequence[Claim] = ()
    numbers: Sequence[Number] = ()

    @cached_property
    def data(self) -> pd.DataFrame:
        """A row for each drawn point.

        Curves have the columns ``panel, dataset, series, cost, x, mean, sd, seeds`` (`seeds` as text: ``0 1 2``; errors
        as fractions); other figures have their own.
        """
        return self.make_data()


def as_published(run: Run) -> PublishedRun:
    """Return a run of a store with its times in single precision: a figure is then the same from store and evidence.

    Two times of a curve that differ in later digits become equal, which changes how curves are averaged.
    """
    times = {name: np.float32 for name in SINGLE if name in run.curve}
    return PublishedRun(run.key, run.result, run.curve.astype(times).astype(dict.fromkeys(times, np.float64)))


def from_evidence(spec: FigureSpec, options: Options, folder: Path) -> Evidence:
    """Return the evidence of a figure that is published in a folder.

    A run counts for a series if the figure's file still asks for it by the same settings; other runs are missing.

    Raises
    ------
    EvidenceError
        The figure is not published at this scale, or a file is damaged.
    FigureError
        An option is not allowed.
    """
    facts = facts_at_scale(folder, spec.id, options.scale)
    spec = _resolved(spec, options, facts["resolved"])
    rows = read_series(folder, facts)
    runs = read_runs(folder, facts["tables"], {row["key"] for row in rows})
    members = {(row["panel"], row["series"], row["settings"], row["seed"]): runs[row["key"]] for row in rows}
    wanted = spec.candidates(options.datasets)
    of_data_sets = {name for names in wanted.values() for name in names}
    absent = {name: why for name, why in facts["absent"].items() if name not in of_data_sets}
    panels = []
    for paper_dataset, names in wanted.items():
        for name in names:
            panel = _panel(spec, options, _published(facts["panels"], paper_dataset, name), members)
            if panel is not None:
                panels.append(panel)
                break
            absent[name] = facts["absent"].get(name, f"the evidence has no run on {name}")
    return Evidence(spec, options.scale, tuple(panels), absent, facts["computed"])


def facts_at_scale(folder: Path, figure: str, scale: str) -> dict[str, Any]:
    """Return the content of a figure's JSON file; raises EvidenceError if the figure is of another scale."""
    facts = read_facts(folder, figure)
    if facts["scale"] != scale:
        raise EvidenceError(f"the evidence of {figure} is of scale={facts['scale']}, not of scale={scale}")
    return facts


def _resolved(spec: FigureSpec, options: Options, published: Mapping[str, Any] | None) -> FigureSpec:
    """Return a figure with its series: as published, or as they follow from other options."""
    values = {name: option.value for name, option in spec.options.items()}
    # an option that came later does not change the series
    same = published is not None and published["options"].items() <= values.items()
    if published is None or not same or options.figure_options or options.settings:
        return resolve_options(spec, options)
    try:
        series = [SeriesSpec(**fields) for fields in published["series"]]
    except TypeError as error:  # a field of an earlier version
        raise EvidenceError(f"the evidence of {spec.id} has series of an earlier version: publish it again") from error
    return replace(spec, series=series, title=published["title"], timed=published["timed"])


def _published(panels: Iterable[Mapping[str, Any]], paper_dataset: str, name: str) -> Mapping[str, Any] | None:
    """Return the published panel of a data set, as it is named on the command line; None if there is none."""
    for panel in panels:
        names = panel["paper_dataset"], panel["dataset"]
        if names[1] not in known_data_sets() if name == OWN_FILES else names == (paper_dataset, name):
            return panel
    return None


def _panel(
    spec: FigureSpec,
    options: Options,
    published: Mapping[str, Any] | None,
    members: Mapping[tuple[str, str, str, int], PublishedRun],
) -> Panel | None:
    """Return a panel with its published runs; None if none of the runs that it needs is published."""
    if published is None:
        return None
    paper_dataset, dataset = published["paper_dataset"], published["dataset"]
    runs: dict[str, tuple[PublishedRun, ...]] = {}
    missing: dict[str, str] = {}
    for series in spec.series_on(paper_dataset, dataset):
        if series.name in (*published["left_out"], *published["without_runs"]):
            continue
        count = spec.runs_of(series, options.scale, paper_dataset)
        asked = [
            (paper_dataset, series.name, spec.settings_of(series, options.scale, paper_dataset, dataset, seed), seed)
            for seed in range(count)
        ]
        runs[series.name] = tuple(members[row] for row in asked if row in members)
        if lost := count - len(runs[series.name]):
            missing[series.name] = f"of {number_of(count, 'run')} {lost} not made"
    if missing and not any(runs.values()):
        return None
    settings = {name: _recorded_settings(of_series[0].result) for name, of_series in runs.items() if of_series}
    return Panel(dataset, paper_dataset, published["stand_in"], runs, settings, missing, published["left_out"])


def _recorded_settings(result: Mapping[str, Any]) -> SimpleNamespace:
    """Return the data set, the kernel and the problem of a run's record, with attributes named as in `RunSettings`."""
    return SimpleNamespace(
        **{name: SimpleNamespace(**result["settings"][name]) for name in ("dataset", "kernel", "problem")}
    )
