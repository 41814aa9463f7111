"""Hydra's sweeper of this project; Hydra finds sweepers in packages of this name only."""

from __future__ import annotations

from collections.abc import Sequence

from hydra.core.plugins import Plugins
from hydra.core.utils import JobReturn
from hydra.plugins.launcher import Launcher
from hydra.plugins.sweeper import Sweeper
from hydra.types import HydraContext, TaskFunction
from omegaconf import DictConfig


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
