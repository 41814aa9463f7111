"""Reads the arena's options: the solvers that take part, the targets to reach and the costs that are compared."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Final, Literal, cast, get_args

from ...support.text import nearest
from ..reproduction.spec import FigureError

Kind = Literal["gap", "error", "best"]
COSTS: Final = ("kernel_evaluations", "feature_accesses", "cpu_seconds", "iterations")
"""All costs, in order of preference."""
ALL, AUTO = "all", "auto"
STAYS, FIRST = "stays", "first"
"""Values of ``reach=``."""
TIME: Final = "cpu_seconds"
DEFAULTS: Final = {"gap": "0.1,0.01,0.001", "best": "0.1,0.05,0.02"}
"""Levels of a kind that is given without numbers; an error needs a number."""


@dataclass(frozen=True)
class Entrant:
    """A solver and some of its settings, ``name=value`` each, without ``algo.``."""

    algo: str
    settings: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Name of its curve."""
        return " ".join([self.algo, *self.settings])

    @property
    def overrides(self) -> list[str]:
        """Overrides of ``run.py``."""
        return [f"algo={self.algo}", *(f"algo.{setting}" for setting in self.settings)]


@dataclass(frozen=True)
class Targets:
    """Levels to reach, falling.

    gap: (P - L) / L, with L the best known lower bound on the optimum of P; error: the test error, as a fraction;
    best: test error over the least value of any entrant's curve, minus 1.
    """

    kind: Kind
    levels: tuple[float, ...]
    stays: bool = True
    """Whether the cost to a level is that from which the mean over the runs stays at or below it; False: the median of
    the costs at which each run is first at or below it."""

    @property
    def measure(self) -> str:
        """Column of the curves that is compared with the levels."""
        return "primal" if self.kind == "gap" else "test_error"

    def text(self, level: float) -> str:
        """Write a level: ``gap 0.01``, ``error 15.5 %``, ``best + 2 %``."""
        if self.kind == "gap":
            return f"gap {level:g}"
        return f"error {100 * level:g} %" if self.kind == "error" else f"best + {100 * level:g} %"


def read_entrants(text: str) -> tuple[Entrant, ...]:
    """Parse ``algos=``: ``sbp,sdca,sdca:accounting=kept``, with or without brackets, or ``all``.

    Raises FigureError if a solver or a setting does not exist, a setting has no value, or an entrant is named twice.
    """
    from ... import solvers

    parts = _listed(text)
    if parts == [ALL]:
        return tuple(map(Entrant, solvers.names()))
    entrants = [_entrant(part) for part in parts]
    if len(set(entrants)) < len(entrants):
        twice = next(entrant for entrant in entrants if entrants.count(entrant) > 1)
        raise FigureError(f"algos= names {twice.name} twice")
    return tuple(entrants)


def read_targets(text: str, reach: str = STAYS) -> Targets:
    """Parse ``target=``: ``gap``, ``gap:0.01``, ``error:0.155,0.15``, ``best:0.05``; and ``reach=``.

    Raises FigureError if the form is wrong, or a level is not a number > 0, for an error below 1.
    """
    if reach not in (STAYS, FIRST):
        raise FigureError(f"reach is {STAYS} or {FIRST}, got {reach!r}{nearest(reach, (STAYS, FIRST))}")
    kind, colon, given = text.partition(":")
    kinds = get_args(Kind)
    if kind not in kinds:
        forms = "gap:E, error:E or best:E, with one number E or several"
        raise FigureError(f"unknown target {text!r}; it has the form {forms}{nearest(kind, kinds)}")
    if not colon:
        if kind not in DEFAULTS:
            raise FigureError(f"target={kind} needs a number: target={kind}:0.15")
        given = DEFAULTS[kind]
    levels = sorted({_level(kind, word) for word in given.split(",")}, reverse=True)
    return Targets(cast(Kind, kind), tuple(levels), reach == STAYS)


def read_costs(text: str) -> tuple[str, ...]:
    """Parse ``cost=``: some of `COSTS`, with or without brackets, or ``all``; empty for ``auto``.

    Raises FigureError if a name is unknown.
    """
    if text in (ALL, AUTO):
        return COSTS if text == ALL else ()
    names = _listed(text)
    for name in names:
        if name not in COSTS:
            raise FigureError(f"unknown cost {name!r}; known: {', '.join(COSTS)}, all, auto{nearest(name, COSTS)}")
    return tuple(dict.fromkeys(names))


def _entrant(part: str) -> Entrant:
    algo, *settings = part.split(":")
    from ... import solvers

    names = solvers.names()
    if algo not in names:
        raise FigureError(f"unknown algorithm {algo!r} in algos=; known: {', '.join(names)}, all{nearest(algo, names)}")
    fields = [field.name for field in dataclasses.fields(solvers.get(algo).Settings)]
    for setting in settings:
        name, _, value = setting.partition("=")
        if not value:
            raise FigureError(f"{part!r} in algos=: a setting of {algo} is written {algo}:name=value")
        if name not in fields:
            has = ", ".join(fields) or "no settings"
            raise FigureError(f"unknown setting {name!r} of {algo} in algos=; it has {has}{nearest(name, fields)}")
    return Entrant(algo, tuple(settings))


def _level(kind: str, word: str) -> float:
    try:
        level = float(word)
    except ValueError:
        level = math.nan
    if not 0 < level < (1 if kind == "error" else math.inf):
        allowed = "a fraction between 0 and 1" if kind == "error" else "a number > 0"
        raise FigureError(f"target={kind} needs {allowed}, got {word!r}")
    return level


def _listed(text: str) -> list[str]:
    """Return the words of a list, with or without brackets."""
    return [word.strip() for word in text.strip().removeprefix("[").removesuffix("]").split(",")]
