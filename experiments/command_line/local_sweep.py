"""The jobs of a sweep as jobs of worker processes on this machine."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from hydra.core.hydra_config import HydraConfig
from hydra.core.utils import JobReturn, JobStatus, run_job, setup_globals
from hydra.types import HydraContext
from omegaconf import DictConfig, open_dict

from experiments.command_line.job import parallel_jobs, run_composed
from experiments.configuration.composition import COMPOSITION_ERRORS, explain, register
from experiments.processes.elapsed import ElapsedTime
from experiments.processes.forkserver import preload
from experiments.processes.job_ledger import FolderLedger
from experiments.processes.outcome import Outcome
from experiments.processes.pool import Report, run_jobs
from experiments.run.console import console, note_to
from experiments.run.errors import print_error


@dataclass(frozen=True)
class SweepJob:
    """One job of a sweep.

    Attributes
    ----------
    number : int
        In the sweep.
    overrides : tuple of str
        ``name=value`` of each setting, as Hydra has expanded the command line.
    config : DictConfig
        As composed for the sweep as a whole.
    context : HydraContext
        Composes the job's own configuration from it.
    """

    number: int
    overrides: tuple[str, ...]
    config: DictConfig
    context: HydraContext

    @property
    def label(self) -> str:
        """The overrides."""
        return " ".join(self.overrides)

    def __call__(self, report: Report, /) -> Outcome:
        """Compose the job, run it, and return its outcome; see `experiments.processes.pool.Job`."""
        _prepare()
        try:
            config = self.context.config_loader.load_sweep_config(self.config, list(self.overrides))
        except COMPOSITION_ERRORS as error:
            print_error(f"[{self.number}] {self.label}: error: {explain(error)}")
            return Outcome(self.label, "refused", explain(error), overrides=self.overrides)
        with open_dict(config):
            config.hydra.job.id, config.hydra.job.num = f"{config.hydra.job.name}_{self.number}", self.number
        HydraConfig.instance().set_config(config)
        done = run_job(
            task_function=run_composed,
            config=config,
            job_dir_key="hydra.sweep.dir",
            job_subdir_key="hydra.sweep.subdir",
            hydra_context=self.context,
        )
        outcome: Outcome = done.return_value
        return outcome


@cache
def _prepare() -> None:
    """Register resolvers and schemas in a worker, once for all of its jobs."""
    setup_globals()
    register()


def launch(
    job_overrides: Sequence[Sequence[str]], first: int, config: DictConfig, context: HydraContext, n_jobs: int
) -> list[JobReturn]:
    """Run the jobs of a sweep in worker processes, and record their outcomes in the sweep's folder.

    Parameters
    ----------
    job_overrides : sequence of sequence of str
        Those of each job.
    first : int
        Number of the first job.
    config : DictConfig
        As composed for the sweep as a whole.
    context : HydraContext
    n_jobs : int
        See `parallel_jobs`.

    Raises
    ------
    KeyboardInterrupt
        After the running jobs have recorded their state.
    """
    directory = Path(config.hydra.sweep.dir)
    directory.mkdir(parents=True, exist_ok=True)
    ledger = FolderLedger(directory)
    jobs = [SweepJob(first + i, tuple(words), config, context) for i, words in enumerate(job_overrides)]
    returns = [JobReturn(overrides=words, status=JobStatus.UNKNOWN) for words in job_overrides]
    count = parallel_jobs(n_jobs)
    elapsed = ElapsedTime(note_to(console(sys.stderr)))
    elapsed.begin(f"jobs: {len(jobs)}, {min(count, len(jobs))} at a time; starting the worker processes")
    try:
        for event in run_jobs(jobs, count):
            elapsed.end()
            if event.outcome is not None:
                ledger.end(first + event.index, event.outcome)
                returns[event.index]._return_value = event.outcome
                returns[event.index].status = JobStatus.COMPLETED
            elif event.note:
                print_error(f"[{first + event.index}] {jobs[event.index].label}: {event.note}")
    finally:
        elapsed.end()
    return returns


preload("experiments.launchers.preloaded", __name__)
