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
class Job:
    """A run that has begun."""

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


def result_of(job: Job, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the content of result.json: counters of the whole run, and as `final` the last evaluated point."""
    counters = job.solver.counters
    settings = job.settings.identity()
    resumed = [f"resumed {job.checkpoint.describe()}"] if job.checkpoint else []
    return {
        "key": job.key,
        "algo": job.settings.algo,
        "dataset": job.settings.dataset.name,
        "kernel": settings["kernel"]["name"],
        "seed": job.settings.seed,
        "settings": settings
        | {"dataset": dataclasses.asdict(job.settings.dataset), "origins": dict(job.settings.origins)},
        "counters": {**dataclasses.asdict(counters), "epochs": counters.epochs(job.data.n)},
        "cpu_seconds": job.solver.cpu_seconds,
        "wall_seconds": job.solver.wall_seconds,
        "elapsed_seconds": time.perf_counter() - job.started,
        "remarks": [*job.solver.remarks, *resumed],
        **job.engine.record(job.solver),
        "final": {name: rows[-1][name] for name in MEASURES if name in rows[-1]} if rows else {},
        "provenance": job.provenance,
    }


def points_of(curve: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the points of a stored curve; missing values are None."""
    return [
        {str(name): None if value != value or value is None else value for name, value in row.items()}
        for row in curve.astype(object).where(curve.notna(), None).to_dict("records")
    ]
