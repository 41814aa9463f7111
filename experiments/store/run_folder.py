"""The folder of one run: result.json, curve.parquet, further files, and SHA256SUMS with the checksums of them all."""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from svm_cost_curves.experiments.store.errors import StoreError
from svm_cost_curves.support.files import new_folder, sync_folder

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
            content = path.read_bytes()
            if not _matches(self.directory, {CURVE_FILE: content}):
                raise StoreError(f"{path} is damaged: its checksum is not that in {SUMS_FILE}")
            return read_curve(content)
        except (OSError, ValueError) as error:
            raise StoreError(f"the curve of run {self.key} cannot be read from {path}: {error}") from error


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


def read_run(directory: Path, *, with_curve: bool = True) -> FinishedRun | None:
    """Return the run in a folder; None if it is missing or damaged.

    Parameters
    ----------
    directory : Path
    with_curve : bool
        Also verify the curve; else it is verified when it is read.
    """
    names = (RESULT_FILE, CURVE_FILE) if with_curve else (RESULT_FILE,)
    try:
        contents = {name: _read(f"{directory}/{name}") for name in names}
        if not _matches(directory, contents):
            return None
    except OSError:
        return None
    return FinishedRun(directory.name, json.loads(contents[RESULT_FILE]), directory)


def read_contents(directory: Path) -> dict[str, bytes] | None:
    """Return all files of a run's folder by name; None if one is missing or damaged."""
    try:
        sums = _read(f"{directory}/{SUMS_FILE}")
        contents = {name: _read(f"{directory}/{name}") for name in read_sums(sums)}
        return contents | {SUMS_FILE: sums} if RESULT_FILE in contents and _matches(directory, contents) else None
    except OSError:
        return None


def is_intact(directory: Path, name: str) -> bool:
    """Return whether a run has a file of this name that matches its checksum."""
    try:
        return _matches(directory, {name: _read(f"{directory}/{name}")})
    except OSError:
        return False


def _matches(directory: Path, contents: Mapping[str, bytes]) -> bool:
    """Return whether files of a run match their checksums."""
    sums = read_sums(_read(f"{directory}/{SUMS_FILE}"))
    return all(sums.get(name) == sha256(content) for name, content in contents.items())


def _read(path: str) -> bytes:
    with open(path, "rb") as file:  # noqa: PTH123 (a Path for each of thousands of files takes a third of the time)
        return file.read()


def read_sums(text: bytes) -> dict[str, str]:
    """Return the checksum of each file name in the text of SHA256SUMS; empty if a line has another form."""
    lines = [re.fullmatch(rb"([0-9a-f]{64})  ([^/]+)", line) for line in text.removesuffix(b"\n").split(b"\n")]
    return {line[2].decode("utf-8", "replace"): line[1].decode() for line in lines if line} if all(lines) else {}


def read_curve(source: Path | bytes) -> pd.DataFrame:
    """Return the curve of a curve.parquet, from the file or its content.

    Raises
    ------
    OSError, ValueError
        It cannot be read, or is not a curve.
    """
    import pandas as pd

    from svm_cost_curves.experiments.curve import conform

    return conform(pd.read_parquet(io.BytesIO(source) if isinstance(source, bytes) else source))


def sha256(content: bytes) -> str:
    """Return the SHA-256 of some bytes in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def _parquet(curve: pd.DataFrame) -> bytes:
    from svm_cost_curves.experiments.curve import validate

    validate(curve)
    buffer = io.BytesIO()
    curve.to_parquet(buffer, index=False)
    return buffer.getvalue()
