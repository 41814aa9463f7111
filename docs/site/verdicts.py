"""Adds the directive ``verdicts``: the five papers, each with a bar of the outcomes of its claims."""

from __future__ import annotations

import os
from collections import Counter
from html import escape
from pathlib import Path

from docutils import nodes
from gallery import RESULTS, scorecard
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from svm_cost_curves.experiments.reproduction.citations import PAPERS
from svm_cost_curves.experiments.reproduction.report.labels import LABELS

COLOURS = {
    "reproduced": "#00604f",
    "holds": "#00604f",
    "trivial": "#00604f",
    "mostly": "#3d7a4a",
    "mostly_holds": "#3d7a4a",
    "mixed": "#744700",
    "contradicted": "#97270d",
    "fails": "#97270d",
}
"""Grounds of white text; other outcomes are grey. A symbol and a title tell them apart without colour."""
OTHER = "#50565f"
STYLE = """<style>
.verdict-bar { display: flex; height: 1.7rem; border-radius: 5px; overflow: hidden; margin: .2rem 0 .9rem; }
.verdict-bar span { color: #fff; font-size: .8rem; line-height: 1.7rem; padding: 0 .5rem; min-width: 2.6rem;
  overflow: hidden; white-space: nowrap; text-overflow: ellipsis; }
.verdict-bar span + span { border-left: 1px solid #fff; }
</style>"""


def outcomes(folder: Path) -> Counter[str]:
    """Return how many claims of a paper have each outcome; a figure without judged claims counts once, by its state."""
    cards = scorecard(folder).values()
    return Counter(str(state) for card in cards for state in (card.get("claims") or [card["state"]]))


def bar(counts: Counter[str]) -> str:
    """Return the outcomes as a stacked bar in HTML, in the order of `LABELS`."""
    order = [*LABELS, *counts]
    shown = sorted(counts.items(), key=lambda item: order.index(item[0]))
    texts = [f"{count} {LABELS[state].text if state in LABELS else state}" for state, count in shown]
    parts = [
        f'<span style="flex:{count};background:{COLOURS.get(state, OTHER)}" title="{escape(text)}">'
        f"{LABELS[state].symbol if state in LABELS else ''} {escape(text)}</span>"
        for (state, count), text in zip(shown, texts, strict=True)
    ]
    return f'<div class="verdict-bar" role="img" aria-label="{escape(", ".join(texts))}">{"".join(parts)}</div>'


def page(folder: Path, results: Path = RESULTS) -> list[str]:
    """Return the papers in Markdown, with links relative to `folder`."""
    lines = [STYLE, ""]
    for key, paper in PAPERS.items():
        counts = outcomes(results / key)
        card = os.path.relpath(results / f"{key}.md", folder)
        lines += [f"[{paper.title}]({card}), {paper.source}", ""]
        lines += [bar(counts) if counts else "No verdict at the paper's scale yet.", ""]
    return lines


class Verdicts(SphinxDirective):
    """Inserts the papers with their bars."""

    def run(self) -> list[nodes.Node]:
        """Return the nodes, parsed as part of the page."""
        for path in RESULTS.glob("*/scorecard.json"):
            self.env.note_dependency(str(path))
        return self.parse_text_to_nodes("\n".join(page(Path(self.env.doc2path(self.env.docname)).parent)))


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directive."""
    app.add_directive("verdicts", Verdicts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
