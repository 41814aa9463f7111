"""Published evidence: the runs behind a figure's verdict, in one Parquet file and one JSON file for each figure.

``<figure>.parquet`` has a row for each run: the columns of its curve that pictures and claims read, as lists, and its
result.json. ``<figure>.json`` has the verdict, the checksum of the Parquet file, and what the figure's module has
computed from data. A run that several figures show is in the file of the one that was published first.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd

from experiments.columns import COLUMNS, COUNTS
from experiments.provenance import PROJECT_ROOT
from experiments.run.identity import settings_key
from experiments.store import FinishedRun
from support.files import write_file

if TYPE_CHECKING:
    import pyarrow

    from experiments.configuration.settings import RunSettings

EVIDENCE: Final = PROJECT_ROOT / "evidence"
FORMAT: Final = 1
_SINGLE: Final = ("cpu_seconds", "wall_seconds")
"""Columns that are stored in single precision: seven digits are more than a clock has."""


class EvidenceError(ValueError):
    """Evidence is missing, damaged, of an unknown format, or lacks what a claim reads; the message says which."""


class ReadColumns(pd.DataFrame):
    """A curve that notes which of its columns are read.

    Attributes
    ----------
    read : set of str
        Shared by all curves of a series.
    """

    _metadata: Final = ["read"]  # pandas copies these attributes
    read: set[str]

    def __getitem__(self, key: Any) -> Any:
        """Return a column and note its name; several columns, or rows, note all of theirs."""
        self.read.update([key] if isinstance(key, str) else list(key) if isinstance(key, list) else COLUMNS)
        return super().__getitem__(key)


class PublishedCurve(pd.DataFrame):
    """A curve that has only the columns that were published."""

    def __getitem__(self, key: Any) -> Any:
        """Return a column; raises EvidenceError, with its name, for one that was not published."""
        if isinstance(key, str) and key in COLUMNS and key not in self.columns:
            raise EvidenceError(f"the evidence lacks the column {key}: publish the figure again from its runs")
        return super().__getitem__(key)


@dataclass(frozen=True)
class PublishedRun(FinishedRun):
    """A run in a file of evidence.

    Attributes
    ----------
    figure : str
        The figure in whose file it is.
    """

    frame: pd.DataFrame = field(compare=False, repr=False, default_factory=pd.DataFrame)
    figure: str = ""

    @cached_property
    def curve(self) -> pd.DataFrame:
        """The published columns of the curve."""
        return self.frame


def evidence_key(settings: RunSettings, fingerprint: str) -> str:
    """Return the key of a run in the evidence: that of its settings and data, whatever the build."""
    return settings_key(settings.identity(), fingerprint)


def write_evidence(
    folder: Path,
    figure: str,
    runs: Mapping[str, FinishedRun],
    columns: Mapping[str, Collection[str]],
    facts: Mapping[str, Any],
) -> None:
    """Write the runs of a figure; its verdict follows from the written file (`write_verdict`).

    Parameters
    ----------
    folder : Path
    figure : str
    runs : mapping of str to FinishedRun
        By `evidence_key`. A run is left out if the first other file that has it, where `PublishedStore` looks, has
        these columns.
    columns : mapping of str to collection of str
        Columns to keep, by the same keys.
    facts : mapping
        Of the JSON file: ``scale``, ``computed``, ``command``.
    """
    import pyarrow
    import pyarrow.parquet

    elsewhere = [_columns(folder / f"{other}.parquet") for other in _figures(folder) if other != figure]
    own = {
        key: run
        for key, run in sorted(runs.items())
        if not set(columns[key]) <= next((other[key] for other in elsewhere if key in other), set())
    }
    table = pyarrow.table(
        {
            "key": list(own),
            "run_key": [run.key for run in own.values()],
            "result": [_result(run) for run in own.values()],
            **{name: _lists(name, own, columns) for name in COLUMNS if any(name in kept for kept in columns.values())},
        }
    )
    buffer = pyarrow.BufferOutputStream()
    pyarrow.parquet.write_table(table, buffer, compression="zstd", compression_level=19, row_group_size=1 << 20)
    content = buffer.getvalue().to_pybytes()
    folder.mkdir(parents=True, exist_ok=True)
    write_file(folder / f"{figure}.parquet", content)
    head = {**facts, "format": FORMAT, "figure": figure, "sha256": hashlib.sha256(content).hexdigest()}
    _write_json(folder / f"{figure}.json", head)


def write_verdict(folder: Path, figure: str, verdict: Mapping[str, Any]) -> None:
    """Add the verdict to the JSON file of a figure."""
    _write_json(folder / f"{figure}.json", read_facts(folder, figure) | {"verdict": verdict})


def read_facts(folder: Path, figure: str) -> dict[str, Any]:
    """Return the content of a figure's JSON file.

    Raises
    ------
    EvidenceError
        There is none, or it is damaged or of an unknown format.
    """
    path = folder / f"{figure}.json"
    try:
        facts: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        number = facts["format"]
    except FileNotFoundError:
        raise EvidenceError(f"there is no evidence of {figure} in {folder.name}/") from None
    except (ValueError, KeyError, TypeError) as error:
        raise EvidenceError(f"{path.name} is damaged: {error}") from error
    if number != FORMAT:
        raise EvidenceError(f"{path.name} has the format {number}; this version reads format {FORMAT}")
    return facts


class PublishedStore:
    """The runs of published evidence, looked up as in a store.

    Parameters
    ----------
    folder : Path
    first : str
        Figure whose file is searched before the others.
    """

    def __init__(self, folder: Path, first: str) -> None:
        self._folder = folder
        self._order = [first, *(name for name in _figures(folder) if name != first)]
        self._runs: dict[str, dict[str, PublishedRun]] = {}

    def find_all_finished(self, keys: Collection[str]) -> dict[str, FinishedRun]:
        """Return the published run of each key (`evidence_key`); keys without one are missing from the result.

        Raises
        ------
        EvidenceError
            A file is damaged.
        """
        found: dict[str, FinishedRun] = {}
        for figure in self._order:
            wanted = [key for key in keys if key not in found]
            if not wanted:
                break
            found |= {key: run for key, run in self._of(figure).items() if key in set(wanted)}
        return found

    def _of(self, figure: str) -> dict[str, PublishedRun]:
        if figure not in self._runs:
            self._runs[figure] = _read_runs(self._folder, figure)
        return self._runs[figure]


def published_runs(folder: Path, figure: str) -> list[FinishedRun]:
    """Return the runs in a figure's file; errors are those of `PublishedStore.find_all_finished`."""
    return list(_read_runs(folder, figure).values())


def _read_runs(folder: Path, figure: str) -> dict[str, PublishedRun]:
    import pyarrow
    import pyarrow.parquet

    facts, path = read_facts(folder, figure), folder / f"{figure}.parquet"
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise EvidenceError(f"{path.name} is missing") from None
    if hashlib.sha256(content).hexdigest() != facts.get("sha256"):
        raise EvidenceError(f"{path.name} has changed: its checksum is not that in {figure}.json")
    table = pyarrow.parquet.read_table(pyarrow.BufferReader(content))
    columns = [name for name in table.column_names if name in COLUMNS]
    lists = {name: _arrays(table[name]) for name in columns}
    runs: dict[str, PublishedRun] = {}
    for row, (key, run_key, text) in enumerate(
        zip(table["key"].to_pylist(), table["run_key"].to_pylist(), table["result"].to_pylist(), strict=True)
    ):
        values = {name: lists[name][row] for name in columns if lists[name][row] is not None}
        frame = PublishedCurve({name: _column(name, own) for name, own in values.items() if own is not None})
        result = json.loads(text)
        runs[key] = PublishedRun(run_key, run_key, run_key, result, folder, {}, {}, frame, figure)
    return runs


def _figures(folder: Path) -> list[str]:
    return sorted(path.stem for path in folder.glob("*.parquet"))


def _columns(path: Path) -> dict[str, set[str]]:
    """Return the published columns of each run in a file."""
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(path)
    keys = table["key"].to_pylist()
    found: dict[str, set[str]] = {key: set() for key in keys}
    for name in (name for name in table.column_names if name in COLUMNS):
        for key, known in zip(keys, table[name].is_valid().to_pylist(), strict=True):
            if known:
                found[key].add(name)
    return found


def _result(run: FinishedRun) -> str:
    """Return the run's result.json without what only its machine needs."""
    left_out = ("artifacts", "key")
    return json.dumps({name: value for name, value in run.result.items() if name not in left_out}, sort_keys=True)


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
    text = json.dumps(content, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
    write_file(path, text.encode())
