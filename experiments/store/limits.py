"""Limits of what a server may take of a command: time for a whole answer, memory, and room on the disk.

The timeouts of HTTP libraries hold for one read, so a server that sends a byte now and then is never late, and their
answers have no limit of size. Here a thread watches, and hangs up when a limit is reached.
"""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

MEMORY_BYTES: Final = 2**30
"""By which this process may grow: a page of 1,000 runs takes a tenth."""
FILE_BYTES: Final = 2**32
"""Of the files of one run."""
TICK_SECONDS: Final = 0.2


class LimitError(Exception):
    """An answer was too late or too large; the message says which limit was reached."""


@contextlib.contextmanager
def limited(address: str, seconds: float, folder: Path | None = None) -> Iterator[None]:
    """Close this process's connections to a server if the block takes too long, or the process grows too much.

    Parameters
    ----------
    address : str
        ``http://HOST:PORT`` of the server.
    seconds : float
        Wall time of the whole block.
    folder : Path, optional
        Where the block writes what the server sends, at most `FILE_BYTES`.

    Raises
    ------
    LimitError
        The block ended with an error after a limit was reached.
    """
    over, exceeded = threading.Event(), list[str]()
    before = _memory()
    deadline = time.monotonic() + seconds

    def watch() -> None:
        while not over.wait(TICK_SECONDS):
            if not exceeded:
                if time.monotonic() > deadline:
                    exceeded.append(f"no whole answer within {seconds:g} s")
                elif _memory() - before > MEMORY_BYTES:
                    exceeded.append(f"an answer of more than {MEMORY_BYTES:,} bytes")
                elif folder is not None and _size(folder) > FILE_BYTES:
                    exceeded.append(f"files of more than {FILE_BYTES:,} bytes")
            if exceeded:  # again and again: libraries repeat what has failed
                _hang_up(address)

    watcher = threading.Thread(target=watch, name="limits of a server", daemon=True)
    watcher.start()
    try:
        yield
    except Exception as error:
        if exceeded:
            raise LimitError(exceeded[0]) from error
        raise
    finally:
        over.set()
        watcher.join()


def _memory() -> int:
    """Return the bytes of memory that this process uses."""
    import psutil

    return int(psutil.Process().memory_info().rss)


def _size(folder: Path) -> int:
    """Return the bytes of the files in a folder, to which another thread writes."""
    total = 0
    with contextlib.suppress(OSError):
        for path in folder.rglob("*"):
            with contextlib.suppress(OSError):
                total += path.lstat().st_size
    return total


def _hang_up(address: str) -> None:
    """Close this process's connections to a server, or to a proxy before it."""
    import psutil

    addresses = set[tuple[str, int]]()
    for url in (address, *urllib.request.getproxies().values()):
        with contextlib.suppress(OSError, ValueError):
            parts = urlsplit(url)
            port = parts.port or (443 if parts.scheme == "https" else 80)
            addresses |= {(str(info[4][0]), port) for info in socket.getaddrinfo(parts.hostname, port)}
    with contextlib.suppress(psutil.Error):
        for connection in psutil.Process().net_connections("tcp"):
            if connection.raddr and (connection.raddr[0].removeprefix("::ffff:"), connection.raddr[1]) in addresses:
                with contextlib.suppress(OSError), socket.socket(fileno=os.dup(connection.fd)) as end:
                    end.shutdown(socket.SHUT_RDWR)
