"""The contents of a ``verdict.json`` that may hold anything."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, TypeVar, get_args

from experiments.reproduction.report.words import NOTHING, quantity
from experiments.reproduction.verdict import Claim, Number, Ruling

_T = TypeVar("_T")

RULINGS: tuple[Ruling, ...] = get_args(Ruling)


@dataclass(frozen=True)
class Record:
    """A ``verdict.json``: `experiments.reproduction.verdict.Verdict`, and how it was made; what is absent is empty.

    The `statistic` of a claim is flat: dotted names to texts (`leaves`).
    """

    paper: str = ""
    label: str = ""
    title: str = ""
    claims: tuple[Claim, ...] = ()
    numbers: tuple[Number, ...] = ()
    stand_in: Mapping[str, str] = field(default_factory=dict)
    absent: Mapping[str, str] = field(default_factory=dict)
    missing: Mapping[str, str] = field(default_factory=dict)
    left_out: Mapping[str, str] = field(default_factory=dict)
    command: str = ""
    commit: str = ""
    dirty: bool = False
    run_commits: tuple[str, ...] = ()
    data_sets: tuple[str, ...] = ()
    seeds: str = ""
    made: str = ""
    machine: Mapping[str, str] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)

    def facts(self) -> Iterator[tuple[str, str]]:
        """How the figure was made, beside the command: what is known of it, heading and text."""
        commit = self.commit or "not recorded"
        changed = ", with changes that were not committed" if self.dirty else ""
        others = [other for other in self.run_commits if other != self.commit]
        cores = self.machine.get("cores", "")
        machine = [self.machine.get("cpu", ""), f"{cores} cores" if cores else "", self.machine.get("os", "")]
        yield "Data", ", ".join(self.data_sets)
        yield "Seeds", self.seeds
        yield "Commit", commit + changed
        yield "Commits of its runs", ", ".join(others)
        yield "Made", moment(self.made)
        yield "Machine", ", ".join(filter(None, machine))
        yield "Versions", ", ".join(f"{name} {version}" for name, version in self.versions.items())


class Fields:
    """Takes fields out of a JSON object, each as what it should be; what is something else is noted, and left out."""

    def __init__(self, content: Mapping[str, Any], problems: list[str], where: str = "") -> None:
        self._content = content
        self._problems = problems
        self._where = where

    def text(self, name: str) -> str:
        """Return a text; a number or a truth value as JSON writes it."""
        value = self._content.get(name)
        if value is None or isinstance(value, str | int | float):
            return as_text(value)
        return self.wrong(name, "")

    def flag(self, name: str) -> bool:
        """Return a truth value."""
        return self._content.get(name) is True

    def number(self, name: str) -> float | None:
        """Return a finite number; None where there is none."""
        value = self._content.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > 1e300 or math.isnan(value):
            return self.wrong(name, None)
        return float(value)

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of texts."""
        value = self._content.get(name)
        if value is None or isinstance(value, list):
            return tuple(as_text(item) for item in value or ())
        return self.wrong(name, ())

    def mapping(self, name: str) -> dict[str, str]:
        """Return an object with texts as values."""
        value = self._content.get(name)
        if value is None or isinstance(value, dict):
            return {as_text(key): as_text(item) for key, item in (value or {}).items()}
        return self.wrong(name, {})

    def tree(self, name: str) -> dict[str, Any]:
        """Return an object whatever its values."""
        value = self._content.get(name)
        return value if isinstance(value, dict) else {}

    def objects(self, name: str) -> Iterator[Fields]:
        """Return a list of objects, each to be taken apart."""
        value = self._content.get(name)
        if value is not None and not isinstance(value, list):
            self.wrong(name, None)
            return
        for position, item in enumerate(value or (), start=1):
            where = f"{name}[{position}]"
            if isinstance(item, dict):
                yield Fields(item, self._problems, where + ".")
            else:
                self.wrong(where, None)

    def ruling(self, name: str) -> Ruling:
        """Return a verdict; an unknown one decides nothing."""
        value = self._content.get(name)
        for known in RULINGS:
            if value == known:
                return known
        return self.wrong(name, "not_applicable")

    def wrong(self, name: str, otherwise: _T) -> _T:
        """Note a field that is not what it should be, and return what takes its place."""
        self._problems.append(f"verdict.json is damaged: {self._where}{name} is not what it should be.")
        return otherwise


def read_record(fields: Fields) -> Record:
    """Take a ``verdict.json`` apart."""
    return Record(
        paper=fields.text("paper"),
        label=fields.text("label"),
        title=fields.text("title"),
        claims=tuple(_claim(item) for item in fields.objects("claims")),
        numbers=tuple(number for item in fields.objects("numbers") if (number := _number(item))),
        stand_in=fields.mapping("stand_in"),
        absent=fields.mapping("absent"),
        missing=fields.mapping("missing"),
        left_out=fields.mapping("left_out"),
        command=fields.text("command"),
        commit=fields.text("commit"),
        dirty=fields.flag("dirty"),
        run_commits=fields.texts("run_commits"),
        data_sets=fields.texts("data_sets"),
        seeds=fields.text("seeds"),
        made=fields.text("made"),
        machine=fields.mapping("machine"),
        versions=fields.mapping("versions"),
    )


def _claim(item: Fields) -> Claim:
    texts = {name: item.text(name) for name in ("id", "paper_says", "measured", "why")}
    return Claim(statistic=dict(leaves(item.tree("statistic"))), verdict=item.ruling("verdict"), **texts)


def _number(item: Fields) -> Number | None:
    paper = item.number("paper")
    if paper is None:
        return item.wrong("paper", None)
    values = {name: item.number(name) for name in ("measured", "tolerance")}
    return Number(item.text("name"), paper, unit=item.text("unit"), note=item.text("note"), **values)


def as_text(value: Any) -> str:
    """Text of a JSON value, without what no page can hold: half characters and control characters."""
    if value is None:
        return ""
    text = value if isinstance(value, str) else json.dumps(value)
    text = re.sub(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", " ", text)
    return text.encode("utf-8", "replace").decode("utf-8")


def leaves(tree: Mapping[str, Any], depth: int = 5) -> Iterator[tuple[str, str]]:
    """Values of nested objects, in words, by their dotted names; what lies deeper as JSON writes it."""
    for key, value in tree.items():
        name = as_text(key)
        if isinstance(value, dict) and value and depth > 1:
            yield from ((f"{name}.{inner}", leaf) for inner, leaf in leaves(value, depth - 1))
        else:
            yield name, _in_words(value)


def _in_words(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return quantity(value)
    if isinstance(value, list):
        return ", ".join(_in_words(item) if isinstance(item, int | float) else as_text(item) for item in value)
    return NOTHING if value is None else as_text(value)


def moment(text: str) -> str:
    """Write a time for people; one that is none as it is."""
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return text
    if time.tzinfo is None:
        return f"{time:%Y-%m-%d %H:%M}"
    return f"{time.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
