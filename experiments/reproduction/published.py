"""Published evidence: the runs behind the figures' verdicts, as three tables for each paper.

``<paper>/runs.parquet`` has a row for each run: key, settings, provenance, counters. ``<paper>/points.parquet`` has a
row for each evaluation: the run's key, costs and measures. ``<paper>/series.parquet`` says which runs a figure draws:
figure, data set, series and seed, and the run's key. ``<figure>.json`` has what is left out, what the figure's module
computed from data, and the verdict. ``SHA256SUMS`` has the checksums of all files, as ``sha256sum --check`` reads them;
nothing is read from a file that does not match. The files change together, in one step (`changing`).
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd

from ...support.errors import UserError, reason
from ...support.files import link_tree, locked, new_folder, read_plain, write_file
from ..columns import COLUMNS, COUNTS
from ..processes.streams import print_error
from ..provenance import PROJECT_ROOT, is_timed

if TYPE_CHECKING:
    import pyarrow

EVIDENCE: Final = PROJECT_ROOT / "evidence"
RESULTS: Final = PROJECT_ROOT / "docs" / "results"
"""The scorecards that are made from the evidence."""
SUMS: Final = "SHA256SUMS"
CHECKS: Final = "checks.json"
"""The record of published runs that were made again."""
FORMAT: Final = 3
RUNS, POINTS, SERIES = TABLES = ("runs", "points", "series")
SCALARS: Final = ("algo", "dataset", "kernel", "seed", "status", "cpu_seconds", "wall_seconds")
"""Entries of result.json that are columns of `RUNS` as they are; the others are columns of JSON text."""
NO_RESULT: Final = ("key", "settings_key", "columns")
"""Columns of `RUNS` that are no entries of result.json."""
SINGLE: Final = ("cpu_seconds", "wall_seconds")
"""Columns of `POINTS` in single precision: seven digits are more than a clock has."""


class EvidenceError(UserError, ValueError):
    """Evidence is missing, damaged, of an unknown format, or lacks what a claim reads; the message says which."""


class MissingColumnError(EvidenceError):
    """A figure's module wants a column that was not published."""

    def __init__(self, name: str) -> None:
        super().__init__(f"the evidence lacks the column {name}: publish the figure again from its runs")
        self.name = name


@contextmanager
def naming_columns() -> Iterator[None]:
    """Raise a MissingColumnError for the KeyError of a column that was not published."""
    try:
        yield
    except KeyError as error:
        if error.args[0] not in COLUMNS:
            raise
        raise MissingColumnError(error.args[0]) from error


@dataclass(frozen=True)
class PublishedRun:
    """A run in the evidence, by its `experiments.run.identity.run_key`."""

    key: str
    result: dict[str, Any]
    """result.json, without what only its machine needs."""
    points: pd.DataFrame = field(compare=False, repr=False)
    """Its rows of `POINTS`, the published columns."""

    @property
    def timed(self) -> bool:
        """Whether its times can be compared (`experiments.provenance.is_timed`)."""
        return is_timed(self.result)

    @cached_property
    def curve(self) -> pd.DataFrame:
        """The published columns of the curve."""
        return self.points.reset_index(drop=True)


def published_figures(folder: Path) -> list[str]:
    """Return the figures that have evidence in a folder, sorted."""
    return sorted(path.stem for path in folder.glob("*.json") if path.name != CHECKS)


def no_evidence(folder: Path, figure: str = "") -> EvidenceError:
    """Return the error that a figure is not published in a folder, or that nothing is."""
    of = f" of {figure}" if figure else ""
    if published_figures(folder):
        return EvidenceError(f"there is no evidence{of} in {folder.name}/")
    return EvidenceError(
        f"there is no evidence{of} in {folder}: it is a folder of the project's repository and its archive, which an "
        "installed package does not have; get one of them and add evidence=FOLDER"
    )


def check_default(name: str, folder: Path) -> None:
    """Raise EvidenceError if a command would make a default folder of the repository, which is not there."""
    if folder in (EVIDENCE, RESULTS) and not folder.is_dir():
        raise EvidenceError(f"{folder} is not there, as this is no checkout of the project: add {name}=FOLDER")


def read_facts(folder: Path, figure: str) -> dict[str, Any]:
    """Return the content of a figure's JSON file; EvidenceError if it is missing, damaged or of an unknown format."""
    name = f"{figure}.json"
    if not (folder / name).exists():
        raise no_evidence(folder, figure)
    content = read_verified(folder, name)
    try:
        facts: dict[str, Any] = json.loads(content)
        version = facts["format"]
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise EvidenceError(f"{name} is not the evidence of a figure: restore it") from error
    if version != FORMAT:
        raise EvidenceError(f"{name} has the format {version}; this version reads format {FORMAT}")
    return facts


def read_series(folder: Path, facts: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return a figure's rows of `SERIES`, in its order; `facts` is the content of its JSON file."""
    import pyarrow.compute

    table = read_table(folder, facts["tables"], SERIES)
    rows: list[dict[str, Any]] = table.filter(pyarrow.compute.equal(table["figure"], facts["figure"])).to_pylist()
    return rows


def figure_runs(folder: Path, figure: str) -> dict[str, PublishedRun]:
    """Return the published runs of a figure by their keys; EvidenceError if it is not published, or a file damaged."""
    facts = read_facts(folder, figure)
    return read_runs(folder, facts["tables"], {row["key"] for row in read_series(folder, facts)})


def read_runs(folder: Path, tables: str, keys: Collection[str]) -> dict[str, PublishedRun]:
    """Return published runs by their keys, from a folder of tables; EvidenceError if they lack one or are damaged."""
    import pyarrow.compute

    if not keys:
        return {}
    wanted = pyarrow.array(list(keys), type=pyarrow.string())
    runs, points = (
        table.filter(pyarrow.compute.is_in(table["key"], wanted))
        for table in (read_table(folder, tables, name) for name in (RUNS, POINTS))
    )
    rows = {row["key"]: row for row in runs.to_pylist()}
    frame, places = _points_of(points)
    if lost := sorted({*keys} - (rows.keys() & places.keys())):
        raise EvidenceError(f"{tables}/{RUNS}.parquet or {POINTS}.parquet lacks the run {lost[0]}: publish it again")
    columns = {key: tuple(name for name in COLUMNS if name in row["columns"]) for key, row in rows.items()}
    published = {names: frame[list(names)] for names in {*columns.values()}}
    return {
        key: PublishedRun(key, _result_of(row), published[columns[key]].iloc[places[key]]) for key, row in rows.items()
    }


def _points_of(table: pyarrow.Table) -> tuple[pd.DataFrame, dict[str, slice]]:
    """Return the points of all runs, typed as in a curve, and the rows of each run, which follow each other."""
    import pyarrow

    frame = table.to_pandas(types_mapper={pyarrow.int64(): pd.Int64Dtype()}.get)
    frame.columns = frame.columns.astype(object)  # a column is then found in half the time
    keys = frame["key"].cat
    starts = np.flatnonzero(np.diff(keys.codes, prepend=-1))
    names, stops = keys.categories[keys.codes.iloc[starts]], [*starts[1:], len(frame)]
    rows = {name: slice(start, end) for name, start, end in zip(names, starts, stops, strict=True)}
    return frame.astype({name: np.float64 for name in COLUMNS if name not in COUNTS}), rows


def _result_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the result.json of a row of `RUNS`."""
    entries = {name: value for name, value in row.items() if name not in NO_RESULT and value is not None}
    return {name: value if name in SCALARS else json.loads(value) for name, value in entries.items()}


def read_table(folder: Path, tables: str, name: str) -> pyarrow.Table:
    """Return one of the tables of a paper; errors are those of `read_verified`."""
    import pyarrow
    import pyarrow.parquet

    content = pyarrow.BufferReader(read_verified(folder, f"{tables}/{name}.parquet"))
    try:
        return pyarrow.parquet.read_table(content, read_dictionary=["key"] if name == POINTS else None)
    except Exception as error:  # pyarrow has many
        raise EvidenceError(f"{tables}/{name}.parquet is not a table: restore it") from error


def read_verified(folder: Path, name: str) -> bytes:
    """Return the content of a file of evidence; EvidenceError if it is missing, or its checksum not that in `SUMS`."""
    for _ in range(2):  # another process may change the evidence between the two files
        try:
            content = read_plain(folder / name)
        except FileNotFoundError:
            raise EvidenceError(f"{name} is missing: restore the evidence") from None
        except OSError as error:
            raise EvidenceError(f"{name} cannot be read: {reason(error)}") from error
        if hashlib.sha256(content).hexdigest() == _read_sums(folder).get(name):
            return content
    raise EvidenceError(
        f"{name} has changed: its checksum is not that in {SUMS}; restore the evidence, or, if you have changed this "
        'file yourself, write the checksums again (docs/reproduction.md, "Published evidence")'
    )


@contextmanager
def changing(folder: Path) -> Iterator[Path]:
    """Yield a copy of the evidence that takes its place, in one step, when the block ends; made where there is none.

    After an error or a kill the evidence is as before. Another process that changes it waits. The files of the copy are
    second names of the evidence's: they are replaced (`write_file`), never written into.

    Raises EvidenceError if another program, such as git, has changed `SUMS` meanwhile.
    """
    target = Path(os.path.realpath(folder))
    target.parent.mkdir(parents=True, exist_ok=True)

    def report(holder: str) -> None:
        print_error(f"waiting: {holder} changes the evidence in {folder}")

    with locked(target.with_name(f".{target.name}.lock"), report), new_folder(target) as draft:
        if target.exists():
            link_tree(target, draft)
        before = _read_sums(draft)
        yield draft
        if _read_sums(target) != before:
            raise EvidenceError(f"{target / SUMS} has been changed meanwhile: the same command begins anew")


def _read_sums(folder: Path) -> dict[str, str]:
    """Return the checksum of each file; empty without a file `SUMS`."""
    try:
        text = read_plain(folder / SUMS).decode("ascii", "replace")
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise EvidenceError(f"{SUMS} cannot be read: {reason(error)}") from error
    sums = {}
    for number, line in enumerate(text.split("\n")[:-1], start=1):
        if (match := re.fullmatch(r"([0-9a-f]{64})  ([\w./-]+)", line, re.ASCII)) is None:
            raise EvidenceError(f"{SUMS} is damaged in line {number}: restore it")
        sums[match[2]] = match[1]
    return sums


def write_sums(folder: Path, *names: str) -> None:
    """Write the checksums of these files into `SUMS`; those of other files stay, except of files that are gone."""
    sums = _read_sums(folder) | {name: checksum(folder / name) for name in names}
    lines = [f"{sums[name]}  {name}\n" for name in sorted(sums) if (folder / name).exists()]
    write_file(folder / SUMS, "".join(lines).encode())


def checksum(path: Path) -> str:
    """Return the SHA-256 of a file."""
    return hashlib.sha256(read_plain(path)).hexdigest()


def same_values(first: Any, second: Any) -> bool:
    """Whether two JSON values are equal; numbers may differ by 1e-9, as processors differ in the last bits."""
    if isinstance(first, dict) and isinstance(second, dict):
        return first.keys() == second.keys() and all(same_values(first[name], second[name]) for name in first)
    if isinstance(first, list) and isinstance(second, list):
        return len(first) == len(second) and all(map(same_values, first, second))
    if isinstance(first, float) and isinstance(second, float | int):
        return math.isclose(first, second, rel_tol=1e-9, abs_tol=1e-300)
    return bool(first == second)
