"""A run that has begun: the lines of its header, the content of its result.json, its picture and its model.

The model (``model=model.npz``) is the final predictor; it is made with the run, and stored among its files.
"""

from __future__ import annotations

import dataclasses
import re
import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...datasets import Dataset, FileData, Stream
from ...datasets.types import count_nonzero
from ...solvers import Limit, SettingsError, Snapshot
from ...solvers.models import model_of
from ...support.errors import reason
from ...support.files import read_plain, write_output
from ...support.text import command_line
from ...support.values import plain
from ..columns import MEASURES
from ..configuration.schema import kernel_name
from ..configuration.settings import RunSettings
from ..provenance import commit_text
from ..store import FinishedRun, Store
from ..store.run_folder import is_intact
from .advance import LocalEngine, costs_of, counted
from .checkpointer import Checkpoint, Checkpointer
from .console import CURVE_PICTURE, Display, count

if TYPE_CHECKING:
    import pandas as pd

    from ...solvers.evaluation import Evaluator


MODEL_FILE = "model.npz"
"""Name in the run's folder."""


@dataclass(frozen=True)
class ActiveRun:
    """A run whose data are loaded, and whose solver is made."""

    settings: RunSettings
    display: Display
    data: Dataset
    problem: Any
    evaluator: Evaluator
    engine: LocalEngine
    solver: Any
    checkpointer: Checkpointer | None
    """None where the solver cannot be resumed."""
    checkpoint: Checkpoint | None
    """None where the run begins at its beginning."""
    store: Store
    key: str
    provenance: dict[str, Any]
    """`experiments.provenance.collect`."""
    started: float
    """`time.perf_counter` at its begin, seconds."""


def header_facts(run: ActiveRun) -> dict[str, str]:
    """Return the lines of a run's header that are not settings; the solver has made no step."""
    settings, data, budget = run.settings, run.data, run.settings.budget
    limit = counted(budget.limits(data.n), costs_of(run.solver))
    positives = int((data.y > 0).sum())
    limits = _limits(limit, data.n)
    read, server = data.provenance, run.store.server
    made = "rows" in vars(run.problem)  # at their first use; some solvers use none
    filling, curve = "made when they are needed", f"at most {budget.evaluations} evaluations"
    if not isinstance(data.points, Stream):
        nonzero = count_nonzero(data.X)
        filling = f"{nonzero:,} values not zero ({nonzero / (data.n * data.d):.1%})"
    if budget.every is not None:
        curve += f", and one every {budget.every:g} epochs"
    if budget.tail is not None:
        curve += f" of the last {budget.tail:g}"
    facts = {
        "training set": f"n = {data.n:,}, d = {data.d:,}, {filling}; "
        f"{positives:,} positive, {data.n - positives:,} negative; test set {data.X_test.shape[0]:,}",
        "data": "; ".join([read["label_rule"], *read["transforms"], read["split"]])
        if settings.dataset.kind in ("file", "sklearn", "openml")
        else "",
        "kernel rows": run.problem.rows.description if made else "none needed",
        "note": "; ".join(run.solver.remarks),
        "resumed": run.checkpoint.describe() if run.checkpoint else "",
        "ends": f"after at most {' or '.join(limits)}" if limits else "by itself",
        "curve": curve,
        "record": f"{run.store.root}, key {run.key}" + (f"; shared on {server}" if server else ""),
    }
    return {name: text for name, text in facts.items() if text}


def _limits(limit: Limit, n: int) -> list[str]:
    """Describe where a run of n examples ends."""
    texts = []
    for name, value in limit.given().items():
        passes = f" ({value / n:.3g} passes over the data)" if name == "presentations" else ""
        text = f"{count(value)} {name.replace('_', ' ')}{passes}"
        texts.append(f"{value:,.12g} CPU seconds" if name == "cpu_seconds" else text)
    return texts


def end_remarks(run: ActiveRun, converged: bool, last: Snapshot) -> list[str]:
    """Return sentences about the end of a run: it was not the method's own, or its last snapshot is degenerate."""
    remarks = []
    if run.settings.solver.has_stopping_rule() and not converged:
        limit = counted(run.settings.budget.limits(run.data.n), costs_of(run.solver))
        limits = " or ".join(_limits(limit, run.data.n))
        remarks.append(
            f"ended at its limit of {limits}, where its stopping rule did not hold yet: it has not converged"
        )
    if defect := run.evaluator.defect(last):
        remarks.append(defect)
    return remarks


def result_of(run: ActiveRun, rows: Sequence[Mapping[str, Any]], remarks: Sequence[str] = ()) -> dict[str, Any]:
    """Return the content of result.json: counters of the whole run, and as `final` the last evaluated point.

    `remarks` are those of `end_remarks`, where the run has come to its end.
    """
    counters = run.solver.counters
    settings, data = run.settings.identity(), run.settings.dataset
    recorded = {"kind": data.kind, **dataclasses.asdict(data)}
    resumed = [f"resumed {run.checkpoint.describe()}"] if run.checkpoint else []
    communication = {"communication": costs} if (costs := getattr(run.solver, "communication", None)) else {}
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
        "remarks": [*run.solver.remarks, *remarks, *resumed],
        **communication,
        "final": {name: rows[-1][name] for name in MEASURES if name in rows[-1]} if rows else {},
        "provenance": run.provenance,
    }


def points_of(curve: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the points of a stored curve; missing values are None."""
    points: Any = curve.astype(object).where(curve.notna(), None).to_dict("records")
    return list(points)


def draw_if_possible(run: ActiveRun, curve: pd.DataFrame, folder: Path) -> list[Path]:
    """Draw a run's curve against its solver's cost, and return the path of the PNG file.

    Return nothing, with a warning, after an error: no result is lost to it.
    """
    settings, facts = run.settings, run.provenance
    try:
        from ..curve import step_cost
        from ..plotting import curves_picture

        commit = commit_text(facts["commit"], facts["dirty"])
        stand_in = " (stand-in)" if facts["data"].get("stand_in") else ""
        command = re.sub(r"^run\.py(?= )", command_line("run"), facts["command"])
        numbers = ", ".join(f"{name}={value:g}" for name, value in dataclasses.asdict(settings.kernel).items())
        curves_picture(
            {settings.algo: [curve]},
            cost=step_cost(curve) if curve[run.solver.cost].isna().any() else run.solver.cost,
            title=f"{settings.algo} on {settings.dataset.name}{stand_in}, seed {settings.seed}",
            small_print=f"{kernel_name(settings.kernel)} kernel {numbers}; key {run.key}; commit {commit or 'none'}; "
            f"{command}",
        ).save(folder / CURVE_PICTURE)
    except Exception as error:
        warnings.warn(f"no picture of {settings.label()}: {type(error).__name__}: {error}", stacklevel=2)
        return []
    return [folder / CURVE_PICTURE]


def save_model_if_possible(run: ActiveRun, snapshot: Snapshot, folder: Path) -> list[Path]:
    """Write the predictor of a snapshot; return its path, or nothing with a warning.

    Its entries about the data let `experiments.predict` read other files alike.
    """
    spec, facts = run.settings.dataset, run.data.provenance
    about = {
        "algo": run.settings.algo,
        "dataset": spec.name,
        "settings": plain(run.settings.identity(), "settings"),
        "labels": facts["labels"],
        "from_zero": facts["from_zero"],
        "transforms": {name: getattr(spec, name) for name in ("divide_by", "scaling", "row_norm")},
        "columns": list(run.data.columns),
    }
    if isinstance(spec, FileData):
        about |= {"label_column": spec.label_column, "drop_columns": list(spec.drop_columns)}
    try:
        model_of(run.problem, snapshot, _classes(facts["labels"]), about).save(folder / MODEL_FILE)
    except (NotImplementedError, OSError) as error:  # the run is recorded all the same
        run.display.warn(f"no model: {reason(error)}")
        return []
    return [folder / MODEL_FILE]


def _classes(labels: dict[str, Any]) -> tuple[Any, Any]:
    """Return the labels of both classes as in the files; -1 and +1 if a class has several."""
    groups, names = [labels["negative"] or (), labels["positive"]], labels["classes"]
    if any(len(group) != 1 for group in groups):
        return -1, 1
    (negative,), (positive,) = groups
    return (names[int(negative)], names[int(positive)]) if names else (negative, positive)


def is_complete(settings: RunSettings, run: FinishedRun) -> bool:
    """Return whether a finished run has a model, or none is asked for."""
    return settings.model is None or is_intact(run.directory, MODEL_FILE)


def deliver_model(path: Path | None, folder: Path) -> None:
    """Copy the model of a run, if it is asked for and there is one, from the run's folder to `path`.

    Raises SettingsError: the file cannot be written.
    """
    if path is None or not (folder / MODEL_FILE).exists():
        return
    try:
        write_output(path, read_plain(folder / MODEL_FILE))
    except OSError as error:
        raise SettingsError(
            f"model={path} cannot be written: {reason(error, path)}; the run is recorded, and "
            "with another model= the same command writes its model"
        ) from error
