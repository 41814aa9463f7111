"""Reads the JSON files of a figure's folder, which may be damaged: a file is valid as a whole or refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError
from pydantic_core import from_json

from svm_cost_curves.experiments.reproduction.figure_result import Table
from svm_cost_curves.experiments.reproduction.verdict import Verdict

_T = TypeVar("_T")


@dataclass(frozen=True)
class VerdictFile(Verdict):
    """The content of ``verdict.json``: a verdict, and what the figure is and how it was made.

    `seeds` is the number of runs of each series, `made` an ISO time, `machine` has ``cpu``, ``cores`` and ``os``.
    `judged_at` is the commit at which published runs were judged again; empty if they were not.
    """

    paper: str = ""
    label: str = ""
    title: str = ""
    data_sets: Sequence[str] = ()
    seeds: int | None = None
    made: str = ""
    machine: Mapping[str, str | int | None] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    judged_at: str = ""


class DamagedFileError(ValueError):
    """A file's content is not what was written; the message says where."""


_VERDICT = TypeAdapter(VerdictFile)
_TABLE = TypeAdapter(Table)


def read_verdict(content: bytes) -> VerdictFile:
    """Read the content of ``verdict.json``, or raise DamagedFileError."""
    verdict = _read(_VERDICT, content)
    for number, claim in enumerate(verdict.claims, start=1):
        if not claim.readings:
            raise DamagedFileError(f"claims[{number}].readings is empty")
    return verdict


def read_table(content: bytes) -> Table:
    """Read the content of ``table.json``, or raise DamagedFileError."""
    table = _read(_TABLE, content)
    for number, row in enumerate(table.rows, start=1):
        if len(row) != len(table.columns):
            raise DamagedFileError(f"rows[{number}] has {len(row)} cells, not {len(table.columns)}")
    return table


def _read(adapter: TypeAdapter[_T], content: bytes) -> _T:
    try:
        from_json(content, allow_inf_nan=False)  # refuses NaN, which the validation below accepts
        return adapter.validate_json(content, strict=True)
    except ValidationError as error:
        first, *others = error.errors(include_url=False, include_input=False)
        place, fault = _place(first["loc"]), first["msg"][0].lower() + first["msg"][1:]
        more = f" ({len(others)} more such faults)" if others else ""
        raise DamagedFileError(f"{place}: {fault}{more}" if place else fault + more) from error
    except ValueError as error:
        raise DamagedFileError(str(error)) from error


def _place(location: Sequence[Any]) -> str:
    """Return the place of a value: ``claims[1].verdict``; items are counted from 1."""
    parts = (f"[{part + 1}]" if isinstance(part, int) else f".{part}" for part in location)
    return "".join(parts).removeprefix(".")
