"""What a figure or table is: the schema of ``conf/figure/*.yaml``.

Plain dataclasses with plain field types, which OmegaConf fills in and checks.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from datasets import default_cache_dir
from experiments.configuration.settings import nearest
from experiments.provenance import PROJECT_ROOT
from solvers.disk_cache import cached_bytes

FIGURES = PROJECT_ROOT / "conf" / "figure"
SCALES = ("demo", "quick", "paper")
"""The same method on: a sample of the data in seconds, more of it in minutes, what the paper used."""


class FigureError(ValueError):
    """A figure, a scale or a data set that there is not; the message names the nearest ones that there are."""


@dataclass
class SeriesSpec:
    """Runs that differ in their seed only: one curve of a figure.

    Attributes
    ----------
    name : str
        Key of the series in `Panel.runs`; where it is an algorithm's name the curve has that algorithm's style.
    overrides : list of str
        What ``run.py`` would get on its command line, without data set and seed: ``["algo=sbp"]``.
    by_dataset : dict of str to list of str
        Further overrides on one data set.
    datasets : list of str
        Data sets (the paper's) that it is run on; empty: all of the figure's.
    without : list of str
        Data sets that it is not run on, stand-ins among them.
    seeds : int or None
        Runs at most, whatever the scale says: 1 for a method without random choices. None: as many as the scale says.
    grid : dict of str to list of float
        One setting and the values to sweep it over: in place of this series there is one for each value.
    along : dict of str to dict of str to list of (float or None)
        A setting that changes with the grid's, by data set: for each value of the grid one; with None there is no run.
        Data sets that are not named have the values of the first.
    beside : bool
        What others are measured by, not one of them.
    """

    name: str = ""
    overrides: list[str] = field(default_factory=list)
    by_dataset: dict[str, list[str]] = field(default_factory=dict)
    datasets: list[str] = field(default_factory=list)
    without: list[str] = field(default_factory=list)
    seeds: int | None = None
    grid: dict[str, list[float]] = field(default_factory=dict)
    along: dict[str, dict[str, list[float | None]]] = field(default_factory=dict)
    beside: bool = False

    def members(self) -> dict[float, SeriesSpec]:
        """Return one series for each value of the grid, by the values in their order; none without a grid."""
        return {
            value: replace(
                self,
                name=f"{self.name} {_short(setting)}={value:g}",
                overrides=[*self.overrides, _set(setting, value), *self._along(place).get("", [])],
                by_dataset={
                    name: [*self.by_dataset.get(name, []), *self._along(place).get(name, [])]
                    for name in {**self.by_dataset, **self._along(place)}
                    if name
                },
                without=[*self.without, *self._left_out(place)],
                grid={},
                along={},
            )
            for setting, values in self.grid.items()
            for place, value in enumerate(values)
        }

    def _along(self, place: int) -> dict[str, list[str]]:
        """Return the words that go with one value of the grid, by data set; those for any other under an empty name."""
        words: dict[str, list[str]] = {}
        for setting, lists in self.along.items():
            for name, values in [("", next(iter(lists.values()))), *lists.items()]:
                value = values[place]
                words.setdefault(name, []).extend([] if value is None else [_set(setting, value)])
        return words

    def _left_out(self, place: int) -> list[str]:
        """Return the data sets that have no run with one value of the grid."""
        return [name for lists in self.along.values() for name, values in lists.items() if values[place] is None]


@dataclass
class ScaleSpec:
    """How large a figure is made: data, budget and repetitions; never the method.

    Attributes
    ----------
    seeds : int
        Runs of each series, with seeds 0, 1, ...
    overrides : list of str
        Added to those of each series, which they win over.
    """

    seeds: int = 1
    overrides: list[str] = field(default_factory=list)


@dataclass
class ClaimSpec:
    """What the paper says, in one sentence; the function that judges it is known by the `id`."""

    id: str = ""
    says: str = ""


@dataclass
class NumberSpec:
    """A number that the paper prints.

    Attributes
    ----------
    name : str
        ``nu adult without bias``: what it is and where.
    paper : float
        As printed, in `unit`.
    unit : str
        ``%``, ``s``, or empty.
    tolerance : float or None
        Largest absolute difference that counts as agreement, in `unit`; None where agreement means nothing (seconds on
        another machine).
    """

    name: str = ""
    paper: float = 0.0
    unit: str = ""
    tolerance: float | None = None


@dataclass
class OptionSpec:
    """A word ``name=value`` of the command line that one figure has for its own.

    Attributes
    ----------
    value : str
        Where the command line says nothing.
    says : str
        For ``--help``, in a line.
    """

    value: str = ""
    says: str = ""


@dataclass
class FigureSpec:
    """One figure or table.

    Attributes
    ----------
    id : str
        ``<paper>_<what>``, the name of its file.
    paper : str
        Key of the paper (``sbp``); empty for a figure of none.
    label : str
        As the paper calls it: ``Figure 2``; for an experiment told in the text its section.
    title : str
        What it shows, in half a line.
    maker : str
        Module with ``make(evidence)``.
    datasets : list of str
        In the paper's order, one panel each; empty for a figure whose maker needs none.
    instead : dict of str to str
        Data set to the stand-in that takes its place where it cannot be had. Whatever is made of it says so.
    series : list of SeriesSpec
    scales : dict of str to ScaleSpec
        One for each of `SCALES`.
    timed : bool
        Its cost axis is time: runs are made one at a time, whatever ``jobs=`` says.
    claims, numbers
        What is judged and compared; empty where the paper only explains something.
    options : dict of str to OptionSpec
        Its own words on the command line.
    settings : list of str
        Groups of ``run.py``'s settings (``problem``) that the command line may change for all of its runs.
    entry : str
        Module with ``enter(spec, options)`` for a figure whose series follow from the command line; empty as a rule.
    open : bool
        A series that a data set's problem is not for is left out, and named with the reason: it is not an error.
    """

    id: str = ""
    paper: str = ""
    label: str = ""
    title: str = ""
    maker: str = ""
    datasets: list[str] = field(default_factory=list)
    instead: dict[str, str] = field(default_factory=dict)
    series: list[SeriesSpec] = field(default_factory=list)
    scales: dict[str, ScaleSpec] = field(default_factory=dict)
    timed: bool = False
    claims: list[ClaimSpec] = field(default_factory=list)
    numbers: list[NumberSpec] = field(default_factory=list)
    options: dict[str, OptionSpec] = field(default_factory=dict)
    settings: list[str] = field(default_factory=list)
    entry: str = ""
    open: bool = False

    @property
    def curves(self) -> list[SeriesSpec]:
        """All series, one with a grid replaced by its members: each has runs of its own."""
        return [curve for series in self.series for curve in (list(series.members().values()) or [series])]

    def members(self, name: str) -> dict[float, str]:
        """Return the members of a series with a grid: each value, in the order of the file, and its series' name.

        Raises
        ------
        KeyError
            There is no such series.
        """
        series = {series.name: series for series in self.series}[name]
        return {value: member.name for value, member in series.members().items()}

    def scale(self, name: str) -> ScaleSpec:
        """Return one of the scales.

        Raises
        ------
        FigureError
            There is no such scale.
        """
        if name not in self.scales:
            raise FigureError(f"unknown scale {name!r}; known: {', '.join(SCALES)}{nearest(name, SCALES)}")
        return self.scales[name]


@cache
def catalogue(folder: Path = FIGURES) -> dict[str, str]:
    """All figures and their papers, in the order of the papers and of each paper's numbering (`FigureSpec.label`).

    Those of no paper come last.
    """
    specs = [read_figure(path.stem, folder) for path in folder.glob("*.yaml")]
    ordered = sorted(specs, key=lambda spec: (not spec.paper, spec.paper, spec.label, spec.id))
    return {spec.id: spec.paper for spec in ordered}


def read_figure(name: str, folder: Path = FIGURES) -> FigureSpec:
    """Read and check one file of ``conf/figure/``, or one outside it if `name` is a path ending in ``.yaml``.

    Raises
    ------
    FigureError
        There is no such figure, or its file does not have the schema's form.
    """
    path = Path(name) if name.endswith(".yaml") else folder / f"{name}.yaml"
    if not path.is_file():
        known = sorted(path.stem for path in folder.glob("*.yaml"))
        raise FigureError(f"unknown figure {name!r}; known: {', '.join(known)}{nearest(name, known)}")
    spec = _figure(json.loads(_checked(path, path.read_bytes())))
    for series in spec.series:
        _check_grid(series, path.name)
    return spec


def choose(name: str, known: Mapping[str, str]) -> tuple[str, ...]:
    """Figures that ``figure=`` names: one id, all of a paper, ``all``, or a file; several may be joined by commas.

    Parameters
    ----------
    name : str
    known : mapping of str to str
        As `catalogue` gives it.

    Raises
    ------
    FigureError
        Nothing has this name.
    """
    chosen: list[str] = []
    for part in name.split(","):
        members = [figure for figure, paper in known.items() if part in ("all", figure, paper or figure)]
        if part.endswith(".yaml"):
            members = [part]
        if not members:
            if part == "report":
                raise FigureError("figure=report stands alone: make the figures first, then the report")
            choices = [*known, *filter(None, dict.fromkeys(known.values())), "all", "report"]
            raise FigureError(f"unknown figure {part!r}; known: {', '.join(choices)}{nearest(part, choices)}")
        chosen += members
    return tuple(dict.fromkeys(chosen))


@cache
def _checked(path: Path, content: bytes) -> bytes:
    """Return what a file of this content describes as JSON; OmegaConf takes a tenth of a second to check it."""
    # the classes above, by their source, and what fills them in
    origin = repr((content, Path(__file__).read_bytes(), version("omegaconf"), version("pyyaml"), sys.version))
    return cached_bytes(
        default_cache_dir() / "figures", origin.encode(), lambda: json.dumps(asdict(_described(path))).encode()
    )


def _figure(plain: dict[str, Any]) -> FigureSpec:
    """Return the figure of which `plain` has the fields; it has been checked."""
    lists = {"series": SeriesSpec, "claims": ClaimSpec, "numbers": NumberSpec}
    mappings = {"scales": ScaleSpec, "options": OptionSpec}
    parts: dict[str, Any] = {name: [part(**each) for each in plain[name]] for name, part in lists.items()}
    parts |= {name: {key: part(**each) for key, each in plain[name].items()} for name, part in mappings.items()}
    return FigureSpec(**plain | parts)


def _described(path: Path) -> FigureSpec:
    import yaml  # type: ignore[import-untyped]
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException

    try:
        merged = OmegaConf.merge(OmegaConf.structured(FigureSpec), OmegaConf.load(path))
        spec = OmegaConf.to_object(merged)
    except (OmegaConfBaseException, yaml.YAMLError) as error:
        raise FigureError(f"{path.name}: {' '.join(str(error).split())}") from error
    assert isinstance(spec, FigureSpec)
    return spec


def _check_grid(series: SeriesSpec, file: str) -> None:
    """Refuse a grid of several settings, or of values that do not make different series."""
    where = f"{file}: grid of series {series.name!r}:"
    if len(series.grid) > 1:
        raise FigureError(f"{where} it has one setting, got {', '.join(series.grid)}")
    for setting, values in series.grid.items():
        if not values or not all(map(math.isfinite, values)):
            raise FigureError(f"{where} {setting} needs values, all finite, got {values}")
        if len({member.name for member in series.members().values()}) < len(values):
            raise FigureError(f"{where} the values of {setting} must differ in their first six digits, got {values}")
    count = len(next(iter(series.grid.values()), []))
    for setting, lists in series.along.items():
        if not lists or any(len(values) != count for values in lists.values()):
            raise FigureError(f"{where} {setting} goes along with it, and needs {count} values for each data set")


def _set(setting: str, value: float) -> str:
    """Override that sets a number; whole ones suit settings that count."""
    return f"{setting}={int(value) if value.is_integer() else value}"


def _short(setting: str) -> str:
    """Last part of a setting's name: ``nu`` for ``problem.nu``, ``lambda`` for ``problem.lambda_``."""
    return setting.rpartition(".")[2].rstrip("_")
