"""One reproduce at a time for each store: two would make the same runs twice, and want the memory twice."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

from support.locks import locked

FILE = "reproduce.lock"


@contextlib.contextmanager
def alone(root: Path, say: Callable[[str], None]) -> Iterator[None]:
    """Wait until no other process reproduces from this store; the lock ends with the process, however it ends.

    Parameters
    ----------
    root : Path
        Folder of the store; made when missing.
    say : callable
        Told, once, whom it waits for.

    Raises
    ------
    OSError
        The folder cannot be made or written.
    """
    root.mkdir(parents=True, exist_ok=True)
    with locked(root / FILE, lambda holder: say(f"waiting: {holder} is reproducing from the store {root}")):
        yield
