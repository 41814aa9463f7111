"""The cache on disk: values that take long to compute, in files with checksums, for later processes."""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from .files import new_file, open_plain
from .paths import expanded

log = logging.getLogger(__name__)

CACHE_VARIABLE = "SVM_DATA_CACHE"
_LENGTH = hashlib.sha256().digest_size
_BLOCK = 1 << 20
_Value = TypeVar("_Value")


def default_cache_dir() -> Path:
    """Return the folder of all caches on disk: ``$SVM_DATA_CACHE``, else ``svm-cost-curves`` in the user's cache."""
    if chosen := os.environ.get(CACHE_VARIABLE):
        return expanded(chosen, CACHE_VARIABLE)
    import platformdirs

    return platformdirs.user_cache_path("svm-cost-curves")


def path_of(folder: Path, key: bytes) -> Path:
    """Return the file for a key, which is everything that the value depends on."""
    return folder / hashlib.sha256(key).hexdigest()[:32]


def get(path: Path, read: Callable[[BinaryIO], _Value]) -> _Value | None:
    """Return what `read` makes of a file that `put` has written.

    None if there is no such file, or a damaged one, which logs a warning; `read` may raise any error for it.
    """
    try:
        with open_plain(path) as file:
            check(file)
            return read(file)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except Exception as error:  # whatever `read` raises on foreign bytes
        log.warning("The cached file %s is damaged (%s) and is made again.", path, error)
        return None


def put(path: Path, write: Callable[[BinaryIO], object]) -> None:
    """Write a file and the SHA-256 of its content, atomically; a folder that cannot be written logs a warning."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with new_file(path, sync=False) as file, checksummed(file):
            write(file)
    except OSError as error:
        log.warning("Cannot keep the cached file %s (%s); it will be made again.", path, error)


def cached_bytes(folder: Path, key: bytes, compute: Callable[[], bytes]) -> bytes:
    """Return what `compute` returns; it is called once for each key, or each time if the folder cannot be written.

    `folder` is made if it is missing. What `compute` raises is passed on, and nothing is written.
    """
    path = path_of(folder, key)
    value = get(path, lambda file: file.read())
    if value is None:
        value = compute()
        put(path, lambda file: file.write(value))
    return value


def cached_numbers(folder: Path, key: Mapping[str, Any], compute: Callable[[], dict[str, float]]) -> dict[str, float]:
    """Return the numbers that `compute` returns, by name, like `cached_bytes`; the key is JSON-able."""
    packed = json.dumps(key, sort_keys=True).encode()
    numbers: dict[str, float] = json.loads(cached_bytes(folder, packed, lambda: json.dumps(compute()).encode()))
    return numbers


@contextlib.contextmanager
def checksummed(file: BinaryIO) -> Iterator[None]:
    """Write the SHA-256 of what the block writes, from the file's present position to its end, before it.

    The file is open for writing and reading.
    """
    start = file.tell()
    file.write(bytes(_LENGTH))
    yield
    file.seek(start + _LENGTH)
    checksum = _sha256(file)
    file.seek(start)
    file.write(checksum)


def check(file: BinaryIO) -> None:
    """Verify what `checksummed` has written at the present position, which is then the first byte of the content.

    Raises
    ------
    ValueError
        The rest of the file differs from what was written.
    """
    checksum, start = file.read(_LENGTH), file.tell()
    if _sha256(file) != checksum:
        raise ValueError("its checksum differs from the one written with it")
    file.seek(start)


def _sha256(file: BinaryIO) -> bytes:
    """Digest the rest of a file."""
    digest = hashlib.sha256()
    while block := file.read(_BLOCK):
        digest.update(block)
    return digest.digest()
