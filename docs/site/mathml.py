"""Formulas as MathML, which browsers draw themselves: no script, no fonts, nothing to load."""

from html import escape

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.typing import ExtensionMetadata
from sphinx.writers.html5 import HTML5Translator

LOGGER = logging.getLogger(__name__)


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
    """Offer it as ``html_math_renderer``."""
    app.add_html_math_renderer("mathml", inline_renderers=(inline, None), block_renderers=(block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
