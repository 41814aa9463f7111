"""The folder of one run: result.json, curve.parquet, further files, and SHA256SUMS with the checksums of them all."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import re
import reprlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ...support.errors import UserError
from ...support.files import new_folder, open_plain
from ...support.forms import fault
from ..provenance import is_timed

if TYPE_CHECKING:
    import pandas as pd

RESULT_FILE: Final = "result.json"
CURVE_FILE: Final = "curve.parquet"
SUMS_FILE: Final = "SHA256SUMS"
"""In the form that ``sha256sum --check`` reads."""
_MOST_BYTES: Final = {SUMS_FILE: 10**6, RESULT_FILE: 10**8, CURVE_FILE: 10**9}
MOST_BYTES: Final = 2**32
"""Of any other file, such as a model."""
_MOST_POINTS: Final = 10**7

__all__ = [
    "CURVE_FILE",
    "MOST_BYTES",
    "RESULT_FILE",
    "SUMS_FILE",
    "DamagedRunError",
    "FinishedRun",
    "StoreError",
    "is_intact",
    "read_contents",
    "read_curve",
    "read_run",
    "write_contents",
    "write_run",
]


class StoreError(UserError, RuntimeError):
    """The store cannot be used, or a call is not allowed; the message is shown to the user unchanged."""


class DamagedRunError(StoreError):
    """A folder is no run that can be used; the message names the folder, and says `why`."""

    def __init__(self, directory: Path, why: str) -> None:
        super().__init__(f"the run in {directory} is damaged: {why}")
        self.why = why


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

        Raises DamagedRunError: the file was lost or damaged after the lookup.
        """
        try:
            with _named(self.directory):
                return read_curve(_verified(self.directory, [CURVE_FILE])[CURVE_FILE])
        except DamagedRunError as error:  # a lookup does not read the curve, so it would find the run again
            why = f"{error.why}; delete this folder, and the run can be made again"
            raise DamagedRunError(self.directory, why) from error


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
        from ..curve import validate

        validate(curve)
        buffer = io.BytesIO()
        curve.to_parquet(buffer, index=False)
        contents[CURVE_FILE] = buffer.getvalue()
    for path in files:
        if path.name in (CURVE_FILE, RESULT_FILE, SUMS_FILE) or path.name in contents:
            raise ValueError(f"two files have the name {path.name}")
        with open_plain(path, MOST_BYTES) as file:
            contents[path.name] = file.read()
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
    """Return the finished run in a folder, whose name is its key; None if there is no such folder.

    A curve is verified here, or when it is read.

    Raises DamagedRunError: a file is missing, damaged, or has content of another form than this program writes.
    """
    try:
        with _named(directory):
            contents = _verified(directory, (RESULT_FILE, CURVE_FILE) if with_curve else (RESULT_FILE,))
            result = _result_of(contents)
            if (result["key"], result["status"]) != (directory.name, "finished"):
                raise ValueError(f"{RESULT_FILE} is of the {result['status']} run {reprlib.repr(result['key'])}")
    except DamagedRunError:
        if not os.path.lexists(directory):
            return None
        raise
    return FinishedRun(directory.name, result, directory)


def read_contents(directory: Path) -> dict[str, bytes]:
    """Return all files of the folder of an ended run by name; DamagedRunError: one is damaged or of another form."""
    with _named(directory):
        contents = _verified(directory)
        _result_of(contents)
        if CURVE_FILE in contents:
            read_curve(contents[CURVE_FILE])
    return contents


def is_intact(directory: Path, name: str) -> bool:
    """Return whether a run has a file of this name that matches its checksum."""
    try:
        with _named(directory):
            _verified(directory, [name])
    except DamagedRunError:
        return False
    return True


@contextlib.contextmanager
def _named(directory: Path) -> Iterator[None]:
    """Raise a DamagedRunError for whatever the readers of a folder's files raise on foreign bytes."""
    try:
        yield
    except Exception as error:
        raise DamagedRunError(directory, fault(error, f"{directory}/")) from error


def _result_of(contents: Mapping[str, bytes]) -> dict[str, Any]:
    from .result import checked_result  # imports pydantic

    if RESULT_FILE not in contents:
        raise ValueError(f"{RESULT_FILE} is not in {SUMS_FILE}")
    try:
        return checked_result(contents[RESULT_FILE])
    except Exception as error:
        raise ValueError(f"{RESULT_FILE}: {fault(error)}") from error


def _verified(directory: Path, names: Collection[str] = ()) -> dict[str, bytes]:
    """Return SHA256SUMS and the named files, or all that it names.

    Raises OSError: one is missing, no plain file or too large. Raises ValueError: one does not match its checksum.
    """
    contents = {SUMS_FILE: _read(directory, SUMS_FILE)}
    lines = contents[SUMS_FILE].removesuffix(b"\n").split(b"\n")
    matches = [re.fullmatch(rb"([0-9a-f]{64})  ([^/\0]+)", line) for line in lines]
    sums = {match[2].decode("utf-8", "replace"): match[1].decode() for match in matches if match}
    if len(sums) < len(lines):
        raise ValueError(f"{SUMS_FILE} has a line that is no checksum, or one twice")
    for name in names or sums:
        contents[name] = _read(directory, name)
        if sums.get(name) != hashlib.sha256(contents[name]).hexdigest():
            raise ValueError(f"{name} does not match its checksum in {SUMS_FILE}")
    return contents


def _read(directory: Path, name: str) -> bytes:
    # a text, not a Path: that takes a third of the time for thousands of files
    with open_plain(f"{directory}/{name}", _MOST_BYTES.get(name, MOST_BYTES)) as file:
        return file.read()


def read_curve(content: bytes) -> pd.DataFrame:
    """Return the curve of a curve.parquet.

    Raises ValueError: it cannot be read, or is not a curve.
    """
    import pandas as pd
    import pyarrow
    import pyarrow.parquet

    from ..curve import conform

    try:
        file = pyarrow.parquet.ParquetFile(pyarrow.BufferReader(content))
    except Exception as error:
        raise ValueError(f"{CURVE_FILE}: it is not a Parquet file") from error
    try:
        if file.metadata.num_rows > _MOST_POINTS:
            raise ValueError(f"it has {file.metadata.num_rows:,} points")
        for field in file.schema_arrow:
            if not (pyarrow.types.is_integer(field.type) or pyarrow.types.is_floating(field.type)):
                raise ValueError(f"the column {field.name} has no numbers")
        # the types of this program, whatever the file says of those of pandas
        table = file.read().to_pandas(ignore_metadata=True, types_mapper={pyarrow.int64(): pd.Int64Dtype()}.get)
        return conform(table)
    except Exception as error:  # whatever pyarrow and pandas raise on foreign bytes
        raise ValueError(f"{CURVE_FILE}: {fault(error)}") from error
