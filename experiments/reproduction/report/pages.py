"""Writes the report as HTML, a page for each paper, and a paper's scorecard as Markdown."""

from __future__ import annotations

import json
import shutil
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from fnmatch import fnmatch
from pathlib import Path
from typing import Final
from urllib.parse import quote

from svm_cost_curves.experiments.plotting.interactive import PAGE, with_figures
from svm_cost_curves.experiments.provenance import PROJECT_ROOT
from svm_cost_curves.experiments.reproduction.citations import paper_named
from svm_cost_curves.experiments.reproduction.report import labels
from svm_cost_curves.experiments.reproduction.report.coverage import coverage_page
from svm_cost_curves.experiments.reproduction.report.figures import OWN, Figure, Result, collect, made_in
from svm_cost_curves.experiments.reproduction.report.pictures import fitted
from svm_cost_curves.experiments.reproduction.report.readings import readings_picture
from svm_cost_curves.experiments.reproduction.report.rendering import (
    CASES,
    anchor,
    heading_anchor,
    render,
    write_cases,
)
from svm_cost_curves.support.files import new_folder, read_plain, write_file

NOTES: Final = PROJECT_ROOT / "conf" / "notes"
"""Paragraphs that people have written for a scorecard, ``<paper>.md``; they stand below its first sentence."""
INDEX: Final = "index.html"
FOLDER: Final = "files"
"""Folder of the report's pictures and data."""
READINGS: Final = "readings.png"
"""Picture of the claims by their readings, in the folder of a paper's scorecard."""


def write_report(figures: Path, target: Path, *, whole: Iterable[str] = ()) -> Path:
    """Write the report on a folder of figures: HTML pages without scripts that load nothing from elsewhere.

    Parameters
    ----------
    figures : Path
        As reproduce.py leaves it; ``target/files`` itself, or its files are copied there.
    target : Path
        Folder that gets ``index.html``, which is returned, a page for each paper, ``coverage.md``, and in ``files`` the
        files that the pages show. Other files in it stay.
    whole : iterable of str
        Papers, each when its figures are there: its page is then written at once.
    """
    target.mkdir(parents=True, exist_ok=True)
    written: list[Figure] = []
    for paper in whole:
        part = collect(figures, paper)
        _write_page(figures, target, paper, part.figures)
        written += part.figures
    collection = collect(figures)
    for paper, chosen in collection.papers().items():
        if not any(figure.paper == paper for figure in written):
            _write_page(figures, target, paper, chosen)
    write_file(target / INDEX, render("index.html.j2", collection=collection, page_of=page_of).encode())
    write_file(target / "coverage.md", coverage_page(collection).encode())
    return target / INDEX


def page_of(paper: str) -> str:
    """Return the name of a paper's page."""
    return f"{anchor(paper)[:100] or 'others'}.html"


def _write_page(figures: Path, target: Path, paper: str, chosen: Sequence[Figure]) -> None:
    """Write a paper's page, and the files that it shows."""
    files = target / FOLDER
    results = [result for figure in chosen for result in figure.results]
    for result in results if figures != files else ():
        with new_folder(files / result.figure / result.scale, OWN) as draft:
            for name, path in result.files.items():
                shutil.copyfile(path, draft / name)
    _link_curves(files, page_of(paper), results)
    text = render("report.html.j2", paper=paper_named(paper), figures=chosen)
    write_file(target / page_of(paper), text.encode())


def remove_others(files: Path, kept: Collection[tuple[str, str]]) -> None:
    """Remove the figures of an earlier report, but for those, by id and scale, that are kept; other files stay."""
    for name, scale in made_in(files):
        if (name, scale) not in kept:
            with new_folder(files / name / scale, OWN):
                pass
            with suppress(OSError):  # files of others
                (files / name / scale).rmdir()


def _link_curves(files: Path, report: str, results: Sequence[Result]) -> None:
    """Put a list of these figures' pages of curves, and a link to the report, on each of the pages."""
    shown = [result for result in results if PAGE in result.files]
    links = [
        (f"../../{quote(result.figure)}/{result.scale}/{PAGE}", f"{result.figure}, scale {result.scale}")
        for result in shown
    ]
    for result, (link, _) in zip(shown, links, strict=True):
        path = files / result.figure / result.scale / PAGE
        page = read_plain(path).decode("utf-8", "replace")
        linked = with_figures(page, links, link, report=f"../../../{report}")
        if linked != page:
            write_file(path, linked.encode(), sync=False)


def notes_on(page: str) -> str:
    """Return the paragraphs in ``conf/notes/`` for a page; empty if there are none."""
    path = NOTES / f"{page}.md"
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def write_markdown(figures: Path, target: Path, paper: str) -> Path:
    """Write a paper's scorecard, to be kept in the repository; parameters as in `write_report`.

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
    text = render(
        "scorecard.md.j2",
        paper=paper_named(paper),
        key=paper,
        figures=chosen,
        problems=collection.problems,
        notes=notes_on(paper),
        judged=judged,
        shared=_shared_facts(chosen),
    )
    _refuse_files_of_others(target / paper, ("*.png", "scorecard.json", CASES))
    with new_folder(target / paper) as files:
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
        (files / ".page").replace(target / f"{paper}.md")  # at the end, with the folder, or neither of them
    return target / f"{paper}.md"


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
