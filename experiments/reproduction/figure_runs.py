"""The runs of figures as jobs: of worker processes on this machine, or on a Ray cluster."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from svm_cost_curves.experiments import engine
from svm_cost_curves.experiments.configuration.settings import RunSettings
from svm_cost_curves.experiments.launchers.cluster import RayPool, cores_here
from svm_cost_curves.experiments.processes.outcome import Outcome
from svm_cost_curves.experiments.processes.pool import Event, Report, WorkerPool, run_jobs
from svm_cost_curves.experiments.run.errors import outcome_of
from svm_cost_curves.experiments.run.jobs import ReportingDisplay


@dataclass(frozen=True)
class FigureRun:
    """One run of a figure.

    Attributes
    ----------
    settings : RunSettings
    command : tuple of str
        The command line, for the record.
    on_ray : bool
        Whether it runs on a machine of a Ray cluster, whose cores say how many runs share its memory.
    """

    settings: RunSettings
    command: tuple[str, ...]
    on_ray: bool = False

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
    """Make runs, at most `jobs` at a time; see `experiments.processes.pool.run_jobs`.

    Parameters
    ----------
    runs : sequence of RunSettings
    jobs : int
        Runs at a time, on this machine; a cluster has its own number.
    command : sequence of str
        The command line, for the record.
    cluster : RayPool or None
        Where they are made; None: in worker processes of this machine.
    """
    made = [FigureRun(settings, tuple(command), cluster is not None) for settings in runs]
    with WorkerPool(min(jobs, len(runs))) if cluster is None else contextlib.nullcontext(cluster) as pool:
        yield from run_jobs(made, pool)
