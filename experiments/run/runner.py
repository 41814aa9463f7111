"""One run from settings to record: look it up, or load the data, assemble the problem, advance the solver, record."""

from __future__ import annotations

import contextlib
import dataclasses
import math
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from threadpoolctl import threadpool_limits

from ... import datasets, solvers
from ...support.files import temporary_folder
from .. import provenance
from ..configuration.settings import RunSettings
from ..curve import from_rows
from ..processes.outcome import Outcome
from ..processes.stopping import status_of, uninterrupted
from ..store import FinishedRun, Store, StoreError
from .active_run import (
    ActiveRun,
    deliver_model,
    draw_if_possible,
    end_remarks,
    header_facts,
    is_complete,
    points_of,
    result_of,
    save_model_if_possible,
)
from .advance import LocalEngine, advance_run, costs_of
from .checkpointer import Checkpointer
from .console import Display
from .curve_builder import CurveBuilder
from .identity import code_id, run_key, settings_key
from .repeats import repeat_if_short

QUICK_SECONDS = 0.3
"""After Ctrl-C, pending points are evaluated if that takes at most this long."""

LOCAL = LocalEngine()


def run(
    settings: RunSettings,
    display: Display,
    command: Sequence[str],
    engine: LocalEngine = LOCAL,
    on_start: Callable[[], object] = lambda: None,
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
    on_start : callable
        Called before the run is computed, and not if it is in the store.

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
    fingerprint = datasets.fingerprint(settings.dataset, note=display.note)
    build = {**solvers.build_info(), "code": code_id(settings.solver)}
    key = run_key(settings.identity(), fingerprint, build["build_id"], build["isa"], build["code"])
    if store.server is not None:
        display.note(f"asking {store.server} for the run")
    recorded = store.find_finished(key)
    if recorded is not None and _serves(settings, recorded):
        return _show_recorded(settings, display, recorded)
    with store.computing(key, lambda process: display.warn(f"waiting for the run that {process} makes")) as recorded:
        if recorded is not None and _serves(settings, recorded):
            return _show_recorded(settings, display, recorded)
        if recorded is not None and not is_complete(settings, recorded):
            display.warn("this run is recorded without its model: it is made again")
        on_start()
        store.remove_leftovers()
        return _compute(settings, display, command, engine, store, fingerprint, build, key)


def _serves(settings: RunSettings, recorded: FinishedRun) -> bool:
    """Whether a stored run has the model and the comparable times that these settings ask for."""
    return is_complete(settings, recorded) and (recorded.timed or not settings.timed)


def _show_recorded(settings: RunSettings, display: Display, recorded: FinishedRun) -> Outcome:
    result = {**recorded.result, "dataset": settings.dataset.name}  # the same data may have another name now
    display.finished(result, lambda: points_of(recorded.curve), recorded=True)
    display.result_path(recorded.result_path)
    return _delivered(settings, Outcome.of_result(settings.label(), "found", result, recorded.result_path), recorded)


def _delivered(settings: RunSettings, outcome: Outcome, recorded: FinishedRun) -> Outcome:
    """Copy the model to the path of ``model=``, and return the run's outcome.

    If the path is a pipe, this waits for its reader, until Ctrl-C.
    """
    try:
        deliver_model(settings.model, recorded.directory)
    except KeyboardInterrupt as stopped:
        message = "the run is recorded; the same command writes its model"
        return dataclasses.replace(outcome, status=status_of(stopped), message=message)
    return outcome


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
    from .assembly import load  # imports scipy, which a stored run does not need

    data, problem, evaluator, completed = load(settings, fingerprint, display.note, display.warn)
    with threadpool_limits(limits=settings.threads):
        solver: Any = engine.make_solver(settings, problem)
        checkpointer = _checkpointer(settings, store, fingerprint, build, display)
        costs = costs_of(solver)  # None for each cost that the solver does not count
        settings.budget.check_counted(settings.algo, {name for name, value in costs.items() if value is None})
        checkpoint = checkpointer.read() if checkpointer else None
        if checkpoint is not None:
            engine.restore(solver, checkpoint)
        active = ActiveRun(
            settings=completed,
            display=display,
            data=data,
            problem=problem,
            evaluator=evaluator,
            engine=engine,
            solver=solver,
            checkpointer=checkpointer,
            checkpoint=checkpoint,
            store=store,
            key=key,
            provenance=provenance.collect(build, data.provenance, command, settings.threads, settings.jobs),
            started=time.perf_counter(),
        )
        display.header(completed, header_facts(active))
        return _record(active)


def _record(active: ActiveRun) -> Outcome:
    """Advance the solver and record the result, an interruption or an error.

    Signals are ignored while the record is written and shown: a terminal and the parent of a sweep send a process the
    same Ctrl-C at different times.
    """
    settings, display, budget, n = active.settings, active.display, active.settings.budget, active.data.n
    with contextlib.ExitStack() as ignoring_signals:
        try:
            builder = CurveBuilder(active.evaluator, n, display.pause)
            with temporary_folder() as folder:
                try:
                    with active.engine.watching(active.solver) as raise_if_stopped:
                        converged = advance_run(
                            active.solver,
                            budget.limits(n),
                            budget.schedule(n),
                            builder,
                            display,
                            checkpointer=active.checkpointer,
                            checkpoint=active.checkpoint,
                            raise_if_stopped=raise_if_stopped,
                        )
                        times = repeat_if_short(active, builder.rows, raise_if_stopped) if settings.timed else {}
                    curve = from_rows(builder.rows)
                    remarks = end_remarks(active, converged, builder.last) if builder.rows else []
                    files = draw_if_possible(active, curve, folder) if settings.picture else []
                    files += save_model_if_possible(active, builder.last, folder) if settings.model else []
                except KeyboardInterrupt as stopped:
                    ignoring_signals.enter_context(uninterrupted())
                    return _interrupted(active, builder, stopped)
                ignoring_signals.enter_context(uninterrupted())
                result = result_of(active, builder.rows, remarks) | times
                try:
                    done = active.store.finish(active.key, result, curve, files)
                except StoreError:  # as on a full disk: what was measured is shown at least
                    display.finished(result, lambda: builder.rows, recorded=False)
                    raise
                if active.checkpointer:
                    active.checkpointer.remove()
        except Exception as error:
            display.close()
            with contextlib.suppress(Exception):  # the first error is the one to report
                failed = result_of(active, ()) | {"error": f"{type(error).__name__}: {error}"}
                active.store.leave_unfinished(active.key, "failed", failed)
            raise
        display.finished(done.result, lambda: builder.rows, recorded=False)
        display.result_path(done.result_path)
    return _delivered(settings, Outcome.of_result(settings.label(), "finished", done.result, done.result_path), done)


def _interrupted(active: ActiveRun, builder: CurveBuilder, stopped: KeyboardInterrupt) -> Outcome:
    active.display.close()
    builder.preview_if_quick(QUICK_SECONDS)
    result = result_of(active, builder.rows)
    path = active.store.leave_unfinished(active.key, "interrupted", result, from_rows(builder.rows))
    active.display.result_path(path)
    outcome = Outcome.of_result(active.settings.label(), status_of(stopped), result, path)
    resumable = active.checkpointer is not None and active.checkpointer.exists()
    anew = f"{'the curve so far is recorded; ' if builder.rows else ''}with the same command the run begins again"
    return dataclasses.replace(outcome, message="the same command resumes from its checkpoint" if resumable else anew)


def _checkpointer(
    settings: RunSettings, store: Store, fingerprint: str, build: Mapping[str, str], display: Display
) -> Checkpointer | None:
    """Return the checkpointer of a run, or None. Settings and data determine the name of its file.

    The file also has the build and the instruction set: a checkpoint of another one is refused with a warning.
    """
    if not settings.solver.resumes:
        if settings.checkpoint_seconds is not None and math.isfinite(settings.checkpoint_seconds):
            display.warn(f"algo={settings.algo} cannot write checkpoints: if stopped, this run starts again")
        return None
    key = settings_key({**settings.identity(), "engine": None}, fingerprint)
    identity = {"key": key, "algo": settings.algo, "build": build["build_id"], "isa": build["isa"]}
    return Checkpointer(store.checkpoints / f"{key}.state", settings.checkpoint_seconds, identity, display.warn)
