"""``reproduce.py`` with runs: lists what the store has, makes missing runs, draws and judges."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from ... import datasets
from ...support.files import QUIET_SECONDS, check_writable, locked, read_plain
from ...support.text import number_of
from ..launchers.checks import RAY
from ..launchers.cluster import RayPool
from ..processes.outcome import Outcome
from ..processes.streams import ElapsedTime, print_error
from ..provenance import PROJECT_ROOT, UNCOMMITTED, git_state
from ..run.console import console, note
from ..run.meter import meter
from ..store import Store
from ..store.recorder import recording, wait_for_others
from . import evidence_commands
from .drawing import figure_command, reading, show, show_overview
from .estimates import peak_memory
from .options import FAULT, NOT_ALL, OK, Command, worst
from .plan import Plan, Planner
from .spec import FigureError, choose, read_figure
from .verdict import in_words

LOCK_FILE = "reproduce.lock"
COLUMNS = f"{'figure':<24}  scale  {'in store':>13}  {'memory':>8}  data sets; last verdict"
"""Header of the lines of `status_line`."""


def make_figures(command: Command, arguments: Sequence[str]) -> int:
    """Do what a command line asks for, other than drawing published figures; return its exit status."""
    if command.verb == "list":
        print(COLUMNS, flush=True)
        for plan in _plans(choose(command.figure or "all"), command, command.scale):
            print(status_line(plan, command.figures), flush=True)
        return OK
    if command.figure == "report":
        report = command.verb != "publish"
        return evidence_commands.write_report(command) if report else evidence_commands.publish_results(command)
    with reading() if command.verb == "publish" else contextlib.nullcontext():
        return _figures(choose(command.figure), command, arguments)


def _figures(chosen: Sequence[str], command: Command, arguments: Sequence[str]) -> int:
    if command.verb == "check":
        return evidence_commands.check_figures(chosen, command, arguments)
    if command.dry_run:
        for plan in _plans(chosen, command, (command.options.scale,)):
            print("\n".join(announcement(plan)), flush=True)
        return OK
    _refuse_uncommitted(command)
    if command.from_:
        return evidence_commands.judge_figures(chosen, command)
    store = Store.open(command.store, server=command.store_uri)
    if command.verb == "publish":
        return evidence_commands.publish_figures(chosen, command, store, arguments)
    check_writable(command.figures.absolute())  # before the runs are made
    with only_command(store.root), contextlib.ExitStack() as open_:
        maker = FigureMaker(command, arguments, store, open_)
        timed_first = sorted(chosen, key=lambda name: not read_figure(name).timed)  # other figures take their runs over
        status = worst(maker.make(name) for name in timed_first)
    show_overview(command.figures)
    return status


def _plans(names: Sequence[str], command: Command, scales: Sequence[str]) -> Iterator[Plan]:
    """Plan figures on the store, which is only read, and say so if it takes long."""
    store = Store.open(command.store, read_only=True, server=command.store_uri)
    planner = Planner(store.find_all_finished, timed=True)
    elapsed = ElapsedTime(note)
    for name in names:
        for scale in scales:
            elapsed.begin(f"{name}: looking for its runs", after=QUIET_SECONDS)
            try:
                plan = planner.plan(read_figure(name), dataclasses.replace(command.options, scale=scale))
            finally:
                elapsed.end()
            yield plan


def status_line(plan: Plan, figures: Path) -> str:
    """Return the line of a figure at a scale, with `COLUMNS`; the last verdict is that in the folder of the figures."""
    runs = [run.settings for run in plan.runs]
    sets = ", ".join(panel.dataset + (" (stand-in)" if panel.stand_in else "") for panel in plan.panels)
    parts = [sets, *(f"no {name}" for name in plan.absent), last_verdict(figures / plan.spec.id / plan.options.scale)]
    there = f"{len(runs) - len(plan.missing)} of {len(runs)}" if runs else "no runs"
    memory = _gigabytes(peak_memory(runs, plan.options.jobs)) if runs else "-"
    line = f"{plan.spec.id:<24}  {plan.options.scale:<5}  {there:>13}  {memory:>8}  "
    return (line + "; ".join(filter(None, parts))).rstrip()


def announcement(plan: Plan) -> list[str]:
    """Return the lines that show what a figure needs and what is missing."""
    spec, missing = plan.spec, plan.missing
    runs = len(plan.runs)
    lines = [f"{spec.id}: {spec.label}, {spec.title}; scale {plan.options.scale}"]
    lines += [f"  STAND-IN: {panel.dataset}: {panel.stand_in}" for panel in plan.panels if panel.stand_in]
    lines += [f"  not available: {name}: {why}" for name, why in plan.absent.items()]
    lines += [
        f"  left out on {panel.dataset}: {name}: {why}" for panel in plan.panels for name, why in panel.left_out.items()
    ]
    if not runs:
        return lines
    reference = {series.name for series in spec.series if series.reference_only}
    names = sorted({run.series for run in plan.runs} & reference)
    with_reference = f"; the reference, {', '.join(names)}, is among them" if names else ""
    are = "is" if runs == 1 else "are"
    lines.append(f"  {runs - len(missing)} of {number_of(runs, 'run')} {are} in the store{with_reference}")
    if untimed := sum(run.untimed for run in missing):
        lines.append(f"  {untimed} more have no times that can be compared: they are made again, alone")
    if missing:
        memory = _gigabytes(peak_memory([run.settings for run in missing], plan.options.jobs))
        lines.append(f"  {len(missing)} to make, {plan.options.jobs} at a time; up to {memory} of memory")
    return lines


def last_verdict(folder: Path) -> str:
    """Return the verdicts in a figure's folder in a few words; empty if there are none."""
    try:
        verdict = json.loads(read_plain(folder / "verdict.json"))
        claims = (f"{claim['id'].partition('.')[2]} {in_words(claim['verdict'])}" for claim in verdict["claims"])
        changed = verdict.get("dirty") or any(commit.endswith(UNCOMMITTED) for commit in verdict.get("run_commits", ()))
        return (", ".join(claims) or "made") + f" ({UNCOMMITTED})" * changed
    except FileNotFoundError:
        return ""
    except (OSError, ValueError, KeyError, TypeError):
        return "damaged"


def _gigabytes(number: float) -> str:
    return f"{number / 2**30:.1f} GiB"


def _refuse_uncommitted(command: Command) -> None:
    """Refuse runs at the paper's scale that no commit describes, unless the command line allows them."""
    commit, dirty = git_state(PROJECT_ROOT)
    if dirty and command.options.scale == "paper" and not command.uncommitted:
        differs = f"the checkout differs from its commit {(commit or 'none')[:12]}"
        raise FigureError(f"{differs}: commit the changes, or add uncommitted=marked, and verdicts and pictures say so")


@contextlib.contextmanager
def only_command(root: Path) -> Iterator[None]:
    """Wait until no other ``reproduce.py`` uses this store: two would make the same runs, in twice the memory."""
    root.mkdir(parents=True, exist_ok=True)

    def report(holder: str) -> None:
        print_error(f"waiting: {holder} is reproducing from the store {root}")

    with locked(root / LOCK_FILE, report):
        yield


class FigureMaker:
    """Makes figures. The recorder of the runs starts, and a cluster is connected, when a figure first needs it.

    `arguments` are the command line, for the record; `open_` ends the recorder and closes the connection.
    """

    def __init__(self, command: Command, arguments: Sequence[str], store: Store, open_: contextlib.ExitStack) -> None:
        self._command = command
        self._arguments = arguments
        self._store = store
        self._open = open_
        self._begin_recorder = open_.enter_context(recording(store, print_error, wait=store.server is not None))
        self._cluster: RayPool | None = None
        self._elapsed = ElapsedTime(note)

    def make(self, name: str) -> int:
        """Make a figure's missing runs, draw and judge it; return the exit status."""
        try:
            return self._make(name)
        finally:
            self._elapsed.end()

    def _make(self, name: str) -> int:
        from .build import build_figure, evidence_of, with_computed
        from .publish import offer

        command, elapsed = self._command, self._elapsed
        planner = Planner(self._store.find_all_finished, self._fetch, timed=True)
        elapsed.begin(f"{name}: looking for its runs")
        plan = planner.plan(read_figure(name), command.options)
        elapsed.end()
        print("\n".join([*announcement(plan), *offer(plan, command.evidence)]), flush=True)
        outcomes = self._make_missing(plan) if plan.missing else {}
        elapsed.begin(f"{name}: drawing and judging", after=QUIET_SECONDS)
        if outcomes:
            plan = planner.plan(read_figure(name), command.options)
        spec = plan.spec
        possible = bool(plan.panels) or not spec.datasets
        if possible:
            folder = command.figures / spec.id / command.options.scale
            evidence = with_computed(evidence_of(plan, outcomes))
            verdict = build_figure(evidence, plan.options, folder, figure_command(self._arguments))
            elapsed.end()
            show(verdict, folder)
        wrong = [outcome for outcome in outcomes.values() if outcome.exit_code]
        for outcome in wrong:
            print_error(outcome.line)
        return FAULT if wrong else NOT_ALL if set(plan.absent) - set(spec.stand_ins) or not possible else OK

    def _make_missing(self, plan: Plan) -> dict[str, Outcome]:
        self._elapsed.begin(f"{plan.spec.id}: starting its runs", after=QUIET_SECONDS)
        from .disturbance import make_undisturbed
        from .execute import execute, summary

        jobs, cluster = plan.options.jobs, None
        if not plan.spec.timed:  # beside timed runs no recorder may start; they are made here, as a cluster may differ
            self._begin_recorder()
            if self._command.launcher == RAY:
                if self._cluster is None:
                    self._cluster = self._open.enter_context(RayPool(self._command.address, self._command.jobs))
                jobs, cluster = self._command.jobs or self._cluster.size, self._cluster
        else:
            wait_for_others(self._store, print_error)
        self._elapsed.end()
        progress = meter(console(sys.stderr))
        record = ["reproduce.py", *self._arguments]
        work = partial(execute, jobs=jobs, command=record, meter=progress, cluster=cluster)
        try:
            # smaller scales are for trying out: their runs are marked only
            again = plan.spec.timed and plan.options.scale == "paper"
            outcomes = make_undisturbed(plan.missing, self._store, work) if again else work(plan.missing)
        finally:
            progress.close()
        print(f"  {summary(outcomes.values())}", flush=True)
        return outcomes

    def _fetch(self, spec: datasets.DatasetSpec) -> None:
        """Fetch and prepare a data set once, before several runs do so at the same time."""
        self._elapsed.begin(f"fetching and preparing {spec.name}", after=QUIET_SECONDS)
        datasets.load(spec, cache_dir=datasets.default_cache_dir(), note=self._elapsed.begin)
