"""A run's files and their checksums: result.json has the others', the database has that of result.json."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.store.errors import StoreError
from support.files import sync_folder, write_file

if TYPE_CHECKING:
    import pandas as pd

CURVE_FILE = "curve.parquet"
RESULT_FILE = "result.json"


def write_all(directory: Path, result: Mapping[str, Any], curve: pd.DataFrame | None, files: Sequence[Path]) -> str:
    """Write a run's files, result.json last.

    Parameters
    ----------
    directory : Path
        Exists.
    result : mapping
        JSON types only (`serialize.plain`). ``artifacts``, file name to SHA-256 of the other files, is added.
    curve : DataFrame, optional
        A curve (`experiments.curve`).
    files : sequence of Path
        Further files, copied under their own names.

    Returns
    -------
    str
        SHA-256 of result.json.

    Raises
    ------
    StoreError
        Two files of one name.
    OSError, ValueError
        A file cannot be read or written, or `curve` is not a curve.
    """
    artifacts: dict[str, str] = {}
    if curve is not None:
        artifacts[CURVE_FILE] = write(directory / CURVE_FILE, _parquet(curve))
    for path in files:
        if path.name in (CURVE_FILE, RESULT_FILE) or path.name in artifacts:
            raise StoreError(f"the file name {path.name} is already in use in {directory}")
        artifacts[path.name] = write(directory / path.name, path.read_bytes())
    text = json.dumps({**result, "artifacts": artifacts}, indent=2, allow_nan=False) + "\n"
    checksum = write(directory / RESULT_FILE, text.encode())
    sync_folder(directory)
    return checksum


def copy_files(directory: Path, files: Mapping[str, bytes]) -> str:
    """Write the unchanged files of a run from another machine, result.json last; return its SHA-256."""
    for name in sorted(files, key=lambda name: name == RESULT_FILE):
        checksum = write(directory / name, files[name])
    sync_folder(directory)
    return checksum


def read_verified(directory: Path, result_sha256: str | None) -> dict[str, Any] | None:
    """Content of result.json; None unless it and the curve match their checksums."""
    try:
        result = parse_verified((directory / RESULT_FILE).read_bytes(), result_sha256)
        curve = (directory / CURVE_FILE).read_bytes()
    except OSError:
        return None
    return result if result is not None and sha256(curve) == result["artifacts"][CURVE_FILE] else None


def parse_verified(text: bytes, result_sha256: str | None) -> dict[str, Any] | None:
    """Content of a result.json; None unless it matches the checksum."""
    if sha256(text) != result_sha256:
        return None
    result: dict[str, Any] = json.loads(text)
    return result


def read_curve(source: Path | bytes) -> pd.DataFrame:
    """Curve of a curve.parquet, from the file or its content.

    Raises
    ------
    OSError, ValueError
        It cannot be read, or is not a curve.
    """
    import pandas as pd

    from experiments.curve import conform

    return conform(pd.read_parquet(io.BytesIO(source) if isinstance(source, bytes) else source))


def write(path: Path, content: bytes) -> str:
    """Write a file atomically; return its SHA-256."""
    write_file(path, content)
    return sha256(content)


def _parquet(curve: pd.DataFrame) -> bytes:
    from experiments.curve import validate

    validate(curve)
    buffer = io.BytesIO()
    curve.to_parquet(buffer, index=False)
    return buffer.getvalue()


def sha256(content: bytes) -> str:
    """SHA-256 in hex."""
    return hashlib.sha256(content).hexdigest()
