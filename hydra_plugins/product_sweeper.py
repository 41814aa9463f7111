"""Hydra's sweeper of this project; Hydra finds sweepers in packages of this name only."""

from __future__ import annotations

from collections.abc import Sequence

from hydra.core.plugins import Plugins
from hydra.core.utils import JobReturn
from hydra.plugins.sweeper import Sweeper
from hydra.types import HydraContext, TaskFunction
from omegaconf import DictConfig


class ProductSweeper(Sweeper):
    """Makes a job of every combination of values, as Hydra's own sweeper does, and checks each in milliseconds."""

    def setup(self, *, hydra_context: HydraContext, task_function: TaskFunction, config: DictConfig) -> None:
        """Make the launcher of ``hydra/launcher=``."""
        self._loader = hydra_context.config_loader
        self._launcher = Plugins.instance().instantiate_launcher(
            hydra_context=hydra_context, task_function=task_function, config=config
        )

    def sweep(self, arguments: list[str]) -> Sequence[JobReturn]:
        """Launch the jobs, unless the settings of one are wrong; raises what a job has raised."""
        from experiments.command_line.hydra_words import jobs_of
        from experiments.configuration.composition import compose

        jobs = jobs_of(arguments, self._loader)
        for words in jobs:
            compose(words)
        returns = self._launcher.launch(jobs, initial_job_idx=0)
        for job in returns:
            _ = job.return_value
        return returns
