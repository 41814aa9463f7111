"""Hydra's sweeper and launchers of this project; Hydra finds plugins in packages of this name only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hydra.core.plugins import Plugins
from hydra.core.utils import JobReturn
from hydra.plugins.launcher import Launcher
from hydra.plugins.sweeper import Sweeper
from hydra.types import HydraContext, TaskFunction
from omegaconf import DictConfig, OmegaConf


class ProductSweeper(Sweeper):
    """Makes a job of every combination of values, as Hydra's own sweeper does, and checks each in milliseconds."""

    def setup(self, *, hydra_context: HydraContext, task_function: TaskFunction, config: DictConfig) -> None:
        """Take what the launcher of ``hydra/launcher=`` is made with."""
        self._context, self._task, self._config = hydra_context, task_function, config

    def sweep(self, arguments: list[str]) -> Sequence[JobReturn]:
        """Run the sweep; see `experiments.command_line.sweep.run_sweep`."""
        from svm_cost_curves.experiments.command_line.sweep import run_sweep
        from svm_cost_curves.experiments.command_line.words import jobs_of

        return run_sweep(jobs_of(arguments, self._context.config_loader), self._config, self._launcher)

    def _launcher(self) -> Launcher:
        return Plugins.instance().instantiate_launcher(
            hydra_context=self._context, task_function=self._task, config=self._config
        )


class WorkerLauncher(Launcher):
    """Runs the jobs in worker processes of this machine, `n_jobs` at a time (`sweep_jobs.parallel_jobs`)."""

    def __init__(self, n_jobs: int = -1) -> None:
        self._n_jobs = n_jobs

    def setup(self, *, hydra_context: HydraContext, task_function: TaskFunction, config: DictConfig) -> None:
        """Take the configuration of the sweep; a job itself composes its own."""
        self._config = config

    def launch(self, job_overrides: Sequence[Sequence[str]], initial_job_idx: int) -> Sequence[JobReturn]:
        """Run the jobs and return their outcomes, in their order."""
        from svm_cost_curves.experiments.command_line.sweep_jobs import launch, parallel_jobs
        from svm_cost_curves.experiments.processes.pool import WorkerPool

        count = parallel_jobs(self._n_jobs)
        pool = WorkerPool(min(count, len(job_overrides)))
        return launch(job_overrides, initial_job_idx, self._config, pool, count)


class RayLauncher(WorkerLauncher):
    """Runs the jobs on Ray (`experiments.launchers.cluster.RayPool`); ``ray.init`` has the parameters of that call."""

    def __init__(self, ray: Any) -> None:
        self._init: Any = OmegaConf.to_container(ray.init, resolve=True)

    def launch(self, job_overrides: Sequence[Sequence[str]], initial_job_idx: int) -> Sequence[JobReturn]:
        """Run the jobs and return their outcomes, in their order."""
        from svm_cost_curves.experiments.command_line.sweep_jobs import launch
        from svm_cost_curves.experiments.launchers.cluster import RayPool

        pool = RayPool(self._init.pop("address"), self._init.pop("num_cpus"), **self._init)
        return launch(job_overrides, initial_job_idx, self._config, pool, None)
