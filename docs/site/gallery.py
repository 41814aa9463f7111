"""The directive ``gallery``: every figure with its verdict, from ``conf/figure/`` and the scorecards."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from experiments.provenance import PROJECT_ROOT
from experiments.reproduction.citations import PAPERS, paper_named
from experiments.reproduction.spec import FIGURES, FigureSpec, catalogue, read_figure

RESULTS = PROJECT_ROOT / "docs" / "results"
NOT_MADE = "No verdict at the paper's scale yet"


@dataclass(frozen=True)
class Entry:
    """A line of a scorecard.

    Attributes
    ----------
    anchor : str
        Of the figure's section, with ``#``.
    verdict : str
        As written: a symbol and words.
    scale : str
        ``paper``, with what qualifies it.
    """

    anchor: str
    verdict: str
    scale: str


def scorecard(path: Path) -> dict[str, Entry]:
    """Return what a paper's scorecard says of its figures, by their labels; nothing if there is no such file."""
    if not path.is_file():
        return {}
    found = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if match := re.match(r"\| \[(?P<label>[^]]+)\]\((?P<anchor>#[^)]+)\) \|(?P<cells>.*)\|$", line):
            cells = [cell.strip() for cell in match["cells"].split("|")]
            found[match["label"]] = Entry(match["anchor"], cells[1], cells[-1])
    return found


def page(folder: Path, results: Path = RESULTS) -> list[str]:
    """Return the gallery in Markdown, a section for each paper.

    Parameters
    ----------
    folder : Path
        Of the page that it is for: links start there.
    results : Path
        Of the scorecards, ``<paper>.md`` with pictures in ``<paper>/``.
    """
    papers: dict[str, list[FigureSpec]] = {}
    for name, paper in catalogue().items():
        papers.setdefault(paper, []).append(read_figure(name))
    order = [*PAPERS, *papers]  # the five papers first, as they are cited
    shown = sorted(papers, key=order.index)
    return [line for paper in shown for line in _section(paper, papers[paper], folder, results)]


def _section(paper: str, specs: list[FigureSpec], folder: Path, results: Path) -> Iterator[str]:
    cited, entries = paper_named(paper), scorecard(results / f"{paper}.md")
    yield from (f"## {cited.title}", "", f"{cited.source}.", "")
    for spec in specs:
        yield from _figure(spec, entries, folder, results)


def _figure(spec: FigureSpec, entries: Mapping[str, Entry], folder: Path, results: Path) -> Iterator[str]:
    entry, picture = entries.get(spec.label), results / spec.paper / f"{spec.id}.png"
    yield from (f"### {spec.label}: {spec.title}", "")
    if entry is None:
        yield f"{NOT_MADE}. `python reproduce.py figure={spec.id} scale=paper`"
    else:
        card = os.path.relpath(results / f"{spec.paper}.md", folder)
        details = f"[Claims and numbers]({card}{entry.anchor})"
        yield f"**{entry.verdict}**; scale {entry.scale}. {details}. `figure={spec.id}`"
    yield ""
    if entry is not None and picture.is_file():
        yield from (f"![{spec.label}: {spec.title}]({os.path.relpath(picture, folder)})", "")


class Gallery(SphinxDirective):
    """Stands for the whole gallery."""

    def run(self) -> list[nodes.Node]:
        """Parse it as if it stood in the page."""
        place = Path(self.env.doc2path(self.env.docname))
        for path in (*FIGURES.glob("*.yaml"), *RESULTS.glob("*.md")):
            self.env.note_dependency(str(path))
        return self.parse_text_to_nodes("\n".join(page(place.parent)), allow_section_headings=True)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Offer the directive."""
    app.add_directive("gallery", Gallery)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
