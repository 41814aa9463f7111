"""HTML out of nested calls; text is escaped unless it came out of such a call."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

_VOID = {"img", "link", "meta"}
_INLINE = {"a", "b", "code", "img", "small", "span", "time"}


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


Child = str | None | Iterable[str | None]


def tag(element: str, /, *children: Child, **attributes: str | int | bool | None) -> Markup:
    """Make an element.

    Parameters
    ----------
    element : str
    *children : text, `Markup`, None, or several of them
        None is left out.
    **attributes
        ``class_`` is the class and ``aria_label`` is ``aria-label``; None and False are left out, True has no value.
    """
    given = [
        f" {key.rstrip('_').replace('_', '-')}" + ("" if value is True else f'="{escape(str(value))}"')
        for key, value in attributes.items()
        if value is not None and value is not False
    ]
    start = f"<{element}{''.join(given)}>"
    end = "" if element in _VOID else f"</{element}>"
    return Markup(start + join(*children) + end + ("" if element in _INLINE else "\n"))


def join(*children: Child) -> Markup:
    """Put pieces behind each other."""
    parts: list[str] = []
    for child in children:
        if isinstance(child, Markup):
            parts.append(child)
        elif isinstance(child, str):
            parts.append(escape(child))
        elif child is not None:
            parts.append(join(*child))
    return Markup("".join(parts))
