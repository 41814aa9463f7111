"""Hydra's launchers for jobs on this machine; Hydra finds launchers in packages of this name only."""

from __future__ import annotations

from collections.abc import Sequence

from hydra.core.utils import JobReturn
from hydra.plugins.launcher import Launcher
from hydra.types import HydraContext, TaskFunction
from omegaconf import DictConfig


class WorkerPoolLauncher(Launcher):
    """Runs the jobs of a sweep in worker processes; see `experiments.command_line.local_sweep.launch`.

    Parameters
    ----------
    n_jobs : int
        Jobs at a time; negative numbers count down from all cores.
    """

    def __init__(self, n_jobs: int = -1) -> None:
        self._n_jobs = n_jobs

    def setup(self, *, hydra_context: HydraContext, task_function: TaskFunction, config: DictConfig) -> None:
        """Take what the jobs are composed with; each job calls `experiments.command_line.job.run_composed`."""
        self._context, self._config = hydra_context, config

    def launch(self, job_overrides: Sequence[Sequence[str]], initial_job_idx: int) -> Sequence[JobReturn]:
        """Run the jobs and return their outcomes, in their order."""
        from experiments.command_line.local_sweep import launch

        return launch(job_overrides, initial_job_idx, self._config, self._context, self._n_jobs)


class HereLauncher(Launcher):
    """Runs the jobs of a sweep one after the other in this process."""

    def setup(self, *, hydra_context: HydraContext, task_function: TaskFunction, config: DictConfig) -> None:
        """Take what the jobs are composed with, and what they call."""
        self._context, self._config, self._task = hydra_context, config, task_function

    def launch(self, job_overrides: Sequence[Sequence[str]], initial_job_idx: int) -> Sequence[JobReturn]:
        """Run the jobs and return what they return, in their order."""
        from experiments.command_line.local_sweep import launch_here

        return launch_here(job_overrides, initial_job_idx, self._config, self._context, self._task)
