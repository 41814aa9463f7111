"""The memory of the machine or container."""

from __future__ import annotations

from pathlib import Path

import psutil


def container_memory() -> int:
    """Return the machine's memory in bytes, or the container's limit."""
    limits = [int(psutil.virtual_memory().total)]
    try:
        text = Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        text = ""
    if text.isdigit():
        limits.append(int(text))
    return min(limits)
