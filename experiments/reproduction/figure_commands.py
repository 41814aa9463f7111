"""``reproduce.py`` with runs: lists what the store has, makes missing runs, draws and judges."""

from __future__ import annotations

import contextlib
import dataclasses
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from svm_cost_curves import datasets
from svm_cost_curves.experiments.launchers.checks import RAY
from svm_cost_curves.experiments.launchers.cluster import RayPool
from svm_cost_curves.experiments.processes.elapsed import ElapsedTime
from svm_cost_curves.experiments.processes.outcome import Outcome
from svm_cost_curves.experiments.provenance import PROJECT_ROOT, git_state
from svm_cost_curves.experiments.reproduction import evidence_commands, listing
from svm_cost_curves.experiments.reproduction.drawing import reading
from svm_cost_curves.experiments.reproduction.durations import Durations
from svm_cost_curves.experiments.reproduction.options import FAULT, NOT_ALL, OK, Command, worst
from svm_cost_curves.experiments.reproduction.plan import Plan, Planner
from svm_cost_curves.experiments.reproduction.spec import FigureError, choose, read_figure
from svm_cost_curves.experiments.reproduction.summary import show, show_overview, shown
from svm_cost_curves.experiments.reproduction.verdict import Verdict
from svm_cost_curves.experiments.run.console import console, note_to
from svm_cost_curves.experiments.run.errors import print_error
from svm_cost_curves.experiments.run.meter import meter
from svm_cost_curves.experiments.store import Store
from svm_cost_curves.experiments.store.recorder import recording
from svm_cost_curves.support.files import check_writable
from svm_cost_curves.support.locks import locked

if TYPE_CHECKING:
    from svm_cost_curves.experiments.reproduction.execute import MakeRuns

LOCK_FILE = "reproduce.lock"
QUIET_SECONDS = 1.0
"""Shorter work shows no message."""


def make_figures(command: Command, words: Sequence[str]) -> int:
    """Do what a command line asks for, other than drawing published figures; return its exit status."""
    if command.verb == "list":
        return _list(command)
    if command.figure == "report":
        if command.verb == "publish":
            return evidence_commands.publish_results(command)
        return evidence_commands.write_report(command)
    if command.verb == "publish":
        with reading():
            return _figures(command, words)
    return _figures(command, words)


def _list(command: Command) -> int:
    print(listing.COLUMNS, flush=True)
    store = Store.open(command.store, read_only=True, server=command.store_uri)
    planner, durations = Planner(store, alone=True), Durations(store, command.evidence)
    for spec in map(read_figure, choose(command.figure or "all")):
        for scale in command.scale:
            with _searching(spec.id):
                plan = planner.plan(spec, dataclasses.replace(command.options, scale=scale))
            print(listing.status_line(plan, command.figures, durations.seconds), flush=True)
    return OK


def _figures(command: Command, words: Sequence[str]) -> int:
    chosen = choose(command.figure)
    if command.verb == "check":
        return evidence_commands.check_figures(chosen, command, words)
    if not command.dry_run:
        _refuse_uncommitted(command)
        if command.from_:
            return evidence_commands.judge_figures(chosen, command)
    store = Store.open(command.store, read_only=command.dry_run, server=command.store_uri)
    if command.dry_run:
        planner, durations = Planner(store, alone=True), Durations(store, command.evidence)
        for name in chosen:
            with _searching(name):
                plan = planner.plan(read_figure(name), command.options)
            print("\n".join(listing.announcement(plan, durations.seconds)), flush=True)
        return OK
    if command.verb == "publish":
        return evidence_commands.publish_figures(chosen, command, store, words)
    check_writable(command.figures.absolute())  # before the runs are made
    with _only_command(store.root), contextlib.ExitStack() as open_:
        begin = open_.enter_context(recording(store, print_error))
        backend = Backend(command, open_, begin)
        timed_first = sorted(chosen, key=lambda name: not read_figure(name).timed)  # other figures take their runs over
        status = worst(_figure(name, command, store, backend, words) for name in timed_first)
    show_overview(command.figures)
    return status


@contextlib.contextmanager
def _searching(name: str) -> Iterator[None]:
    """Say that a figure's runs are searched for, if that takes long."""
    elapsed = ElapsedTime(note_to(console(sys.stderr)))
    elapsed.begin(f"{name}: looking for its runs", after=QUIET_SECONDS)
    try:
        yield
    finally:
        elapsed.end()


def _refuse_uncommitted(command: Command) -> None:
    """Refuse runs at the paper's scale that no commit describes, unless the command line allows them."""
    commit, dirty = git_state(PROJECT_ROOT)
    if dirty and command.options.scale == "paper" and not command.uncommitted:
        differs = f"the checkout differs from its commit {(commit or 'none')[:12]}"
        raise FigureError(f"{differs}: commit the changes, or add uncommitted=marked, and verdicts and pictures say so")


@contextlib.contextmanager
def _only_command(root: Path) -> Iterator[None]:
    """Wait until no other ``reproduce.py`` uses this store: two would make the same runs, in twice the memory."""
    root.mkdir(parents=True, exist_ok=True)

    def report(holder: str) -> None:
        print_error(f"waiting: {holder} is reproducing from the store {root}")

    with locked(root / LOCK_FILE, report):
        yield


class Backend:
    """Makes runs in processes of this machine, or on a cluster, to which it connects when first needed.

    Parameters
    ----------
    command : Command
    open_ : ExitStack
        Closes the connection.
    begin : callable
        Starts the recorder of the runs.
    """

    def __init__(self, command: Command, open_: contextlib.ExitStack, begin: Callable[[], None]) -> None:
        self._command = command
        self._begin = begin
        self._open = open_
        self._cluster: RayPool | None = None

    def of(self, plan: Plan) -> tuple[MakeRuns, int]:
        """Return the function that makes a figure's runs, and the number of runs at a time.

        Timed figures are made on this machine: those of a cluster may differ.
        """
        from svm_cost_curves.experiments.reproduction import figure_runs

        if not plan.spec.timed:  # a recorder beside a timed run would change its times: it starts when all are made
            self._begin()
        if self._command.launcher != RAY or plan.spec.timed:
            return figure_runs.make_runs, plan.options.jobs
        if self._cluster is None:
            self._cluster = self._open.enter_context(RayPool(self._command.address, self._command.jobs))
        return partial(figure_runs.make_runs, cluster=self._cluster), self._command.jobs or self._cluster.size


def _figure(name: str, command: Command, store: Store, backend: Backend, words: Sequence[str]) -> int:
    elapsed = ElapsedTime(note_to(console(sys.stderr)))
    try:
        return _make_figure(name, command, store, backend, words, elapsed)
    finally:
        elapsed.end()


def _make_figure(
    name: str, command: Command, store: Store, backend: Backend, words: Sequence[str], elapsed: ElapsedTime
) -> int:
    from svm_cost_curves.experiments.reproduction.publish import offer

    planner, durations = Planner(store, partial(_fetch, elapsed), alone=True), Durations(store, command.evidence)
    elapsed.begin(f"{name}: looking for its runs")
    plan = planner.plan(read_figure(name), command.options)
    elapsed.end()
    print("\n".join([*listing.announcement(plan, durations.seconds), *offer(plan, command.evidence)]), flush=True)
    outcomes = _make_missing(plan, store, backend, durations, words, elapsed)
    elapsed.begin(f"{name}: drawing and judging", after=QUIET_SECONDS)
    if outcomes:
        plan = planner.plan(read_figure(name), command.options)
    spec = plan.spec
    folder = command.figures / spec.id / command.options.scale
    possible = bool(plan.panels) or not spec.datasets
    if possible:
        verdict = _write(plan, outcomes, folder, words)
        elapsed.end()
        show(verdict, folder)
    wrong = [outcome for outcome in outcomes.values() if outcome.exit_code]
    for outcome in wrong:
        print_error(outcome.line)
    return FAULT if wrong else NOT_ALL if set(plan.absent) - set(spec.stand_ins) or not possible else OK


def _make_missing(
    plan: Plan, store: Store, backend: Backend, durations: Durations, words: Sequence[str], elapsed: ElapsedTime
) -> dict[str, Outcome]:
    if not plan.missing:
        return {}
    elapsed.begin(f"{plan.spec.id}: starting its runs", after=QUIET_SECONDS)
    from svm_cost_curves.experiments.reproduction.disturbance import make_undisturbed
    from svm_cost_curves.experiments.reproduction.execute import execute, summary

    make, jobs = backend.of(plan)
    elapsed.end()
    progress = meter(console(sys.stderr))
    try:
        work = partial(
            execute,
            jobs=jobs,
            command=["reproduce.py", *words],
            meter=progress,
            make=make,
            seconds=durations.seconds,
        )
        # smaller scales are for trying out: their runs are marked only
        again = plan.spec.timed and plan.options.scale == "paper"
        outcomes = make_undisturbed(plan.missing, store, work) if again else work(plan.missing)
    finally:
        progress.close()
    print(f"  {summary(outcomes.values())}", flush=True)
    return outcomes


def _write(plan: Plan, outcomes: dict[str, Outcome], folder: Path, words: Sequence[str]) -> Verdict:
    from svm_cost_curves.experiments.reproduction.build import build_figure, evidence_of, with_computed

    return build_figure(with_computed(evidence_of(plan, outcomes)), plan.options, folder, shown(words))


def _fetch(elapsed: ElapsedTime, spec: datasets.DatasetSpec) -> None:
    """Fetch and prepare a data set once, before several runs do so at the same time."""
    elapsed.begin(f"fetching and preparing {spec.name}", after=QUIET_SECONDS)
    datasets.load(spec, cache_dir=datasets.default_cache_dir())
