"""Series of a figure, runs that differ in their seed only, and the rows of panels that show them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Literal, NamedTuple

from pydantic import Field, FiniteFloat, PositiveInt

from ..columns import MEASURE
from .claim_spec import Cost, Described, Measure

Grid = dict[str, Annotated[list[FiniteFloat], Field(min_length=1)]]

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
    """Settings and their values: each combination of values becomes a series in place of this one."""
    paired_with: dict[str, dict[str, dict[str, list[float | None]]]] = field(default_factory=dict)
    """Settings zipped with one of the grid: setting of the grid to other setting to data set to one value for each of
    the grid's values; None skips the run. A data set without a list has the first one."""
    reference_only: bool = False
    """Whether it is a reference for the others."""
    label: str = ""
    """Its name on the page of curves, where the algorithm's name does not say enough; empty: `name`."""

    def members(self) -> list[Member]:
        """Return the series of each point of the grid, the last setting changing fastest; empty without a grid."""
        points = [dict(zip(self.grid, values, strict=True)) for values in itertools.product(*self.grid.values())]
        return [Member(point, self._member(point)) for point in points if point]

    def curves(self) -> list[SeriesSpec]:
        """Return the series of all points of the grid; itself without a grid."""
        return [member.series for member in self.members()] or [self]

    def _member(self, point: Mapping[str, float]) -> SeriesSpec:
        """Return the series of a point of the grid."""
        label = "".join(f" {short_setting(setting)}={value:g}" for setting, value in point.items())
        added: dict[str, list[str]] = {"": []}
        skipped: list[str] = []
        for setting, value in point.items():
            added[""].append(_set(setting, value))
            index = self.grid[setting].index(value)
            for partner, lists in self.paired_with.get(setting, {}).items():
                for name, values in [("", next(iter(lists.values()))), *lists.items()]:
                    paired = values[index]
                    added.setdefault(name, []).extend([] if paired is None else [_set(partner, paired)])
                    skipped += [name] if name and paired is None else []
        return replace(
            self,
            name=self.name + label,
            label=self.label and self.label + label,
            overrides=[*self.overrides, *added.pop("")],
            by_dataset={
                name: [*self.by_dataset.get(name, []), *added.get(name, [])] for name in {**self.by_dataset, **added}
            },
            exclude=[*self.exclude, *skipped],
            grid={},
            paired_with={},
        )

    def at(self, chosen: Mapping[str, Sequence[float]]) -> SeriesSpec:
        """Return the series with these values of some settings of its grid only."""
        kept = {
            setting: [k for k, value in enumerate(values) if setting not in chosen or value in chosen[setting]]
            for setting, values in self.grid.items()
        }
        return replace(
            self,
            grid={setting: [self.grid[setting][k] for k in indices] for setting, indices in kept.items()},
            paired_with={
                setting: {
                    partner: {name: [values[k] for k in kept[setting]] for name, values in lists.items()}
                    for partner, lists in paired.items()
                }
                for setting, paired in self.paired_with.items()
            },
        )


class Member(NamedTuple):
    """The series at one point of a grid."""

    values: Mapping[str, float]
    """By setting."""
    series: SeriesSpec


def check_grid(series: SeriesSpec) -> None:
    """Check that the points of a grid give different series, and that lists paired with it have as many values.

    Raises ValueError.
    """
    where = f"grid of series {series.name!r}:"
    for setting, paired in series.paired_with.items():
        if setting not in series.grid:
            raise ValueError(f"{where} it does not have {setting}, with which {', '.join(paired)} is paired")
        count = len(series.grid[setting])
        for partner, lists in paired.items():
            if not lists or any(len(values) != count for values in lists.values()):
                raise ValueError(f"{where} {partner}, paired with {setting}, needs {count} values for each data set")
    members = series.curves()
    if len({member.name for member in members}) < len(members):
        raise ValueError(f"{where} its values must differ in their first six digits, got {series.grid}")


def _set(setting: str, value: float) -> str:
    """Return the override that sets a number; whole ones without a decimal point, for integer settings."""
    return f"{setting}={int(value) if value.is_integer() else value}"


def short_setting(setting: str) -> str:
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
