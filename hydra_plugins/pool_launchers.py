"""Hydra's launchers for the jobs of a sweep; Hydra finds launchers in packages of this name only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hydra.core.utils import JobReturn
from hydra.plugins.launcher import Launcher
from hydra.types import HydraContext, TaskFunction
from omegaconf import DictConfig, OmegaConf


class _PoolLauncher(Launcher):
    """A launcher whose jobs compose their settings themselves."""

    def setup(self, *, hydra_context: HydraContext, task_function: TaskFunction, config: DictConfig) -> None:
        """Take the configuration of the sweep; a job itself composes its own."""
        self._config = config


class WorkerLauncher(_PoolLauncher):
    """Runs the jobs in worker processes of this machine; see `experiments.command_line.sweep_jobs.launch`.

    Parameters
    ----------
    n_jobs : int
        Jobs at a time; negative numbers count down from all cores.
    """

    def __init__(self, n_jobs: int = -1) -> None:
        self._n_jobs = n_jobs

    def launch(self, job_overrides: Sequence[Sequence[str]], initial_job_idx: int) -> Sequence[JobReturn]:
        """Run the jobs and return their outcomes, in their order."""
        from svm_cost_curves.experiments.command_line.sweep_jobs import launch, parallel_jobs
        from svm_cost_curves.experiments.processes.pool import WorkerPool

        count = parallel_jobs(self._n_jobs)
        pool = WorkerPool(min(count, len(job_overrides)))
        return launch(job_overrides, initial_job_idx, self._config, pool, count)


class RayLauncher(_PoolLauncher):
    """Runs the jobs on Ray; see `experiments.launchers.cluster.RayPool`.

    Parameters
    ----------
    ray : mapping
        ``init`` has the parameters of ``ray.init``.
    """

    def __init__(self, ray: Any) -> None:
        self._init: Any = OmegaConf.to_container(ray.init, resolve=True)

    def launch(self, job_overrides: Sequence[Sequence[str]], initial_job_idx: int) -> Sequence[JobReturn]:
        """Run the jobs and return their outcomes, in their order."""
        from svm_cost_curves.experiments.command_line.sweep_jobs import launch
        from svm_cost_curves.experiments.launchers.cluster import RayPool

        pool = RayPool(self._init.pop("address"), self._init.pop("num_cpus"), **self._init)
        return launch(job_overrides, initial_job_idx, self._config, pool, None)
