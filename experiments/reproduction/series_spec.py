"""Series of a figure, runs that differ in their seed only, and the rows of panels that show them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Literal

from pydantic import Field, FiniteFloat, PositiveInt

from ..columns import MEASURE
from .claim_spec import Cost, Described, Measure

Grid = Annotated[dict[str, Annotated[list[FiniteFloat], Field(min_length=1)]], Field(max_length=1)]

OPTIMUM = "optimum"
"""Name of the series that computes the optimum of the problem that the others solve."""


@dataclass
class SeriesSpec(Described):
    """Runs that differ in their seed only: one curve of a figure."""

    name: str = ""
    """Key of the series in `Panel.runs`; where it is an algorithm's name the curve has that algorithm's style."""
    overrides: list[str] = field(default_factory=list)
    """Overrides of ``run.py``, without data set and seed: ``["algo=sbp"]``."""
    by_dataset: dict[str, list[str]] = field(default_factory=dict)
    """Further overrides on one data set."""
    datasets: list[str] = field(default_factory=list)
    """The paper's data sets on which it is run; empty: all of the figure's."""
    exclude: list[str] = field(default_factory=list)
    """Data sets and stand-ins on which it is not run."""
    seeds: PositiveInt | None = None
    """Most runs: 1 for a method without random choices. None: the scale's number."""
    grid: Grid = field(default_factory=dict)
    """One setting and its values: each value becomes a series in place of this one."""
    paired_with: dict[str, dict[str, list[float | None]]] = field(default_factory=dict)
    """Settings zipped with the grid: setting to data set to one value for each grid value; None skips the run. A data
    set without a list has the first one."""
    reference_only: bool = False
    """Whether it is a reference for the others."""
    label: str = ""
    """Its name on the page of curves, where the algorithm's name does not say enough; empty: `name`."""

    def members(self) -> dict[float, SeriesSpec]:
        """Return the series of each value of the grid, in order; empty without a grid."""
        return {
            value: self._member(setting, place, value)
            for setting, values in self.grid.items()
            for place, value in enumerate(values)
        }

    def _member(self, setting: str, place: int, value: float) -> SeriesSpec:
        """Return the series of the grid's value at a place."""
        paired = self._paired(place)
        return replace(
            self,
            name=f"{self.name} {_short(setting)}={value:g}",
            label=f"{self.label} {_short(setting)}={value:g}" if self.label else "",
            overrides=[*self.overrides, _set(setting, value), *paired.get("", [])],
            by_dataset={
                name: [*self.by_dataset.get(name, []), *paired.get(name, [])]
                for name in {**self.by_dataset, **paired}
                if name
            },
            exclude=[*self.exclude, *self._without_value(place)],
            grid={},
            paired_with={},
        )

    def at(self, values: Sequence[float]) -> SeriesSpec:
        """Return the series with these values of its grid only; a series without a grid is returned as it is."""
        places = {
            setting: [k for k, value in enumerate(grid) if value in values] for setting, grid in self.grid.items()
        }
        kept = next(iter(places.values()), [])
        return replace(
            self,
            grid={setting: [grid[k] for k in kept] for setting, grid in self.grid.items()},
            paired_with={
                setting: {name: [paired[k] for k in kept] for name, paired in lists.items()}
                for setting, lists in self.paired_with.items()
            },
        )

    def _paired(self, place: int) -> dict[str, list[str]]:
        """Return the overrides for one value of the grid by data set; the empty name stands for all others."""
        words: dict[str, list[str]] = {}
        for setting, lists in self.paired_with.items():
            for name, values in [("", next(iter(lists.values()))), *lists.items()]:
                value = values[place]
                words.setdefault(name, []).extend([] if value is None else [_set(setting, value)])
        return words

    def _without_value(self, place: int) -> list[str]:
        """Return the data sets that have no run with one value of the grid."""
        return [name for lists in self.paired_with.values() for name, values in lists.items() if values[place] is None]


def check_grid(series: SeriesSpec) -> None:
    """Check that the values of a grid give different series, and that settings paired with it have as many values.

    Raises ValueError.
    """
    where = f"grid of series {series.name!r}:"
    count = len(next(iter(series.grid.values()), []))
    if len({member.name for member in series.members().values()}) < count:
        raise ValueError(f"{where} its values must differ in their first six digits, got {series.grid}")
    for setting, lists in series.paired_with.items():
        if not lists or any(len(values) != count for values in lists.values()):
            raise ValueError(f"{where} {setting} is paired with it, and needs {count} values for each data set")


def _set(setting: str, value: float) -> str:
    """Return the override that sets a number; whole ones without a decimal point, for integer settings."""
    return f"{setting}={int(value) if value.is_integer() else value}"


def _short(setting: str) -> str:
    """Return the last part of a setting's name: ``nu`` for ``problem.nu``, ``lambda`` for ``problem.lambda_``."""
    return setting.rpartition(".")[2].rstrip("_")


@dataclass
class RowSpec(Described):
    """A row of panels."""

    cost: Cost
    """Column of the curves: the horizontal axis."""
    heading: str = "Means over {runs}"
    """``{runs}`` in it becomes the number of runs."""
    middle: Literal["mean", "median"] = "mean"
    """``mean`` of the runs, with bands of one standard deviation, or ``median``, with bands of quartiles."""
    times_n: bool = False
    """Whether a cost in iterations is drawn in kernel evaluations, n for each."""
    bands: bool = True
    """Whether the spread over runs is drawn."""
    series: dict[str, str] = field(default_factory=dict)
    """Series by name in the legend; empty: all series."""
    facts: dict[str, str] = field(default_factory=dict)
    """Text in the upper right corner of a panel, by the paper's data set."""
    measure: Measure = MEASURE
    """Column of the curves: the vertical axis."""
    compared: bool = True
    """Whether the vertical range is that from the costs at which all curves have begun (`draw_panel`)."""

    def shown(self, names: Iterable[str]) -> dict[str, str]:
        """Return the series to draw, by their names in the legend, among `names`."""
        there = list(names)
        chosen = self.series or {name: name for name in there}
        return {label: name for label, name in chosen.items() if name in there}
