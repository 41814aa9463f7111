"""Plans a figure: the runs that it needs, and those in the store. Loads no data, computes nothing."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeVar

from svm_cost_curves import datasets, solvers
from svm_cost_curves.datasets import DataError
from svm_cost_curves.experiments.configuration.composition import settings_of
from svm_cost_curves.experiments.configuration.engine import MPI, EngineMissingError
from svm_cost_curves.experiments.configuration.settings import RunSettings, setting_name
from svm_cost_curves.experiments.reproduction.evidence import Run
from svm_cost_curves.experiments.reproduction.options import Options, resolve_options
from svm_cost_curves.experiments.reproduction.spec import OWN_FILES, FigureError, FigureSpec, overrides_of
from svm_cost_curves.experiments.run.code_identity import code_id
from svm_cost_curves.experiments.run.identity import run_key
from svm_cost_curves.solvers import SettingsError

T = TypeVar("T")
State = Literal["done", "partial", "none"]


@dataclass(frozen=True)
class PlannedRun:
    """One run of a figure.

    Attributes
    ----------
    series : str
        Name of the curve.
    settings : RunSettings
    key : str
        Identity of the run.
    found : Run or None
        The run in the store.
    beside : bool
        Whether the store has it only as made beside other runs, where `settings.alone` refuses that.
    """

    series: str
    settings: RunSettings
    key: str
    found: Run | None
    beside: bool = False


@dataclass(frozen=True)
class PlannedPanel:
    """One data set of a figure, and its runs.

    Attributes
    ----------
    paper_dataset : str
        The paper's data set.
    dataset : str
        The data set that is used.
    stand_in : str
        Why `dataset` only stands in for the paper's; empty if it does not.
    settings : mapping of str to RunSettings
        For each series, with seed 0.
    runs : tuple of PlannedRun
    left_out : mapping of str to str
        Series that cannot solve the problem, and why.
    """

    paper_dataset: str
    dataset: str
    stand_in: str
    settings: Mapping[str, RunSettings]
    runs: tuple[PlannedRun, ...]
    left_out: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Plan:
    """The plan of a figure at a scale.

    Attributes
    ----------
    spec : FigureSpec
        With the series that follow from the options.
    options : Options
    panels : tuple of PlannedPanel
    absent : mapping of str to str
        Data sets and engines that are not available, and why.
    """

    spec: FigureSpec
    options: Options
    panels: tuple[PlannedPanel, ...]
    absent: Mapping[str, str] = field(default_factory=dict)

    @property
    def runs(self) -> list[PlannedRun]:
        """All runs, panel by panel."""
        return [run for panel in self.panels for run in panel.runs]

    @property
    def missing(self) -> list[PlannedRun]:
        """Runs that are not in the store."""
        return [run for run in self.runs if run.found is None]

    @property
    def state(self) -> State:
        """Whether all, some or none of the runs are in the store."""
        found = sum(run.found is not None for run in self.runs)
        return "done" if found == len(self.runs) else "partial" if found else "none"


class FindsRuns(Protocol):
    """A place with finished runs."""

    def find_all_finished(self, keys: Collection[str]) -> Mapping[str, Run]:
        """Return the run of each key; keys without a run are missing from the result."""


class Planner:
    """Plans figures on one store; settings and runs that several figures share are looked up once.

    Parameters
    ----------
    store : FindsRuns
    fetch : callable
        Fetches the files of a data set with missing runs; raises DataError if they are not available.
    alone : bool
        Whether runs of figures of times must have been made alone: at the scale of the paper, in a store of this
        machine, and unless the options say otherwise (`Options.together`). Others count as missing.
    """

    def __init__(
        self, store: FindsRuns, fetch: Callable[[datasets.DatasetSpec], None] | None = None, *, alone: bool = False
    ) -> None:
        self._store = store
        self._alone = alone
        self._fetch = fetch
        self._settings: dict[tuple[str, ...], RunSettings] = {}
        self._fingerprints: dict[str, str] = {}
        self._found: dict[str, Run] = {}
        self._fetched: set[str] = set()
        self._refused: dict[str, DataError] = {}

    def plan(self, spec: FigureSpec, options: Options) -> Plan:
        """Plan one figure.

        Raises
        ------
        FigureError, SettingsError
            The scale, the data set or an override is not allowed.
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

    def settings(self, overrides: Sequence[str], options: Options) -> RunSettings:
        """Return the settings for some overrides.

        Overrides of the command line must have an effect; those of a figure's file need not on each data set.
        """
        key = (str(options.jobs), *overrides)
        if key not in self._settings:
            said = {setting_name(word) for word in (*options.overrides, *options.settings)}
            of_figure = {setting_name(word) for word in overrides} - said
            self._settings[key] = settings_of(overrides, jobs=options.jobs, may_be_unused=of_figure)
        return self._settings[key]

    def _panel(
        self, spec: FigureSpec, options: Options, paper_dataset: str, dataset: str, absent: dict[str, str]
    ) -> PlannedPanel:
        """Plan one data set; raises DataError if runs are missing and the data are not available.

        Series whose engine is not installed are left out, and the engine is added to `absent`.
        """
        scale = spec.scale(options.scale)
        settings: dict[str, RunSettings] = {}
        left_out: dict[str, str] = {}
        wanted: list[tuple[str, RunSettings]] = []
        for series in spec.series_on(paper_dataset, dataset):
            try:
                words = overrides_of(series, scale.overrides, paper_dataset, dataset, options.overrides)
                first = self.settings(words, options)
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
            if self._alone and spec.timed and options.scale == "paper" and not options.together:
                first = dataclasses.replace(first, alone=first.store_uri is None)  # a server has each run once
            settings[series.name] = first
            seeds = range(spec.runs_of(series, options.scale))
            wanted += [(series.name, _seeded(first, seed, split=spec.split_by_seed)) for seed in seeds]
        runs = self._look_up(wanted)
        if left_out and not any(series.name in settings for series in spec.curves if not series.reference_only):
            raise FigureError(f"nothing is left to compare on {dataset}: {'; '.join(dict.fromkeys(left_out.values()))}")
        self._require_data(dataset, settings, runs)
        stand_in = _stand_in(spec, paper_dataset, dataset, settings)
        if dataset.partition(":")[0] == OWN_FILES and settings:  # the files have a name
            shown = next(iter(settings.values())).dataset.name
            paper_dataset, dataset = shown if paper_dataset == dataset else paper_dataset, shown
        return PlannedPanel(paper_dataset, dataset, stand_in, settings, tuple(runs), left_out)

    def _look_up(self, wanted: Sequence[tuple[str, RunSettings]]) -> list[PlannedRun]:
        """Look up runs in the store, in one query."""
        keyed = [(series, settings, self.key(settings)) for series, settings in wanted]
        unknown = [key for _, settings, key in keyed if not _serves(settings, self._found.get(key))]
        self._found |= self._store.find_all_finished(unknown)
        runs = []
        for series, settings, key in keyed:
            found = self._found.get(key)
            serves = _serves(settings, found)
            runs.append(PlannedRun(series, settings, key, found if serves else None, beside=bool(found) and not serves))
        return runs

    def key(self, settings: RunSettings) -> str:
        """Return the key of a run."""
        build, code = solvers.build_info(), code_id(settings.solver)
        return run_key(settings.identity(), self.fingerprint(settings), build["build_id"], build["isa"], code)

    def fingerprint(self, settings: RunSettings) -> str:
        """Return the identity of a run's data."""
        identity = repr(settings.dataset)
        if identity not in self._fingerprints:
            self._fingerprints[identity] = self._once(settings.dataset, lambda: datasets.fingerprint(settings.dataset))
        return self._fingerprints[identity]

    def _require_data(self, dataset: str, settings: Mapping[str, RunSettings], runs: Sequence[PlannedRun]) -> None:
        """Raise DataError if runs are missing and a data set is not available."""
        del dataset  # its files follow from the settings
        if not runs or any(run.found is None for run in runs):
            for run in settings.values():
                self._fetch_once(run.dataset)

    def _fetch_once(self, spec: datasets.DatasetSpec) -> None:
        """Fetch a data set's files, once."""
        if self._fetch is not None and repr(spec) not in self._fetched:
            fetch = self._fetch
            self._once(spec, lambda: fetch(spec))
            self._fetched.add(repr(spec))

    def _once(self, spec: datasets.DatasetSpec, call: Callable[[], T]) -> T:
        """Call a function of a data set; a DataError is remembered, because a second attempt may take minutes."""
        if known := self._refused.get(repr(spec)):
            raise known
        try:
            return call()
        except DataError as error:
            self._refused[repr(spec)] = error
            raise


def _serves(settings: RunSettings, found: Run | None) -> bool:
    """Whether the store has a run as the settings ask for it."""
    return found is not None and (found.alone or not settings.alone)


def _seeded(first: RunSettings, seed: int, *, split: bool) -> RunSettings:
    """Return the run with another seed; with `split`, the rows of the data set are drawn by it as well."""
    data = dataclasses.replace(first.dataset, split_seed=seed) if split else first.dataset
    return dataclasses.replace(first, seed=seed, dataset=data)


def _too_few(run: RunSettings) -> bool:
    """Whether the data have fewer examples than a setting needs, such as the size of a mini-batch."""
    n = datasets.training_rows(run.dataset)
    return n is not None and any(vars(run.solver_settings)[name] > n for name in solvers.get(run.algo).within_n)


def _stand_in(spec: FigureSpec, paper_dataset: str, dataset: str, settings: Mapping[str, RunSettings]) -> str:
    own = next((run.dataset.stand_in for run in settings.values()), "")
    if own and not spec.based_on:  # a figure with bases takes data sets for themselves, in the place of no others
        return own
    if dataset in spec.datasets:
        return ""
    how = "takes its place here" if spec.stand_ins.get(paper_dataset) == dataset else "chosen on the command line"
    return f"{how}; the paper's {spec.label} uses {', '.join(spec.datasets)}"
