"""Numbers that take long to compute, kept in a folder from one process to the next."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any


def kept(folder: Path, identity: Mapping[str, Any], compute: Callable[[], dict[str, float]]) -> dict[str, float]:
    """Return what `compute` returns, by name; computed once for each identity.

    A damaged file is made again. Where the folder cannot be written the numbers are computed each time.

    Parameters
    ----------
    folder : Path
        Made when it is missing; one file for each identity.
    identity : mapping
        All that the numbers depend on, JSON-able.
    compute : callable
    """
    text = json.dumps(identity, sort_keys=True)
    path = folder / f"{hashlib.sha256(text.encode()).hexdigest()[:32]}.json"
    try:
        return {name: float(value) for name, value in json.loads(path.read_text(encoding="utf-8"))["numbers"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        numbers = compute()
    draft = path.with_name(f"{path.name}.{os.getpid()}.part")
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        draft.write_text(json.dumps({**identity, "numbers": numbers}, indent=2) + "\n", encoding="utf-8")
        draft.replace(path)
    return numbers
