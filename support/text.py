"""Text of files, servers and command lines as a message shows it."""

from __future__ import annotations

import difflib
from collections.abc import Collection

NAMES = 8
"""Names in the list of a message."""


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


def nearest(name: str, known: Collection[str], likeness: float = 0.6) -> str:
    """Return '; did you mean a or b?' with the known names nearest to a misspelt one, or an empty text."""
    close = difflib.get_close_matches(name.lower(), list(known), n=3, cutoff=likeness)
    return f"; did you mean {' or '.join(close)}?" if close else ""


def known_names(name: str, known: Collection[str], see: str = "", *, word: str = "known:") -> str:
    """Return what follows the message on a misspelt name: '; did you mean a? known: b, c, ... and 31 more: SEE'.

    Parameters
    ----------
    name : str
        As it was written.
    known : collection of str
        Those that exist, the most useful first.
    see : str
        The command that lists all of them.
    word : str
        Before the list.
    """
    shown = [*known][: NAMES if len(known) > NAMES + 2 else None]
    more = f", and {len(known) - len(shown)} more{see and f': {see}'}" if len(shown) < len(known) else ""
    return f"{nearest(name, known) or ';'} {word} {', '.join(shown) or 'none'}{more}"
