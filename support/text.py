"""Text of files, servers and command lines as a message shows it."""

from __future__ import annotations

import difflib
import shlex
import sys
from collections.abc import Collection
from pathlib import Path
from typing import Literal

_ROOT = Path(__file__).resolve().parents[1]
Program = Literal["run", "reproduce", "store", "predict"]
NAMES = 8
"""Names in the list of a message."""
LONGEST_QUOTE, LONGEST_MESSAGE = 200, 2000
"""Most characters of a value in a message, and of a message."""


def quoted(text: str, limit: int = LONGEST_QUOTE) -> str:
    """Return what a message quotes of a command line or a file: a long text is cut."""
    return text if len(text) <= limit else f"{text[:limit]}... ({len(text):,} characters)"


def printable(text: str, keep: str = "") -> str:
    r"""Return a text in which characters that cannot be printed are escaped: a terminal would obey ``\x1b[31m``.

    `keep` has characters that stay, such as line ends.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in keep else repr(c)[1:-1] for c in text)


def setting_name(override: str) -> str:
    """Return the name of the setting in an override ``name=value``."""
    return override.lstrip("+~").partition("=")[0]


def nearest(name: str, names: Collection[str], likeness: float = 0.6) -> str:
    """Return '; did you mean a or b?' with the known names nearest to a misspelt one, or an empty text."""
    close = difflib.get_close_matches(name.lower(), list(names), n=3, cutoff=likeness)
    return f"; did you mean {' or '.join(close)}?" if close else ""


def known_names(name: str, names: Collection[str], see: str = "", *, word: str = "known:") -> str:
    """Return what follows the message on a misspelt name: '; did you mean a? known: b, c, ... and 31 more: SEE'.

    `names` begins with the most useful names, `see` is the command that lists all, `word` stands before the list.
    """
    shown = [*names][: NAMES if len(names) > NAMES + 2 else None]
    more = f", and {len(names) - len(shown)} more{see and f': {see}'}" if len(shown) < len(names) else ""
    return f"{nearest(name, names) or ';'} {word} {', '.join(shown) or 'none'}{more}"


def made_by_make() -> bool:
    """Return whether this process runs in the environment that make has made in the checkout."""
    return Path(sys.prefix).resolve() == (_ROOT / ".venv").resolve()


def command(program: Program, *arguments: str) -> list[str]:
    """Return the words of a command: ``python3 run.py ...``, ``.venv/bin/svm-store ...``, or ``svm-run ...``."""
    if program in ("run", "reproduce") and (_ROOT / f"{program}.py").exists() and (_ROOT / "pyproject.toml").exists():
        return ["python3", f"{program}.py", *arguments]
    return [f".venv/bin/svm-{program}" if made_by_make() else f"svm-{program}", *arguments]


def command_line(program: Program, *arguments: str) -> str:
    """Return a command as text, with quotes where the shell needs them."""
    return shlex.join(command(program, *arguments))


def number_of(number: float, noun: str, form: str = ",") -> str:
    """Return a number with its noun: ``1 run``, ``1,200 runs``, with the form ``.3g`` also ``0.5 epochs``."""
    text = format(number, form)
    return f"{text} {noun}{'s' * (text != '1' and not noun.endswith('s'))}"


def size_text(size: float) -> str:
    """Return a number of bytes as 12 B, 14.4 kB, 3.20 MB or 4.24 GB."""
    for unit in ("B", "kB", "MB"):
        if size < 999.5:
            return f"{size:.0f} B" if unit == "B" else f"{size:.3g} {unit}"
        size /= 1000.0
    return f"{size:,.2f} GB"


def power_of_ten(exponent: int) -> str:
    """Return 10 with raised digits, as in 10⁻³."""
    return "10" + str(exponent).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
