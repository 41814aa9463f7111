"""Fetches published files: from this package, the cache folder, a mirror, or the published address, in this order.

A mirror is a directory named in ``SVM_DATA_MIRROR`` (separated by ``os.pathsep``) or passed by the caller.
A file is found by its name, with or without a packer's suffix, in the directory and one level below, and by
``unpacked_sha256`` in a ``MANIFEST.json`` there (a list of objects with ``file`` and ``unpacked_sha256``). The checksum
is the SHA-256 of the unpacked bytes, so a copy may be packed differently from the published file.
"""

from __future__ import annotations

import hashlib
import json
import logging
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO
from urllib.parse import urlparse

from ..support import disk_cache
from ..support.errors import reason
from ..support.files import LOCK, locked, new_file, open_plain
from ..support.paths import named_by
from . import download
from .download import GivenUpError, receive, watched
from .errors import DataError, shorten, shown_path
from .readers.unpack import from_archive, read_unpacked, unpack
from .spec import PACKED_SUFFIXES, FileSpec

log = logging.getLogger(__name__)

MIRROR_VARIABLE = "SVM_DATA_MIRROR"
BUNDLED = Path(__file__).parent / "files"
"""Published files that come with this project; LICENSES.md there says what they are and who made them."""
PAUSES = (1.0, 2.0)
"""Seconds before each further attempt, after a download that fails or gives wrong bytes."""


@dataclass(frozen=True)
class Fetched:
    """A file that was read: its unpacked bytes, their SHA-256, and its path."""

    content: bytes
    sha256: str
    path: Path


def mirrors_from_environment() -> tuple[Path, ...]:
    """Return the directories named in ``SVM_DATA_MIRROR``."""
    return tuple(named_by(MIRROR_VARIABLE))


def places_from_environment() -> tuple[Path, ...]:
    """Check `download.LIMIT_VARIABLE` and return `mirrors_from_environment`; DataError: one has a wrong value."""
    download.download_limit()
    return mirrors_from_environment()


def fetch(
    file: FileSpec, cache_dir: Path, mirrors: Sequence[Path], note: Callable[[str], None] = log.warning
) -> Fetched:
    """Return a published file, verified; `note` takes a few words on a download before it begins, and while it lasts.

    Where all copies have the wrong checksum, or there is no copy and no network, the message says where to get the
    file, its checksum, and where to put it.
    """
    found = _at_hand(file, cache_dir, mirrors)
    if found is not None:
        return found
    if urlparse(file.url).scheme not in ("http", "https"):
        raise DataError(f"{file.name} is not at hand and has no published address: {_advice(file, cache_dir)}")
    try:
        cache_dir.mkdir(parents=True, exist_ok=True)
        # the jobs of a sweep need a file at the same time
        with locked(
            cache_dir / f"{file.name}{LOCK}", lambda process: note(f"waiting for {process}, which fetches {file.name}")
        ):
            return _at_hand(file, cache_dir, ()) or _download(file, cache_dir, note)
    except OSError as error:
        raise DataError(f"The cache folder {cache_dir} cannot be written ({error.strerror or error}).") from error


def _at_hand(file: FileSpec, cache_dir: Path, mirrors: Sequence[Path]) -> Fetched | None:
    """Return the first copy with the right checksum; None if there is no copy at all."""
    refused: list[str] = []
    for path in _candidates(file, cache_dir, mirrors):
        before = _cache_entry(path, cache_dir)
        fetched = _fetched(file, read_unpacked(path), path, str(path))
        if not file.sha256:
            _keep_checksum(path, before, fetched.sha256, cache_dir)
        if not file.sha256 or fetched.sha256 == file.sha256:
            return fetched
        refused.append(f"{path} has {fetched.sha256}")
    if refused:
        raise DataError(
            f"Wrong checksum for {file.name}: expected sha256 {file.sha256} (of the unpacked file), "
            f"but {'; '.join(refused)}; remove it, and {_advice(file, cache_dir)}"
        )
    return None


def known_checksum(file: FileSpec, cache_dir: Path, mirrors: Sequence[Path]) -> str:
    """Return the SHA-256 of the file that `fetch` would return; empty if the file has to be read for it.

    It comes from the specification, or from the cache of checksums.
    """
    if file.sha256:
        return file.sha256
    path = next(_candidates(file, cache_dir, mirrors), None)
    entry = _cache_entry(path, cache_dir) if path else None
    return (disk_cache.get(entry, lambda file: file.read().decode()) if entry else None) or ""


def _cache_entry(path: Path, cache_dir: Path) -> Path | None:
    """Return where the checksum of a file in its present state is cached; None if there is no such file."""
    try:
        status = path.stat()
    except OSError:
        return None
    state = [str(path.absolute()), status.st_size, status.st_ino, status.st_mtime_ns, status.st_ctime_ns]
    return disk_cache.path_of(cache_dir / "known", json.dumps(state).encode())


def _keep_checksum(path: Path, before: Path | None, sha256: str, cache_dir: Path) -> None:
    """Cache the checksum of a file, unless it has changed since its entry was `before` (`_cache_entry`)."""
    if before is not None and _cache_entry(path, cache_dir) == before:
        disk_cache.put(before, lambda file: file.write(sha256.encode()))


def read(path: Path) -> Fetched:
    """Read a local file, unpacked, with its checksum."""
    content = read_unpacked(path)
    return Fetched(content, hashlib.sha256(content).hexdigest(), path)


def _fetched(file: FileSpec, content: bytes, path: Path, where: str) -> Fetched:
    """Return a published file from unpacked content, with its checksum; an archive's member is extracted."""
    if file.archived:
        content = from_archive(content, file.name, where)
    return Fetched(content, hashlib.sha256(content).hexdigest(), path)


def _candidates(file: FileSpec, cache_dir: Path, mirrors: Sequence[Path]) -> Iterator[Path]:
    for folder in (BUNDLED, cache_dir, *mirrors):
        if folder.is_dir():
            paths = dict.fromkeys((*_by_manifest(file, folder), *_by_name(file, folder)))
            yield from (path for path in paths if path.is_file())
        elif folder in mirrors:
            log.warning("The mirror %s is not a directory and is passed over.", folder)


def _by_manifest(file: FileSpec, folder: Path) -> Iterator[Path]:
    manifest = folder / "MANIFEST.json"
    if not file.sha256 or not manifest.is_file():
        return
    try:
        with open_plain(manifest, 1 << 26) as content:
            entries = json.load(content)
        named = [str(e["file"]) for e in entries if e.get("unpacked_sha256") == file.sha256]
    except Exception as error:  # whatever another's file raises
        log.warning(
            "%s is not a list of files with checksums (%s) and is passed over.", manifest, reason(error, manifest)
        )
        return
    for name in named:
        relative = PurePosixPath(name)
        if not relative.is_absolute() and ".." not in relative.parts:
            yield folder / relative


def _by_name(file: FileSpec, folder: Path) -> Iterator[Path]:
    for parent in (folder, *sorted(folder.glob("*/"))):
        for suffix in ("", *PACKED_SUFFIXES):
            yield parent / (file.name + suffix)


def _download(file: FileSpec, cache_dir: Path, note: Callable[[str], None]) -> Fetched:
    """Download to the cache folder; a wrong or partial file is not kept."""
    suffix = PurePosixPath(urlparse(file.url).path).suffix
    path = cache_dir / (file.name + (suffix if suffix in PACKED_SUFFIXES else ""))
    for pause in (*PAUSES, None):
        try:
            with new_file(path) as draft:
                _receive(file, draft, note)
                fetched = _downloaded(file, draft, path)
            break
        except _NotReceivedError as error:
            if pause is None or not error.may_pass:
                raise DataError(f"Cannot download {file.name}: {error}; {_advice(file, cache_dir)}") from error
        except DataError:  # what came is wrong
            if pause is None:
                raise
        time.sleep(pause)
    if not file.sha256:
        log.warning("No checksum is known for %s; it has sha256 %s, unpacked.", file.name, fetched.sha256)
        _keep_checksum(path, _cache_entry(path, cache_dir), fetched.sha256, cache_dir)
    return fetched


class _NotReceivedError(Exception):
    """Why a download has failed, in a few words, and whether it may succeed when it is tried again."""

    def __init__(self, why: str, *, may_pass: bool) -> None:
        super().__init__(why)
        self.may_pass = may_pass


def _receive(file: FileSpec, draft: BinaryIO, note: Callable[[str], None]) -> None:
    from requests import exceptions

    try:
        watched(lambda transfer: receive(file.url, draft, transfer), f"{file.name} from {shorten(file.url)}", note)
    except GivenUpError as error:
        raise _NotReceivedError(str(error), may_pass=False) from error
    except exceptions.HTTPError as error:
        raise _NotReceivedError(
            _why(error), may_pass=error.response is not None and error.response.status_code >= 500
        ) from error
    except exceptions.RequestException as error:
        passing = isinstance(error, exceptions.ConnectionError) and not isinstance(error, exceptions.Timeout)
        raise _NotReceivedError(_why(error), may_pass=passing) from error
    except ValueError as error:  # an address that is none, or content that is cut short
        raise _NotReceivedError(shorten(str(error)), may_pass=isinstance(error, DataError)) from error


def _downloaded(file: FileSpec, draft: BinaryIO, path: Path) -> Fetched:
    """Verify a draft that will have this path."""
    draft.seek(0)
    fetched = _fetched(file, unpack(draft.read(), file.url), path, file.url)
    if file.sha256 and fetched.sha256 != file.sha256:
        raise DataError(
            f"Wrong checksum for {file.name}: expected sha256 {file.sha256} (of the unpacked file), but what "
            f"{file.url} gave has {fetched.sha256}; it was not kept."
        )
    return fetched


def _why(error: Exception) -> str:
    """Say in a few words why a download failed, without the libraries' repetitions."""
    from requests import exceptions

    answer = getattr(error, "response", None)
    if isinstance(error, exceptions.HTTPError) and answer is not None:
        return f"the server answered {answer.status_code} {shorten(answer.reason or '')}".rstrip()
    reasons = (
        (exceptions.ReadTimeout, f"the server was silent for {download.TIMEOUT[1]:g} seconds"),
        (exceptions.ConnectTimeout, f"no connection within {download.TIMEOUT[0]:g} seconds"),
        (exceptions.SSLError, "the server's certificate was refused"),
        (exceptions.ProxyError, "the proxy gave no connection"),
        (exceptions.ConnectionError, "no connection to the server"),
    )
    return next((why for kind, why in reasons if isinstance(error, kind)), shorten(str(error)))


def _advice(file: FileSpec, cache_dir: Path) -> str:
    source = f"get it from {file.url}" if file.url else "get it from its publisher"
    checksum = f" (sha256 of the unpacked file: {file.sha256})" if file.sha256 else " (its checksum is not known)"
    return (
        f"{source}{checksum} and put it, packed or not, as {file.name} into {shown_path(cache_dir)}, or set "
        f"{MIRROR_VARIABLE}=FOLDER to a folder that holds it."
    )
