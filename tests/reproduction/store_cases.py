"""A fake store in memory."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from evidence_cases import finished_run

from svm_cost_curves.experiments.reproduction.plan import PlannedRun
from svm_cost_curves.experiments.store import FinishedRun, Store

TOY = ["dataset.n=120", "dataset.n_test=60", "dataset.d=4", "dataset.shape=noisy", "budget.epochs=1"]
ROWS = [{"iterations": 1, "kernel_evaluations": 10, "epochs": 0.1, "cpu_seconds": 0.1, "test_error": 0.2}]


class FakeStore(Store):
    """Finished runs by key in memory."""

    def __init__(self) -> None:
        self._runs: dict[str, FinishedRun] = {}
        self.looked_up: list[list[str]] = []

    def find_all_finished(self, keys: Collection[str]) -> dict[str, FinishedRun]:
        self.looked_up.append(list(keys))
        return {key: self._runs[key] for key in keys if key in self._runs}

    def record(self, run: PlannedRun, *, commit: str | None = "a" * 40, jobs: int = 1) -> None:
        """Add a run with a made-up curve."""
        provenance: dict[str, Any] = {"commit": commit, "dirty": False, "jobs": jobs}
        self._runs[run.key] = finished_run(
            algo=run.settings.algo,
            dataset=run.settings.dataset.name,
            seed=run.settings.seed,
            rows=ROWS,
            provenance=provenance,
        )
