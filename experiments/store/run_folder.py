"""The folder of one run: result.json, curve.parquet, further files, and SHA256SUMS with the checksums of them all."""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from svm_cost_curves.experiments.provenance import is_timed
from svm_cost_curves.support.errors import UserError
from svm_cost_curves.support.files import new_folder

if TYPE_CHECKING:
    import pandas as pd

RESULT_FILE: Final = "result.json"
CURVE_FILE: Final = "curve.parquet"
SUMS_FILE: Final = "SHA256SUMS"
"""In the form that ``sha256sum --check`` reads."""


class StoreError(UserError, RuntimeError):
    """The store cannot be used, or a call is not allowed; the message is shown to the user unchanged."""


def reason(error: BaseException) -> str:
    """First line of the innermost error: the outer messages of SQLAlchemy contain pages of SQL."""
    context = None if error.__suppress_context__ else error.__context__
    inner = error.__cause__ or getattr(error, "orig", None) or context
    if inner is not None:
        return reason(inner)
    text = getattr(error, "strerror", None) or str(error)
    return (text.splitlines() or [type(error).__name__])[0]


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
    def timed(self) -> bool:
        """Whether its times can be compared (`experiments.provenance.is_timed`)."""
        return is_timed(self.result)

    @cached_property
    def curve(self) -> pd.DataFrame:
        """The curve (`experiments.curve`), read at first access.

        Raises StoreError: the file was lost or damaged after the lookup.
        """
        contents = _read_files(self.directory, [CURVE_FILE])
        try:
            if contents is not None:
                return read_curve(contents[CURVE_FILE])
        except (OSError, ValueError) as error:
            raise StoreError(f"{self.directory / CURVE_FILE} cannot be read: {error}") from error
        raise StoreError(f"{self.directory / CURVE_FILE} is missing or damaged: make the run again")


def write_run(
    directory: Path, result: Mapping[str, Any], curve: pd.DataFrame | None, files: Sequence[Path] = ()
) -> None:
    """Write the folder of a run: complete or not at all; an earlier folder of this name is replaced.

    `result` has JSON types only (`support.values.plain`); `files` are copied under their names.

    Raises
    ------
    ValueError
        `curve` is not a curve (`experiments.curve`), or two files have one name.
    OSError
        A file cannot be read or written.
    """
    contents: dict[str, bytes] = {}
    if curve is not None:
        from svm_cost_curves.experiments.curve import validate

        validate(curve)
        buffer = io.BytesIO()
        curve.to_parquet(buffer, index=False)
        contents[CURVE_FILE] = buffer.getvalue()
    for path in files:
        if path.name in (CURVE_FILE, RESULT_FILE, SUMS_FILE) or path.name in contents:
            raise ValueError(f"two files have the name {path.name}")
        contents[path.name] = path.read_bytes()
    contents[RESULT_FILE] = (json.dumps(result, indent=2, allow_nan=False) + "\n").encode()
    sums = "".join(f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in sorted(contents.items()))
    write_contents(directory, contents | {SUMS_FILE: sums.encode()})


def write_contents(directory: Path, contents: Mapping[str, bytes]) -> None:
    """Write the files of a run's folder, complete or not at all; they are on the disk when this returns."""
    with new_folder(directory) as draft:
        for name, content in contents.items():
            with (draft / name).open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
    descriptor = os.open(directory.parent, os.O_RDONLY)
    try:
        os.fsync(descriptor)  # the rename
    finally:
        os.close(descriptor)


def read_run(directory: Path, *, with_curve: bool = True) -> FinishedRun | None:
    """Return the run in a folder; None if it is missing or damaged. A curve is verified here, or when it is read."""
    contents = _read_files(directory, (RESULT_FILE, CURVE_FILE) if with_curve else (RESULT_FILE,))
    return None if contents is None else FinishedRun(directory.name, json.loads(contents[RESULT_FILE]), directory)


def read_contents(directory: Path) -> dict[str, bytes] | None:
    """Return all files of a run's folder by name; None if one is missing or damaged."""
    contents = _read_files(directory)
    return contents if contents and RESULT_FILE in contents else None


def is_intact(directory: Path, name: str) -> bool:
    """Return whether a run has a file of this name that matches its checksum."""
    return _read_files(directory, [name]) is not None


def _read_files(directory: Path, names: Collection[str] = ()) -> dict[str, bytes] | None:
    """Return SHA256SUMS and the named files, or all that it names; None if one is missing or does not match it."""
    contents = {}
    try:
        # an open file, not a Path: that takes a third of the time for thousands of files
        with open(f"{directory}/{SUMS_FILE}", "rb") as file:  # noqa: PTH123
            text = file.read()
        lines = [re.fullmatch(rb"([0-9a-f]{64})  ([^/]+)", line) for line in text.removesuffix(b"\n").split(b"\n")]
        sums = {line[2].decode("utf-8", "replace"): line[1].decode() for line in lines if line} if all(lines) else {}
        for name in names or sums:
            with open(f"{directory}/{name}", "rb") as file:  # noqa: PTH123
                contents[name] = file.read()
    except OSError:
        return None
    intact = all(sums.get(name) == hashlib.sha256(content).hexdigest() for name, content in contents.items())
    return contents | {SUMS_FILE: text} if intact else None


def read_curve(content: bytes) -> pd.DataFrame:
    """Return the curve of a curve.parquet.

    Raises OSError, ValueError: it cannot be read, or is not a curve.
    """
    import pandas as pd

    from svm_cost_curves.experiments.curve import conform

    return conform(pd.read_parquet(io.BytesIO(content)))
