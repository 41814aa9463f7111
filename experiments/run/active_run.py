"""A run that has begun, and the content of its result.json."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from svm_cost_curves.datasets import Dataset
from svm_cost_curves.experiments.columns import MEASURES
from svm_cost_curves.experiments.configuration.settings import RunSettings
from svm_cost_curves.experiments.run.advance import LocalEngine
from svm_cost_curves.experiments.run.checkpointer import Checkpoint, Checkpointer
from svm_cost_curves.experiments.run.console import Display
from svm_cost_curves.experiments.run.curve_builder import Evaluates
from svm_cost_curves.experiments.store import Store

if TYPE_CHECKING:
    import pandas as pd


@dataclasses.dataclass(frozen=True)
class ActiveRun:
    """A run that has begun: its data are loaded, and its solver is made.

    Attributes
    ----------
    settings : RunSettings
    display : Display
    data : Dataset
    problem : Problem
    evaluator : Evaluator
    engine : LocalEngine
        Advances the solver.
    solver : Solver
    checkpointer, checkpoint : Checkpointer, Checkpoint or None
        None where the solver cannot be resumed, and where the run begins at its beginning.
    store : Store
    key : str
        Of the record (`experiments.run.identity.run_key`).
    provenance : dict
        `experiments.provenance.collect`.
    started : float
        `time.perf_counter` at its begin, seconds.
    """

    settings: RunSettings
    display: Display
    data: Dataset
    problem: Any
    evaluator: Evaluates
    engine: LocalEngine
    solver: Any
    checkpointer: Checkpointer | None
    checkpoint: Checkpoint | None
    store: Store
    key: str
    provenance: dict[str, Any]
    started: float


def result_of(run: ActiveRun, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the content of result.json: counters of the whole run, and as `final` the last evaluated point."""
    counters = run.solver.counters
    settings, data = run.settings.identity(), run.settings.dataset
    recorded = {"kind": data.kind, **dataclasses.asdict(data)}
    resumed = [f"resumed {run.checkpoint.describe()}"] if run.checkpoint else []
    return {
        "key": run.key,
        "algo": run.settings.algo,
        "dataset": run.settings.dataset.name,
        "kernel": settings["kernel"]["name"],
        "seed": run.settings.seed,
        "settings": settings | {"dataset": recorded, "origins": dict(run.settings.origins)},
        "counters": {**dataclasses.asdict(counters), "epochs": counters.epochs(run.data.n)},
        "cpu_seconds": run.solver.cpu_seconds,
        "wall_seconds": run.solver.wall_seconds,
        "elapsed_seconds": time.perf_counter() - run.started,
        "remarks": [*run.solver.remarks, *resumed],
        **run.engine.record(run.solver),
        "final": {name: rows[-1][name] for name in MEASURES if name in rows[-1]} if rows else {},
        "provenance": run.provenance,
    }


def points_of(curve: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the points of a stored curve; missing values are None."""
    return [
        {str(name): None if value != value or value is None else value for name, value in row.items()}
        for row in curve.astype(object).where(curve.notna(), None).to_dict("records")
    ]
