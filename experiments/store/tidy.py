"""Runs as one table: a row for each point of their curves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final

from ..columns import COLUMNS
from .run_folder import FinishedRun
from .serialize import DESCRIPTIONS, named_settings

if TYPE_CHECKING:
    import pandas as pd

FIRST = ("algo", "dataset", "seed")
ARRAYS: Final = "arrays.npz"
"""File of the arrays of `experiments.run`; its folder is another one each time."""


def tidy(runs: Sequence[FinishedRun]) -> pd.DataFrame:
    """Return the curves of some runs as one table.

    Returns
    -------
    DataFrame
        A row for each point, with the columns ``algo``, ``dataset`` and ``seed``, each setting that differs between the
        runs (``problem.C``; lists as text, ``[1,2]``), what differs of their builds (``build.isa``), ``run`` (the run's
        key), and those of `experiments.columns.COLUMNS` that a run has: counts as integers, seconds, and measures
        (errors are fractions).
    """
    import numpy as np
    import pandas as pd

    if not runs:
        return pd.DataFrame(columns=[*FIRST, "run", *COLUMNS])
    records, curves = [record_of(run) for run in runs], [run.curve for run in runs]
    facts = {name: [_encodable(run.result[name]) for run in runs] for name in FIRST}
    facts |= {name: [_encodable(record.get(name)) for record in records] for name in differing(records)}
    facts["run"] = [run.key for run in runs]
    rows = np.repeat(np.arange(len(runs)), list(map(len, curves)))
    repeated = pd.DataFrame({name: _column(values) for name, values in facts.items()}).iloc[rows]
    points = pd.concat(curves, ignore_index=True).dropna(axis="columns", how="all")
    points = points[[name for name in COLUMNS if name in points.columns]]
    return pd.concat([repeated.reset_index(drop=True), points], axis="columns")


def _column(values: Sequence[Any]) -> pd.Series:
    """Return values as a column; where some are missing the others keep their types: integers do not become floats."""
    import pandas as pd

    return pd.Series(values, dtype=object if any(value is None for value in values) else None)


def _encodable(value: Any) -> Any:
    """Return a value as tables need it: a list as text ``[1,2]``, bytes of a text that are not UTF-8 as escapes."""
    text = f"[{','.join(map(str, value))}]" if isinstance(value, list | tuple) else value
    return text.encode("utf-8", "backslashreplace").decode() if isinstance(text, str) else text


def record_of(run: FinishedRun) -> dict[str, Any]:
    """Return the settings of a run by their names, and of its build what a run's key depends on."""
    build, settings = run.result["provenance"]["build"], run.result["settings"]
    data = {name: value for name, value in settings["dataset"].items() if name not in DESCRIPTIONS}
    if PurePath(data.get("train") or "").name == ARRAYS:
        del data["train"]
    built = {f"build.{name}": str(build[name])[:12] for name in ("build_id", "isa", "code") if name in build}
    return named_settings(settings | {"dataset": data}) | built


def differing(records: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the names, other than seed, algorithm and data set, whose values are not the same in all records."""
    first = records[0] if records else {}
    names = {
        name: None
        for record in records[1:]
        for name in (*first, *(name for name in record if name not in first))
        if record.get(name) != first.get(name)
    }
    return [name for name in names if name not in ("seed", "algo.name", "dataset.name")]


def separating(records: Sequence[Mapping[str, str]], names: Iterable[str], kept: Sequence[str]) -> list[str]:
    """Return `kept`, and each name that tells apart records which agree in all names before it.

    So of two settings of which one follows from the other, as lambda and C, the first is returned.
    """
    result = list(kept)
    for name in names:
        values: dict[tuple[str, ...], set[str]] = {}
        for record in records:
            values.setdefault(tuple(record[before] for before in result), set()).add(record[name])
        if any(len(texts) > 1 for texts in values.values()):
            result.append(name)
    return result
