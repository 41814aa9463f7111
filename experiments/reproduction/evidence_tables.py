"""Writes the files of evidence: a figure's rows in the tables of its paper, and its JSON file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from svm_cost_curves.experiments.columns import COLUMNS, COUNTS
from svm_cost_curves.experiments.reproduction.evidence import Run
from svm_cost_curves.experiments.reproduction.published import (
    POINTS,
    RUNS,
    SCALARS,
    SERIES,
    EvidenceError,
    read_facts,
    read_table,
    write_sums,
)
from svm_cost_curves.support.files import write_file

if TYPE_CHECKING:
    import pyarrow

MOST_BYTES: Final = 25_000_000
"""Most bytes of all files of evidence: they are in the repository."""
_SINGLE: Final = ("cpu_seconds", "wall_seconds")
"""Columns of `POINTS` in single precision: seven digits are more than a clock has."""
_LOCAL: Final = ("artifacts", "key")
"""Entries of result.json that only its machine needs, or that are columns of their own."""


def write_tables(
    folder: Path, tables: str, figure: str, rows: Sequence[Mapping[str, Any]], runs: Mapping[str, tuple[str, Run]]
) -> list[str]:
    """Replace a figure in the tables of its paper, in the folder `tables` of the evidence; return the files' names.

    Its rows are those of `SERIES`; the runs, by key, come with their `evidence_key`. Runs that no figure of the paper
    draws any more are removed.
    """
    import pyarrow
    import pyarrow.compute
    import pyarrow.parquet

    names = ("figure", "panel", "dataset", "series", "seed", "key", "settings")
    fields = [(name, pyarrow.int64() if name == "seed" else pyarrow.string()) for name in names]
    new = {
        SERIES: pyarrow.Table.from_pylist(rows, pyarrow.schema(fields)),
        RUNS: _runs_table(runs),
        POINTS: _points_table({key: run for key, (_, run) in runs.items()}),
    }
    if (folder / tables).exists():
        old = {name: read_table(folder, tables, name) for name in new}
        kept = {SERIES: old[SERIES].filter(pyarrow.compute.not_equal(old[SERIES]["figure"], figure))}
        others = pyarrow.array(sorted({*kept[SERIES]["key"].to_pylist()} - runs.keys()), pyarrow.string())
        kept |= {name: old[name].filter(pyarrow.compute.is_in(old[name]["key"], others)) for name in (RUNS, POINTS)}
        kept[POINTS] = kept[POINTS].cast(new[POINTS].schema)  # without its dictionary of keys
        new = {
            name: pyarrow.concat_tables([kept[name], table], promote_options="default") for name, table in new.items()
        }
    (folder / tables).mkdir(parents=True, exist_ok=True)
    files = []
    for name, table in new.items():
        buffer = pyarrow.BufferOutputStream()
        ordered = table.sort_by("figure" if name == SERIES else "key")  # a stable sort
        pyarrow.parquet.write_table(ordered, buffer, compression="zstd", compression_level=9, row_group_size=1 << 20)
        files.append(f"{tables}/{name}.parquet")
        write_file(folder / files[-1], buffer.getvalue().to_pybytes())
    write_sums(folder, *files)
    return files


def _runs_table(runs: Mapping[str, tuple[str, Run]]) -> pyarrow.Table:
    """Return rows of `RUNS`; entries of result.json other than `SCALARS` are JSON text."""
    import pyarrow

    rows = [
        {"key": run.key, "settings_key": key, "columns": [name for name in COLUMNS if name in run.curve.columns]}
        | {
            name: value if name in SCALARS else json.dumps(value, sort_keys=True)
            for name, value in run.result.items()
            if name not in _LOCAL
        }
        for key, run in runs.values()
    ]
    types = {"seed": pyarrow.int64(), "cpu_seconds": pyarrow.float64(), "wall_seconds": pyarrow.float64()}
    types["columns"] = pyarrow.list_(pyarrow.string())
    names = dict.fromkeys(["key", "settings_key", *SCALARS, "columns", *sorted({name for row in rows for name in row})])
    schema = pyarrow.schema([(name, types.get(name, pyarrow.string())) for name in names])
    return pyarrow.Table.from_pylist(rows, schema)


def _points_table(runs: Mapping[str, Run]) -> pyarrow.Table:
    """Return rows of `POINTS`."""
    import pyarrow

    types = dict.fromkeys(COUNTS, pyarrow.int64()) | dict.fromkeys(_SINGLE, pyarrow.float32())
    schema = pyarrow.schema({"key": pyarrow.string()} | {name: types.get(name, pyarrow.float64()) for name in COLUMNS})
    frames = [run.curve.reindex(columns=list(COLUMNS)).assign(key=key) for key, run in runs.items()]
    tables = [pyarrow.Table.from_pandas(frame, schema, preserve_index=False) for frame in frames]
    return pyarrow.concat_tables([schema.empty_table(), *tables]).replace_schema_metadata()


def check_size(folder: Path) -> int:
    """Return the bytes of all evidence; raises EvidenceError if they are more than `MOST_BYTES`."""
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    if size > MOST_BYTES:
        raise EvidenceError(f"the evidence would have {size / 1e6:.2f} MB; at most {MOST_BYTES / 1e6:g} MB")
    return size


def write_verdict(folder: Path, figure: str, verdict: Mapping[str, Any]) -> None:
    """Add the verdict to the JSON file of a figure."""
    write_json(folder / f"{figure}.json", read_facts(folder, figure) | {"verdict": verdict})
    write_sums(folder, f"{figure}.json")


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Write a JSON file of evidence."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode())
