"""Text of files, servers and command lines as a message shows it."""

from __future__ import annotations

import difflib
from collections.abc import Collection


def printable(text: str, keep: str = "") -> str:
    r"""Return a text in which characters that cannot be printed are escaped: a terminal would obey ``\x1b[31m``.

    Parameters
    ----------
    text : str
    keep : str
        Characters that stay, such as line ends.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in keep else repr(c)[1:-1] for c in text)


def setting_name(override: str) -> str:
    """Return the name of the setting in an override ``name=value``."""
    return override.lstrip("+~").partition("=")[0]


def nearest(name: str, known: Collection[str]) -> str:
    """Return '; did you mean a or b?' with the known names nearest to a misspelt one, or an empty text."""
    close = difflib.get_close_matches(name.lower(), list(known), n=3, cutoff=0.5)
    return f"; did you mean {' or '.join(close)}?" if close else ""
