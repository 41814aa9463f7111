"""The lines of a run's header that are not settings: data, kernel rows, limits, record."""

from __future__ import annotations

from typing import Any

from svm_cost_curves.datasets import Dataset, Stream
from svm_cost_curves.datasets.types import count_nonzero
from svm_cost_curves.experiments.configuration.settings import RunSettings
from svm_cost_curves.experiments.run.advance import costs_of, counted
from svm_cost_curves.experiments.run.checkpointer import Checkpoint
from svm_cost_curves.experiments.run.console import count
from svm_cost_curves.experiments.store import Store


def header_facts(
    settings: RunSettings,
    data: Dataset,
    problem: Any,
    solver: Any,
    store: Store,
    key: str,
    checkpoint: Checkpoint | None,
) -> dict[str, str]:
    """Return the lines by name. The data are loaded, the problem is assembled, and the solver has made no step."""
    n, d = data.n, data.d
    limit = counted(settings.budget.limits(n), costs_of(solver))
    positives = int((data.y > 0).sum())
    ends = " or ".join(_limit(name, value, n) for name, value in limit.given().items())
    return {
        "training set": f"n = {n:,}, d = {d:,}, {_filling(data)}; "
        f"{positives:,} positive, {n - positives:,} negative; test set {data.X_test.shape[0]:,}",
        **({"data": _file_facts(data)} if settings.dataset.kind in ("file", "sklearn", "openml") else {}),
        "kernel rows": rows_line(problem),
        **({"note": "; ".join(solver.remarks)} if solver.remarks else {}),
        **({"resumed": checkpoint.describe()} if checkpoint else {}),
        "ends": f"after at most {ends}" if ends else "by itself",
        "curve": _evaluations(settings),
        "record": f"{store.root}, key {key}" + (f"; shared on {store.server}" if store.server else ""),
    }


def _limit(name: str, value: float, n: int) -> str:
    if name == "cpu_seconds":
        return f"{value:,.12g} CPU seconds"
    passes = f" ({value / n:.3g} passes over the data)" if name == "presentations" else ""
    return f"{count(value)} {name.replace('_', ' ')}{passes}"


def _file_facts(data: Dataset) -> str:
    """Return how data without published parts were read: their labels, their indices, their split."""
    record = data.provenance
    return "; ".join([record["label_rule"], *record["transforms"], record["split"]])


def _evaluations(settings: RunSettings) -> str:
    budget = settings.budget
    even = "" if budget.every is None else f", and one every {budget.every:g} epochs"
    last = "" if budget.tail is None else f" of the last {budget.tail:g}"
    return f"at most {budget.evaluations} evaluations{even}{last}"


def _filling(data: Dataset) -> str:
    if isinstance(data.points, Stream):
        return "made when they are needed"
    nonzero = count_nonzero(data.X)
    return f"{nonzero:,} values not zero ({nonzero / (data.n * data.d):.1%})"


def rows_line(problem: Any) -> str:
    """Return where kernel rows come from. A problem makes its rows at their first use, and some solvers use none."""
    return problem.describe_rows() if "rows" in vars(problem) else "none needed"
