"""Command line of ``reproduce.py``: plans, makes missing runs, draws, judges; errors become exit statuses."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import datasets
from experiments.command_line.help import version_text
from experiments.configuration.choices import check_home
from experiments.configuration.composition import composing
from experiments.launchers.checks import RAY
from experiments.launchers.cluster import Cluster, connected
from experiments.processes.elapsed import ElapsedTime
from experiments.processes.outcome import EXIT_CODES, Outcome, not_uploaded, status_of
from experiments.processes.stopping import terminable
from experiments.provenance import PROJECT_ROOT, git_state
from experiments.reproduction import listing
from experiments.reproduction.calibration import Calibration
from experiments.reproduction.completion import QUERY, completions
from experiments.reproduction.evidence_commands import (
    check_figures,
    draw_figures,
    judge_figures,
    publish_figures,
    publish_results,
    write_report,
)
from experiments.reproduction.options import FAULT, NOT_ALL, OK, USER_ERROR, Command, figure_named, parse, worst
from experiments.reproduction.plan import Plan, Planner
from experiments.reproduction.published import EvidenceError
from experiments.reproduction.spec import FigureError, FigureSpec, catalogue, choose, read_figure
from experiments.reproduction.summary import show
from experiments.reproduction.verdict import Verdict
from experiments.run.console import console, meter, note_to
from experiments.run.errors import USER_ERRORS, print_error, print_text
from experiments.store import Store
from support.files import check_writable
from support.locks import locked

if TYPE_CHECKING:
    from experiments.reproduction.execute import MakeRuns

LOCK_FILE = "reproduce.lock"
QUIET_SECONDS = 1.0
"""Shorter work shows no message."""
HELP = """Figures and tables of the papers, from the runs in the store, with verdicts.

usage: python reproduce.py --list [figure=ID|PAPER] [scale=demo|quick|paper]
       python reproduce.py figure=ID|PAPER|all [scale=demo|quick|paper] [dataset=NAME,...] [jobs=N] [--dry-run]
       python reproduce.py figure=ID|PAPER|all [scale=paper] from=evidence
       python reproduce.py publish figure=ID|PAPER|all scale=paper
       python reproduce.py publish figure=ID|PAPER|all from=evidence
       python reproduce.py publish figure=report
       python reproduce.py check figure=ID|PAPER|all [scale=paper] [runs=5|each] [seed=0] [again=FOLDER]
       python reproduce.py figure=report [from=evidence]

figure=    one figure (sbp_fig2), several (sbp_fig1,sbp_fig4), a whole paper (sbp), all, report, or a file of your own
           (FOLDER/mine.yaml; CONTRIBUTING.md)
scale=     demo: seconds; quick (default): minutes; paper: the paper's data, budget and repetitions
from=evidence   draw and judge the published runs in evidence/: no data set, solver or store is needed
publish    write these runs, from the store; with from=evidence: judge the published runs again and write the verdicts
           that differ; figure=report: write the scorecards of docs/results from evidence/
check      draw runs= of them at random, make them again and compare; runs=each: one of every figure, solver and data
           set, without times and runs of more than a minute; again= keeps the new runs, so that the check continues
dataset=   only these data sets; any other data set is marked as a stand-in
uncommitted=marked   make scale=paper with uncommitted changes, and mark the verdicts; without it they are refused
jobs=      runs at a time (default: one for each core)
timed=     runs whose result is a time: alone (default), one at a time; together, jobs= at a time: their CPU seconds are
           then those of a busy machine, which is slower
launcher=  local (default), or ray: on a cluster, address=HOST:PORT or RAY_ADDRESS, else this machine (docs/clusters.md)
store=     folder of the records (results), or a server that shares them: store=http://HOST:5000 (docs/server.md);
           figures= of the figures (figures); report= of the report (report); evidence= of the evidence (evidence);
           results= of the scorecards (docs/results)
memory= threads=   for each run, as run.py has them
style=paper   also write paper.pdf, paper.png and paper.txt, the caption: no title, text of 8 pt, Type 42 fonts, 300 dpi
           width=6.75 (inches: two columns; one column: 3.25)  format=pdf,png (also svg, pgf)
--list     all figures, one a line; of one paper: --list figure=sbp
           --list scale=paper: data sets, runs in the store, expected time and memory on this machine, last verdict;
           scale=demo,quick,paper: at each of the three
--dry-run  show what would be done
--version  version of the program, its commit, and the build of its core

Only missing runs are computed; an interrupted figure continues. The result is in figures/<id>/<scale>/: figure.pdf,
figure.png, data.csv, table.md, verdict.json and verdict.md.

exit status: 0 done; 1 a run failed, the rest is done; 2 the command or the store is wrong; 3 a data set is not
available, the rest is done; 4 a checked run differs; 130 stopped by Ctrl-C, 75 by SIGTERM"""


def main(words: Sequence[str]) -> int:
    """Run a command line and return its exit status."""
    if {"--help", "-h"} & set(words):
        return print_text(_help)
    if "--version" in words:
        return print_text(version_text)
    if words[:1] == [QUERY]:
        return _complete(words[1:])
    try:
        check_home()
        command = parse(words, _named(words))
        if command.list_ and not command.scales:  # needs no configuration, and no solver
            return _list(command)
        with _noted(command), composing(), terminable():
            if command.list_:
                return _list(command)
            if command.figure == "report":
                return publish_results(command) if command.publish else write_report(command)
            return _figures(command, words)
    except (FigureError, EvidenceError, *USER_ERRORS) as error:
        print_error(f"error: {error}")
        return USER_ERROR
    except OSError as error:
        print_error(f"error: {f'{error.filename}: ' if error.filename else ''}{error.strerror or error}")
        return USER_ERROR
    except KeyboardInterrupt as stopped:
        status = status_of(stopped)
        lost = "check" in words and not any(word.startswith("again=") for word in words)
        print_error(f"{status}; {'with again=FOLDER a check continues' if lost else 'the same command continues'}")
        return EXIT_CODES[status]


@contextlib.contextmanager
def _noted(command: Command) -> Iterator[None]:
    """Say that figures are read, for commands that otherwise print nothing before their first figure is done."""
    elapsed = ElapsedTime(note_to(console(sys.stderr)))
    if command.figure == "report" or command.from_evidence or command.publish:
        elapsed.begin("reading figures and runs")
    try:
        yield
    finally:
        elapsed.end()


def _complete(words: Sequence[str]) -> int:
    """Answer a shell that completes a command line; it asks as it asks Hydra."""
    if not any(word.startswith("query=") for word in words):
        print_error('error: eval "$(python run.py -sc install=bash)" installs completion, also for reproduce.py')
        return USER_ERROR
    line = os.environ.get("COMP_LINE", "")
    print("\n".join(completions(line[: int(os.environ.get("COMP_POINT", len(line)))])))
    return OK


def _named(words: Sequence[str]) -> list[FigureSpec]:
    """Return the figures that a command line names."""
    name = figure_named(words)
    return [read_figure(figure) for figure in choose(name, catalogue())] if name not in ("", "report") else []


def _help() -> str:
    """Return the help text, with the options of single figures."""
    lines = [HELP]
    for spec in map(read_figure, catalogue()):
        if spec.options:
            lines += ["", f"figure={spec.id}: {spec.title}"]
            lines += [f"  {f'{name}=':<9} {own.says} (default: {own.value})" for name, own in spec.options.items()]
        if spec.settings:
            lines.append(f"  {', '.join(f'{group}.*' for group in spec.settings)}: as run.py has them, for all runs")
    return "\n".join(lines)


def _list(command: Command) -> int:
    specs = [read_figure(name) for name in choose(command.figure or "all", catalogue())]
    if not command.scales:
        print("\n".join(listing.catalogue_lines(specs, command.figures)))
        return OK
    print(listing.COLUMNS, flush=True)
    store = Store.open(command.store, read_only=True, server=command.server)
    planner, calibration = Planner(store, alone=True), Calibration(store)
    for spec in specs:
        for scale in command.scales:
            with _searching(spec.id):
                plan = planner.plan(spec, dataclasses.replace(command.options, scale=scale))
            print(listing.status_line(plan, command.figures, calibration.seconds), flush=True)
    return OK


def _figures(command: Command, words: Sequence[str]) -> int:
    chosen = choose(command.figure, catalogue())
    if command.check:
        return check_figures(chosen, command, command.check, words)
    if command.from_evidence and not command.publish:
        return draw_figures(chosen, command, words)
    if not command.dry_run:
        _refuse_uncommitted(command)
        if command.from_evidence:
            return judge_figures(chosen, command)
    store = Store.open(command.store, read_only=command.dry_run, server=command.server)
    if command.dry_run:
        planner, calibration = Planner(store, alone=True), Calibration(store)
        for name in chosen:
            with _searching(name):
                plan = planner.plan(read_figure(name), command.options)
            print("\n".join(listing.announcement(plan, calibration.seconds)), flush=True)
        return OK
    if command.publish:
        return publish_figures(chosen, command, store, words)
    check_writable(command.figures.absolute())  # before the runs are made
    with _only_command(store.root), contextlib.ExitStack() as open_:
        backend = Backend(command, open_)
        timed_first = sorted(chosen, key=lambda name: not read_figure(name).timed)  # other figures take their runs over
        return worst(_figure(name, command, store, backend, words) for name in timed_first)


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
    """

    def __init__(self, command: Command, open_: contextlib.ExitStack) -> None:
        self._command = command
        self._open = open_
        self._cluster: Cluster | None = None

    def of(self, plan: Plan) -> tuple[MakeRuns, int]:
        """Return the function that makes a figure's runs, and the number of runs at a time.

        Timed figures are made on this machine: those of a cluster may differ.
        """
        from experiments.reproduction import figure_runs, on_cluster

        if self._command.launcher != RAY or plan.spec.timed:
            return figure_runs.make_runs, plan.options.jobs
        if self._cluster is None:
            self._cluster = self._open.enter_context(connected(self._command.address, self._command.jobs))
        return partial(on_cluster.make_runs, self._cluster), self._command.jobs or self._cluster.cores


def _figure(name: str, command: Command, store: Store, backend: Backend, words: Sequence[str]) -> int:
    elapsed = ElapsedTime(note_to(console(sys.stderr)))
    try:
        return _make_figure(name, command, store, backend, words, elapsed)
    finally:
        elapsed.end()


def _make_figure(
    name: str, command: Command, store: Store, backend: Backend, words: Sequence[str], elapsed: ElapsedTime
) -> int:
    from experiments.reproduction.publish import offer

    planner, calibration = Planner(store, partial(_fetch, elapsed), alone=True), Calibration(store)
    elapsed.begin(f"{name}: looking for its runs", after=QUIET_SECONDS)
    plan = planner.plan(read_figure(name), command.options)
    elapsed.end()
    print("\n".join([*listing.announcement(plan, calibration.seconds), *offer(plan, command.evidence)]), flush=True)
    outcomes = _make_missing(plan, store, backend, calibration, words, elapsed)
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
    return FAULT if wrong else NOT_ALL if set(plan.absent) - set(spec.instead) or not possible else OK


def _make_missing(
    plan: Plan, store: Store, backend: Backend, calibration: Calibration, words: Sequence[str], elapsed: ElapsedTime
) -> dict[str, Outcome]:
    if not plan.missing:
        return {}
    elapsed.begin(f"{plan.spec.id}: starting its runs", after=QUIET_SECONDS)
    from experiments.reproduction.disturbance import make_undisturbed
    from experiments.reproduction.execute import execute, summary

    store.create()  # before several processes create it at once
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
            seconds=calibration.seconds,
        )
        # smaller scales are for trying out: their runs are marked only
        again = plan.spec.timed and plan.options.scale == "paper"
        outcomes = make_undisturbed(plan.missing, store, work) if again else work(plan.missing)
    finally:
        progress.close()
        store.close_dead()  # the runs of killed processes
    print(f"  {summary(outcomes.values())}", flush=True)
    if message := not_uploaded(outcomes.values()):
        print_error(message)
    return outcomes


def _write(plan: Plan, outcomes: dict[str, Outcome], folder: Path, words: Sequence[str]) -> Verdict:
    from experiments.reproduction.build import build_figure, evidence_of, with_computed

    return build_figure(with_computed(evidence_of(plan, outcomes)), plan.options, folder, listing.shown(words))


def _fetch(elapsed: ElapsedTime, spec: datasets.DatasetSpec) -> None:
    """Fetch and prepare a data set once, before several runs do so at the same time."""
    elapsed.begin(f"fetching and preparing {spec.name}", after=QUIET_SECONDS)
    datasets.load(spec, cache_dir=datasets.default_cache_dir())
