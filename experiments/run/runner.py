"""One run from settings to record: look it up, or load, assemble, advance from checkpoint to checkpoint, record."""

from __future__ import annotations

import contextlib
import dataclasses
import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import datasets
import solvers
from datasets import Dataset, Stream
from datasets.types import count_nonzero
from experiments import provenance
from experiments.configuration.schedule import Limits
from experiments.configuration.schema import kernel_name
from experiments.configuration.settings import RunSettings
from experiments.processes.outcome import Outcome, status_of
from experiments.processes.stopping import Wish, deferred, uninterrupted
from experiments.run.advance import costs_of, go_on
from experiments.run.assembly import Assembled, assemble
from experiments.run.checkpointer import FOLDER, Keeper, Kept
from experiments.run.console import CURVE_PICTURE, Display, count
from experiments.run.identity import run_key, settings_key
from experiments.run.leftovers import remove_leftovers
from experiments.run.recorder import Evaluates, Recorder
from experiments.run.team import TEAM_OF_ONE, Team
from experiments.store import FinishedRun, RunHandle, Store
from support.files import temporary_folder

if TYPE_CHECKING:
    import pandas as pd

QUICK_SECONDS = 0.3
"""After Ctrl-C, points that wait are still evaluated if that takes no longer."""


def run(settings: RunSettings, display: Display, command: Sequence[str], team: Team = TEAM_OF_ONE) -> Outcome:
    """Make one run, or find it in the store; wait for another process that makes it already.

    Parameters
    ----------
    settings : RunSettings
    display : Display
        Where it says what it does.
    command : sequence of str
        The command line, for the record.
    team : Team
        The processes that make it; this one leads.

    Returns
    -------
    Outcome
        ``finished``, ``found`` or ``interrupted``.

    Raises
    ------
    SettingsError, DataError, StoreError
        The user's errors. Nothing has been recorded, unless the store itself broke down.
    """
    store = Store.open(settings.store_root, server=settings.store_uri)
    fingerprint = datasets.fingerprint(settings.dataset)
    build = solvers.build_info()
    key = run_key(settings.identity(), fingerprint, build["build_id"], build["isa"])
    found = store.find_finished(key)
    if found is not None:
        return _found(settings, display, store, found)
    with store.computing(key, lambda other: display.warn(f"waiting for the run that {other} makes")) as found:
        if found is not None:
            return _found(settings, display, store, found)
        remove_leftovers(store)
        return _make(settings, display, command, team, store, fingerprint, build, key)


def _found(settings: RunSettings, display: Display, store: Store, found: FinishedRun) -> Outcome:
    result = {**found.result, "dataset": settings.dataset.name}  # the same data may have another name now
    display.finished(result, lambda: _rows(found.curve), found=True)
    display.result_path(found.result_path)
    return Outcome.of_result(settings.label(), "found", result, found.result_path, store.upload(found))


def _make(
    settings: RunSettings,
    display: Display,
    command: Sequence[str],
    team: Team,
    store: Store,
    fingerprint: str,
    build: Mapping[str, str],
    key: str,
) -> Outcome:
    from experiments.run.evaluation import Evaluator

    store.warm_up()
    cache_dir = datasets.default_cache_dir()
    display.note(f"loading {settings.dataset.name}")
    data = datasets.load(settings.dataset, cache_dir=cache_dir)
    display.note("setting up the problem")
    with _threads(settings.building_threads):
        assembled = assemble(settings, data, cache_dir=cache_dir, notify=display.note)
    with _threads(settings.threads):
        evaluator = Evaluator(assembled.problem, data)  # refuses test points before anything is recorded
        solver = team.solver(settings, assembled.problem)
        keeper = _keeper(settings, store, fingerprint, build, display)
        costs = costs_of(solver)  # of a user's solver: what its views count
        settings.budget.check_counted(settings.algo, {name for name, value in costs.items() if value is None})
        kept = keeper.read() if keeper else None
        solver = team.drive(solver, kept)
        record = provenance.collect(build, data.provenance, command, settings.threads)
        display.header(
            settings, _facts(settings, data, assembled, solver, store, key, kept), assembled.settings, assembled.origins
        )
        # Before the solver begins, whose time is measured: what is done beside it takes memory and the interpreter.
        with deferred() as wish:  # a run that has begun says how it ends
            handle = store.begin(key, settings.label(), assembled.settings, _tags(settings, record))
        return _record(
            _Job(settings, display, data, assembled, evaluator, team, solver, keeper, kept, handle, record), wish
        )


@dataclasses.dataclass(frozen=True)
class _Job:
    """What the steps of one run share."""

    settings: RunSettings
    display: Display
    data: Dataset
    assembled: Assembled
    evaluator: Evaluates
    team: Team
    solver: Any
    keeper: Keeper | None
    kept: Kept | None
    handle: RunHandle
    provenance: dict[str, Any]


def _record(job: _Job, wish: Wish) -> Outcome:
    """Compute and record; whatever happens, the record says so."""
    try:
        recorder = Recorder(job.evaluator, job.data.n, job.display.pause)
        with temporary_folder() as folder:
            picture = folder / CURVE_PICTURE
            try:
                _advance_all(job, recorder, wish)
                curve = _curve(recorder.rows)
                files = [picture] if _drawn(job, curve, picture) else []
            except KeyboardInterrupt as stopped:
                with uninterrupted():
                    outcome = _interrupted(job, recorder, stopped)
                return dataclasses.replace(outcome, not_uploaded=job.handle.upload())
            with uninterrupted():
                done = job.handle.finish(_result(job, "finished", recorder.rows), curve, files)
                if job.keeper:
                    job.keeper.remove()
    except BaseException as error:
        job.display.close()
        with contextlib.suppress(Exception):  # the first error is the one to report
            job.handle.fail(f"{type(error).__name__}: {error}")
            job.handle.upload()
        raise
    job.display.finished(done.result, lambda: recorder.rows, found=False)
    not_uploaded = job.handle.upload()
    job.display.result_path(done.result_path)
    return Outcome.of_result(job.settings.label(), "finished", done.result, done.result_path, not_uploaded)


def _advance_all(job: _Job, recorder: Recorder, wish: Wish) -> None:
    with job.team.watching(job.solver) as stop:
        wish.grant()
        looks = job.settings.budget.looks(job.data.n)
        go_on(job.solver, _budget(job), looks, recorder, job.display, job.keeper, job.kept, stop)


def _interrupted(job: _Job, recorder: Recorder, stopped: KeyboardInterrupt) -> Outcome:
    job.display.close()
    recorder.preview_if_quick(QUICK_SECONDS)
    result = _result(job, "interrupted", recorder.rows)
    job.handle.interrupt(result, _curve(recorder.rows))
    job.display.result_path(job.handle.result_path)
    outcome = Outcome.of_result(job.settings.label(), status_of(stopped), result, job.handle.result_path)
    goes_on = job.keeper is not None and job.keeper.exists()
    return dataclasses.replace(outcome, message="the same command goes on from its file" if goes_on else "")


def _budget(job: _Job) -> Limits:
    return job.settings.budget.limits(job.data.n)


def _facts(
    settings: RunSettings,
    data: Dataset,
    assembled: Assembled,
    solver: Any,
    store: Store,
    key: str,
    kept: Kept | None,
) -> dict[str, str]:
    """Lines of the header that are not settings."""
    n, d = data.n, data.d
    limits = settings.budget.limits(n).counted(costs_of(solver))
    positives = int((data.y > 0).sum())
    ends = " or ".join(
        f"{value:,.12g} CPU seconds" if name == "cpu_seconds" else f"{count(value)} {name.replace('_', ' ')}"
        for name, value in limits.given().items()
    )
    return {
        "training set": f"n = {n:,}, d = {d:,}, {_filling(data)}; "
        f"{positives:,} positive, {n - positives:,} negative; test set {data.X_test.shape[0]:,}",
        **({"data": _told_of(data)} if settings.dataset.kind == "file" else {}),
        "kernel rows": rows_line(assembled.problem),
        **({"note": "; ".join(solver.remarks)} if solver.remarks else {}),
        **({"goes on": kept.told()} if kept else {}),
        "ends": f"after at most {ends}" if ends else "by itself",
        "curve": _checkpoints(settings),
        "record": f"{store.database}, key {key}" + (f"; shared on {store.address}" if store.address else ""),
    }


def _told_of(data: Dataset) -> str:
    """Say how a user's files were understood: their labels, their indices, their split."""
    record = data.provenance
    return "; ".join([record["label_rule"], *record["transforms"], record["split"]])


def _checkpoints(settings: RunSettings) -> str:
    budget = settings.budget
    even = "" if budget.every is None else f", and one every {budget.every:g} epochs"
    last = "" if budget.tail is None else f" of the last {budget.tail:g}"
    return f"at most {budget.checkpoints} checkpoints{even}{last}"


def _filling(data: Dataset) -> str:
    if isinstance(data.points, Stream):
        return "made when they are needed"
    nonzero = count_nonzero(data.X)
    return f"{nonzero:,} values not zero ({nonzero / (data.n * data.d):.1%})"


def _keeper(
    settings: RunSettings, store: Store, fingerprint: str, build: Mapping[str, str], display: Display
) -> Keeper | None:
    """Return what keeps this run's state: in the same file for any engine, number of ranks, build and instruction set.

    A file of another build or instruction set is refused by what it says of itself, with a warning.
    """
    if not settings.solver.resumes:
        if settings.checkpoint_seconds is not None and math.isfinite(settings.checkpoint_seconds):
            display.warn(f"algo={settings.algo} cannot be checkpointed: this run begins anew if it is stopped")
        return None
    key = settings_key({**settings.identity(), "engine": None}, fingerprint)
    identity = {"key": key, "algo": settings.algo, "build": build["build_id"], "isa": build["isa"]}
    return Keeper(store.root / FOLDER / f"{key}.state", settings.checkpoint_seconds, identity, display.warn)


def rows_line(problem: Any) -> str:
    """Where kernel rows come from. A problem makes them when they are first asked for, which not every solver does."""
    return problem.describe_rows() if "rows" in vars(problem) else "none needed"


def _tags(settings: RunSettings, record: Mapping[str, Any]) -> dict[str, Any]:
    return provenance.as_tags(record) | {
        "algo": settings.algo,
        "dataset": settings.dataset.name,
        "kernel": kernel_name(settings.kernel),
    }


def _result(job: _Job, status: Literal["finished", "interrupted"], rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Content of result.json. The counters are those of the whole run, `final` the last evaluated checkpoint."""
    counters = job.solver.counters
    settings = job.assembled.settings
    return {
        "key": job.handle.key,
        "status": status,
        "algo": job.settings.algo,
        "dataset": job.settings.dataset.name,
        "kernel": settings["kernel"]["name"],
        "seed": job.settings.seed,
        "settings": settings | {"dataset": dataclasses.asdict(job.settings.dataset), "origins": job.assembled.origins},
        "counters": {**dataclasses.asdict(counters), "epochs": counters.epochs(job.data.n)},
        "cpu_seconds": job.solver.cpu_seconds,
        "wall_seconds": job.solver.wall_seconds,
        "remarks": [*job.solver.remarks, *([job.kept.told()] if job.kept else [])],
        **job.team.record(job.solver),
        "final": {name: rows[-1].get(name) for name in _measures(rows[-1])} if rows else {},
        "provenance": job.provenance,
    }


def _measures(row: Mapping[str, Any]) -> list[str]:
    from experiments.curve import MEASURES

    return [name for name in MEASURES if name in row]


def _curve(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    from experiments.curve import from_rows

    return from_rows(rows)


def _rows(curve: pd.DataFrame) -> list[dict[str, Any]]:
    """Points of a stored curve; what is missing is None."""
    return [
        {str(name): None if value != value or value is None else value for name, value in row.items()}
        for row in curve.astype(object).where(curve.notna(), None).to_dict("records")
    ]


def _drawn(job: _Job, curve: pd.DataFrame, path: Path) -> bool:
    """Draw the picture if it can be drawn: hours of computing must not be lost to a matter of looks."""
    try:
        draw_curve(job, curve, path)
    except Exception as error:
        warnings.warn(f"no picture of {job.settings.label()}: {type(error).__name__}: {error}", stacklevel=2)
        return False
    return True


def draw_curve(job: _Job, curve: pd.DataFrame, path: Path) -> None:
    """Picture of one run's test error against its cost."""
    from experiments.curve import step_cost
    from experiments.plotting import plot_curves

    settings = job.assembled.settings
    stand_in = " (stand-in)" if job.data.provenance.get("stand_in") else ""
    kernel = ", ".join(f"{name}={value:g}" for name, value in settings["kernel"].items() if name != "name")
    plot_curves(
        {job.settings.algo: [curve]},
        cost=step_cost(curve) if curve[job.solver.cost].isna().any() else job.solver.cost,
        title=f"{job.settings.algo} on {job.settings.dataset.name}{stand_in}, seed {job.settings.seed}",
        small_print=f"{settings['kernel']['name']} kernel {kernel}; key {job.handle.key}; "
        f"commit {job.provenance['commit'] or 'none'}{' with changes' if job.provenance['dirty'] else ''}; "
        f"{job.provenance['command']}",
        path_png=path,
    )


@contextlib.contextmanager
def _threads(number: int) -> Iterator[None]:
    """Limit every BLAS and OpenMP pool of this process."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=number):
        yield
