"""The runs of figures as jobs on a Ray cluster, as `figure_runs` makes them on this machine."""

from __future__ import annotations

import dataclasses
import signal
from collections import deque
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from experiments import engine
from experiments.configuration.settings import RunSettings
from experiments.launchers.cluster import Cluster, ClusterLedger, cores_here
from experiments.processes.outcome import Outcome
from experiments.processes.pool import Event
from experiments.processes.stopping import Terminated, deferred, terminable
from experiments.reproduction.figure_runs import REPORT_SECONDS, ReportingDisplay
from experiments.run.errors import outcome_of


def make_runs(cluster: Cluster, runs: Sequence[RunSettings], jobs: int, command: Sequence[str]) -> Iterator[Event]:
    """Make runs on a cluster; see `figure_runs.make_runs`.

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
    running: dict[Any, Event] = {}
    try:
        with deferred() as stop_request:  # Ray passes on that a signal came, but not which
            while waiting or running:
                stop_request.raise_if_set()
                while waiting and len(running) < jobs:
                    index, settings = waiting.popleft()
                    reference = cluster.submit(make, first + index, settings, tuple(command))
                    running[reference] = Event(index, 0.0)
                    yield running[reference]
                done = cluster.wait(running, REPORT_SECONDS)
                reports = {number - first: report for number, report in cluster.reports()}
                for reference, last in list(running.items()):
                    if reference in done:
                        del running[reference]
                        yield last.after(cluster.result(reference, runs[last.index].label()))
                    else:  # an event also without news: the figure's progress line goes on
                        running[reference] = last.after(reports[last.index]) if last.index in reports else last
                        yield running[reference]
    except BaseException as ended:
        cluster.stop(signal.SIGTERM if isinstance(ended, Terminated) else signal.SIGINT)
        raise


def make(number: int, settings: RunSettings, command: Sequence[str]) -> Outcome:
    """Make one run on the machine that this process is on."""
    ledger = ClusterLedger()
    label = settings.label()
    if (before := ledger.begin(number, Outcome(label, "killed", "its process was killed"))) is not None:
        return before
    settings = dataclasses.replace(settings, jobs=cores_here())
    display = ReportingDisplay(partial(ledger.report, number))
    with terminable():
        outcome = outcome_of(lambda: engine.run(settings, display, command), settings.label)
    ledger.end(number, outcome)
    return outcome
