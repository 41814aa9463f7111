"""Adds the directive ``verdicts``: the five papers, each with a bar of the outcomes of its claims."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from docutils import nodes
from gallery import RESULTS, scorecard
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from svm_cost_curves.experiments.reproduction.citations import PAPERS
from svm_cost_curves.experiments.reproduction.report.labels import LABELS, State

COLOURS = {"\N{CHECK MARK}": "#00604f", "\N{LESS-THAN OR EQUAL TO}": "#00604f", "\N{BALLOT X}": "#97270d"}
COLOURS |= {LABELS["mostly"].symbol: "#3d9a6a", LABELS["mixed"].symbol: "#c78a1d"}
"""By the sign of an outcome; others are grey. The words below the bar tell them apart without colour."""
OTHER = "#8b919b"


def outcomes(folder: Path) -> Counter[State]:
    """Return how many claims of a paper have each outcome, as README counts them."""
    return Counter(state for card in scorecard(folder).values() for state in card.get("claims", ()))


def bar(counts: Mapping[State, int]) -> str:
    """Return the outcomes as a stacked bar in HTML, in the order of `LABELS`, with their words below it."""
    shown = [(LABELS[state], counts[state]) for state in LABELS if counts.get(state)]
    colours = [COLOURS.get(label.symbol, OTHER) for label, _ in shown]
    parts = [f'<span style="flex:{count};background:{c}"></span>' for c, (_, count) in zip(colours, shown, strict=True)]
    words = [
        f'<li><span style="background:{c}"></span>{label.symbol} {count} {label.text}</li>'
        for c, (label, count) in zip(colours, shown, strict=True)
    ]
    total = f"<li>of {sum(counts.values())} claims</li>"
    drawn = f'<div class="verdict-bar" aria-hidden="true">{"".join(parts)}</div>'
    return f'{drawn}<ul class="verdict-words">{"".join(words)}{total}</ul>'


def page(folder: Path, results: Path = RESULTS) -> list[str]:
    """Return the papers in Markdown, with links relative to `folder`."""
    lines = []
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
