"""Writes the scorecards of papers in Markdown, for docs/results and for a user's own figures."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import Final
from urllib.parse import quote

from ....support.files import new_folder, write_file
from ...provenance import PROJECT_ROOT
from ..citations import paper_named
from . import labels
from .coverage import coverage_page
from .figures import Figure, collect
from .pictures import fitted
from .readings import readings_picture
from .rendering import CASES, heading_anchor, render, write_cases

NOTES: Final = PROJECT_ROOT / "conf" / "notes"
"""Paragraphs that people have written for a scorecard, ``<paper>.md``; they stand below its first sentence."""
INDEX: Final = "README.md"
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
        As `write_markdown`.
    """
    target.mkdir(parents=True, exist_ok=True)
    collection = collect(figures)
    made = [paper for paper, chosen in collection.papers().items() if any(figure.results for figure in chosen)]
    for paper in made:
        write_markdown(figures, target, paper, linked=linked)
    write_file(target / "coverage.md", coverage_page(collection).encode())
    write_file(target / INDEX, render("index.md.j2", collection=collection, made=made, name_of=name_of).encode())
    return target / INDEX


def name_of(paper: str) -> str:
    """Return the name of a paper's scorecard, without its ending: the paper's key in characters that any folder has."""
    return re.sub(r"[^A-Za-z0-9_-]", lambda match: f".{ord(match[0]):x}.", paper)[:100] or "others"


def _way(start: Path, end: Path) -> str:
    """Return the way from a folder to another as a link."""
    return quote(Path(os.path.relpath(end.resolve(), start.resolve())).as_posix())


def notes_on(page: str) -> str:
    """Return the paragraphs in ``conf/notes/`` for a page; empty if there are none."""
    path = NOTES / f"{page}.md"
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def write_markdown(figures: Path, target: Path, paper: str, *, linked: bool = False) -> Path:
    """Write a paper's scorecard; parameters as in `write_scorecards`.

    The target gets ``<paper>.md``, which is returned, and in ``<paper>`` the pictures, each smaller than
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
    collection = collect(figures)
    chosen = collection.papers().get(paper, [])
    if not chosen:
        known = ", ".join(collection.papers()) or "none"
        raise ValueError(f"no figure of the paper {paper!r}; papers with figures: {known}")
    judged = [claim for figure in chosen if figure.verdict is not None for claim in figure.verdict.claims]
    name = name_of(paper)
    text = render(
        "scorecard.md.j2",
        paper=paper_named(paper),
        key=paper,
        folder=name,
        figures=chosen,
        figures_at=_way(target, figures) if linked else "",
        root=f"{_way(target, PROJECT_ROOT)}/" if target.resolve().is_relative_to(PROJECT_ROOT) else "",
        problems=collection.problems,
        notes=notes_on(paper),
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


def _shared_facts(figures: Sequence[Figure]) -> list[tuple[str, str]]:
    """Return machine and versions if they are the same for all figures, so that the page has them once."""
    made = [labels.facts(figure.verdict) for figure in figures if figure.verdict is not None]
    shared = [fact for fact in made[0] if fact[0] in ("Machine", "Versions")] if len(made) > 1 else []
    return [fact for fact in shared if all(fact in facts for facts in made)]


def _refuse_files_of_others(folder: Path, owned: Collection[str]) -> None:
    for path in folder.rglob("*"):
        if path.is_file() and not path.name.startswith(".") and not any(fnmatch(path.name, one) for one in owned):
            place = folder.parent.resolve()
            raise FileExistsError(
                f"{folder.name}/{path.name} was not written by a report: choose another place than {place}"
            )
