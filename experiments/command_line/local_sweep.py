"""The jobs of a sweep as jobs of worker processes on this machine."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hydra.core.utils import JobReturn, JobStatus, run_job, setup_globals
from hydra.types import HydraContext, TaskFunction
from omegaconf import DictConfig, OmegaConf, open_dict

from experiments.command_line.job import parallel_jobs, run_composed
from experiments.configuration.composition import compose
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
        ``name=value`` of each setting, as the command line has been expanded.
    config : DictConfig
        As Hydra composed it for the sweep as a whole.
    context : HydraContext
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
        """Run the job in a worker and return its outcome; see `experiments.processes.pool.Job`."""
        setup_globals()  # Hydra's resolvers, as in ``model=${now:%H}.npz``
        outcome: Outcome = self.run(run_composed).return_value
        return outcome

    def run(self, task: TaskFunction) -> JobReturn:
        """Let Hydra call a function with the job's configuration."""
        return run_job(
            task_function=task,
            config=self._composed(),
            job_dir_key="hydra.sweep.dir",
            job_subdir_key="hydra.sweep.subdir",
            hydra_context=self.context,
        )

    def _composed(self) -> DictConfig:
        """Return the job's own settings beside the sweep's settings of Hydra."""
        config = compose(self.overrides)
        OmegaConf.copy_cache(from_config=self.config, to_config=config)  # ``${now:...}`` is the sweep's
        with open_dict(config):
            config.hydra = self.config.hydra
            job, options = config.hydra.job, config.hydra.runtime.choices
            job.num, job.id = self.number, f"{job.name}_{self.number}"
            job.override_dirname = ",".join(sorted(self.overrides))
            config.hydra.overrides.task = [*self.overrides]
            options.update(
                {name: value for name, _, value in (w.partition("=") for w in self.overrides) if name in options}
            )
        return config


def launch_here(
    job_overrides: Sequence[Sequence[str]], first: int, config: DictConfig, context: HydraContext, task: TaskFunction
) -> list[JobReturn]:
    """Run the jobs of a sweep one after the other in this process; the parameters are those of `launch`."""
    return [SweepJob(first + i, tuple(words), config, context).run(task) for i, words in enumerate(job_overrides)]


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
                returns[event.index].return_value = event.outcome
                returns[event.index].status = JobStatus.COMPLETED
            elif event.note:
                print_error(f"[{first + event.index}] {jobs[event.index].label}: {event.note}")
    finally:
        elapsed.end()
    return returns


preload("experiments.launchers.preloaded", __name__)
