"""The schema of ``claims``, ``numbers`` and ``based_on`` in a figure's file."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, Literal, TypeVar

from pydantic import AfterValidator, ConfigDict, TypeAdapter, ValidationError

from ...support import settings_file
from ...support.errors import SettingsError
from ...support.forms import first_fault
from ...support.text import known_names, nearest
from ..columns import COSTS, COUNTS, MEASURES

T = TypeVar("T")


class Described:
    """A part of a figure's file: pydantic refuses names that it does not have, and values of other types."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid", coerce_numbers_to_str=True)


def read_yaml(path: Path, form: TypeAdapter[T], refusal: type[ValueError]) -> T:
    """Return the content of a YAML file in its form, or raise the refusal, with the file's name and the first fault."""
    try:
        return form.validate_python(settings_file.read_yaml(path))
    except ValidationError as error:
        schema = form.json_schema()
        parts = (schema, *schema.get("$defs", {}).values())
        names = {name for part in parts for name in part.get("properties", ())}
        raise refusal(f"{path.name}: {first_fault(error, names)}") from error
    except SettingsError as error:
        raise refusal(str(error)) from error


def _one_of(names: Sequence[str]) -> AfterValidator:
    """Return the check of a value that must be one of some names."""

    def check(name: str) -> str:
        if name not in names:
            raise ValueError(f"unknown column {name!r}; known: {', '.join(names)}{nearest(name, names)}")
        return name

    return AfterValidator(check)


Count = Annotated[str, _one_of(COUNTS)]
"""A column of the curves that counts."""
Cost = Annotated[str, _one_of(COSTS)]
"""A column of the curves that can be a horizontal axis."""
Measure = Annotated[str, _one_of(MEASURES)]
"""A column of the curves that measures."""


ClaimType = Literal["empirical", "checked", "program"]
"""What can make a claim fail.

``empirical``: the measurement. ``checked``: a bug only, as it is a theorem, an identity, or a counter of this program.
``program``: it is about one program of that time, which another program cannot test; what is measured is an
observation.
"""


@dataclass
class ShownSpec(Described):
    """The curves that the page of a figure draws when a reader chooses a claim."""

    series: list[str] = field(default_factory=list)
    """Names of series; one with a grid stands for all values of it. Empty: the claim is judged without curves."""
    cost: str = ""
    measure: str = ""
    """Columns of the axes; empty: those that the page begins with."""

    def over(self, other: ShownSpec) -> ShownSpec:
        """Return a copy of these settings in which the values of `other` fill the empty ones."""
        return ShownSpec(self.series or other.series, self.cost or other.cost, self.measure or other.measure)


@dataclass
class ReadingSpec(Described):
    """One reading of a claim, where the paper leaves a choice open."""

    id: str = ""
    """``per_iteration``; unique in the claim."""
    says: str = ""
    """The choice: ``Pegasos is charged n evaluations for each iteration``."""
    quote: str = ""
    section: str = ""
    """The passage of the paper for this reading, in a few words, and its place; empty for a choice of ours."""
    changes: dict[str, Any] = field(default_factory=dict)
    """Arguments of the claim's statistic in place of the claim's: ``{up_to: 1.5}``."""
    constants: dict[str, float] = field(default_factory=dict)
    """Values in place of the claim's."""
    shows: ShownSpec = field(default_factory=ShownSpec)
    """In place of the claim's."""
    likely: bool = False
    """Whether the paper's authors most likely mean this reading, although its words are nearer to the first."""


@dataclass
class ClaimSpec(Described):
    """A claim of the paper."""

    id: str = ""
    says: str = ""
    """The claim in one sentence of at most 20 words."""
    quote: str = ""
    section: str = ""
    """The paper's own words, in a few words, and their place."""
    rule: str = ""
    """How one case is judged. Constants stand in braces: ``at most {margin:g} points``."""
    statistic: dict[str, Any] = field(default_factory=dict)
    """``kind``, the name of a statistic of the figure's module or of any paper's, and its arguments.
    An argument that is the name of a constant has its value."""
    constants: dict[str, float] = field(default_factory=dict)
    """Numbers that the paper does not give. The verdict is also given for half and double of each."""
    readings: list[ReadingSpec] = field(default_factory=list)
    """The first is the one to which the paper's own words come nearest: its outcome is the verdict. Without readings
    the claim has one."""
    datasets: list[str] = field(default_factory=list)
    """The paper's data sets that it is about; empty: all of the figure's. Empty for a figure without data sets."""
    shows: ShownSpec = field(default_factory=ShownSpec)
    type: ClaimType = "empirical"
    rows: Literal["all", "part"] = "all"
    """``part`` if a case has a part of the data set's rows only."""


@dataclass
class NumberSpec(Described):
    """A number that the paper prints."""

    name: str = ""
    """``nu adult without bias``."""
    paper: float = 0.0
    """As printed, in `unit`."""
    unit: str = ""
    """``%``, ``s``, ``times`` for a ratio of times, or empty."""
    rounding: float | None = None
    """Half a unit of the last printed digit; of a ratio of times relative, of both times. None if the number is not
    compared (seconds on another machine)."""


@dataclass
class RepeatedClaimSpec(Described):
    """A claim of another figure that is judged on more data sets."""

    id: str = ""
    """Of the claim."""
    against: str = ""
    """Property of the data that the theory names: a name in `experiments.papers.elsewhere.properties`."""
    number: str = ""
    """Place of a number in the statistic of a case, which is drawn against the property: ``ratio.estimate``. Empty: the
    share of a data set's cases that hold is drawn."""
    factor: float = 1.0
    """The number is multiplied by it: 100 for percentage points."""
    unit: str = ""
    """What the number is, in a few words: the heading of its picture."""
    reading: str = ""
    """Id of the claim's reading that is judged; empty: the first."""


@dataclass
class BaseSpec(Described):
    """A figure whose claims are judged on more data sets, by its own module."""

    figure: str = ""
    """Its id."""
    series: list[str] = field(default_factory=list)
    """Those of its series that the claims need; empty: all."""
    values: dict[str, list[float]] = field(default_factory=dict)
    """By setting, those values of the series' grids that are run; empty: all."""
    overrides: list[str] = field(default_factory=list)
    """Added to those of each series; they win."""
    by_series: dict[str, list[str]] = field(default_factory=dict)
    """Added to those of one series; they win over `overrides`."""
    claims: list[RepeatedClaimSpec] = field(default_factory=list)


def check_claim(claim: ClaimSpec, series: Collection[str]) -> None:
    """Check that a claim's readings have different ids, and that it uses its own constants and known curves only.

    `series` are the names of the figure's series. Raises ValueError.
    """
    where = f"claim {claim.id!r}:"
    ids = [reading.id for reading in claim.readings]
    if len(set(ids)) < len(ids):
        raise ValueError(f"{where} its readings need different ids, got {', '.join(ids)}")
    for reading in claim.readings:
        if unknown := sorted(reading.constants.keys() - claim.constants.keys()):
            raise ValueError(f"{where} reading {reading.id!r} changes {', '.join(unknown)}, no constant of the claim")
    for shows in (claim.shows, *(reading.shows for reading in claim.readings)):
        for kind, names, allowed in (
            ("series", shows.series, series),
            ("cost", filter(None, [shows.cost]), COSTS),
            ("measure", filter(None, [shows.measure]), MEASURES),
        ):
            if wrong := [name for name in names if name not in allowed]:
                raise ValueError(f"{where} it shows the unknown {kind} {', '.join(wrong)}; known: {', '.join(allowed)}")
    try:
        claim.rule.format_map(claim.constants)
    except (KeyError, ValueError, IndexError) as error:
        raise ValueError(f"{where} its rule has a fault in its braces: {error}") from error


_KINDS: Final[dict[str, Any]] = {}
"""Kinds of statistics that are defined so far, dataclasses whose fields are the arguments, by their names."""
KINDS_OF_PAPERS: Final = "svm_cost_curves.experiments.papers"
"""Package whose modules define kinds."""


def register_kind(name: str, kind: type[Described]) -> None:
    """Make a class the kind of a name in figures' files. Raises ValueError if another class has the name."""
    registered = _KINDS.get(name, kind)
    if (registered.__module__, registered.__qualname__) != (kind.__module__, kind.__qualname__):
        raise ValueError(
            f"the kind {name!r} is {registered.__module__}.{registered.__qualname__}: give yours another name"
        )
    _KINDS[name] = kind


def kind_named(name: str, maker: str) -> Any:
    """Return the kind of a name: of a figure's module `maker`, or of any module of `KINDS_OF_PAPERS`.

    Raises ValueError if there is none.
    """
    importlib.import_module(maker)
    if name not in _KINDS:
        package = importlib.import_module(KINDS_OF_PAPERS)
        for module in pkgutil.walk_packages(package.__path__, f"{KINDS_OF_PAPERS}."):
            importlib.import_module(module.name)
    if name not in _KINDS:
        raise ValueError(f"there is no statistic {name!r}{known_names(name, _KINDS)}")
    return _KINDS[name]


def statistic_of(maker: str, claim: ClaimSpec, reading: ReadingSpec) -> Any:
    """Return the statistic of a claim of a figure with the module `maker`, under one reading.

    A reading changes some arguments, or gives another kind with all its arguments. A constant is the argument of its
    name, and the value of each argument that is its name as a text.

    Raises ValueError if there is no such kind or argument, or a value has a wrong type.
    """
    where = f"claim {claim.id!r}" + (f", reading {reading.id!r}" if reading.id else "")
    arguments = dict(reading.changes) if "kind" in reading.changes else claim.statistic | reading.changes
    try:
        kind = kind_named(str(arguments.pop("kind", "")), maker)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from error
    names = {argument.name for argument in fields(kind)}
    constants = claim.constants | reading.constants
    arguments |= {name: constants[value] for name, value in arguments.items() if str(value) in constants}
    arguments |= {name: value for name, value in constants.items() if name in names}
    try:
        return _adapter(kind).validate_python(arguments)
    except ValidationError as error:
        raise ValueError(f"{where}: {first_fault(error, names)}") from error


@cache
def _adapter(kind: type) -> TypeAdapter[Any]:
    """Return pydantic's check of a kind's arguments, which takes 5 ms to make."""
    return TypeAdapter(kind)


def check_statistic(claim: ClaimSpec, maker: str) -> None:
    """Check the statistic of a claim under all its readings. Raises ValueError, also for a constant that none uses."""
    if not claim.statistic:
        return
    used: set[str] = set()
    for reading in claim.readings or [ReadingSpec()]:
        statistic = statistic_of(maker, claim, reading)
        given = {**claim.statistic, **reading.changes}
        used |= {argument.name for argument in fields(statistic)} | {
            value for value in given.values() if isinstance(value, str)
        }
    if unused := sorted(claim.constants.keys() - used):
        raise ValueError(f"claim {claim.id!r}: its statistic does not use the constant {', '.join(unused)}")
