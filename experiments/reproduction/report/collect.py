"""What lies in a folder of figures, as far as it can be read; nothing in it is taken for granted.

A file that is missing or damaged becomes a sentence in `Result.problems`, never an exception: one broken figure must
not take the page with it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from experiments.reproduction.report.fields import Fields, Record, read_record
from experiments.reproduction.report.pictures import PictureError, checked
from experiments.reproduction.report.words import State, command_for, state_of
from experiments.reproduction.spec import FIGURES, SCALES, FigureError, FigureSpec, catalogue, read_figure

FILES = ("figure.pdf", "figure.png", "data.csv", "table.md", "verdict.json")
"""What a reader may want to have, as far as it is there."""


@dataclass(frozen=True)
class Result:
    """A figure as it was made at one scale.

    Attributes
    ----------
    figure, scale : str
    record : Record
        ``verdict.json``; empty where that cannot be read.
    readable : bool
        Whether ``verdict.json`` could be read.
    picture : bytes or None
        ``figure.png``.
    table : str
        ``table.md``; empty for a figure that has none.
    files : mapping of str to Path
        Those of `FILES` that are there.
    problems : tuple of str
        What is missing or damaged, one sentence each.
    """

    figure: str
    scale: str
    record: Record
    readable: bool
    picture: bytes | None
    table: str
    files: dict[str, Path]
    problems: tuple[str, ...]

    @property
    def state(self) -> State:
        """Verdict on the figure at this scale."""
        return state_of(self.record.claims, self.record.numbers) if self.readable else "damaged"


@dataclass(frozen=True)
class Figure:
    """One figure or table, made or not.

    Attributes
    ----------
    id, paper, label, title : str
    spec : FigureSpec or None
        None for a folder that no file of conf/figure/ describes.
    results : tuple of Result
        The largest scale first; empty: the figure was not made yet.
    """

    id: str
    paper: str
    label: str
    title: str
    spec: FigureSpec | None
    results: tuple[Result, ...]

    @property
    def state(self) -> State:
        """Verdict at the largest scale."""
        return self.results[0].state if self.results else "not_made"

    @property
    def command(self) -> str:
        """Makes the figure at the paper's scale."""
        return command_for(self.id)


@dataclass(frozen=True)
class Collection:
    """All figures, in the order of the papers and of each paper; `problems` are those of no figure in particular."""

    figures: tuple[Figure, ...]
    problems: tuple[str, ...] = ()

    def papers(self) -> dict[str, list[Figure]]:
        """Figures of each paper, in order."""
        found: dict[str, list[Figure]] = {}
        for figure in self.figures:
            found.setdefault(figure.paper, []).append(figure)
        return found


def collect(figures: Path, specs: Path = FIGURES) -> Collection:
    """Read a folder that reproduce.py has filled, and what could be in it.

    Parameters
    ----------
    figures : Path
        With ``<id>/<scale>/verdict.json`` and so on. Need not exist.
    specs : Path
        Folder of the figures' descriptions.
    """
    problems: list[str] = []
    try:
        known = {name: read_figure(name, specs) for name in catalogue(specs)}
    except FigureError as error:
        known = {}
        problems.append(f"The descriptions of the figures cannot be read, so those not made are not shown: {error}.")
    made = [folder.name for folder in _folders(figures) if any((folder / scale).is_dir() for scale in SCALES)]
    found = [_figure(figures / name, known.get(name)) for name in dict.fromkeys([*known, *sorted(made)])]
    # stable: figures of a paper that are known stay in that paper's order; those of none come last
    return Collection(tuple(sorted(found, key=lambda figure: (not figure.paper, figure.paper))), tuple(problems))


def _folders(place: Path) -> Iterator[Path]:
    if place.is_dir():
        yield from (
            path for path in place.iterdir() if path.is_dir() and path.name.isprintable() and path.name[0] != "."
        )


def _figure(folder: Path, spec: FigureSpec | None) -> Figure:
    scales = [scale for scale in reversed(SCALES) if (folder / scale).is_dir()]
    results = tuple(_result(folder / scale) for scale in scales)
    records = [result.record for result in results]

    def recorded(name: str, otherwise: str) -> str:
        return next(filter(None, (getattr(record, name) for record in records)), otherwise)

    name = folder.name
    if spec is not None:
        return Figure(name, spec.paper, spec.label or name, spec.title, spec, results)
    # one of no paper says so by an empty name
    paper = next((record.paper for record in records if record.label), name.partition("_")[0])
    return Figure(name, paper, recorded("label", name), recorded("title", ""), None, results)


def _result(folder: Path) -> Result:
    problems: list[str] = []
    record, readable = Record(), False
    try:
        content = json.loads((folder / "verdict.json").read_text(encoding="utf-8"))
        if readable := isinstance(content, dict):
            record = read_record(Fields(content, problems))
        else:
            problems.append("verdict.json is damaged: it holds no object.")
    except (OSError, ValueError, RecursionError) as error:
        problems.append(_sentence("verdict.json", error))
    picture, table = None, ""
    try:
        picture = checked((folder / "figure.png").read_bytes())
    except (OSError, PictureError) as error:
        problems.append(_sentence("figure.png", error))
    try:
        table = (folder / "table.md").read_text(encoding="utf-8")
    except FileNotFoundError:
        pass  # most figures have none
    except (OSError, ValueError) as error:
        problems.append(_sentence("table.md", error))
    files = {name: folder / name for name in FILES if (folder / name).is_file()}
    if "data.csv" not in files:
        problems.append("data.csv is missing.")
    return Result(folder.parent.name, folder.name, record, readable, picture, table, files, tuple(problems))


def _sentence(name: str, error: Exception) -> str:
    # the text of an OSError holds the path, which is nobody's business
    if isinstance(error, FileNotFoundError):
        return f"{name} is missing."
    if isinstance(error, OSError):
        return f"{name} cannot be read: {error.strerror or type(error).__name__}."
    if isinstance(error, json.JSONDecodeError):
        return f"{name} is damaged at line {error.lineno}, column {error.colno}: {error.msg}."
    if isinstance(error, UnicodeDecodeError):
        return f"{name} is damaged: it is not UTF-8."
    return f"{name} is damaged: {error}."
