"""Make the runs that figures need: one data set after the other, by their seeds, with one progress line for all."""

from __future__ import annotations

import contextlib
import dataclasses
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from ...solvers.gram_store import GramStore, default_directory
from .. import engine
from ..configuration.settings import RunSettings
from ..launchers.cluster import RayPool, cores_here
from ..processes.outcome import Outcome, outcome_of
from ..processes.pool import Event, Report, WorkerPool, run_jobs
from ..run.jobs import ReportingDisplay, RunsLine
from ..run.meter import Meter, duration
from .estimates import batch_key, working_memory
from .plan import PlannedRun


@dataclass(frozen=True)
class FigureRun:
    """One run of a figure; a job of `experiments.processes.pool`."""

    settings: RunSettings
    command: tuple[str, ...]
    on_ray: bool = False
    """Whether it runs on a machine of a Ray cluster, whose cores say how many runs share its memory."""

    @property
    def label(self) -> str:
        """The run's short name."""
        return self.settings.label()

    def __call__(self, report: Report, /) -> Outcome:
        """Make the run and return its outcome; see `experiments.processes.pool.Job`."""
        settings = dataclasses.replace(self.settings, jobs=cores_here()) if self.on_ray else self.settings
        display = ReportingDisplay(report, self.label)
        return outcome_of(lambda: engine.run(settings, display, self.command), settings.label)


def make_runs(
    runs: Sequence[RunSettings], jobs: int, command: Sequence[str], cluster: RayPool | None = None
) -> Iterator[Event]:
    """Make runs, `jobs` at a time, in processes of this machine, or on a cluster, which has its own number of jobs."""
    made = [FigureRun(settings, tuple(command), cluster is not None) for settings in runs]
    with WorkerPool(min(jobs, len(runs))) if cluster is None else contextlib.nullcontext(cluster) as pool:
        yield from run_jobs(made, pool)


def batches(runs: Sequence[PlannedRun]) -> list[list[PlannedRun]]:
    """Group runs on one data set that share a Gram matrix, or that do without: memory has room for one group at a time.

    Each run is there once (figures share runs). Runs go by their seeds: the runs that end first are then of all
    methods, so that the time left follows from them, and a drift of the machine meets all methods alike. The data sets
    keep the order of their first appearance; on each, runs with a Gram matrix come first.
    """
    order = {name: position for position, name in enumerate(dict.fromkeys(repr(run.settings.dataset) for run in runs))}
    members: dict[tuple[str, bool], dict[str, PlannedRun]] = {}
    for run in sorted(runs, key=lambda run: (order[repr(run.settings.dataset)], batch_key(run.settings)[1])):
        members.setdefault(batch_key(run.settings), {})[run.key] = run
    return [sorted(group.values(), key=lambda run: run.settings.seed) for group in members.values()]


def execute(
    runs: Sequence[PlannedRun],
    jobs: int,
    command: Sequence[str],
    meter: Meter,
    cluster: RayPool | None = None,
) -> dict[str, Outcome]:
    """Make runs that are not in the store, `jobs` at a time, here or on a cluster; return their outcomes by key.

    The meter shows how far the whole is, by the number of runs. After a KeyboardInterrupt the finished runs are in the
    store, and those in progress are recorded as interrupted.
    """
    plan = batches(runs)
    count = sum(map(len, plan))
    outcomes: dict[str, Outcome] = {}
    line = RunsLine(count)
    for batch in plan:
        settings = [run.settings for run in batch]
        done, fractions = len(line.ended), [0.0] * len(batch)
        if batch_key(settings[0])[1]:  # Gram matrices whose memory these runs may need go; they can be built again
            GramStore(default_directory()).make_room_in_memory(int(working_memory(settings, jobs)))
        for event in make_runs(settings, jobs, command, cluster):
            fractions[event.index] = event.fraction
            if event.outcome is not None:
                outcomes[batch[event.index].key] = event.outcome
            text = line.after(event, settings[event.index].label())
            meter.update((done + sum(fractions)) / count, text, is_measured=line.is_measured)
    return outcomes


def summary(outcomes: Collection[Outcome]) -> str:
    """Count runs by their status, in one line."""
    counts = Counter(outcome.status for outcome in outcomes)
    seconds = sum(outcome.cpu_seconds or 0.0 for outcome in outcomes if outcome.status == "finished")
    parts = [f"{number} {status}" for status, number in sorted(counts.items())]
    return f"{', '.join(parts) or 'nothing to run'}; {duration(seconds)} CPU in solvers"
