"""Plans a figure: the runs that it needs, and those in the store. Loads no data, computes nothing."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ... import datasets, solvers
from ...datasets import DataError, DatasetSpec
from ...solvers import SettingsError
from ..configuration.choices import MPI, EngineMissingError
from ..configuration.composition import given_by, settings_of
from ..configuration.settings import RunSettings
from ..run.identity import code_id, run_key
from .evidence import Run
from .options import Options, resolve_options
from .spec import OWN_FILES, FigureError, FigureSpec, overrides_of

FindRuns = Callable[[Collection[str]], Mapping[str, Run]]
"""Returns the finished run of each key; keys without a run are missing from the result."""


@dataclass(frozen=True)
class PlannedRun:
    """One run of a figure: the name of its curve, its settings and its key; `recorded` is the run in the store."""

    series: str
    settings: RunSettings
    key: str
    recorded: Run | None
    untimed: bool = False
    """Whether the store has it, but not its times (`experiments.provenance.is_timed`), for which `settings` ask."""


@dataclass(frozen=True)
class PlannedPanel:
    """One data set of a figure, and its runs; the fields are those of `evidence.Panel`."""

    paper_dataset: str
    dataset: str
    stand_in: str
    settings: Mapping[str, RunSettings]
    runs: tuple[PlannedRun, ...]
    left_out: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Plan:
    """The plan of a figure at a scale; `spec` has the series that follow from the options."""

    spec: FigureSpec
    options: Options
    panels: tuple[PlannedPanel, ...]
    absent: Mapping[str, str] = field(default_factory=dict)
    """Data sets and engines that are not available, and why."""

    @property
    def runs(self) -> list[PlannedRun]:
        """All runs, panel by panel."""
        return [run for panel in self.panels for run in panel.runs]

    @property
    def missing(self) -> list[PlannedRun]:
        """Runs that are not in the store."""
        return [run for run in self.runs if run.recorded is None]


class Planner:
    """Plans figures on one store; settings and runs that several figures share are looked up once.

    Parameters
    ----------
    find : callable
        Finds runs in the store.
    fetch : callable
        Fetches the files of a data set with missing runs; raises DataError if they are not available.
    timed : bool
        Whether the times of runs of figures of times must be comparable: at the scale of the paper, in a store of
        this machine, and unless the options say otherwise (`Options.together`). Others count as missing.
    key : callable
        Returns the key of a run in the store; by default its `run_key` for this build.
    """

    def __init__(
        self,
        find: FindRuns,
        fetch: Callable[[DatasetSpec], None] | None = None,
        *,
        timed: bool = False,
        key: Callable[[RunSettings], str] | None = None,
    ) -> None:
        self._find = find
        self._fetch = fetch
        self._timed = timed
        self.key = key or self._run_key
        self._settings: dict[tuple[str, ...], RunSettings] = {}
        self._recorded: dict[str, Run] = {}
        self._of_data: dict[tuple[Callable[[DatasetSpec], Any], str], Any] = {}

    def plan(self, spec: FigureSpec, options: Options) -> Plan:
        """Plan one figure.

        Raises FigureError or SettingsError if the scale, the data set or an override is not allowed.
        """
        spec.scale(options.scale)
        spec = resolve_options(spec, options)
        if spec.timed and not options.together:
            options = dataclasses.replace(options, jobs=1)
        panels: list[PlannedPanel] = []
        absent: dict[str, str] = {}
        for paper_dataset, candidates in spec.candidates(options.datasets).items():
            for dataset in candidates:
                try:
                    panels.append(self._panel(spec, options, paper_dataset, dataset, absent))
                    break
                except DataError as error:
                    absent[dataset] = str(error)
        return Plan(spec, options, tuple(panels), absent)

    def _panel(
        self, spec: FigureSpec, options: Options, paper_dataset: str, dataset: str, absent: dict[str, str]
    ) -> PlannedPanel:
        """Plan one data set; raises DataError if runs are missing and the data are not available.

        Series whose engine is not installed are left out, and the engine is added to `absent`.
        """
        scale = spec.scale(options.scale)
        timed = self._timed and spec.timed and options.scale == "paper" and not options.together
        settings: dict[str, RunSettings] = {}
        left_out: dict[str, str] = {}
        wanted: list[tuple[str, RunSettings]] = []
        for series in spec.series_on(paper_dataset, dataset):
            try:
                overrides = overrides_of(series, scale.overrides, paper_dataset, dataset, options.overrides)
                first = self._settings_of(overrides, options)
            except EngineMissingError as error:
                absent[MPI] = str(error).removeprefix(f"{MPI} ")
                continue
            except SettingsError as error:
                if not spec.allow_unsolvable:
                    raise
                left_out[series.name] = str(error).removeprefix(f"{' '.join(series.overrides[:1])} ")
                continue
            if _too_few(first):
                continue
            if timed:
                first = dataclasses.replace(first, timed=first.store_uri is None)  # a server has each run once
            settings[series.name] = first
            seeds = range(spec.runs_of(series, options.scale, paper_dataset))
            wanted += [(series.name, _seeded(first, seed, split=spec.split_by_seed)) for seed in seeds]
        runs = self._look_up(wanted)
        if left_out and not any(series.name in settings for series in spec.curves if not series.reference_only):
            raise FigureError(f"nothing is left to compare on {dataset}: {'; '.join(dict.fromkeys(left_out.values()))}")
        if self._fetch is not None and (not runs or any(run.recorded is None for run in runs)):
            for run in settings.values():
                self._once(self._fetch, run.dataset)
        stand_in = _stand_in(spec, paper_dataset, dataset, settings)
        if dataset.partition(":")[0] == OWN_FILES and settings:  # the files have a name
            shown = next(iter(settings.values())).dataset.name
            paper_dataset, dataset = shown if paper_dataset == dataset else paper_dataset, shown
        return PlannedPanel(paper_dataset, dataset, stand_in, settings, tuple(runs), left_out)

    def _settings_of(self, overrides: Sequence[str], options: Options) -> RunSettings:
        """Return the settings for some overrides.

        Overrides of the command line must have an effect; those of a figure's file need not on each data set.
        """
        key = (str(options.jobs), *overrides)
        if key not in self._settings:
            of_figure = {*given_by(overrides)} - {*given_by([*options.overrides, *options.settings])}
            self._settings[key] = settings_of(overrides, jobs=options.jobs, may_be_unused=of_figure)
        return self._settings[key]

    def _look_up(self, wanted: Sequence[tuple[str, RunSettings]]) -> list[PlannedRun]:
        """Look up runs in the store, in one query."""
        keyed = [(series, settings, self.key(settings)) for series, settings in wanted]
        self._recorded |= self._find([key for _, run, key in keyed if not _serves(run, self._recorded.get(key))])
        runs = []
        for series, settings, key in keyed:
            recorded = self._recorded.get(key)
            if recorded is None or _serves(settings, recorded):
                runs.append(PlannedRun(series, settings, key, recorded))
            else:
                runs.append(PlannedRun(series, settings, key, None, untimed=True))
        return runs

    def _run_key(self, settings: RunSettings) -> str:
        build, fingerprint = solvers.build_info(), self._once(datasets.fingerprint, settings.dataset)
        return run_key(settings.identity(), fingerprint, build["build_id"], build["isa"], code_id(settings.solver))

    def _once(self, call: Callable[[DatasetSpec], Any], spec: DatasetSpec) -> Any:
        """Call a function of a data set once; a DataError is remembered too, as another attempt may take minutes."""
        key = call, repr(spec)
        if key not in self._of_data:
            try:
                self._of_data[key] = call(spec)
            except DataError as error:
                self._of_data[key] = error
        if isinstance(result := self._of_data[key], DataError):
            raise result
        return result


def _serves(settings: RunSettings, recorded: Run | None) -> bool:
    """Whether the store has a run as the settings ask for it."""
    return recorded is not None and (recorded.timed or not settings.timed)


def _seeded(first: RunSettings, seed: int, *, split: bool) -> RunSettings:
    """Return the run with another seed; with `split`, the rows of the data set are drawn by it as well."""
    data = dataclasses.replace(first.dataset, split_seed=seed) if split else first.dataset
    return dataclasses.replace(first, seed=seed, dataset=data)


def _too_few(run: RunSettings) -> bool:
    """Whether the data have fewer examples than a setting needs, such as the size of a mini-batch."""
    n = datasets.training_rows(run.dataset)
    return n is not None and any(vars(run.solver_settings)[name] > n for name in solvers.get(run.algo).within_n)


def _stand_in(spec: FigureSpec, paper_dataset: str, dataset: str, settings: Mapping[str, RunSettings]) -> str:
    stand_in = next((run.dataset.stand_in for run in settings.values()), "")
    if stand_in and not spec.based_on:  # a figure with bases takes data sets for themselves, in the place of no others
        return stand_in
    if dataset in spec.datasets:
        return ""
    how = "takes its place here" if spec.stand_ins.get(paper_dataset) == dataset else "chosen on the command line"
    return f"{how}; the paper's {spec.label} uses {', '.join(spec.datasets)}"
