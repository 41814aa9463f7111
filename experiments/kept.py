"""What takes long to make and follows from files alone, kept from one command to the next.

It is found again only under the checksum of all that it was made from.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable

from datasets import default_cache_dir
from datasets.whole import written_whole

SUM_BYTES = hashlib.sha256().digest_size


def kept(folder: str, origin: bytes, make: Callable[[], bytes]) -> bytes:
    """Return what was made of an origin by this command or an earlier one; else make it, and keep it.

    Parameters
    ----------
    folder : str
        Its place in the cache folder.
    origin : bytes
        All that it depends on.
    make : callable
        What it raises is passed on, and nothing is kept.
    """
    path = default_cache_dir() / folder / hashlib.sha256(origin).hexdigest()
    with contextlib.suppress(OSError):
        checksum, content = (found := path.read_bytes())[:SUM_BYTES], found[SUM_BYTES:]
        if hashlib.sha256(content).digest() == checksum:
            return content
    content = make()
    with contextlib.suppress(OSError), written_whole(path) as stream:  # without a place it is made each time
        stream.write(hashlib.sha256(content).digest() + content)
    return content
