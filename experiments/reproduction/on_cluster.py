"""Runs on a Ray cluster: what `experiments.reproduction.workers` does in processes of this machine."""

from __future__ import annotations

import dataclasses
import signal
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

from experiments import engine
from experiments.configuration.settings import RunSettings
from experiments.launchers.cluster import Cluster, OnCluster, cores_here
from experiments.processes.outcome import Outcome
from experiments.processes.stopping import Terminated, deferred, terminable
from experiments.reproduction.workers import TELL_SECONDS, Event, Telling
from experiments.run.errors import outcome_of


def make_runs(cluster: Cluster, runs: Sequence[RunSettings], jobs: int, command: Sequence[str]) -> Iterator[Event]:
    """Make runs on a cluster; see `experiments.reproduction.workers.make_runs`.

    Parameters
    ----------
    cluster : Cluster
    runs : sequence of RunSettings
    jobs : int
        At most so many at a time; there are never more than the cluster has cores.
    command : sequence of str
        The command line, for the record.

    Raises
    ------
    KeyboardInterrupt
        After the runs in progress have recorded what they reached.
    """
    waiting = deque(enumerate(runs))
    first = cluster.reserve(len(runs))  # numbers that no run of another call has
    busy: dict[Any, Event] = {}
    try:
        with deferred() as stop_request:  # Ray would hand on that something was asked for, not what
            while waiting or busy:
                stop_request.raise_if_set()
                while waiting and len(busy) < jobs:
                    index, settings = waiting.popleft()
                    reference = cluster.submit(make, first + index, settings, tuple(command))
                    busy[reference] = Event(index, 0.0)
                    yield busy[reference]
                done = cluster.wait(busy, TELL_SECONDS)
                fractions = {number - first: fraction for number, fraction in cluster.said()}
                for reference, last in list(busy.items()):
                    if reference in done:
                        del busy[reference]
                        yield Event(last.index, 1.0, cluster.result(reference, runs[last.index].label()))
                    elif last.index in fractions:
                        busy[reference] = Event(last.index, fractions[last.index])
                        yield busy[reference]
                    else:
                        yield last  # told again: the line of the whole figure goes on
    except BaseException as ended:
        cluster.stop(signal.SIGTERM if isinstance(ended, Terminated) else signal.SIGINT)
        raise


def make(number: int, settings: RunSettings, command: Sequence[str]) -> Outcome:
    """Make one run on the machine that this process is on."""
    desk = OnCluster()
    label = settings.label()
    if (before := desk.begin(number, Outcome(label, "killed", "its process was killed"))) is not None:
        return before
    settings = dataclasses.replace(settings, jobs=cores_here())
    display = Telling(lambda fraction: desk.tell(number, fraction))
    with terminable():
        outcome = outcome_of(lambda: engine.run(settings, display, command), settings.label)
    desk.end(number, outcome)
    return outcome
