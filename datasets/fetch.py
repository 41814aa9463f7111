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
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from urllib.parse import urlparse

from svm_cost_curves.datasets.errors import DataError, shorten, shown_path
from svm_cost_curves.datasets.readers.unpack import from_archive, read_unpacked
from svm_cost_curves.datasets.spec import PACKED_SUFFIXES, FileSpec
from svm_cost_curves.support import disk_cache
from svm_cost_curves.support.paths import named_by

log = logging.getLogger(__name__)

MIRROR_VARIABLE = "SVM_DATA_MIRROR"
BUNDLED = Path(__file__).parent / "files"
"""Published files that come with this project; LICENSES.md there says what they are and who made them."""
TIMEOUT = (5.0, 15.0)
"""Seconds to connect, and seconds without a byte, after which a download fails."""
RETRIES = 2
"""Further attempts after a download that fails, or gives wrong bytes."""


@dataclass(frozen=True)
class Fetched:
    """A file that was read: its unpacked bytes, their SHA-256, and its path."""

    content: bytes
    sha256: str
    path: Path


def mirrors_from_environment() -> tuple[Path, ...]:
    """Return the directories named in ``SVM_DATA_MIRROR``."""
    return tuple(named_by(MIRROR_VARIABLE))


def fetch(file: FileSpec, cache_dir: Path, mirrors: Sequence[Path]) -> Fetched:
    """Return a published file, verified.

    Where all copies have the wrong checksum, or there is no copy and no network, the message says where to get the
    file, its checksum, and where to put it.
    """
    refused: list[str] = []
    for path in _candidates(file, cache_dir, mirrors):
        before = _cache_entry(path, cache_dir)
        fetched = _read_file(file, path)
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
    return _download(file, cache_dir)


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


def _read_file(file: FileSpec, path: Path, where: str = "") -> Fetched:
    content = read_unpacked(path, where)
    if file.archived:
        content = from_archive(content, file.name, where or str(path))
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
        entries = json.loads(manifest.read_text(encoding="utf-8"))
        named = [str(e["file"]) for e in entries if e.get("unpacked_sha256") == file.sha256]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        log.warning("%s is not a list of files with checksums (%s) and is passed over.", manifest, error)
        return
    for name in named:
        relative = PurePosixPath(name)
        if not relative.is_absolute() and ".." not in relative.parts:
            yield folder / relative


def _by_name(file: FileSpec, folder: Path) -> Iterator[Path]:
    for place in (folder, *sorted(folder.glob("*/"))):
        for suffix in ("", *PACKED_SUFFIXES):
            yield place / (file.name + suffix)


def _download(file: FileSpec, cache_dir: Path) -> Fetched:
    """Download to the cache folder; a wrong or partial file is not kept."""
    address = urlparse(file.url)
    if address.scheme not in ("http", "https"):
        raise DataError(f"{file.name} is not at hand and has no published address: {_advice(file, cache_dir)}")
    import pooch
    from requests import RequestException

    pooch.get_logger().setLevel(logging.WARNING)
    log.info("Downloading %s from %s", file.name, file.url)
    suffix = PurePosixPath(address.path).suffix
    name = file.name + (suffix if suffix in PACKED_SUFFIXES else "")
    verified: list[Fetched] = []

    def verify(path: Path) -> None:
        # pooch's own checksum would be that of the packed file
        fetched = _read_file(file, path, file.url)
        if file.sha256 and fetched.sha256 != file.sha256:
            raise DataError(
                f"Wrong checksum for {file.name}: expected sha256 {file.sha256} (of the unpacked file), but what "
                f"{file.url} gave has {fetched.sha256}; it was not kept."
            )
        verified.append(fetched)

    def download(url: str, path: str, registry: object) -> None:
        pooch.HTTPDownloader(timeout=TIMEOUT)(url, path, registry)
        verify(Path(path))

    registry = pooch.create(
        cache_dir, base_url="", registry={name: None}, urls={name: file.url}, retry_if_failed=RETRIES
    )
    try:
        path = Path(registry.fetch(name, downloader=download))
        if not verified:  # another process has downloaded it meanwhile
            verify(path)
    except DataError:
        raise
    except (RequestException, ValueError) as error:
        raise DataError(f"Cannot download {file.name}: {_why(error)}; {_advice(file, cache_dir)}") from error
    except OSError as error:
        raise DataError(f"The cache folder {cache_dir} cannot be written ({error.strerror or error}).") from error
    sha256 = verified[-1].sha256
    if not file.sha256:
        log.warning("No checksum is known for %s; it has sha256 %s, unpacked.", file.name, sha256)
        _keep_checksum(path, _cache_entry(path, cache_dir), sha256, cache_dir)
    return Fetched(verified[-1].content, sha256, path)


def _why(error: Exception) -> str:
    """Say in a few words why a download failed, without the libraries' repetitions."""
    from requests import exceptions

    answer = getattr(error, "response", None)
    if isinstance(error, exceptions.HTTPError) and answer is not None:
        return f"the server answered {answer.status_code} {shorten(answer.reason or '')}".rstrip()
    reasons = (
        (exceptions.ReadTimeout, f"the server was silent for {TIMEOUT[1]:g} seconds"),
        (exceptions.ConnectTimeout, f"no connection within {TIMEOUT[0]:g} seconds"),
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
