"""Adds the directive ``gallery``: every figure with its verdict, from the figures' files and the scorecards' data."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from svm_cost_curves.experiments.provenance import PROJECT_ROOT
from svm_cost_curves.experiments.reproduction.checks import CHECKS, recorded_checks
from svm_cost_curves.experiments.reproduction.citations import PAPERS, paper_named
from svm_cost_curves.experiments.reproduction.published import EVIDENCE
from svm_cost_curves.experiments.reproduction.report.labels import LABELS, moment
from svm_cost_curves.experiments.reproduction.report.pages import READINGS
from svm_cost_curves.experiments.reproduction.spec import FigureSpec, catalogue, figure_files, read_figure

RESULTS = PROJECT_ROOT / "docs" / "results"
NOT_MADE = "No verdict at the paper's scale yet"


def scorecard(folder: Path) -> dict[str, dict[str, str]]:
    """Return what a paper's ``scorecard.json`` has for each figure: ``anchor``, ``state`` and ``scale``.

    Empty if there is no such file.
    """
    path = folder / "scorecard.json"
    entries: dict[str, dict[str, str]] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return entries


def page(folder: Path, results: Path = RESULTS) -> list[str]:
    """Return the gallery in Markdown, a section for each paper.

    Parameters
    ----------
    folder : Path
        Folder of the page, where relative links start.
    results : Path
        Folder of the scorecards: ``<paper>.md``, and ``<paper>/`` with ``scorecard.json`` and the pictures.
    """
    papers: dict[str, list[FigureSpec]] = {}
    for name, paper in catalogue().items():
        papers.setdefault(paper, []).append(read_figure(name))
    order = [*PAPERS, *papers]  # the five papers first
    shown = sorted(papers, key=order.index)
    return [*checked(), *(line for paper in shown for line in _section(paper, papers[paper], folder, results))]


def checked(evidence: Path = EVIDENCE) -> list[str]:
    """Return the paragraph that says how many published runs were made again, when and where; empty without checks."""
    checks = recorded_checks(evidence)
    if not checks:
        return []
    runs, agree = (sum(check[name] for check in checks) for name in ("runs", "agree"))
    last = checks[-1]
    where = f"last on {moment(last['made'])}, {last['cpu']}, {last['cores']} cores"
    return [f"{runs:,} published runs were made again, and {agree:,} agree ({where}).", ""]


def _section(paper: str, specs: list[FigureSpec], folder: Path, results: Path) -> Iterator[str]:
    cited, entries = paper_named(paper), scorecard(results / paper)
    yield from (f"## {cited.title}", "", f"{cited.source}.", "")
    if (readings := results / paper / READINGS).is_file():
        yield from (f"![The claims of the paper by their readings]({os.path.relpath(readings, folder)})", "")
    for spec in specs:
        yield from _figure(spec, entries, folder, results)


def _figure(spec: FigureSpec, entries: Mapping[str, Mapping[str, str]], folder: Path, results: Path) -> Iterator[str]:
    entry, picture = entries.get(spec.id), results / spec.paper / f"{spec.id}.png"
    yield from (f"### {spec.label}: {spec.title}", "")
    if entry is None:
        yield f"{NOT_MADE}. `python3 reproduce.py figure={spec.id} scale=paper`"
    else:
        card = os.path.relpath(results / f"{spec.paper}.md", folder)
        details = f"[Claims and numbers]({card}#{entry['anchor']})"
        yield f"**{LABELS[entry['state']]}**; scale {entry['scale']}. {details}. `figure={spec.id}`"
    yield ""
    if (EVIDENCE / f"{spec.id}.json").is_file():
        site = os.path.relpath(PROJECT_ROOT, folder)
        yield from (f'<a href="{site}/curves/{spec.id}.html">Choose data set, solvers, cost and measure</a>', "")
    if entry is not None and picture.is_file():
        yield from (f"![{spec.label}: {spec.title}]({os.path.relpath(picture, folder)})", "")


class Gallery(SphinxDirective):
    """Inserts the whole gallery."""

    def run(self) -> list[nodes.Node]:
        """Return the gallery's nodes, parsed as part of the page."""
        place = Path(self.env.doc2path(self.env.docname))
        for path in (*figure_files().values(), *RESULTS.glob("*/scorecard.json"), EVIDENCE / CHECKS):
            self.env.note_dependency(str(path))
        return self.parse_text_to_nodes("\n".join(page(place.parent)), allow_section_headings=True)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directive."""
    app.add_directive("gallery", Gallery)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
