"""Solvers that take part, with their settings."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from svm_cost_curves import solvers
from svm_cost_curves.experiments.reproduction.spec import FigureError
from svm_cost_curves.support.text import nearest

ALL = "all"


@dataclass(frozen=True)
class Entrant:
    """A solver and some of its settings.

    Attributes
    ----------
    algo : str
        The solver's name.
    settings : tuple of str
        ``name=value`` each, without ``algo.``.
    """

    algo: str
    settings: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Name of its curve."""
        return " ".join([self.algo, *self.settings])

    @property
    def words(self) -> list[str]:
        """Overrides of ``run.py``."""
        return [f"algo={self.algo}", *(f"algo.{setting}" for setting in self.settings)]


def read_entrants(text: str) -> tuple[Entrant, ...]:
    """Parse ``algos=``: ``sbp,sdca,sdca:accounting=kept``, with or without brackets, or ``all``.

    Raises
    ------
    FigureError
        A solver or a setting does not exist, a setting has no value, or an entrant is named twice.
    """
    parts = [part.strip() for part in text.strip().removeprefix("[").removesuffix("]").split(",")]
    if parts == [ALL]:
        return tuple(map(Entrant, solvers.names()))
    entrants = [_entrant(part) for part in parts]
    if len(set(entrants)) < len(entrants):
        twice = next(entrant for entrant in entrants if entrants.count(entrant) > 1)
        raise FigureError(f"algos= names {twice.name} twice")
    return tuple(entrants)


def _entrant(part: str) -> Entrant:
    algo, *settings = part.split(":")
    known = solvers.names()
    if algo not in known:
        raise FigureError(f"unknown algorithm {algo!r} in algos=; known: {', '.join(known)}, all{nearest(algo, known)}")
    fields = [field.name for field in dataclasses.fields(solvers.get(algo).Settings)]
    for setting in settings:
        name, _, value = setting.partition("=")
        if not value:
            raise FigureError(f"{part!r} in algos=: a setting of {algo} is written {algo}:name=value")
        if name not in fields:
            has = ", ".join(fields) or "no settings"
            raise FigureError(f"unknown setting {name!r} of {algo} in algos=; it has {has}{nearest(name, fields)}")
    return Entrant(algo, tuple(settings))
