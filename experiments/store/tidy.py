"""Runs as one table: a row for each point of their curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import pandas as pd

from experiments.columns import COLUMNS
from experiments.store.run_folder import FinishedRun
from experiments.store.serialize import flatten

FIRST = ("algo", "dataset", "seed")
_DESCRIPTIONS: Final = tuple(
    f"dataset.{name}"
    for name in ("description", "source", "licence", "remarks", "stand_in", "files", "expected_train", "expected_test")
)
"""Entries of a data set that say what it is; its name tells them apart."""


def tidy(runs: Sequence[FinishedRun]) -> pd.DataFrame:
    """Return the curves of some runs as one table.

    Parameters
    ----------
    runs : sequence of FinishedRun

    Returns
    -------
    DataFrame
        A row for each point, with the columns ``algo``, ``dataset`` and ``seed``, each setting that differs between the
        runs (``problem.C``), what differs of their builds (``build.isa``), ``run`` (the run's key), and those of
        `experiments.columns.COLUMNS` that a run has: counts as integers, seconds, and measures (errors are fractions).
    """
    records = [record_of(run) for run in runs]
    names, frames = differing(records), []
    for run, record in zip(runs, records, strict=True):
        own = {name: run.result[name] for name in FIRST}
        own |= {name: record.get(name) for name in names} | {"run": run.key}
        points = run.curve.dropna(axis="columns", how="all").reset_index(drop=True)
        facts = pd.DataFrame({name: [value] * len(points) for name, value in own.items()}, index=points.index)
        frames.append(pd.concat([facts, points], axis="columns"))
    if not frames:
        return pd.DataFrame(columns=[*FIRST, "run", *COLUMNS])
    whole = pd.concat(frames, ignore_index=True)
    return whole[[name for name in whole.columns if name not in COLUMNS] + [c for c in COLUMNS if c in whole.columns]]


def record_of(run: FinishedRun) -> dict[str, Any]:
    """Return the settings of a run by dotted names, and of its build what a run's key depends on."""
    recorded = run.result["provenance"]["build"]
    build = {name: str(recorded[name])[:12] for name in ("build_id", "isa", "code") if name in recorded}
    settings = {name: value for name, value in run.result["settings"].items() if name != "origins"}
    leaves = flatten({**settings, "build": build})
    return {name: value for name, value in leaves if not name.startswith(_DESCRIPTIONS)}


def differing(records: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the names, other than seed, algorithm and data set, whose values are not the same in all records."""
    names = dict.fromkeys(name for record in records for name in record)
    first = {name: records[0].get(name) for name in names} if records else {}
    varied = {
        name
        for record in records
        for name, value in first.items()
        if (other := record.get(name)) != value or type(other) is not type(value)
    }
    return [name for name in names if name in varied and name not in ("seed", "algo.name", "dataset.name")]
