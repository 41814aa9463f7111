"""Which program makes a run: this process, the ranks it is one of, or ranks that it starts."""

from __future__ import annotations

from collections.abc import Sequence

from experiments.configuration.settings import RunSettings
from experiments.processes.outcome import Outcome
from experiments.run.console import Display


def run(settings: RunSettings, display: Display, command: Sequence[str]) -> Outcome:
    """Make one run with the engine that its settings name; see `experiments.run.runner.run`.

    Parameters
    ----------
    settings : RunSettings
    display : Display
    command : sequence of str
        The command line, for the record.

    Returns
    -------
    Outcome

    Raises
    ------
    SettingsError, DataError, StoreError
        The user's errors.
    """
    # here, because these bring scipy and more, which an error in the settings needs not
    if settings.engine == "local":
        from experiments.run import runner

        return runner.run(settings, display, command)
    if settings.starts_ranks:
        from experiments.engine import start

        return start.run(settings, display, command)
    from experiments.engine import ranks

    return ranks.run(settings, display, command)
