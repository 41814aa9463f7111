"""Adds the directives ``gallery`` and ``verdicts``, made from the figures' files and the scorecards' data.

The gallery has every figure with its verdict, the verdicts are the five papers with a bar of their claims' outcomes.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from docutils import nodes
from PIL import Image
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from svm_cost_curves.experiments.provenance import PROJECT_ROOT
from svm_cost_curves.experiments.reproduction.checks import CHECKS, recorded_checks
from svm_cost_curves.experiments.reproduction.citations import PAPERS, paper_named
from svm_cost_curves.experiments.reproduction.published import EVIDENCE
from svm_cost_curves.experiments.reproduction.report.labels import LABELS, State, moment
from svm_cost_curves.experiments.reproduction.spec import FigureSpec, catalogue, figure_files, read_figure

RESULTS = PROJECT_ROOT / "docs" / "results"
NOT_MADE = "No verdict at the paper's scale yet"
THUMB = 480
"""Width of a small picture in pixels."""
COLOURS = {"\N{CHECK MARK}": "#00604f", "\N{LESS-THAN OR EQUAL TO}": "#00604f", "\N{BALLOT X}": "#97270d"}
COLOURS |= {LABELS["mostly"].symbol: "#3d9a6a", LABELS["mixed"].symbol: "#c78a1d"}
"""By the sign of an outcome; others are grey. The words below the bar tell them apart without colour."""
OTHER = "#8b919b"


def scorecard(folder: Path) -> dict[str, dict[str, Any]]:
    """Return what a paper's ``scorecard.json`` has for each figure; empty if there is no such file.

    ``anchor``, ``state``, ``scale``, and ``claims``, the states of its claims.
    """
    path = folder / "scorecard.json"
    entries: dict[str, dict[str, Any]] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return entries


def gallery(
    folder: Path, results: Path = RESULTS, thumbs: Path | None = None, curves: Path | None = None
) -> Iterator[str]:
    """Yield the paragraphs of the gallery in Markdown, a section for each paper, a card for each figure.

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
    for paper in sorted(papers, key=order.index):
        entries = scorecard(results / paper)
        yield from (f"## {paper_named(paper).title}", f"{paper_named(paper).source}.", '<div class="cards">')
        for spec in papers[paper]:
            yield '<div class="card">'
            yield from _card(spec, entries.get(spec.id), folder, results, thumbs, curves)
            yield "</div>"
        yield "</div>"
    if again := checked():
        yield from ("## Runs made again", again)


def checked(evidence: Path = EVIDENCE) -> str:
    """Return the paragraph that says how many published runs were made again, when and where; empty without checks."""
    checks = recorded_checks(evidence)
    if not checks:
        return ""
    runs, agree = (sum(check[name] for check in checks) for name in ("runs", "agree"))
    last = checks[-1]
    where = f"last on {moment(last['made'])}, {last['cpu']}, {last['cores']} cores"
    return f"{runs:,} published runs were made again, and {agree:,} agree ({where})."


def _card(
    spec: FigureSpec,
    entry: Mapping[str, Any] | None,
    folder: Path,
    results: Path,
    thumbs: Path | None,
    curves: Path | None,
) -> Iterator[str]:
    name, picture = f"{spec.label}: {spec.title}", results / spec.paper / f"{spec.id}.png"
    if entry is None:
        yield from (f"**{name}**", f"{NOT_MADE}. `python3 reproduce.py figure={spec.id} scale=paper`")
        return
    card = f"{os.path.relpath(results / f'{spec.paper}.md', folder)}#{entry['anchor']}"
    if picture.is_file():
        shown = picture if thumbs is None else _thumb(picture, thumbs)
        yield f"[![{name}]({os.path.relpath(shown, folder)})]({card})"
    yield f"[{name}]({card})"
    has_page = (EVIDENCE / f"{spec.id}.json" if curves is None else curves / f"{spec.id}.html").is_file()
    site = os.path.relpath(PROJECT_ROOT, folder)
    link = f' · <a href="{site}/curves/{spec.id}.html">curves</a>' if has_page else ""
    scale = "" if entry["scale"] == "paper" else f"; scale {entry['scale']}"
    yield f"**{LABELS[entry['state']]}**{scale}{link} · `figure={spec.id}`"


def _thumb(picture: Path, folder: Path) -> Path:
    """Write a small picture, the upper part of the picture."""
    small = folder / picture.name
    with Image.open(picture) as image:
        width, height = image.size
        upper = image.convert("RGB").crop((0, 0, width, min(height, width * 3 // 4)))
        upper.thumbnail((THUMB, THUMB))
        upper.quantize(64).save(small)
    return small


def verdicts(folder: Path, results: Path = RESULTS) -> Iterator[str]:
    """Yield the papers in Markdown, each with a bar, with links relative to `folder`."""
    for key, paper in PAPERS.items():
        counts = outcomes(results / key)
        yield f"[{paper.title}]({os.path.relpath(results / f'{key}.md', folder)}), {paper.source}"
        yield bar(counts) if counts else f"{NOT_MADE}."


def outcomes(folder: Path) -> Counter[State]:
    """Return how many claims of a paper have each outcome, as README counts them."""
    return Counter(state for card in scorecard(folder).values() for state in card.get("claims", ()))


def bar(counts: Mapping[State, int]) -> str:
    """Return the outcomes as a stacked bar in HTML, in the order of `LABELS`, with their words below it."""
    parts, items = "", ""
    for state, label in LABELS.items():
        if count := counts.get(state):
            colour = COLOURS.get(label.symbol, OTHER)
            parts += f'<span style="flex:{count};background:{colour}"></span>'
            items += f'<li><span style="background:{colour}"></span>{label.symbol} {count} {label.text}</li>'
    total = f"<li>of {sum(counts.values())} claims</li>"
    return f'<div class="verdict-bar" aria-hidden="true">{parts}</div><ul class="verdict-words">{items}{total}</ul>'


class Gallery(SphinxDirective):
    """Inserts the whole gallery."""

    def run(self) -> list[nodes.Node]:
        """Return the gallery's nodes, parsed as part of the page."""
        for path in (*figure_files().values(), *RESULTS.glob("*/scorecard.json"), EVIDENCE / CHECKS):
            self.env.note_dependency(str(path))
        thumbs = Path(self.env.doctreedir) / "thumbs"
        thumbs.mkdir(exist_ok=True)
        curves = Path(self.env.app.outdir) / "curves"  # written before the documents are read
        lines = gallery(Path(self.env.doc2path(self.env.docname)).parent, thumbs=thumbs, curves=curves)
        return self.parse_text_to_nodes("\n\n".join(lines), allow_section_headings=True)


class Verdicts(SphinxDirective):
    """Inserts the papers with their bars."""

    def run(self) -> list[nodes.Node]:
        """Return the nodes, parsed as part of the page."""
        for path in RESULTS.glob("*/scorecard.json"):
            self.env.note_dependency(str(path))
        return self.parse_text_to_nodes("\n\n".join(verdicts(Path(self.env.doc2path(self.env.docname)).parent)))


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directives."""
    app.add_directive("gallery", Gallery)
    app.add_directive("verdicts", Verdicts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
