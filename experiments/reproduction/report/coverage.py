"""Writes which figure, claim or number answers each statement of the papers, from ``conf/coverage/*.yaml``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from pydantic import TypeAdapter

from ...provenance import PROJECT_ROOT
from ..citations import paper_named
from ..claim_spec import Described, read_yaml
from ..verdict import Claim
from .figures import Collection
from .labels import LABELS, State
from .rendering import render

COVERAGE = PROJECT_ROOT / "conf" / "coverage"


class CoverageError(ValueError):
    """A file of ``conf/coverage/`` has a wrong form, or a row without an answer."""


@dataclass
class CoverageRow(Described):
    """One figure, table, printed number or checkable statement of a paper.

    Claims judge it, or the picture or the numbers of a figure answer it, or nothing here tests it, for a reason, and a
    test would need something.
    """

    place: str = ""
    statement: str = ""
    claims: list[str] = field(default_factory=list)
    figure: str = ""
    not_testable: str = ""
    needs: str = ""


@dataclass
class _File(Described):
    rows: list[CoverageRow] = field(default_factory=list)


@dataclass(frozen=True)
class Answer:
    """A row with its answers, among them the state of its figure and how many numbers of it agree."""

    row: CoverageRow
    claims: Mapping[str, tuple[int, Claim | None, str]]
    """Number of readings, the judged claim (None: its figure is not made) and the scale of its figure."""
    state: State | None
    agreement: str


@cache  # the files are part of the project: they do not change while a program runs
def read_coverage(folder: Path = COVERAGE) -> Mapping[str, Sequence[CoverageRow]]:
    """Return the rows of each paper; CoverageError if a file has a wrong form, or a row no answer."""
    result: dict[str, Sequence[CoverageRow]] = {}
    for path in sorted(folder.glob("*.yaml")):
        rows = read_yaml(path, TypeAdapter(_File), CoverageError).rows
        for row in rows:
            if not (row.claims or row.figure or row.not_testable) or (row.not_testable and not row.needs):
                raise CoverageError(
                    f"{path.name}: {row.place!r} has no answer: name claims, a figure, or what is missing"
                )
        result[path.stem] = rows
    return result


def coverage_page(collection: Collection, folder: Path = COVERAGE) -> str:
    """Return the table of all statements in the files of a folder and their answers, in Markdown."""
    claims: dict[str, tuple[int, Claim | None, str]] = {}
    for figure in collection.figures:
        for spec in figure.spec.claims if figure.spec is not None else ():
            claims[spec.id] = (len(spec.readings) or 1, None, "")
        for claim in figure.verdict.claims if figure.verdict is not None else ():
            claims[claim.id] = (len(claim.readings), claim, figure.results[0].scale)
    figures = {figure.id: figure for figure in collection.figures}
    papers = {
        paper: [
            Answer(
                row,
                {name: claims.get(name, (1, None, "")) for name in row.claims},
                figures[row.figure].state if row.figure in figures else None,
                figures[row.figure].agreement if row.figure in figures else "",
            )
            for row in rows
        ]
        for paper, rows in read_coverage(folder).items()
    }
    titles = {paper: paper_named(paper).title for paper in papers}
    return render("coverage.md.j2", papers=papers, titles=titles, LABELS=LABELS)
