"""The statistic of a claim: the kinds of a figure's module, and the arguments in the figure's file."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from pydantic import TypeAdapter, ValidationError

from svm_cost_curves.experiments.reproduction.claim_spec import ClaimSpec, ReadingSpec
from svm_cost_curves.experiments.reproduction.faults import first_fault
from svm_cost_curves.support.text import nearest

Kinds = Mapping[str, type[Any]]
"""Dataclasses whose fields are the arguments, by their names in figures' files."""


def kinds_of(maker: str) -> Kinds:
    """Return the kinds of a figure's module, its ``STATISTICS``."""
    kinds: Kinds = getattr(importlib.import_module(maker), "STATISTICS", {})
    return kinds


def statistic_of(kinds: Kinds, claim: ClaimSpec, reading: ReadingSpec) -> Any:
    """Return the statistic of a claim under one reading.

    A reading changes some arguments, or gives another kind with all its arguments. A constant is the argument of its
    name, and the value of each argument that is its name as a text.

    Raises
    ------
    ValueError
        There is no such kind or argument, or a value has a wrong type.
    """
    where = f"claim {claim.id!r}" + (f", reading {reading.id!r}" if reading.id else "")
    arguments = dict(reading.changes) if "kind" in reading.changes else claim.statistic | reading.changes
    kind = str(arguments.pop("kind", ""))
    if kind not in kinds:
        raise ValueError(f"{where}: there is no statistic {kind!r}; known: {', '.join(kinds)}{nearest(kind, kinds)}")
    known = {own.name for own in fields(kinds[kind])}
    constants = claim.constants | reading.constants
    arguments |= {name: constants[value] for name, value in arguments.items() if str(value) in constants}
    arguments |= {name: value for name, value in constants.items() if name in known}
    try:
        return TypeAdapter[Any](kinds[kind]).validate_python(arguments)
    except ValidationError as error:
        raise ValueError(f"{where}: {first_fault(error, known)}") from error


def check_statistic(claim: ClaimSpec, maker: str) -> None:
    """Check the statistic of a claim under all its readings. Raises ValueError, also for a constant that none uses."""
    if not claim.statistic:
        return
    kinds, used = kinds_of(maker), set()
    for reading in claim.readings or [ReadingSpec()]:
        statistic = statistic_of(kinds, claim, reading)
        given = {**claim.statistic, **reading.changes}
        used |= {own.name for own in fields(statistic)} | {value for value in given.values() if isinstance(value, str)}
    if unused := sorted(claim.constants.keys() - used):
        raise ValueError(f"claim {claim.id!r}: its statistic does not use the constant {', '.join(unused)}")
