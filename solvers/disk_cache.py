"""Caches values that take long to compute in a folder, for later processes."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from support.checksums import DamagedError, check, checksummed
from support.files import new_file


def cached_bytes(folder: Path, key: bytes, compute: Callable[[], bytes]) -> bytes:
    """Return what `compute` returns; it is called once for each key.

    A damaged file is computed again. If the folder cannot be written the value is computed each time.

    Parameters
    ----------
    folder : Path
        Made if it is missing; one file for each key: the SHA-256 of the value, then the value.
    key : bytes
        Everything that the value depends on.
    compute : callable
        What it raises is passed on, and nothing is written.
    """
    path = folder / hashlib.sha256(key).hexdigest()[:32]
    with contextlib.suppress(OSError, DamagedError), path.open("rb") as stored:
        check(stored)
        return stored.read()
    value = compute()
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        with new_file(path, sync=False) as file, checksummed(file):
            file.write(value)
    return value


def cached_numbers(folder: Path, key: Mapping[str, Any], compute: Callable[[], dict[str, float]]) -> dict[str, float]:
    """Return the numbers that `compute` returns, by name; see `cached_bytes`.

    Parameters
    ----------
    folder : Path
    key : mapping
        Everything that the numbers depend on; it can be written as JSON.
    compute : callable
    """
    packed = json.dumps(key, sort_keys=True).encode()
    numbers: dict[str, float] = json.loads(cached_bytes(folder, packed, lambda: json.dumps(compute()).encode()))
    return numbers
