"""The folder of one run: result.json, curve.parquet, further files, and SHA256SUMS with the checksums of them all."""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from experiments.store.errors import StoreError
from support.files import new_folder, sync_folder

if TYPE_CHECKING:
    import pandas as pd

RESULT_FILE: Final = "result.json"
CURVE_FILE: Final = "curve.parquet"
SUMS_FILE: Final = "SHA256SUMS"
"""In the form that ``sha256sum --check`` reads."""


@dataclass(frozen=True)
class FinishedRun:
    """A finished run.

    Attributes
    ----------
    key : str
        Identity of the run (`experiments.run.identity.run_key`).
    result : dict
        Content of result.json.
    directory : Path
        The run's folder.
    """

    key: str
    result: dict[str, Any]
    directory: Path

    @property
    def result_path(self) -> Path:
        """Path of result.json."""
        return self.directory / RESULT_FILE

    @property
    def alone(self) -> bool:
        """Whether its command made one run at a time; False if the record does not say it."""
        return bool(self.result.get("provenance", {}).get("jobs") == 1)

    @property
    def label(self) -> str:
        """A short name of the run."""
        return label_of(self.result)

    @cached_property
    def curve(self) -> pd.DataFrame:
        """The curve (`experiments.curve`), read at first access.

        Raises
        ------
        StoreError
            The file was lost or damaged after the lookup.
        """
        path = self.directory / CURVE_FILE
        try:
            return read_curve(path)
        except (OSError, ValueError) as error:
            raise StoreError(f"the curve of run {self.key} cannot be read from {path}: {error}") from error


def label_of(result: Mapping[str, Any]) -> str:
    """Return a short name of a run from its result.json."""
    return f"{result['algo']} {result['dataset']} seed={result['seed']}"


def write_run(
    directory: Path, result: Mapping[str, Any], curve: pd.DataFrame | None, files: Sequence[Path] = ()
) -> None:
    """Write the folder of a run: complete or not at all; an earlier folder of this name is replaced.

    Parameters
    ----------
    directory : Path
        Its parents are made.
    result : mapping
        JSON types only (`serialize.plain`).
    curve : DataFrame, optional
        A curve (`experiments.curve`).
    files : sequence of Path
        Further files, copied under their names.

    Raises
    ------
    ValueError
        `curve` is not a curve, or two files have one name.
    OSError
        A file cannot be read or written.
    """
    contents = {} if curve is None else {CURVE_FILE: _parquet(curve)}
    for path in files:
        if path.name in (CURVE_FILE, RESULT_FILE, SUMS_FILE) or path.name in contents:
            raise ValueError(f"two files have the name {path.name}")
        contents[path.name] = path.read_bytes()
    contents[RESULT_FILE] = (json.dumps(result, indent=2, allow_nan=False) + "\n").encode()
    sums = "".join(f"{sha256(content)}  {name}\n" for name, content in sorted(contents.items()))
    write_contents(directory, contents | {SUMS_FILE: sums.encode()})


def write_contents(directory: Path, contents: Mapping[str, bytes]) -> None:
    """Write the files of a run's folder, complete or not at all; they are on the disk when this returns."""
    with new_folder(directory) as draft:
        for name, content in contents.items():
            with (draft / name).open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
    sync_folder(directory.parent)


def read_run(directory: Path) -> FinishedRun | None:
    """Return the run in a folder; None if it is missing, or if result.json or the curve is damaged."""
    try:
        contents = {name: (directory / name).read_bytes() for name in (SUMS_FILE, RESULT_FILE, CURVE_FILE)}
    except OSError:
        return None
    if not matches(contents, (RESULT_FILE, CURVE_FILE)):
        return None
    return FinishedRun(directory.name, json.loads(contents[RESULT_FILE]), directory)


def read_contents(directory: Path) -> dict[str, bytes] | None:
    """Return all files of a run's folder by name; None if one is missing or damaged."""
    try:
        sums = read_sums((directory / SUMS_FILE).read_bytes())
        contents = {name: (directory / name).read_bytes() for name in (*sums, SUMS_FILE) if Path(name).name == name}
    except OSError:
        return None
    return contents if RESULT_FILE in sums and matches(contents, sums) else None


def matches(contents: Mapping[str, bytes], names: Iterable[str]) -> bool:
    """Return whether files of a run match their checksums in SHA256SUMS."""
    sums = read_sums(contents[SUMS_FILE])
    return all(name in contents and sums.get(name) == sha256(contents[name]) for name in names)


def is_intact(directory: Path, name: str) -> bool:
    """Return whether a run has a file of this name that matches its checksum."""
    try:
        sums = read_sums((directory / SUMS_FILE).read_bytes())
        return sums.get(name) == sha256((directory / name).read_bytes())
    except OSError:
        return False


def read_sums(text: bytes) -> dict[str, str]:
    """Return the checksum of each file name in the text of SHA256SUMS; lines of another form are left out."""
    lines = re.findall(r"^([0-9a-f]{64})  (.+)$", text.decode("utf-8", "replace"), re.MULTILINE)
    return {name: checksum for checksum, name in lines}


def read_curve(source: Path | bytes) -> pd.DataFrame:
    """Return the curve of a curve.parquet, from the file or its content.

    Raises
    ------
    OSError, ValueError
        It cannot be read, or is not a curve.
    """
    import pandas as pd

    from experiments.curve import conform

    return conform(pd.read_parquet(io.BytesIO(source) if isinstance(source, bytes) else source))


def sha256(content: bytes) -> str:
    """Return the SHA-256 of some bytes in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def _parquet(curve: pd.DataFrame) -> bytes:
    from experiments.curve import validate

    validate(curve)
    buffer = io.BytesIO()
    curve.to_parquet(buffer, index=False)
    return buffer.getvalue()
