"""Adds the directive ``gallery``: every figure with its verdict, from the figures' files and the scorecards' data."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from docutils import nodes
from PIL import Image
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from svm_cost_curves.experiments.provenance import PROJECT_ROOT
from svm_cost_curves.experiments.reproduction.checks import CHECKS, recorded_checks
from svm_cost_curves.experiments.reproduction.citations import PAPERS, paper_named
from svm_cost_curves.experiments.reproduction.published import EVIDENCE
from svm_cost_curves.experiments.reproduction.report.labels import LABELS, moment
from svm_cost_curves.experiments.reproduction.spec import FigureSpec, catalogue, figure_files, read_figure

RESULTS = PROJECT_ROOT / "docs" / "results"
NOT_MADE = "No verdict at the paper's scale yet"
THUMB = 480
"""Width of a small picture in pixels."""


def scorecard(folder: Path) -> dict[str, dict[str, str]]:
    """Return what a paper's ``scorecard.json`` has for each figure: ``anchor``, ``state`` and ``scale``.

    Empty if there is no such file.
    """
    path = folder / "scorecard.json"
    entries: dict[str, dict[str, str]] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return entries


def page(folder: Path, results: Path = RESULTS, thumbs: Path | None = None, curves: Path | None = None) -> list[str]:
    """Return the gallery in Markdown, a section for each paper, a card for each figure.

    Parameters
    ----------
    folder : Path
        Folder of the page, where relative links start.
    results : Path
        Folder of the scorecards: ``<paper>.md``, and ``<paper>/`` with ``scorecard.json`` and the pictures.
    thumbs : Path, optional
        Folder that gets small pictures, which the cards show; without it they show the pictures themselves.
    curves : Path, optional
        Folder of the pages of curves, to which the cards link; without it every published figure has a link.
    """
    papers: dict[str, list[FigureSpec]] = {}
    for name, paper in catalogue().items():
        papers.setdefault(paper, []).append(read_figure(name))
    order = [*PAPERS, *papers]  # the five papers first
    lines: list[str] = []
    for paper in sorted(papers, key=order.index):
        entries = scorecard(results / paper)
        lines += [
            "",
            f"## {paper_named(paper).title}",
            "",
            f"{paper_named(paper).source}.",
            "",
            '<div class="cards">',
            "",
        ]
        for spec in papers[paper]:
            lines += _card(spec, entries, folder, results, thumbs, curves)
        lines += ["</div>", ""]
    again = checked()
    return [*lines, *(["## Runs made again", "", *again] if again else [])]


def checked(evidence: Path = EVIDENCE) -> list[str]:
    """Return the paragraph that says how many published runs were made again, when and where; empty without checks."""
    checks = recorded_checks(evidence)
    if not checks:
        return []
    runs, agree = (sum(check[name] for check in checks) for name in ("runs", "agree"))
    last = checks[-1]
    where = f"last on {moment(last['made'])}, {last['cpu']}, {last['cores']} cores"
    return [f"{runs:,} published runs were made again, and {agree:,} agree ({where}).", ""]


def _card(
    spec: FigureSpec,
    entries: Mapping[str, Mapping[str, str]],
    folder: Path,
    results: Path,
    thumbs: Path | None,
    curves: Path | None,
) -> Iterator[str]:
    entry, picture = entries.get(spec.id), results / spec.paper / f"{spec.id}.png"
    name = f"{spec.label}: {spec.title}"
    yield from ('<div class="card">', "")
    if entry is None:
        yield from (
            f"**{name}**",
            "",
            f"{NOT_MADE}. `python3 reproduce.py figure={spec.id} scale=paper`",
            "",
            "</div>",
            "",
        )
        return
    card = f"{os.path.relpath(results / f'{spec.paper}.md', folder)}#{entry['anchor']}"
    if picture.is_file():
        shown = picture if thumbs is None else _thumb(picture, thumbs)
        yield from (f"[![{name}]({os.path.relpath(shown, folder)})]({card})", "")
    yield from (f"[{name}]({card})", "")
    site = os.path.relpath(PROJECT_ROOT, folder)
    has_page = (EVIDENCE / f"{spec.id}.json" if curves is None else curves / f"{spec.id}.html").is_file()
    link = f' · <a href="{site}/curves/{spec.id}.html">curves</a>' if has_page else ""
    scale = "" if entry["scale"] == "paper" else f"; scale {entry['scale']}"
    yield from (f"**{LABELS[entry['state']]}**{scale}{link} · `figure={spec.id}`", "", "</div>", "")


def _thumb(picture: Path, folder: Path) -> Path:
    """Write a small picture, the upper part of the picture."""
    small = folder / picture.name
    with Image.open(picture) as image:
        width, height = image.size
        upper = image.convert("RGB").crop((0, 0, width, min(height, width * 3 // 4)))
        upper.thumbnail((THUMB, THUMB))
        upper.quantize(64).save(small)
    return small


class Gallery(SphinxDirective):
    """Inserts the whole gallery."""

    def run(self) -> list[nodes.Node]:
        """Return the gallery's nodes, parsed as part of the page."""
        place = Path(self.env.doc2path(self.env.docname))
        for path in (*figure_files().values(), *RESULTS.glob("*/scorecard.json"), EVIDENCE / CHECKS):
            self.env.note_dependency(str(path))
        thumbs = Path(self.env.doctreedir) / "thumbs"
        thumbs.mkdir(exist_ok=True)
        curves = Path(self.env.app.outdir) / "curves"  # written before the documents are read
        lines = page(place.parent, thumbs=thumbs, curves=curves)
        return self.parse_text_to_nodes("\n".join(lines), allow_section_headings=True)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directive."""
    app.add_directive("gallery", Gallery)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
