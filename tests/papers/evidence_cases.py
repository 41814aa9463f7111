"""Synthetic evidence for figures: finished runs with invented curves."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from svm_cost_curves.experiments import curve
from svm_cost_curves.experiments.reproduction.build import with_computed
from svm_cost_curves.experiments.reproduction.evidence import Evidence, Panel, Run
from svm_cost_curves.experiments.reproduction.publish import write_json, write_tables
from svm_cost_curves.experiments.reproduction.published import FORMAT, write_sums
from svm_cost_curves.experiments.reproduction.spec import FigureSpec

N = 1000

Rows = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class MadeUp:
    """A run whose curve is kept in memory."""

    key: str
    result: dict[str, Any]
    curve: pd.DataFrame = field(compare=False, repr=False)

    @property
    def timed(self) -> bool:
        return bool(self.result["provenance"].get("jobs") == 1)


def finished_run(
    *,
    algo: str = "sbp",
    dataset: str = "adult",
    seed: int = 0,
    rows: Rows = (),
    n: int = N,
    n_test: int = 500,
    name: str = "",
    **overrides: Any,
) -> MadeUp:
    """Return a run whose curve has these rows (column to value; what is left out is missing); it has no files.

    The result's counters, seconds and final measures are those of the last row. `overrides` replaces parts of the
    result; a mapping is merged into the one that is there: ``settings={"problem": {"bias": True}}``. Runs of one
    algorithm, data set and seed need different names.
    """
    frame = curve.from_rows(rows)
    last = {column: value for column, value in (rows[-1] if rows else {}).items() if value is not None}
    seconds = last.get("cpu_seconds", 0.0)
    key = f"{name or algo}-{dataset}-{seed}"
    result = {
        "key": key,
        "status": "finished",
        "algo": algo,
        "dataset": dataset,
        "kernel": "gaussian",
        "seed": seed,
        "settings": {
            "algo": {"name": algo},
            "kernel": {"name": "gaussian", "sigma2": 10.0},
            "problem": {"lambda_": 1.0 / n, "C": 1.0, "nu": None, "bias": False},
            "budget": {"epochs": 10.0, "seconds": None, "checkpoints": 60},
            "seed": seed,
            "dataset": {"name": dataset},
            "origins": {},
        },
        "counters": {count: last.get(count) for count in (*curve.COUNTS, "epochs")},
        "cpu_seconds": seconds,
        "wall_seconds": last.get("wall_seconds", seconds),
        "final": {measure: last.get(measure) for measure in curve.MEASURES},
        "provenance": {
            "commit": "0123456789abcdef",
            "dirty": False,
            "build": {"build_id": "build"},
            "data": {
                "files": [],
                "stand_in": False,
                "stand_in_why": "",
                "counts": {
                    "train": {"n": n, "d": 10, "positives": n // 2},
                    "test": {"n": n_test, "d": 10, "positives": n_test // 2},
                },
            },
            "cpu": "a processor",
            "cores": 2,
            "threads": 1,
            "versions": {},
            "command": f"python3 run.py algo={algo} dataset={dataset} seed={seed}",
        },
    }
    return MadeUp(key, _merge(result, overrides), frame)


def rows_of(**columns: Any) -> Rows:
    """Return the rows of a curve of these columns: an array, or one number for all rows; None is missing.

    Iterations are 1, 2, 3, ... unless they are given; counters are cut to integers.
    """
    given = {"iterations": range(1, 1 + max(map(np.size, columns.values()))), **columns}
    values = np.broadcast_arrays(*(np.asarray(value, dtype=object) for value in given.values()))
    return [
        {name: int(value) if name in curve.COUNTS else value for name, value in zip(given, row, strict=True)}
        for row in zip(*values, strict=True)
    ]


def panel(dataset: str, runs: Mapping[str, Sequence[Run]], **fields: Any) -> Panel:
    """One data set's runs. The paper's data set is the same unless `paper_dataset` says otherwise."""
    given = {name: tuple(members) for name, members in runs.items()}
    return Panel(**{"dataset": dataset, "paper_dataset": dataset, "runs": given, **fields})


def evidence(
    spec: FigureSpec, panels: Sequence[Panel], scale: str = "paper", absent: Mapping[str, str] | None = None
) -> Evidence:
    """Return the argument of a maker."""
    return Evidence(spec, scale, tuple(panels), dict(absent or {}))


def with_data(evidence: Evidence) -> Evidence:
    """Add what the figure's module computes from the data, as a file of evidence returns it."""
    return replace(evidence, computed=json.loads(json.dumps(with_computed(evidence).computed, sort_keys=True)))


def put_evidence(folder: Path, figure: str, runs: Sequence[Run], tables: str = "sbp") -> None:
    """Publish runs without a plan: a panel with a series for each of their solvers."""
    facts = {"figure": figure, "tables": tables, "format": FORMAT, "scale": "paper", "command": "", "absent": {}}
    facts |= {"panels": [], "computed": {}, "resolved": None}
    names = {"figure": figure, "settings": ""}
    rows = [
        {**names, "panel": run.result["dataset"], "series": run.result["algo"], "key": run.key} | _names(run)
        for run in runs
    ]
    write_json(folder / f"{figure}.json", facts)
    write_tables(folder, tables, figure, rows, {run.key: (f"settings of {run.key}", run) for run in runs})
    write_sums(folder, f"{figure}.json")


def _names(run: Run) -> dict[str, Any]:
    return {name: run.result[name] for name in ("dataset", "seed")}


def _merge(base: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(base)
    for name, value in changes.items():
        old = merged.get(name)
        merged[name] = _merge(old, value) if isinstance(old, Mapping) and isinstance(value, Mapping) else value
    return merged
