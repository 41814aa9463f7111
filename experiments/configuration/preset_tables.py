"""Reads the tables of ``conf/preset/``: one file for each table of a paper, or for each other source of values.

The rows of a run are picked by the names of its algorithm and its data set, as a file is by its name: each row is an
option of the groups ``preset/pair``, ``preset/algo`` and ``preset/data``.
`experiments.configuration.presets` decides which row wins.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]

from svm_cost_curves.experiments.configuration.schema import ProblemPreset
from svm_cost_curves.solvers import SettingsError

ALL = "all"
"""In place of the name of a data set, or of the list of algorithms."""
_TABLE = {"source", "protocol", "algorithms", "rows"}
_NUMBERS = [number.name for number in fields(ProblemPreset)]
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times as fast where PyYAML has it


def read_tables(folder: Path) -> dict[str, Any]:
    """Return the content of each table in a folder, by the file's name."""
    tables = {}
    for path in sorted(folder.glob("*.yaml")):
        try:
            tables[path.name] = yaml.load(path.read_bytes(), _LOADER)
        except yaml.YAMLError as error:
            raise SettingsError(f"conf/preset/{path.name}: {' '.join(str(error).split())}") from error
    return tables


def options(tables: Mapping[str, Any]) -> dict[tuple[str, str], dict[str, Any]]:
    """Return the rows of all tables: group and option to the fields of a `schema.Preset`.

    The group is ``pair``, ``algo`` or ``data``, the option ``asset_adult``, ``asset`` or ``adult``. A table has the
    text of its ``source``, which the header of a run shows; ``rows`` by data set; and the list of ``algorithms`` that
    the rows are for, by default all. A row may have another source and other algorithms. A kernel width, C or nu that
    stands beside ``biased`` and ``unbiased`` is for both. The rows of a table with a ``protocol`` are for the runs with
    ``protocol=NAME`` only (``NAME_adult``), and then replace those of all other tables for this data set.

    Raises
    ------
    SettingsError
        A table does not have this form, or two rows are for the same algorithm and data set. The message names the
        file.
    """
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    files: dict[tuple[str, str], str] = {}
    for file, table in tables.items():
        for option, values in _options(f"conf/preset/{file}", table):
            if option in rows:
                raise SettingsError(f"conf/preset/{file}: {files[option]} has values for {option[1]} as well")
            rows[option], files[option] = values, file
    return rows


def _options(file: str, table: Any) -> Iterator[tuple[tuple[str, str], dict[str, Any]]]:
    rows = table.get("rows") if isinstance(table, dict) and {"source", "rows"} <= set(table) <= _TABLE else None
    if not isinstance(rows, dict) or not all(isinstance(row, dict) for row in rows.values()):
        raise SettingsError(
            f"{file}: a table has source, rows (by data set) and, if not for all, algorithms or protocol"
        )
    prefix = f"{table['protocol']}_" if "protocol" in table else ""
    for dataset, given in rows.items():
        row = {"source": table["source"], "algorithms": table.get("algorithms", ALL)} | given
        algorithms = row.pop("algorithms")
        if algorithms != ALL and not isinstance(algorithms, list):
            raise SettingsError(f"{file}: algorithms must be a list of names, or {ALL}; got {algorithms!r}")
        if algorithms == dataset == ALL:
            raise SettingsError(f"{file}: a row for all data sets needs a list of algorithms")
        values = _for_both(row)
        names = [("algo", name) if dataset == ALL else ("pair", f"{name}_{dataset}") for name in algorithms]
        for group, name in [("data", str(dataset))] if algorithms == ALL else names:
            yield (group, f"{prefix}{name}"), values


def _for_both(row: dict[str, Any]) -> dict[str, Any]:
    """Move the numbers that stand in the row itself to ``unbiased`` and to ``biased``."""
    common = {name: row.pop(name) for name in _NUMBERS if name in row}
    if common:
        both = {name: row.get(name, {}) for name in ("unbiased", "biased")}
        row |= {name: common | given if isinstance(given, dict) else given for name, given in both.items()}
    return row  # its names and types are checked where it is composed
