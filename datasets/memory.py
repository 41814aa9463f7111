"""How much memory arrays may take: asked before they are made."""

from __future__ import annotations

import resource
from pathlib import Path

import psutil

from datasets.errors import DataError

SHARE = 0.75
"""Of this machine's memory that one data set may take."""


def machine_memory() -> int:
    """Return the bytes of memory that this process may use: the machine's, its container's, or its own limit."""
    limits = [int(psutil.virtual_memory().total)]
    try:
        text = Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        text = ""
    if text.isdigit():
        limits.append(int(text))
    own, _ = resource.getrlimit(resource.RLIMIT_AS)
    if own != resource.RLIM_INFINITY:
        limits.append(own)
    return min(limits)


def ask(needed: int, what: str, advice: str = "") -> None:
    """Refuse what would take more than `SHARE` of this machine's memory.

    Parameters
    ----------
    needed
        Bytes.
    what
        What takes them, the subject of the message.
    advice
        What the user can do, a sentence.

    Raises
    ------
    DataError
        With the size and the limit.
    """
    limit = SHARE * machine_memory()
    if needed > limit:
        raise DataError(
            f"{what} would take {gib(needed)}; the limit is {gib(limit)}, three quarters of this machine's memory."
            + (f" {advice}" if advice else "")
        )


def gib(size: float) -> str:
    """Return a number of bytes in GiB, as it is shown."""
    return f"{size / 2**30:,.1f} GiB"
