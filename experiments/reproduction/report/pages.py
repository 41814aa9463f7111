"""Writes the scorecards of papers in Markdown, for docs/results and for a user's own figures."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import Final
from urllib.parse import quote

from ....support.files import new_folder, read_plain, write_file
from ...provenance import PROJECT_ROOT
from ..citations import paper_named
from . import labels
from .coverage import coverage_page
from .figures import CollectedFigure, Collection, collect
from .pictures import fitted
from .readings import readings_picture
from .rendering import CASES, heading_anchor, render, write_cases

NOTES: Final = PROJECT_ROOT / "conf" / "notes"
"""Paragraphs that people have written for a scorecard, ``<paper>.md``; they stand below its first sentence."""
INDEX: Final = "README.md"
MARK: Final = "<!-- written by figure=report -->"
"""Line of the index that tells it from a README of someone else."""
OTHERS_NAME: Final = "others"
"""Name of the scorecard of figures of no paper."""
_TAKEN: Final = ("readme", "coverage", OTHERS_NAME)
_LONGEST: Final = 100
READINGS: Final = "readings.png"
"""Picture of the claims by their readings, in the folder of a paper's scorecard."""


def write_scorecards(figures: Path, target: Path, *, linked: bool = True) -> Path:
    """Write the scorecards of all papers with a figure that is made, ``coverage.md``, and an index, which is returned.

    Parameters
    ----------
    figures : Path
        As reproduce.py leaves it.
    target : Path
        Folder that gets ``README.md``, the index; for the rest see `write_markdown`. Other files in it stay.
    linked : bool
        Whether the scorecards link to the folders of the figures.

    Raises
    ------
    FileExistsError
        ``README.md`` was not written by a report; or as `write_markdown`.
    """
    target.mkdir(parents=True, exist_ok=True)
    index = target / INDEX
    if index.exists() and MARK not in read_plain(index).decode("utf-8", "replace"):
        raise _of_others(INDEX, target)
    collection = collect(figures)
    made = [paper for paper, chosen in collection.papers().items() if any(figure.results for figure in chosen)]
    for paper in made:
        write_markdown(collection, target, paper, figures_at=_relative_link(target, figures) if linked else "")
    write_file(target / "coverage.md", coverage_page(collection).encode())
    rows = [
        (paper, chosen, labels.tallied([state for figure in chosen for _, state in figure.claims]))
        for paper, chosen in collection.papers().items()
        if paper or paper in made
    ]
    values = {"collection": collection, "rows": rows, "made": made, "name_of": name_of, "mark": MARK}
    write_file(index, render("index.md.j2", **values).encode())
    return index


def name_of(paper: str) -> str:
    """Return the name of a paper's scorecard, without its ending: the paper's key in characters that any folder has."""
    name = re.sub(r"[^A-Za-z0-9_-]", lambda match: f".{ord(match[0]):x}.", paper)
    if len(name) > _LONGEST or name.lower() in _TAKEN:
        name = f"{name[:_LONGEST]}.{hashlib.sha256(paper.encode(errors='replace')).hexdigest()[:12]}"
    return name or OTHERS_NAME


def _relative_link(start: Path, end: Path) -> str:
    return quote(Path(os.path.relpath(end.resolve(), start.resolve())).as_posix())


def notes_on(page: str) -> str:
    """Return the paragraphs in ``conf/notes/`` for a page; empty if there are none."""
    path = NOTES / f"{page}.md"
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def write_markdown(collection: Collection, target: Path, paper: str, *, figures_at: str = "") -> Path:
    """Write a paper's scorecard into a folder; `figures_at` is a link from there to the folder of the figures, if any.

    The folder gets ``<paper>.md``, which is returned, and in ``<paper>`` the pictures, each smaller than
    `pictures.LIMIT`, also one of the claims by their readings; ``cases.csv`` with the cases of all claims; and
    ``scorecard.json``: for each figure that is made ``anchor``, ``state``, ``scale``, and ``claims``, the states of its
    claims.

    Raises
    ------
    ValueError
        There is no figure of this paper, made or to be made.
    FileExistsError
        ``<paper>`` has a file that no scorecard has written.
    """
    chosen = collection.papers().get(paper, [])
    if not chosen:
        papers = ", ".join(collection.papers()) or "none"
        raise ValueError(f"no figure of the paper {paper!r}; papers with figures: {papers}")
    judged = [claim for figure in chosen if figure.verdict is not None for claim in figure.verdict.claims]
    name = name_of(paper)
    text = render(
        "scorecard.md.j2",
        paper=paper_named(paper),
        key=paper,
        folder=name,
        figures=chosen,
        figures_at=figures_at,
        root=f"{_relative_link(target, PROJECT_ROOT)}/" if target.resolve().is_relative_to(PROJECT_ROOT) else "",
        problems=collection.problems,
        notes=notes_on(name),
        judged=judged,
        shared=_shared_facts(chosen),
    )
    _refuse_files_of_others(target / name, ("*.png", "scorecard.json", CASES))
    with new_folder(target / name) as files:
        made = {}
        for figure in (figure for figure in chosen if figure.results):
            made[figure.id] = {
                "anchor": heading_anchor(figure.heading),
                "state": figure.state,
                "scale": figure.scale,
                "claims": [state for _, state in figure.claims],
            }
            if figure.results[0].picture is not None:
                (files / f"{figure.id}.png").write_bytes(fitted(figure.results[0].picture))
        if judged:
            with (files / CASES).open("w", encoding="utf-8", newline="") as file:
                write_cases(file, judged)
            (files / READINGS).write_bytes(fitted(readings_picture(judged)))
        (files / "scorecard.json").write_text(json.dumps(made, indent=2) + "\n", encoding="utf-8")
        (files / ".page").write_text(text, encoding="utf-8")
        (files / ".page").replace(target / f"{name}.md")  # at the end, with the folder, or neither of them
    return target / f"{name}.md"


def _shared_facts(figures: Sequence[CollectedFigure]) -> list[tuple[str, str]]:
    """Return machine and versions if they are the same for all figures, so that the page has them once."""
    made = [labels.facts(figure.verdict) for figure in figures if figure.verdict is not None]
    shared = [fact for fact in made[0] if fact[0] in ("Machine", "Versions")] if len(made) > 1 else []
    return [fact for fact in shared if all(fact in facts for facts in made)]


def _refuse_files_of_others(folder: Path, owned: Sequence[str]) -> None:
    for path in folder.rglob("*"):
        if (
            path.is_file()
            and not path.name.startswith(".")
            and not any(fnmatch(path.name, pattern) for pattern in owned)
        ):
            raise _of_others(f"{folder.name}/{path.name}", folder.parent)


def _of_others(name: str, folder: Path) -> FileExistsError:
    """Return the error of a file that someone else has put where a scorecard would be."""
    return FileExistsError(f"{name} was not written by a report: choose another place than {folder.resolve()}")
