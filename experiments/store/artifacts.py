"""A run's files, and the checksums that tie them together: result.json names the others, the database names it."""

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
        Made of what JSON has (`texts.plain`). ``artifacts``, file name to SHA-256 of the other files, is put in here.
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
        A file cannot be read or written; the curve is not one.
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


def keep_all(directory: Path, files: Mapping[str, bytes]) -> str:
    """Write the files of a run that was recorded elsewhere, byte for byte, result.json last; return its SHA-256."""
    for name in sorted(files, key=lambda name: name == RESULT_FILE):
        checksum = write(directory / name, files[name])
    sync_folder(directory)
    return checksum


def read_intact(directory: Path, result_sha256: str | None) -> dict[str, Any] | None:
    """Content of result.json; None unless it and the curve are exactly what `write_all` wrote."""
    try:
        result = parse_intact((directory / RESULT_FILE).read_bytes(), result_sha256)
        curve = (directory / CURVE_FILE).read_bytes()
    except OSError:
        return None
    return result if result is not None and sha256(curve) == result["artifacts"][CURVE_FILE] else None


def parse_intact(text: bytes, result_sha256: str | None) -> dict[str, Any] | None:
    """Content of a result.json; None unless it is exactly the one that the checksum is of."""
    if sha256(text) != result_sha256:
        return None
    result: dict[str, Any] = json.loads(text)
    return result


def read_curve(source: Path | bytes) -> pd.DataFrame:
    """Curve of a curve.parquet, from the file or its content.

    Raises
    ------
    OSError, ValueError
        It cannot be read, or is no such file.
    """
    import pandas as pd

    from experiments.curve import conform

    return conform(pd.read_parquet(io.BytesIO(source) if isinstance(source, bytes) else source))


def write(path: Path, content: bytes) -> str:
    """Write a file whole; return its SHA-256."""
    write_file(path, content)
    return sha256(content)


def _parquet(curve: pd.DataFrame) -> bytes:
    from experiments.curve import validate

    validate(curve)
    buffer = io.BytesIO()
    curve.to_parquet(buffer, index=False)
    return buffer.getvalue()


def sha256(content: bytes) -> str:
    """SHA-256, as result.json and the database have it."""
    return hashlib.sha256(content).hexdigest()
