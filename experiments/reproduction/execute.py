"""Make the runs that figures need: one data set after the other, the longest first, with one progress line for all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from experiments.console import Meter, duration
from experiments.outcome import Outcome
from experiments.reproduction.cost import estimate, gram_seconds
from experiments.reproduction.plan import PlannedRun
from experiments.reproduction.workers import make_runs


@dataclass(frozen=True)
class Batch:
    """Runs on one data set: they share a Gram matrix, and memory has room for one at a time."""

    dataset: str
    runs: tuple[PlannedRun, ...]


def batches(runs: Sequence[PlannedRun]) -> list[Batch]:
    """Group runs by data set; each run once (figures share runs), the longest first, so that no core idles at the end.

    The data sets keep the order of their first appearance.
    """
    members: dict[str, dict[str, PlannedRun]] = {}
    for run in runs:
        if run.key is not None:
            members.setdefault(repr(run.settings.dataset), {})[run.key] = run
    return [
        Batch(
            next(iter(group.values())).settings.dataset.name,
            tuple(sorted(group.values(), key=lambda run: -estimate(run.settings).seconds)),
        )
        for group in members.values()
    ]


def execute(runs: Sequence[PlannedRun], jobs: int, command: Sequence[str], meter: Meter) -> dict[str, Outcome]:
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

    Returns
    -------
    dict of str to Outcome
        By the runs' keys.

    Raises
    ------
    KeyboardInterrupt
        The finished runs are in the store; those in progress are recorded as interrupted.
    """
    plan = batches(runs)
    grams = [max(gram_seconds(run.settings, 1) for run in batch.runs) for batch in plan]
    total = sum(grams) + sum(estimate(run.settings).seconds for batch in plan for run in batch.runs)
    count = sum(len(batch.runs) for batch in plan)
    outcomes: dict[str, Outcome] = {}
    done = 0.0
    for batch, gram in zip(plan, grams, strict=True):
        weights = [estimate(run.settings).seconds for run in batch.runs]
        fractions = [0.0] * len(weights)
        settings = [run.settings for run in batch.runs]
        meter.update(done / total, f"run {len(outcomes) + 1} of {count}: {batch.dataset}")
        for event in make_runs(settings, jobs, command):
            fractions[event.index] = event.fraction
            if event.outcome is not None:
                outcomes[str(batch.runs[event.index].key)] = event.outcome
            # the Gram matrix is there as soon as any run has got anywhere
            begun = gram if any(fractions) else 0.0
            share = done + begun + sum(w * f for w, f in zip(weights, fractions, strict=True))
            meter.update(share / total, f"{len(outcomes)} of {count} runs; {_state(outcomes.values())}{batch.dataset}")
        done += gram + sum(weights)
    return outcomes


def summary(outcomes: Collection[Outcome]) -> str:
    """Count runs by what became of them, in one line."""
    counts = Counter(outcome.status for outcome in outcomes)
    seconds = sum(outcome.cpu_seconds or 0.0 for outcome in outcomes if outcome.status == "finished")
    parts = [f"{number} {status}" for status, number in sorted(counts.items())]
    return f"{', '.join(parts) or 'nothing to run'}; {duration(seconds)} CPU in solvers"


def _state(outcomes: Iterable[Outcome]) -> str:
    wrong = sum(outcome.exit_code != 0 for outcome in outcomes)
    return f"{wrong} went wrong; " if wrong else ""
