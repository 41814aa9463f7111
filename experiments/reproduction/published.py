"""Published evidence: the runs behind a figure's verdict, in one Parquet file and one JSON file for each figure.

``<figure>.parquet`` has a row for each run of the figure: the columns of its curve that picture and claims read, as
lists, and its result.json. What another figure's file has of the same run is there only; the row names these figures.
``<figure>.json`` has the verdict, and what the figure's module computed from data. ``SHA256SUMS`` has the checksums of
all files, as ``sha256sum --check`` reads them; nothing is read from a file that does not match.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd

import datasets
from experiments.columns import COLUMNS, COUNTS
from experiments.provenance import PROJECT_ROOT
from experiments.run.identity import settings_key
from experiments.store import FinishedRun
from support.files import write_file

if TYPE_CHECKING:
    import pyarrow

    from experiments.configuration.settings import RunSettings

EVIDENCE: Final = PROJECT_ROOT / "evidence"
RESULTS: Final = PROJECT_ROOT / "docs" / "results"
"""The scorecards that are made from the evidence."""
SUMS: Final = "SHA256SUMS"
FORMAT: Final = 2
FIGURE_BYTES: Final = 1_500_000
ALL_BYTES: Final = 20_000_000
"""Most bytes of a figure's two files, and of all files: they are in the repository."""
_SINGLE: Final = ("cpu_seconds", "wall_seconds")
"""Columns that are stored in single precision: seven digits are more than a clock has."""


class EvidenceError(ValueError):
    """Evidence is missing, damaged, of an unknown format, or lacks what a claim reads; the message says which."""


class PublishedCurve(pd.DataFrame):
    """A curve that has only the columns that were published."""

    def __getitem__(self, key: Any) -> Any:
        """Return a column; raises EvidenceError, with its name, for one that was not published."""
        if isinstance(key, str) and key in COLUMNS and key not in self.columns:
            raise EvidenceError(f"the evidence lacks the column {key}: publish the figure again from its runs")
        return super().__getitem__(key)


@dataclass(frozen=True)
class PublishedRun(FinishedRun):
    """A run in a file of evidence."""

    frame: pd.DataFrame = field(compare=False, repr=False, default_factory=pd.DataFrame)

    @cached_property
    def curve(self) -> pd.DataFrame:
        """The published columns of the curve."""
        return self.frame


@dataclass(frozen=True)
class _Row:
    """What a file has of a run.

    Attributes
    ----------
    run_key : str
        Identity of the run (`experiments.run.identity.run_key`): its curve is not mixed with that of another build.
    result : str
        result.json; empty if another file has it.
    values : mapping of str to ndarray
        Columns of the curve.
    others : tuple of str
        Figures whose files have the rest.
    """

    run_key: str
    result: str
    values: Mapping[str, np.ndarray]
    others: tuple[str, ...]


def evidence_key(settings: RunSettings) -> str:
    """Return the key of a run in the evidence: that of its settings, whatever the build and the machine's memory.

    No file of data is needed.
    """
    identity = {name: value for name, value in settings.identity().items() if name != "clock"}
    return settings_key(identity, datasets.stated_fingerprint(settings.dataset))


def write_evidence(
    folder: Path,
    figure: str,
    runs: Mapping[str, FinishedRun],
    columns: Mapping[str, Collection[str]],
    facts: Mapping[str, Any],
) -> list[str]:
    """Write the runs of a figure; its verdict follows from the written file (`write_verdict`).

    Parameters
    ----------
    folder : Path
    figure : str
    runs : mapping of str to FinishedRun
        By `evidence_key`.
    columns : mapping of str to collection of str
        Columns that the figure reads, by the same keys. Those that other files have of the same run are left out; those
        that the figure's earlier file has and other files refer to stay.
    facts : mapping
        Of the JSON file: ``scale``, ``computed``, ``absent``, ``command``.

    Returns
    -------
    list of str
        Figures whose files refer to a run of the earlier file that is not in this one: publish them again.
    """
    import pyarrow
    import pyarrow.parquet

    files = {}
    for name in published_figures(folder):
        with contextlib.suppress(EvidenceError):  # a damaged file is to be replaced, or has nothing to refer to
            files[name] = _read_rows(folder, name)
    before = files.pop(figure, {})
    referring = {name: {key: row for key, row in own.items() if figure in row.others} for name, own in files.items()}
    texts, kept, others = [], {}, []
    for key, run in runs.items():
        parts = {name: row for name, own in files.items() if (row := own.get(key)) and row.run_key == run.key}
        own, sources = set(columns[key]), []
        text = _result(run)
        for name, row in parts.items():
            if (text and row.result) or own & set(row.values):
                sources.append(name)
                own -= set(row.values)
                text = "" if row.result else text
        if key in before and before[key].run_key == run.key and any(key in rows for rows in referring.values()):
            own |= set(before[key].values)
        kept[key] = own
        texts.append(text)
        others.append(sources)
    table = pyarrow.table(
        {
            "key": list(runs),
            "run_key": [run.key for run in runs.values()],
            "result": texts,
            "others": pyarrow.array(others, type=pyarrow.list_(pyarrow.string())),
            **{name: _lists(name, runs, kept) for name in COLUMNS if any(name in own for own in kept.values())},
        }
    )
    buffer = pyarrow.BufferOutputStream()
    pyarrow.parquet.write_table(table, buffer, compression="zstd", compression_level=19, row_group_size=1 << 20)
    content = buffer.getvalue().to_pybytes()
    folder.mkdir(parents=True, exist_ok=True)
    write_file(folder / f"{figure}.parquet", content)
    _write_json(folder / f"{figure}.json", {**facts, "format": FORMAT, "figure": figure})
    write_sums(folder, f"{figure}.parquet", f"{figure}.json")
    keys = {key: run.key for key, run in runs.items()}
    return [name for name, rows in referring.items() if any(keys.get(key) != row.run_key for key, row in rows.items())]


def same_values(one: Any, other: Any) -> bool:
    """Whether two JSON values are equal; numbers may differ by 1e-9, as processors differ in the last bits."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same_values(one[name], other[name]) for name in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same_values, one, other))
    if isinstance(one, float) and isinstance(other, float | int):
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-300)
    return bool(one == other)


def check_size(folder: Path, figure: str) -> int:
    """Return the bytes of a figure's two files.

    Raises
    ------
    EvidenceError
        They are more than `FIGURE_BYTES`, or all files more than `ALL_BYTES`.
    """
    own = sum((folder / f"{figure}.{ending}").stat().st_size for ending in ("parquet", "json"))
    whole = sum(path.stat().st_size for path in folder.iterdir())
    for what, size, limit in ((f"of {figure}", own, FIGURE_BYTES), ("of all figures", whole, ALL_BYTES)):
        if size > limit:
            raise EvidenceError(f"the evidence {what} would have {size / 1e6:.2f} MB; at most {limit / 1e6:g} MB")
    return own


def write_verdict(folder: Path, figure: str, verdict: Mapping[str, Any]) -> None:
    """Add the verdict to the JSON file of a figure."""
    _write_json(folder / f"{figure}.json", read_facts(folder, figure) | {"verdict": verdict})
    write_sums(folder, f"{figure}.json")


def read_facts(folder: Path, figure: str) -> dict[str, Any]:
    """Return the content of a figure's JSON file.

    Raises
    ------
    EvidenceError
        There is none, or it is damaged or of an unknown format.
    """
    name = f"{figure}.json"
    if not (folder / name).exists():
        raise EvidenceError(f"there is no evidence of {figure} in {folder.name}/")
    facts: dict[str, Any] = json.loads(read_verified(folder, name))
    if facts["format"] != FORMAT:
        raise EvidenceError(f"{name} has the format {facts['format']}; this version reads format {FORMAT}")
    return facts


def read_verified(folder: Path, name: str) -> bytes:
    """Return the content of a file of evidence.

    Raises
    ------
    EvidenceError
        The file is missing, or its checksum is not that in `SUMS`.
    """
    try:
        content = (folder / name).read_bytes()
    except FileNotFoundError:
        raise EvidenceError(f"{name} is missing: restore it, or publish its figure again") from None
    if hashlib.sha256(content).hexdigest() != _read_sums(folder).get(name):
        changed = f"{name} has changed: its checksum is not that in {SUMS}"
        raise EvidenceError(f"{changed}; restore both files, or publish the figure again")
    return content


def write_sums(folder: Path, *names: str) -> None:
    """Write the checksums of these files into `SUMS`; those of other files stay, except of files that are gone."""
    sums = _read_sums(folder) | {name: checksum(folder / name) for name in names}
    lines = [f"{sums[name]}  {name}\n" for name in sorted(sums) if (folder / name).exists()]
    write_file(folder / SUMS, "".join(lines).encode())


def checksum(path: Path) -> str:
    """Return the SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _read_sums(folder: Path) -> dict[str, str]:
    """Return the checksum of each file; empty without a file `SUMS`."""
    try:
        text = (folder / SUMS).read_bytes().decode("ascii", "replace")
    except FileNotFoundError:
        return {}
    sums = {}
    for number, line in enumerate(text.split("\n")[:-1], start=1):
        if (match := re.fullmatch(r"([0-9a-f]{64})  ([\w.-]+)", line, re.ASCII)) is None:
            raise EvidenceError(f"{SUMS} is damaged in line {number}: restore it")
        sums[match[2]] = match[1]
    return sums


class PublishedStore:
    """The runs of a published figure, looked up as in a store.

    Parameters
    ----------
    folder : Path
    figure : str
    """

    def __init__(self, folder: Path, figure: str) -> None:
        self._folder = folder
        self._figure = figure
        self._files: dict[str, dict[str, _Row]] = {}

    def find_all_finished(self, keys: Collection[str]) -> dict[str, FinishedRun]:
        """Return the published run of each key (`evidence_key`); keys without one are missing from the result.

        Raises
        ------
        EvidenceError
            A file is damaged, or has not the runs that the figure's file refers to.
        """
        own = self._rows(self._figure)
        return {key: self._run(key, own[key]) for key in keys if key in own}

    def runs(self) -> list[FinishedRun]:
        """Return all runs of the figure; errors are those of `find_all_finished`."""
        return list(self.find_all_finished(self._rows(self._figure)).values())

    def _run(self, key: str, row: _Row) -> PublishedRun:
        parts = [row, *(self._part(key, row, other) for other in row.others)]
        values = {name: own for part in parts for name, own in part.values.items()}
        frame = PublishedCurve({name: _column(name, values[name]) for name in COLUMNS if name in values})
        result = json.loads(next(part.result for part in parts if part.result))
        return PublishedRun(row.run_key, result, self._folder, frame)

    def _part(self, key: str, row: _Row, other: str) -> _Row:
        """Return what another figure's file has of a run."""
        found = self._rows(other).get(key)
        if found is None or found.run_key != row.run_key:
            lost = f"{other}.parquet no longer has the run {row.run_key}, to which {self._figure}.parquet refers"
            raise EvidenceError(f"{lost}: publish {self._figure} again")
        return found

    def _rows(self, figure: str) -> dict[str, _Row]:
        if figure not in self._files:
            self._files[figure] = _read_rows(self._folder, figure)
        return self._files[figure]


def _read_rows(folder: Path, figure: str) -> dict[str, _Row]:
    import pyarrow
    import pyarrow.parquet

    read_facts(folder, figure)  # both files, or neither
    content = read_verified(folder, f"{figure}.parquet")
    table = pyarrow.parquet.read_table(pyarrow.BufferReader(content))
    lists = {name: _arrays(table[name]) for name in table.column_names if name in COLUMNS}
    fields = (table[name].to_pylist() for name in ("key", "run_key", "result", "others"))
    rows: dict[str, _Row] = {}
    for place, (key, run_key, result, others) in enumerate(zip(*fields, strict=True)):
        values = {name: own for name, column in lists.items() if (own := column[place]) is not None}
        rows[key] = _Row(run_key, result, values, tuple(others))
    return rows


def published_figures(folder: Path) -> list[str]:
    """Return the figures that have evidence in a folder, sorted."""
    return sorted(path.stem for path in folder.glob("*.parquet"))


def _result(run: FinishedRun) -> str:
    """Return the run's result.json without the key, which the table has."""
    return json.dumps({name: value for name, value in run.result.items() if name != "key"}, sort_keys=True)


def _lists(name: str, runs: Mapping[str, FinishedRun], columns: Mapping[str, Collection[str]]) -> pyarrow.Array:
    import pyarrow

    number = pyarrow.int64() if name in COUNTS else pyarrow.float32() if name in _SINGLE else pyarrow.float64()
    values = [
        pyarrow.array(run.curve[name], type=number, from_pandas=True) if name in columns[key] else None
        for key, run in runs.items()
    ]
    return pyarrow.array([None if own is None else own.to_pylist() for own in values], type=pyarrow.list_(number))


def _arrays(lists: pyarrow.ChunkedArray) -> list[np.ndarray | None]:
    """Return each list as an array of float64 with NaN for missing values; None for a list that was not published."""
    combined = lists.combine_chunks()
    values = combined.flatten().to_numpy(zero_copy_only=False).astype(np.float64)
    lengths = combined.value_lengths().fill_null(0).to_numpy()
    ends = np.cumsum(lengths)
    known = combined.is_valid().to_pylist()
    return [
        values[end - length : end] if valid else None for end, length, valid in zip(ends, lengths, known, strict=True)
    ]


def _column(name: str, values: np.ndarray) -> Any:
    if name not in COUNTS:
        return values
    missing = np.isnan(values)
    return pd.arrays.IntegerArray(np.where(missing, 0, values).astype(np.int64), missing)


def _write_json(path: Path, content: Mapping[str, Any]) -> None:
    text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
    write_file(path, text.encode())
