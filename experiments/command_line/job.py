"""One job of ``run.py``: from its configuration to the outcome; in this process or in a worker."""

from __future__ import annotations

import dataclasses
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from hydra.core.hydra_config import HydraConfig
from hydra.types import RunMode
from omegaconf import DictConfig

from ...solvers import SettingsError
from ...support.text import command_line
from .. import engine
from ..configuration.choices import style_of
from ..configuration.composition import config_of, distinguishing, settings_of
from ..configuration.schema import RunConfig
from ..processes.outcome import STOPPED, Outcome, outcome_of
from ..processes.pool import Report
from ..processes.stopping import SIGNAL_OF, status_of
from ..processes.streams import mpi_process, print_error
from ..run.console import CompactDisplay, Display, FullDisplay
from ..run.jobs import ReportingDisplay
from ..store import Store
from ..store.recorder import recording
from .dry_run import show_plan

HERE = "here"
"""The launcher ``here`` runs jobs one by one in the command's process; ``local`` runs them in worker processes."""


def run_composed(composed: DictConfig) -> Outcome:
    """Make one run. Hydra calls this for a single run, and for each job of a sweep with ``here`` or submitit.

    Raises
    ------
    SystemExit
        With the exit status of a command that makes one run, if it is not 0.
    KeyboardInterrupt
        A sweep that makes its jobs in this process was stopped.
    """
    hydra = HydraConfig.get()
    overrides = list(hydra.overrides.task)
    if hydra.mode == RunMode.MULTIRUN:
        os.chdir(hydra.runtime.cwd)  # a cluster's processes begin elsewhere
        launcher, number = hydra.runtime.choices["hydra/launcher"], int(hydra.job.num)
        command = ["run.py", "-m", *overrides]
        outcome = run_job(composed, overrides, command, number=number, jobs=1, remote=launcher != HERE)
        outcome.write(Path(hydra.sweep.dir), number)
        if launcher == HERE and outcome.status in STOPPED:
            raise next(kind for kind in SIGNAL_OF if status_of(kind()) == outcome.status)
        return outcome
    try:
        config = config_of(composed)
        paper_style = style_of(vars(config))
    except SettingsError as error:  # Hydra would write lines on it
        print_error(f"error: {error}")
        sys.exit(2)
    outcome = show_plan(config, overrides) if config.dry_run else run_job(config, overrides, ["run.py", *overrides])
    code = outcome.exit_code
    if not (code or config.dry_run or paper_style is None or outcome.result_path is None):
        from .sweep_results import write_for_paper  # imports matplotlib

        code = write_for_paper([outcome], Path(outcome.result_path).parent, figure_command(overrides), paper_style)
    if code:
        sys.exit(code)
    return outcome


def figure_command(arguments: Sequence[str]) -> str:
    """Return the command line to print below a figure: it can be pasted into a shell, and does not name the store."""
    return command_line("run", *(word for word in arguments if not word.startswith(("store.", "store="))))


def run_job(
    config: DictConfig | RunConfig,
    overrides: Sequence[str],
    command: Sequence[str],
    *,
    number: int | None = None,
    jobs: int | None = None,
    remote: bool = False,
    report: Report | None = None,
) -> Outcome:
    """Make one run and return its outcome; never raises.

    `overrides` are the settings on the command line, `command` is for the record. A job of a sweep has a `number`, and
    `jobs` run at a time. A `remote` job may be on another machine, where the sweep's recorder (the process that copies
    runs to mlflow) does not see it. `report` takes the progress of a job whose lines the command writes; None: the job
    writes them.
    """
    prefix, label = "" if number is None else f"[{number}] ", " ".join(overrides)
    display: Display | None = None

    def make() -> Outcome:
        nonlocal label, display
        settings = settings_of(overrides, config, jobs=jobs)
        label = " ".join([settings.label(), *distinguishing(overrides)])
        if mpi_process().rank:  # one of several processes that compute the run, and not the one that shows it
            display = Display()
        elif report is not None:
            display = ReportingDisplay(report, prefix + label)
        else:
            display = FullDisplay(progress=settings.progress) if number is None else CompactDisplay(prefix + label)
        starts_recorder = number is None or (remote and settings.store_uri)  # else the sweep has started one
        if mpi_process().rank or not starts_recorder:
            return engine.run(settings, display, command)
        store = Store.at(settings.store_root, settings.store_uri)
        with recording(store, print_error, wait=settings.store_wait) as start_recorder:
            return engine.run(settings, display, command, start_recorder)

    outcome = outcome_of(make, lambda: prefix + label)
    if display is not None:
        display.close()
    if report is None and outcome.status == "refused":
        print_error(f"{f'{prefix}{label}: ' if prefix else ''}error: {outcome.message}")
    if report is None and outcome.status in STOPPED:
        print_error(f"{prefix}{label}: {outcome.status}{'; ' + outcome.message if outcome.message else ''}")
    return dataclasses.replace(outcome, label=label, overrides=tuple(overrides))
