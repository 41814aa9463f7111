"""Runs as one table: a row for each point of their curves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from experiments.columns import COLUMNS
from experiments.store.finished_run import FinishedRun
from experiments.store.serialize import flatten

FIRST = ("algo", "dataset", "seed")


def tidy(runs: Sequence[FinishedRun]) -> pd.DataFrame:
    """Return the curves of some runs as one table.

    Parameters
    ----------
    runs : sequence of FinishedRun

    Returns
    -------
    DataFrame
        A row for each point, with the columns ``algo``, ``dataset`` and ``seed``, each setting that differs between the
        runs (``problem.C``), ``run`` (the run's key), and those of `experiments.columns.COLUMNS` that a run has: counts
        as integers, seconds, and measures (errors are fractions).
    """
    records = [dict(flatten(run.result["settings"])) for run in runs]
    frames = []
    for run, record in zip(runs, records, strict=True):
        own = {name: run.result[name] for name in FIRST}
        own |= {name: record.get(name) for name in _differing(records)} | {"run": run.key}
        points = run.curve.dropna(axis="columns", how="all").reset_index(drop=True)
        facts = pd.DataFrame({name: [value] * len(points) for name, value in own.items()}, index=points.index)
        frames.append(pd.concat([facts, points], axis="columns"))
    if not frames:
        return pd.DataFrame(columns=[*FIRST, "run", *COLUMNS])
    whole = pd.concat(frames, ignore_index=True)
    return whole[[name for name in whole.columns if name not in COLUMNS] + [c for c in COLUMNS if c in whole.columns]]


def _differing(records: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the settings, other than seed and names, whose values are not the same in all runs."""
    each = list(records)
    names = dict.fromkeys(name for record in each for name in record)
    varied = [name for name in names if len({repr(record.get(name)) for record in each}) > 1]
    return [
        name for name in varied if name not in ("seed", "algo.name", "dataset.name") and not name.startswith("origins")
    ]
