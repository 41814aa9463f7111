"""Engines: ``engine=local`` runs in this process, ``engine=mpi`` on the processes that ``mpirun`` starts.

Only `experiments.engine.mpi` imports mpi4py; it is imported when a run with ``engine=mpi`` begins.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..configuration.settings import RunSettings
from ..processes.outcome import Outcome
from ..run.console import Display


def run(
    settings: RunSettings, display: Display, command: Sequence[str], on_start: Callable[[], object] = lambda: None
) -> Outcome:
    """Compute one run with the engine that its settings name; parameters and errors are those of `runner.run`.

    `on_start` is called when the run is about to be computed, with ``engine=mpi`` also when it is in the store.
    """
    # imported here: these import scipy and more, which an error in the settings does not need
    if settings.engine == "local":
        from ..run import runner

        return runner.run(settings, display, command, on_start=on_start)
    on_start()
    if settings.starts_ranks:
        from . import start

        return start.run(settings, display, command)
    from . import ranks

    return ranks.run(settings, display, command)
