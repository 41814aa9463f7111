"""Text of files, servers and command lines as a message shows it."""

from __future__ import annotations


def printable(text: str, keep: str = "") -> str:
    r"""Return a text in which characters that cannot be printed are escaped: a terminal would obey ``\x1b[31m``.

    Parameters
    ----------
    text : str
    keep : str
        Characters that stay, such as line ends.
    """
    return "".join(c if c.isprintable() or c in keep else repr(c)[1:-1] for c in text)
