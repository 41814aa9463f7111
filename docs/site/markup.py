"""Markup of pages: long sections of results are folded, and formulas are MathML.

Browsers draw MathML themselves: no script, no fonts, nothing to load. A link to something in a folded section opens it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.typing import ExtensionMetadata
from sphinx.writers.html5 import HTML5Translator

LOGGER = logging.getLogger(__name__)
PAGES = "docs/results/"
DISCUSSION = f"{PAGES}README"
LETTERS = 800
"""Sections with fewer letters, and without a picture, stay open."""


def fold(app: Sphinx, document: nodes.document, name: str) -> None:
    """Fold the second and all further sections of a page of results that are long."""
    del app
    for image in document.findall(nodes.image):
        image["loading"] = "lazy"
    if not name.startswith(PAGES) or name == DISCUSSION:
        return
    for top in (node for node in document.children if isinstance(node, nodes.section)):
        for section in [node for node in top.children if isinstance(node, nodes.section)][1:]:
            images = list(section.findall(nodes.image))
            if images or len(section.astext()) > LETTERS:
                folded = [*_summary(section, images[:1]), *section[1:], nodes.raw("", "</details>", format="html")]
                section.children[1:] = []
                section.extend(folded)


def _summary(section: nodes.section, images: list[nodes.image]) -> Iterator[nodes.Node]:
    yield nodes.raw("", '<details class="folded"><summary>', format="html")
    for image in images:
        small = image.deepcopy()
        small["alt"] = ""
        yield small
    yield nodes.raw("", f"<span>{escape(_contents(section))}</span></summary>", format="html")


def _contents(section: nodes.section) -> str:
    """Return a few words on what is in a section: its claims with their outcomes, else its tables."""
    titles = [node[0].astext() for node in section.children if isinstance(node, nodes.section)]
    if titles:
        return " · ".join(re.sub(r"^(\S+): (\S).*", r"\2 \1", title) for title in titles)
    rows = sum(len(body) for body in section.findall(nodes.tbody))
    return f"{rows} rows" if rows else "Picture" if list(section.findall(nodes.image)) else "Text"


def inline(translator: HTML5Translator, node: nodes.math) -> None:
    """Write a formula within a line."""
    translator.body.append(_mathml(node))
    raise nodes.SkipNode


def block(translator: HTML5Translator, node: nodes.math_block) -> None:
    """Write a formula on a line of its own."""
    translator.body.append(f'<div class="math">{_mathml(node)}</div>')
    raise nodes.SkipNode


def _mathml(node: nodes.math | nodes.math_block) -> str:
    """Return a formula in MathML; one that cannot be read stays as it is, with a warning."""
    try:
        return tex2mathml(node.astext(), as_block=isinstance(node, nodes.math_block))
    except MathError as error:
        LOGGER.warning("formula %r: %s", node.astext(), error, location=node)
        return f"<code>{escape(node.astext())}</code>"


def setup(app: Sphinx) -> ExtensionMetadata:
    """Fold each document when it is written, and offer ``html_math_renderer = "mathml"``."""
    app.connect("doctree-resolved", fold)
    app.add_html_math_renderer("mathml", inline_renderers=(inline, None), block_renderers=(block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
