"""One run from settings to record: look it up, or load the data, assemble the problem, advance the solver, record."""

from __future__ import annotations

import contextlib
import dataclasses
import math
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from svm_cost_curves import datasets, solvers
from svm_cost_curves.experiments import provenance
from svm_cost_curves.experiments.configuration.settings import RunSettings
from svm_cost_curves.experiments.processes.outcome import Outcome, status_of
from svm_cost_curves.experiments.processes.stopping import uninterrupted
from svm_cost_curves.experiments.run.active_run import (
    ActiveRun,
    deliver_model,
    draw_if_possible,
    header_facts,
    is_complete,
    points_of,
    result_of,
    save_model_if_possible,
)
from svm_cost_curves.experiments.run.advance import LocalEngine, advance_run, costs_of
from svm_cost_curves.experiments.run.checkpointer import Checkpointer
from svm_cost_curves.experiments.run.console import Display
from svm_cost_curves.experiments.run.curve_builder import CurveBuilder
from svm_cost_curves.experiments.run.identity import code_id, run_key, settings_key
from svm_cost_curves.experiments.store import FinishedRun, Store
from svm_cost_curves.support.files import temporary_folder

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
        store.remove_leftovers()
        return _compute(settings, display, command, engine, store, fingerprint, build, key)


def _serves(settings: RunSettings, found: FinishedRun) -> bool:
    """Whether a stored run has what these settings ask for beside its curve: a model, times of a run made alone."""
    return is_complete(settings, found) and (found.alone or not settings.alone)


def _found(settings: RunSettings, display: Display, found: FinishedRun) -> Outcome:
    result = {**found.result, "dataset": settings.dataset.name}  # the same data may have another name now
    display.finished(result, lambda: points_of(found.curve), found=True)
    display.result_path(found.result_path)
    deliver_model(settings, found.directory)
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
    from svm_cost_curves.experiments.run.loaded import limited_threads, load

    data, assembled, evaluator = load(settings, fingerprint, display.note, display.warn)
    problem = assembled.problem
    with limited_threads(settings.threads):
        solver = engine.make_solver(settings, problem)
        checkpointer = _checkpointer(settings, store, fingerprint, build, display)
        costs = costs_of(solver)  # of a user's solver: what its views count
        settings.budget.check_counted(settings.algo, {name for name, value in costs.items() if value is None})
        checkpoint = checkpointer.read() if checkpointer else None
        solver = engine.prepare(solver, checkpoint)
        record = provenance.collect(build, data.provenance, command, settings.threads, settings.jobs)
        settings, now = assembled.settings, time.perf_counter()
        active = ActiveRun(
            *(settings, display, data, problem, evaluator, engine, solver),
            *(checkpointer, checkpoint, store, key, record, now),
        )
        display.header(settings, header_facts(active))
        return _record(active)


def _record(active: ActiveRun) -> Outcome:
    """Advance the solver and record the result, an interruption or an error."""
    try:
        builder = CurveBuilder(active.evaluator, active.data.n, active.display.pause)
        with temporary_folder() as folder:
            try:
                _advance(active, builder)
                curve = _curve(builder.rows)
                files = [
                    *draw_if_possible(active, curve, folder),
                    *save_model_if_possible(active, builder.last, folder),
                ]
            except KeyboardInterrupt as stopped:
                with uninterrupted():
                    return _interrupted(active, builder, stopped)
            with uninterrupted():
                done = active.store.finish(active.key, result_of(active, builder.rows), curve, files)
                if active.checkpointer:
                    active.checkpointer.remove()
    except BaseException as error:
        active.display.close()
        with contextlib.suppress(Exception):  # the first error is the one to report
            failed = result_of(active, ()) | {"error": f"{type(error).__name__}: {error}"}
            active.store.leave_unfinished(active.key, "failed", failed)
        raise
    active.display.finished(done.result, lambda: builder.rows, found=False)
    active.display.result_path(done.result_path)
    deliver_model(active.settings, done.directory)
    return Outcome.of_result(active.settings.label(), "finished", done.result, done.result_path)


def _advance(active: ActiveRun, builder: CurveBuilder) -> None:
    budget, n = active.settings.budget, active.data.n
    with active.engine.watching(active.solver) as raise_if_stopped:
        advance_run(
            active.solver,
            budget.limits(n),
            budget.schedule(n),
            builder,
            active.display,
            active.checkpointer,
            active.checkpoint,
            raise_if_stopped,
        )


def _interrupted(active: ActiveRun, builder: CurveBuilder, stopped: KeyboardInterrupt) -> Outcome:
    active.display.close()
    builder.preview_if_quick(QUICK_SECONDS)
    result = result_of(active, builder.rows)
    path = active.store.leave_unfinished(active.key, "interrupted", result, _curve(builder.rows))
    active.display.result_path(path)
    outcome = Outcome.of_result(active.settings.label(), status_of(stopped), result, path)
    resumable = active.checkpointer is not None and active.checkpointer.exists()
    anew = f"{'the curve so far is recorded; ' if builder.rows else ''}with the same command the run begins again"
    return dataclasses.replace(outcome, message="the same command resumes from its checkpoint" if resumable else anew)


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
    return Checkpointer(store.checkpoints / f"{key}.state", settings.checkpoint_seconds, identity, display.warn)


def _curve(rows: Sequence[Mapping[str, object]]) -> pd.DataFrame:
    from svm_cost_curves.experiments.curve import from_rows

    return from_rows(rows)
