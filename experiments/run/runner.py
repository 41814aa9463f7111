"""One run from settings to record: look it up, or load the data, assemble the problem, advance the solver, record."""

from __future__ import annotations

import contextlib
import dataclasses
import math
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import datasets
import solvers
from datasets import Dataset, Stream
from datasets.types import count_nonzero
from experiments import provenance
from experiments.columns import MEASURES
from experiments.configuration.schema import kernel_name
from experiments.configuration.settings import RunSettings
from experiments.processes.outcome import Outcome, status_of
from experiments.processes.stopping import uninterrupted
from experiments.run.advance import LocalEngine, advance_run, costs_of, counted
from experiments.run.checkpointer import FOLDER, Checkpoint, Checkpointer
from experiments.run.code_identity import code_id
from experiments.run.console import CURVE_PICTURE, Display, count
from experiments.run.identity import run_key, settings_key
from experiments.run.leftovers import remove_leftovers
from experiments.run.model_file import MODEL_FILE, deliver, is_complete, model_of_run
from experiments.run.recorder import Evaluates, Recorder
from experiments.store import FinishedRun, Store
from support.files import temporary_folder

if TYPE_CHECKING:
    import pandas as pd

QUICK_SECONDS = 0.3
"""After Ctrl-C, pending points are evaluated if that takes at most this long."""

LOCAL = LocalEngine()


def run(
    settings: RunSettings,
    display: Display,
    command: Sequence[str],
    engine: LocalEngine = LOCAL,
    begun: Callable[[], None] = lambda: None,
) -> Outcome:
    """Compute one run, or find it in the store; wait if another process computes it already.

    Parameters
    ----------
    settings : RunSettings
    display : Display
    command : sequence of str
        The command line, for the record.
    engine : LocalEngine
        Makes and advances the solver: in this process, or on all ranks with this one as rank 0.
    begun : callable
        Called when the run is not in the store and is about to be computed.

    Returns
    -------
    Outcome
        ``finished``, ``found`` or ``interrupted``.

    Raises
    ------
    SettingsError, DataError, StoreError
        The user's errors. Nothing has been recorded, unless the store itself failed, or only the file of the model
        cannot be written.
    """
    store = Store.open(settings.store_root, server=settings.store_uri)
    fingerprint = datasets.fingerprint(settings.dataset)
    build = {**solvers.build_info(), "code": code_id(settings.solver)}
    key = run_key(settings.identity(), fingerprint, build["build_id"], build["isa"], build["code"])
    found = store.find_finished(key)
    if found is not None and _serves(settings, found):
        return _found(settings, display, found)
    with store.computing(key, lambda other: display.warn(f"waiting for the run that {other} makes")) as found:
        if found is not None and _serves(settings, found):
            return _found(settings, display, found)
        if found is not None and not is_complete(settings, found):
            display.warn("this run is recorded without its model: it is made again")
        begun()
        remove_leftovers(store)
        return _compute(settings, display, command, engine, store, fingerprint, build, key)


def _serves(settings: RunSettings, found: FinishedRun) -> bool:
    """Whether a stored run has what these settings ask for beside its curve: a model, times of a run made alone."""
    return is_complete(settings, found) and (found.alone or not settings.alone)


def _found(settings: RunSettings, display: Display, found: FinishedRun) -> Outcome:
    result = {**found.result, "dataset": settings.dataset.name}  # the same data may have another name now
    display.finished(result, lambda: _rows(found.curve), found=True)
    display.result_path(found.result_path)
    deliver(settings, found.directory)
    return Outcome.of_result(settings.label(), "found", result, found.result_path)


def _compute(
    settings: RunSettings,
    display: Display,
    command: Sequence[str],
    engine: LocalEngine,
    store: Store,
    fingerprint: str,
    build: Mapping[str, str],
    key: str,
) -> Outcome:
    from experiments.run.loaded import limited_threads, load

    loaded = load(settings, fingerprint, display.note)
    data, assembled = loaded.data, loaded.assembled
    with limited_threads(settings.threads):
        solver = engine.make_solver(settings, assembled.problem)
        checkpointer = _checkpointer(settings, store, fingerprint, build, display)
        costs = costs_of(solver)  # of a user's solver: what its views count
        settings.budget.check_counted(settings.algo, {name for name, value in costs.items() if value is None})
        checkpoint = checkpointer.read() if checkpointer else None
        solver = engine.prepare(solver, checkpoint)
        record = provenance.collect(build, data.provenance, command, settings.threads, settings.jobs)
        settings, resolved = assembled.settings, assembled.settings.identity()
        facts = _facts(settings, data, assembled.problem, solver, store, key, checkpoint)
        display.header(settings, facts, resolved, settings.origins)
        problem, evaluator = assembled.problem, loaded.evaluator
        return _record(
            _Job(
                settings,
                display,
                data,
                problem,
                evaluator,
                engine,
                solver,
                checkpointer,
                checkpoint,
                store,
                key,
                record,
                time.perf_counter(),
            )
        )


@dataclasses.dataclass(frozen=True)
class _Job:
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


def _record(job: _Job) -> Outcome:
    """Advance the solver and record the result, an interruption or an error."""
    try:
        recorder = Recorder(job.evaluator, job.data.n, job.display.pause)
        with temporary_folder() as folder:
            picture = folder / CURVE_PICTURE
            try:
                _advance(job, recorder)
                curve = _curve(recorder.rows)
                files = [picture] if job.settings.picture and _drawn(job, curve, picture) else []
                files += _saved_models(job, recorder, folder)
            except KeyboardInterrupt as stopped:
                with uninterrupted():
                    return _interrupted(job, recorder, stopped)
            with uninterrupted():
                done = job.store.finish(job.key, _result(job, recorder.rows), curve, files)
                if job.checkpointer:
                    job.checkpointer.remove()
    except BaseException as error:
        job.display.close()
        with contextlib.suppress(Exception):  # the first error is the one to report
            failed = _result(job, ()) | {"error": f"{type(error).__name__}: {error}"}
            job.store.leave_unfinished(job.key, "failed", failed)
        raise
    job.display.finished(done.result, lambda: recorder.rows, found=False)
    job.display.result_path(done.result_path)
    deliver(job.settings, done.directory)
    return Outcome.of_result(job.settings.label(), "finished", done.result, done.result_path)


def _advance(job: _Job, recorder: Recorder) -> None:
    budget, n = job.settings.budget, job.data.n
    with job.engine.watching(job.solver) as raise_if_stopped:
        advance_run(
            job.solver,
            budget.limits(n),
            budget.schedule(n),
            recorder,
            job.display,
            job.checkpointer,
            job.checkpoint,
            raise_if_stopped,
        )


def _interrupted(job: _Job, recorder: Recorder, stopped: KeyboardInterrupt) -> Outcome:
    job.display.close()
    recorder.preview_if_quick(QUICK_SECONDS)
    result = _result(job, recorder.rows)
    path = job.store.leave_unfinished(job.key, "interrupted", result, _curve(recorder.rows))
    job.display.result_path(path)
    outcome = Outcome.of_result(job.settings.label(), status_of(stopped), result, path)
    resumable = job.checkpointer is not None and job.checkpointer.exists()
    anew = f"{'the curve so far is recorded; ' if recorder.rows else ''}with the same command the run begins again"
    return dataclasses.replace(outcome, message="the same command resumes from its checkpoint" if resumable else anew)


def _facts(
    settings: RunSettings,
    data: Dataset,
    problem: Any,
    solver: Any,
    store: Store,
    key: str,
    checkpoint: Checkpoint | None,
) -> dict[str, str]:
    """Lines of the header that are not settings."""
    n, d = data.n, data.d
    limit = counted(settings.budget.limits(n), costs_of(solver))
    positives = int((data.y > 0).sum())
    ends = " or ".join(
        f"{value:,.12g} CPU seconds" if name == "cpu_seconds" else f"{count(value)} {name.replace('_', ' ')}"
        for name, value in limit.given().items()
    )
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


def _checkpointer(
    settings: RunSettings, store: Store, fingerprint: str, build: Mapping[str, str], display: Display
) -> Checkpointer | None:
    """Return the checkpointer of a run: it has the same file for any engine, number of ranks, build, instruction set.

    The file names its build and instruction set; one of another build or instruction set is refused with a warning.
    """
    if not settings.solver.resumes:
        if settings.checkpoint_seconds is not None and math.isfinite(settings.checkpoint_seconds):
            display.warn(f"algo={settings.algo} cannot write checkpoints: if stopped, this run starts again")
        return None
    key = settings_key({**settings.identity(), "engine": None}, fingerprint)
    identity = {"key": key, "algo": settings.algo, "build": build["build_id"], "isa": build["isa"]}
    return Checkpointer(store.root / FOLDER / f"{key}.state", settings.checkpoint_seconds, identity, display.warn)


def rows_line(problem: Any) -> str:
    """Return where kernel rows come from. A problem makes its rows at their first use, and some solvers use none."""
    return problem.describe_rows() if "rows" in vars(problem) else "none needed"


def _result(job: _Job, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Content of result.json. The counters are those of the whole run, `final` is the last evaluated point."""
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


def _curve(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    from experiments.curve import from_rows

    return from_rows(rows)


def _rows(curve: pd.DataFrame) -> list[dict[str, Any]]:
    """Points of a stored curve; what is missing is None."""
    return [
        {str(name): None if value != value or value is None else value for name, value in row.items()}
        for row in curve.astype(object).where(curve.notna(), None).to_dict("records")
    ]


def _saved_models(job: _Job, recorder: Recorder, folder: Path) -> list[Path]:
    """Write the final predictor, if it is asked for; return its path, or nothing with a warning."""
    if job.settings.model is None:
        return []
    try:
        model_of_run(job.settings, job.data, job.problem, recorder.last).save(folder / MODEL_FILE)
    except NotImplementedError as error:
        job.display.warn(f"no model: {error}")
        return []
    return [folder / MODEL_FILE]


def _drawn(job: _Job, curve: pd.DataFrame, path: Path) -> bool:
    """Draw the picture and return True; an error is a warning only, so that no computed result is lost to it."""
    try:
        draw_curve(job, curve, path)
    except Exception as error:
        warnings.warn(f"no picture of {job.settings.label()}: {type(error).__name__}: {error}", stacklevel=2)
        return False
    return True


def draw_curve(job: _Job, curve: pd.DataFrame, path: Path) -> None:
    """Draw one run's test error against its cost."""
    from experiments.curve import step_cost
    from experiments.plotting import plot_curves

    kernel, commit = job.settings.kernel, provenance.commit_text(job.provenance["commit"], job.provenance["dirty"])
    stand_in = " (stand-in)" if job.data.provenance.get("stand_in") else ""
    numbers = ", ".join(f"{name}={value:g}" for name, value in dataclasses.asdict(kernel).items())
    plot_curves(
        {job.settings.algo: [curve]},
        cost=step_cost(curve) if curve[job.solver.cost].isna().any() else job.solver.cost,
        title=f"{job.settings.algo} on {job.settings.dataset.name}{stand_in}, seed {job.settings.seed}",
        small_print=f"{kernel_name(kernel)} kernel {numbers}; key {job.key}; "
        f"commit {commit or 'none'}; {job.provenance['command']}",
        path_png=path,
    )
