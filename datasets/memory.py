"""Limits the memory of arrays before they are allocated."""

from __future__ import annotations

import resource
from pathlib import Path

import psutil

from svm_cost_curves.datasets.errors import DataError

SHARE = 0.75
"""Largest share of this machine's memory for one data set."""


def machine_memory() -> int:
    """Return the memory limit of this process in bytes: the least of machine, container and own limit."""
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


def require_memory(needed: int, what: str, advice: str = "") -> None:
    """Check that an allocation, in bytes, takes at most `SHARE` of this machine's memory.

    ``what`` is the subject of the message, ``advice`` a sentence for the user.
    """
    limit = SHARE * machine_memory()
    if needed > limit:
        raise DataError(
            f"{what} would take {gib(needed)}; the limit is {gib(limit)}, three quarters of this machine's memory."
            + (f" {advice}" if advice else "")
        )


def gib(size: float) -> str:
    """Write a number of bytes in GiB."""
    return f"{size / 2**30:,.1f} GiB"
