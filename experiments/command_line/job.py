"""One job of ``run.py``: from the configuration that Hydra composed to the outcome; in this process or in a worker."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hydra.core.hydra_config import HydraConfig
from hydra.types import RunMode
from omegaconf import DictConfig

from experiments import engine
from experiments.command_line.sweep_groups import distinguishing
from experiments.configuration.composition import config_of
from experiments.configuration.settings import RunSettings, available_cores, resolve, setting_name
from experiments.launchers import cluster
from experiments.launchers.checks import LOCAL, RAY
from experiments.processes.job_ledger import FolderLedger, JobLedger
from experiments.processes.mpirun import place
from experiments.processes.outcome import STOPPED, Outcome
from experiments.processes.stopping import terminable
from experiments.run.console import CompactDisplay, Display, FullDisplay
from experiments.run.errors import outcome_of, print_error
from experiments.store import Store
from experiments.store.recorder import recording
from solvers import SettingsError


def run_composed(composed: DictConfig) -> Outcome:
    """Run one job as Hydra calls it; never raises, as Hydra would drop all outcomes of a sweep but the first error."""
    hydra_config = HydraConfig.get()
    overrides = list(hydra_config.overrides.task)
    if hydra_config.mode != RunMode.MULTIRUN:
        return run_job(composed, overrides, ["run.py", *overrides])
    os.chdir(hydra_config.runtime.cwd)  # a cluster's processes begin elsewhere
    command, number = ["run.py", "-m", *overrides], int(hydra_config.job.num)
    ledger = _ledger(hydra_config)
    begun = Outcome(" ".join(overrides), "killed", "its process was killed", overrides=tuple(overrides))
    if ledger is not None and (before := ledger.begin(number, begun)) is not None:
        return before
    launcher = hydra_config.runtime.choices["hydra/launcher"]
    remote = launcher == RAY or launcher.startswith("submitit")
    outcome = run_job(composed, overrides, command, number=number, jobs=_jobs(hydra_config), remote=remote)
    if ledger is not None:
        ledger.end(number, outcome)
    return outcome


def parallel_jobs(n_jobs: int) -> int:
    """Return how many jobs run at a time: negative numbers count down from all cores, -1 is all of them.

    Raises
    ------
    SettingsError
        It is not a whole number, or 0.
    """
    if type(n_jobs) is not int or n_jobs == 0:
        raise SettingsError(f"hydra.launcher.n_jobs must be a whole number other than 0, got {n_jobs!r}")
    return max(1, available_cores() + 1 + n_jobs if n_jobs < 0 else n_jobs)


def _jobs(hydra_config: Any) -> int:
    """Return how many jobs run at a time on the machine of this one."""
    if hydra_config.runtime.choices["hydra/launcher"] == RAY:
        return cluster.cores_here()
    return parallel_jobs(hydra_config.launcher.get("n_jobs", 1))


def _ledger(hydra_config: Any) -> JobLedger | None:
    """Return what the job reports to; None: the pool of local workers, which sees for itself."""
    launcher = hydra_config.runtime.choices["hydra/launcher"]
    if launcher == LOCAL:
        return None
    return cluster.ClusterLedger() if launcher == RAY else FolderLedger(Path(hydra_config.runtime.output_dir))


def run_job(
    composed: DictConfig,
    overrides: Sequence[str],
    command: Sequence[str],
    *,
    number: int | None = None,
    jobs: int | None = None,
    remote: bool = False,
) -> Outcome:
    """Make one run and return its outcome; never raises.

    Parameters
    ----------
    composed : DictConfig
        As Hydra composed it.
    overrides : sequence of str
        ``name=value`` of each setting on the command line.
    command : sequence of str
        The command line, for the record.
    number, jobs : int or None
        For a job of a sweep: which one this is, and how many run at a time.
    remote : bool
        Whether a job of a sweep may be on another machine, where no recorder of the sweep sees its run.
    """
    prefix = "" if number is None else f"[{number}] "
    label = " ".join(overrides)
    display: Display | None = None

    def make() -> Outcome:
        nonlocal label, display
        settings = resolve(config_of(composed), given=[setting_name(word) for word in overrides], jobs=jobs)
        label = " ".join([settings.label(), *distinguishing(overrides)])
        display = _display(settings, None if number is None else prefix + label, jobs or 1)
        if place().rank or not (number is None or (remote and settings.store_uri)):
            return engine.run(settings, display, command)
        with recording(Store.at(settings.store_root, settings.store_uri), print_error) as begin:
            return engine.run(settings, display, command, begin)

    with terminable():
        outcome = outcome_of(make, lambda: prefix + label)
    if display is not None:
        display.close()
    if outcome.status == "refused":
        where = "" if number is None else f"{prefix}{label}: "
        print_error(f"{where}error: {outcome.message}")
    if outcome.status in STOPPED:
        print_error(f"{prefix}{label}: {outcome.status}{'; ' + outcome.message if outcome.message else ''}")
    return dataclasses.replace(outcome, label=label, overrides=tuple(overrides))


def _display(settings: RunSettings, job: str | None, jobs: int) -> Display:
    if place().rank:
        return Display()
    return FullDisplay(progress=settings.progress) if job is None else CompactDisplay(job, jobs=jobs)
