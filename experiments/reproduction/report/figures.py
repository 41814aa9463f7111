"""Reads a folder of figures into typed data.

A file that is missing or damaged becomes a sentence in `Result.problems`, never an exception, so that the other
figures are still shown.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError
from pydantic_core import from_json

from ....support.files import read_plain
from ...plotting.interactive import PAGE
from ...provenance import UNCOMMITTED
from ..citations import OTHERS
from ..evidence import Table
from ..published import read_facts
from ..spec import SCALES, FigureError, FigureSpec, catalogue, read_figure
from ..verdict import Verdict
from .labels import State, agreement, claim_state, command_for, state_of
from .pictures import PictureError, checked
from .rendering import CASES

OWN = ("figure.*", "paper.*", "data.csv", CASES, "table.*", "verdict.*", PAGE)
"""Patterns of the names of a figure's files, which a new one replaces."""

_T = TypeVar("_T")
_TABLE, _VERDICT = TypeAdapter(Table), TypeAdapter(Verdict)


@dataclass(frozen=True)
class Result:
    """A figure as it was made at one scale; a part that cannot be read is None."""

    figure: str
    scale: str
    verdict: Verdict | None
    picture: bytes | None
    table: Table | None
    problems: tuple[str, ...]
    """Missing and damaged files, one sentence each."""

    @property
    def state(self) -> State:
        """Verdict on the figure at this scale."""
        return "damaged" if self.verdict is None else state_of(self.verdict.claims, self.verdict.numbers)

    @property
    def stand_in(self) -> bool:
        """Whether a data set only stands in for the paper's."""
        return self.verdict is not None and bool(self.verdict.stand_in)


@dataclass(frozen=True)
class CollectedFigure:
    """One figure or table, made or not."""

    id: str
    paper: str
    label: str
    title: str
    spec: FigureSpec | None
    """None for a folder that no figure's file describes."""
    results: tuple[Result, ...]
    """The largest scale first; empty if the figure is not made."""

    @property
    def heading(self) -> str:
        """Label and title."""
        return f"{self.label}: {self.title}" if self.title else self.label

    @property
    def verdict(self) -> Verdict | None:
        """The verdict at the largest scale; None if there is none or it cannot be read."""
        return self.results[0].verdict if self.results else None

    @property
    def state(self) -> State:
        """State at the largest scale."""
        return self.results[0].state if self.results else "not_made"

    @property
    def claims(self) -> list[tuple[str, State]]:
        """Id and state of each claim; without a verdict, each claim of its file has the state of the figure."""
        if self.verdict is not None:
            return [(claim.id, claim_state(claim)) for claim in self.verdict.claims]
        return [(claim.id, self.state) for claim in self.spec.claims] if self.spec is not None else []

    @property
    def agreement(self) -> str:
        """Count of the numbers that agree with the paper's; empty without numbers."""
        return "" if self.verdict is None else agreement(self.verdict.numbers)

    @property
    def scale(self) -> str:
        """The largest scale, stand-in data and uncommitted changes; empty if the figure is not made."""
        if not self.results:
            return ""
        changed = self.verdict is not None and self.verdict.uncommitted
        return self.results[0].scale + ", stand-in data" * self.results[0].stand_in + f", {UNCOMMITTED}" * changed

    @property
    def command(self) -> str:
        """The command that makes the figure at the paper's scale."""
        return command_for(self.id)


@dataclass(frozen=True)
class Collection:
    """All figures, paper by paper, and the problems that belong to no single figure, one sentence each."""

    figures: tuple[CollectedFigure, ...]
    problems: tuple[str, ...] = ()

    @property
    def _of_papers(self) -> list[CollectedFigure]:
        """Figures of papers, known or not."""
        return [figure for figure in self.figures if figure.paper not in OTHERS]

    def papers(self) -> dict[str, list[CollectedFigure]]:
        """Return the figures of each paper, in order."""
        papers: dict[str, list[CollectedFigure]] = {}
        for figure in self.figures:
            papers.setdefault(figure.paper, []).append(figure)
        return papers

    def claims(self) -> list[State]:
        """Return the states of the papers' claims."""
        return [state for figure in self._of_papers for _, state in figure.claims]

    def claims_at_smaller_scale(self) -> int:
        """Return how many of the papers' claims are judged at a smaller scale than the paper's."""
        return sum(
            len(figure.claims) for figure in self._of_papers if figure.verdict and figure.results[0].scale != "paper"
        )


def collect(figures: Path) -> Collection:
    """Read a folder that reproduce.py has filled, if it exists, and the descriptions of all figures.

    The folder has ``<id>/<scale>/verdict.json`` and so on.
    """
    problems: list[str] = []
    try:
        specs = {name: read_figure(name) for name in catalogue()}
    except FigureError as error:
        specs = {}
        problems.append(f"The descriptions of the figures cannot be read, so those not made are not shown: {error}.")
    collected = [_figure(figures / name, specs.get(name)) for name in dict.fromkeys([*specs, *_made(figures)])]
    # The sort is stable, so described figures keep their paper's order. Figures of no paper come last.
    return Collection(tuple(sorted(collected, key=lambda figure: (not figure.paper, figure.paper))), tuple(problems))


def _made(figures: Path) -> list[str]:
    """Return the ids of the figures that a folder has at some scale."""
    named = (path for path in figures.glob("[!.]*") if path.name.isprintable())
    return sorted(path.name for path in named if any((path / scale).is_dir() for scale in SCALES))


def _figure(folder: Path, spec: FigureSpec | None) -> CollectedFigure:
    results = tuple(_result(folder / scale) for scale in reversed(SCALES) if (folder / scale).is_dir())
    name = folder.name
    recorded = next((result.verdict for result in results if result.verdict and result.verdict.label), None)
    about = spec or recorded
    if about is None:
        return CollectedFigure(name, name.partition("_")[0], name, "", None, results)
    return CollectedFigure(name, about.paper, about.label or name, about.title, spec, results)


def _result(folder: Path) -> Result:
    problems: list[str] = []

    def read(name: str, reader: Callable[[bytes], _T]) -> _T | None:
        try:
            return reader(read_plain(folder / name))
        except FileNotFoundError:
            problems.append(f"{name} is missing.")
        except OSError as error:  # its text has the path, which does not belong into a report
            problems.append(f"{name} cannot be read: {error.strerror or type(error).__name__}.")
        except (DamagedFileError, PictureError) as error:
            problems.append(f"{name} is damaged: {error}.")
        return None

    verdict = read("verdict.json", read_verdict)
    picture = read("figure.png", checked)
    has_table = (folder / "table.json").exists()  # most figures have none
    table = read("table.json", read_table) if has_table else None
    if (folder / "table.md").is_file() and not has_table:
        problems.append("table.json is missing, as in figures of older versions: make the figure again for its table.")
    if not (folder / "data.csv").is_file():
        problems.append("data.csv is missing.")
    return Result(folder.parent.name, folder.name, verdict, picture, table, tuple(problems))


class DamagedFileError(ValueError):
    """A file's content is not what was written; the message says where."""


def read_verdict(content: bytes) -> Verdict:
    """Read the content of ``verdict.json``, or raise DamagedFileError."""
    verdict = _read(_VERDICT, content)
    for number, claim in enumerate(verdict.claims, start=1):
        if not claim.readings:
            raise DamagedFileError(f"claims[{number}].readings is empty")
    return verdict


def published_verdict(folder: Path, figure: str) -> Verdict:
    """Return the verdict of a published figure; raises as `read_facts` and `read_verdict`."""
    return read_verdict(json.dumps(read_facts(folder, figure)["verdict"]).encode())


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
        first, *rest = error.errors(include_url=False, include_input=False)
        location, fault = _location(first["loc"]), first["msg"][0].lower() + first["msg"][1:]
        more = f" ({len(rest)} more such faults)" if rest else ""
        raise DamagedFileError(f"{location}: {fault}{more}" if location else fault + more) from error
    except ValueError as error:
        raise DamagedFileError(str(error)) from error


def _location(location: Sequence[Any]) -> str:
    """Return the place of a value: ``claims[1].verdict``; items are counted from 1."""
    parts = (f"[{part + 1}]" if isinstance(part, int) else f".{part}" for part in location)
    return "".join(parts).removeprefix(".")
