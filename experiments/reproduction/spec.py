"""The specification of a figure or table: the schema of its file.

Plain dataclasses, which pydantic fills and checks.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Annotated, Literal, get_args

from pydantic import AfterValidator, Field, TypeAdapter

from ...support.errors import UserError
from ...support.text import command_line, known_names, quoted, setting_name
from ..configuration.choices import option_files
from ..provenance import PROJECT_ROOT
from .claim_spec import BaseSpec, ClaimSpec, Described, NumberSpec, check_claim, check_statistic, read_yaml
from .series_spec import RowSpec, SeriesSpec, check_grid

FIGURES = PROJECT_ROOT / "conf" / "figure"
"""Figures of no single paper: those on other data, the arenas, and the user's."""
PAPERS = PROJECT_ROOT / "experiments" / "papers"
"""Figures of the papers, beside their code: ``sbp/fig2.yaml`` is ``sbp_fig2``."""
DATA_SETS = PROJECT_ROOT / "conf" / "dataset"
OWN_FILES = "file"
"""Name of the data set of the user's own files."""
Scale = Literal["demo", "quick", "paper"]
SCALES = get_args(Scale)
"""Sizes of a figure: a sample of the data in seconds, more data in minutes, the paper's data and budget."""

Seeds = Annotated[int, Field(ge=0, le=100_000)]


class FigureError(UserError, ValueError):
    """A figure, scale, data set or option that does not exist; the message names the nearest ones."""


@dataclass
class ScaleSpec(Described):
    """Size of a figure: data, budget and repetitions; the method is the same."""

    seeds: Seeds = 1
    """Runs of each series, with seeds 0, 1, ..."""
    overrides: list[str] = field(default_factory=list)
    """Added to those of each series; they win."""
    seeds_on: dict[str, Seeds] = field(default_factory=dict)
    """Runs on one of the paper's data sets, in place of `seeds`: where they are short, or claims need more of them."""


@dataclass
class OptionSpec(Described):
    """An option ``name=value`` of one figure, with its default, and what it says in ``--help``."""

    value: str = ""
    says: str = ""


@dataclass
class FigureSpec(Described):
    """One figure or table."""

    id: str = ""
    """``<paper>_<what>``, the name of its file."""
    paper: str = ""
    """Key of the paper (``sbp``); may be empty."""
    label: str = ""
    """Its name in the paper: ``Figure 2``, or the section of an experiment in the text."""
    title: str = ""
    maker: str = ""
    """Module with ``make(evidence)``."""
    datasets: list[str] = field(default_factory=list)
    """In the paper's order, one panel each; may be empty."""
    stand_ins: dict[str, str] = field(default_factory=dict)
    """Data set to its stand-in, used if the data set is not available, and marked as such."""
    missing_data: dict[str, str] = field(default_factory=dict)
    """The paper's data sets that are left out, and why. They count as cases that were not run."""
    series: list[SeriesSpec] = field(default_factory=list)
    scales: dict[str, ScaleSpec] = field(default_factory=dict)
    """One for each of `SCALES`."""
    timed: bool = False
    """Its cost axis is time: runs are made one at a time, unless ``timed=together``."""
    split_by_seed: bool = False
    """Whether a run's seed is also its ``dataset.split_seed``: then runs differ in their training and test rows too."""
    rows: list[RowSpec] = field(default_factory=list)
    """Rows of panels of a figure of curves (`experiments.papers.curves`)."""
    claims: list[ClaimSpec] = field(default_factory=list)
    numbers: list[NumberSpec] = field(default_factory=list)
    """Claims to judge, and numbers to compare."""
    options: dict[str, OptionSpec] = field(default_factory=dict)
    """Its options on the command line."""
    settings: list[str] = field(default_factory=list)
    """Groups of ``run.py``'s settings (``problem``) that the command line may change for all runs."""
    series_module: str = ""
    """Module with ``with_series(spec, options)`` for a figure whose series follow from the command line; else empty."""
    allow_unsolvable: bool = False
    """Whether a series that cannot solve the problem is left out, with the reason, instead of an error."""
    based_on: list[BaseSpec] = field(default_factory=list)
    """Other figures whose series and claims this one repeats on its own data sets; its `series_module` reads them."""
    excluded_because: dict[str, str] = field(default_factory=dict)
    """Claims that are not repeated, and why."""

    @cached_property
    def curves(self) -> list[SeriesSpec]:
        """All series, those with a grid replaced by their members."""
        return [curve for series in self.series for curve in series.curves()]

    def points(self, name: str) -> list[tuple[Mapping[str, float], str]]:
        """Return the points of a series' grid, each with the name of its curve; without a grid one empty point.

        KeyError: the figure has no such series.
        """
        return self._points[name]

    def members(self, name: str) -> dict[float, str]:
        """Return the names of a series' curves by the value of its grid's one setting; empty without a grid.

        KeyError: the figure has no such series.
        """
        return {value: member for values, member in self._points[name] for value in values.values()}

    @cached_property
    def _points(self) -> dict[str, list[tuple[Mapping[str, float], str]]]:
        return {
            series.name: [(member.values, member.series.name) for member in series.members()] or [({}, series.name)]
            for series in self.series
        }

    def expanded(self, names: Iterable[str]) -> list[str]:
        """Return names of series, a series with a grid replaced by its members."""
        return [member for name in names for _, member in self._points.get(name, [({}, name)])]

    def series_on(self, paper_dataset: str, dataset: str) -> list[SeriesSpec]:
        """Return the series that are run on a data set, those with a grid replaced by their members."""
        return [
            series
            for series in self.curves
            if (not series.datasets or paper_dataset in series.datasets)
            and not {paper_dataset, dataset} & {*series.exclude}
        ]

    def runs_of(self, series: SeriesSpec, scale: str, paper_dataset: str) -> int:
        """Return how many runs a series has on a data set; their seeds are 0, 1, ..."""
        size = self.scale(scale)
        seeds = size.seeds_on.get(paper_dataset, size.seeds)
        return seeds if series.seeds is None else min(series.seeds, seeds)

    def settings_of(self, series: SeriesSpec, scale: str, paper_dataset: str, dataset: str, seed: int) -> str:
        """Return a run's overrides as one text, without ``seed=``, which each published run has in a column."""
        overrides = overrides_of(series, self.scale(scale).overrides, paper_dataset, dataset)
        return shlex.join([*overrides, *self.split_of(seed)])

    def split_of(self, seed: int) -> list[str]:
        """Return the override that chooses the rows of the run with this seed; none where all runs have the same."""
        return [f"dataset.split_seed={seed}"] if self.split_by_seed else []

    def candidates(self, chosen: Sequence[str] = ()) -> dict[str, tuple[str, ...]]:
        """Return the candidates for each data set of the paper; the first that is available is used.

        With chosen data sets only these; any other data set stands for itself. A figure without data sets has none.

        Raises FigureError if a chosen data set is not known.
        """
        candidates = {
            name: (name, *([self.stand_ins[name]] if name in self.stand_ins else [])) for name in self.datasets
        }
        if not chosen or not candidates:
            return candidates
        sets = known_data_sets()
        result: dict[str, tuple[str, ...]] = {}
        for name in chosen:
            if name.partition(":")[0] not in sets:  # file:PATH, sklearn:NAME; others with a colon are refused later
                raise FigureError(f"unknown data set {name!r}{known_names(name, sets, command_line('run', '--help'))}")
            paper_dataset = next((paper_dataset for paper_dataset, names in candidates.items() if name in names), name)
            result[paper_dataset] = (name,)  # even if the paper's is available
        return result

    def scale(self, name: str) -> ScaleSpec:
        """Return one of the scales; FigureError if there is no such scale."""
        if name not in self.scales:
            raise FigureError(f"{self.id or 'the figure'} has no scale {name!r}{known_names(name, self.scales)}")
        return self.scales[name]


def overrides_of(
    series: SeriesSpec, scale: Sequence[str], paper_dataset: str, dataset: str, further: Sequence[str] = ()
) -> tuple[str, ...]:
    """Return the overrides of ``run.py`` for a series on a data set, without the seed; later ones win.

    They are those of the series, of the data set, of the scale, and `further` ones of the command line. Overrides for
    the paper's data set also apply to its stand-in `dataset`, unless that has its own.
    """
    of_data = [word for name in (paper_dataset, dataset) for word in series.by_dataset.get(name, [])]
    by_setting = {setting_name(word): word for word in (*series.overrides, *of_data, *scale, *further)}
    has_file = dataset.partition(":")[0] in known_data_sets()
    return (f"dataset={dataset if has_file else OWN_FILES}", *by_setting.values())


@cache
def known_data_sets() -> list[str]:
    """Return the names of all data sets, with those of the user's folders."""
    return sorted(option_files("dataset"))


def _file_of(name: str) -> Path | None:
    """Return the file of a figure; None if there is none. Does not list folders: names are paths."""
    paper, _, rest = name.partition("_")
    paths = [Path(name)] if name.endswith(".yaml") else [PAPERS / paper / f"{rest}.yaml", FIGURES / f"{name}.yaml"]
    return next((path for path in paths if os.path.isfile(path)), None)  # noqa: PTH113 (also of a name that is too long)


def figure_files() -> dict[str, Path]:
    """Return the files of all figures by their ids: those of `PAPERS` and `FIGURES`."""
    papers = {f"{path.parent.name}_{path.stem}": path for path in sorted(PAPERS.glob("*/*.yaml"))}
    return papers | {path.stem: path for path in sorted(FIGURES.glob("*.yaml"))}


@cache
def catalogue() -> dict[str, str]:
    """Return all figures and their papers, ordered by paper and label; figures without a paper come last."""
    specs = [read_figure(name, with_statistics=False) for name in figure_files()]
    ordered = sorted(specs, key=lambda spec: (not spec.paper, spec.paper, spec.label, spec.id))
    return {spec.id: spec.paper for spec in ordered}


def read_figure(name: str, *, with_statistics: bool = True) -> FigureSpec:
    """Read and check the file of a figure (`figure_files`), or the file `name` if it ends in ``.yaml``.

    With statistics also those of the claims are checked, for which the figure's module is imported.

    Raises FigureError if there is no such figure, its file does not have the schema's form, or a statistic has another
    argument.
    """
    path = _file_of(name)
    if path is None:
        figures = sorted(figure_files())
        see = command_line("reproduce", "list")
        raise FigureError(f"unknown figure {quoted(name)!r}{known_names(name, figures, see)}")
    spec = read_yaml(path, _FIGURE, FigureError)
    try:
        for claim in spec.claims if with_statistics else ():
            check_statistic(claim, spec.maker)
    except ValueError as error:
        raise FigureError(f"{path.name}: {error}") from error
    return spec


def choose(name: str) -> tuple[str, ...]:
    """Return the figures of ``figure=``: an id, a paper, ``all``, or a file; or several, joined by commas.

    Raises FigureError if nothing has this name.
    """
    chosen: list[str] = []
    for part in name.split(","):
        if part.endswith(".yaml") or _file_of(part) is not None:
            chosen.append(part)
            continue
        papers = catalogue()  # not for ids: it reads all files
        members = [figure for figure, paper in papers.items() if part in ("all", figure, paper or figure)]
        if not members:
            if part == "report":
                raise FigureError("figure=report stands alone: make the figures first, then the report")
            choices = [*filter(None, dict.fromkeys(papers.values())), "all", "report", *papers]
            see = command_line("reproduce", "list")
            raise FigureError(f"unknown figure {quoted(part)!r}{known_names(part, choices, see)}")
        chosen += members
    return tuple(dict.fromkeys(chosen))


def _checked(spec: FigureSpec) -> FigureSpec:
    """Return a figure whose parts fit each other; raises ValueError."""
    for setting, name in (("id", spec.id), ("paper", spec.paper)):  # names of folders
        if name and not re.fullmatch(r"\w[\w-]*", name):
            raise ValueError(f"{setting}: it has letters, digits, _ and -, got {name!r}")
    for series in spec.series:
        check_grid(series)
    for claim in spec.claims:
        check_claim(claim, [series.name for series in (*spec.series, *spec.curves)])
    for scale in spec.scales.values():
        for name in scale.seeds_on.keys() - {*spec.datasets}:
            raise ValueError(f"seeds_on has the unknown data set {name!r}{known_names(name, spec.datasets)}")
    return spec


_FIGURE = TypeAdapter(Annotated[FigureSpec, AfterValidator(_checked)])
