"""What takes long to make, kept in a folder from one process to the next."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from support.files import write_file

SUM_BYTES = hashlib.sha256().digest_size


def kept(folder: Path, origin: bytes, make: Callable[[], bytes]) -> bytes:
    """Return what `make` returns; made once for each origin.

    A damaged file is made again. Where the folder cannot be written it is made each time.

    Parameters
    ----------
    folder : Path
        Made when it is missing; one file for each origin: a SHA-256 of the content, then the content.
    origin : bytes
        All that the content depends on.
    make : callable
        What it raises is passed on, and nothing is kept.
    """
    path = folder / hashlib.sha256(origin).hexdigest()[:32]
    with contextlib.suppress(OSError):
        checksum, content = (found := path.read_bytes())[:SUM_BYTES], found[SUM_BYTES:]
        if hashlib.sha256(content).digest() == checksum:
            return content
    content = make()
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        write_file(path, hashlib.sha256(content).digest() + content, sync=False)
    return content


def kept_numbers(
    folder: Path, identity: Mapping[str, Any], compute: Callable[[], dict[str, float]]
) -> dict[str, float]:
    """As `kept`, for numbers by name.

    Parameters
    ----------
    folder : Path
    identity : mapping
        All that the numbers depend on, JSON-able.
    compute : callable
    """
    origin = json.dumps(identity, sort_keys=True).encode()
    numbers: dict[str, float] = json.loads(kept(folder, origin, lambda: json.dumps(compute()).encode()))
    return numbers
