"""Make the runs that figures need: one data set after the other, the longest first, with one progress line for all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from svm_cost_curves.experiments.configuration.settings import RunSettings
from svm_cost_curves.experiments.processes.outcome import Outcome
from svm_cost_curves.experiments.processes.pool import Event
from svm_cost_curves.experiments.reproduction.durations import Seconds, gram_seconds
from svm_cost_curves.experiments.reproduction.memory import batch_key, working_memory
from svm_cost_curves.experiments.reproduction.plan import PlannedRun
from svm_cost_curves.experiments.run.jobs import RunsLine
from svm_cost_curves.experiments.run.meter import Meter, duration
from svm_cost_curves.solvers.gram_store import GramStore, default_directory

MakeRuns = Callable[[Sequence[RunSettings], int, Sequence[str]], Iterator[Event]]


@dataclass(frozen=True)
class Batch:
    """Runs on one data set that share a Gram matrix, or that do without; memory has room for one batch at a time."""

    dataset: str
    runs: tuple[PlannedRun, ...]


def batches(runs: Sequence[PlannedRun], seconds: Seconds) -> list[Batch]:
    """Group runs; each run once (figures share runs), the longest first, so that no core idles at the end.

    The data sets keep the order of their first appearance; on each, runs with a Gram matrix come first.
    """
    order = {name: position for position, name in enumerate(dict.fromkeys(repr(run.settings.dataset) for run in runs))}
    members: dict[tuple[str, bool], dict[str, PlannedRun]] = {}
    for run in sorted(runs, key=lambda run: (order[repr(run.settings.dataset)], batch_key(run.settings)[1])):
        members.setdefault(batch_key(run.settings), {})[run.key] = run
    return [
        Batch(
            next(iter(group.values())).settings.dataset.name,
            tuple(sorted(group.values(), key=lambda run: -seconds(run.settings))),
        )
        for group in members.values()
    ]


def execute(
    runs: Sequence[PlannedRun],
    jobs: int,
    command: Sequence[str],
    meter: Meter,
    make: MakeRuns,
    seconds: Seconds,
) -> dict[str, Outcome]:
    """Make runs.

    Parameters
    ----------
    runs : sequence of PlannedRun
        Those that are not in the store.
    jobs : int
        Runs at a time.
    command : sequence of str
        For the record.
    meter : Meter
        Shows how far the whole is.
    make : callable
        Makes them (`figure_runs.make_runs`).
    seconds : callable
        Returns the seconds that a run will probably take.

    Returns
    -------
    dict of str to Outcome
        By the runs' keys.

    Raises
    ------
    KeyboardInterrupt
        The finished runs are in the store; those in progress are recorded as interrupted.
    """
    plan = batches(runs, seconds)
    grams = [max(gram_seconds(run.settings) for run in batch.runs) for batch in plan]
    total = sum(grams) + sum(seconds(run.settings) for batch in plan for run in batch.runs)
    outcomes: dict[str, Outcome] = {}
    line = RunsLine(sum(len(batch.runs) for batch in plan))
    done = 0.0
    for batch, gram in zip(plan, grams, strict=True):
        weights = [seconds(run.settings) for run in batch.runs]
        fractions = [0.0] * len(weights)
        settings = [run.settings for run in batch.runs]
        if not gram:
            _make_room(settings, jobs)
        for event in make(settings, jobs, command):
            fractions[event.index] = event.fraction
            if event.outcome is not None:
                outcomes[batch.runs[event.index].key] = event.outcome
            # the Gram matrix is there as soon as any run has got anywhere
            begun = gram if any(fractions) else 0.0
            share = done + begun + sum(w * f for w, f in zip(weights, fractions, strict=True))
            meter.update(share / total, line.after(event, settings[event.index].label()))
        done += gram + sum(weights)
    return outcomes


def summary(outcomes: Collection[Outcome]) -> str:
    """Count runs by their status, in one line."""
    counts = Counter(outcome.status for outcome in outcomes)
    seconds = sum(outcome.cpu_seconds or 0.0 for outcome in outcomes if outcome.status == "finished")
    parts = [f"{number} {status}" for status, number in sorted(counts.items())]
    return f"{', '.join(parts) or 'nothing to run'}; {duration(seconds)} CPU in solvers"


def _make_room(runs: Sequence[RunSettings], jobs: int) -> None:
    """Let Gram matrices go whose memory runs without one may need; they can be built again."""
    limit = max(run.memory_bytes for run in runs)
    GramStore(default_directory(), limit).make_room_in_memory(int(working_memory(runs, jobs)))
