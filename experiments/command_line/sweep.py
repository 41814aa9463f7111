"""One sweep of ``run.py -m``: checks before its first job, its jobs, and what they leave at the end."""

from __future__ import annotations

import contextlib
import dataclasses
import re
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from hydra.core.utils import JobReturn
from hydra.plugins.launcher import Launcher
from omegaconf import DictConfig, OmegaConf, read_write

from ...solvers import SettingsError
from ...support.errors import UserError
from ...support.files import write_file
from ...support.text import number_of
from ..configuration.choices import NO_SWEEPS, PaperStyle, check_choice, folder, style_of
from ..configuration.composition import compose, config_of, settings_of
from ..configuration.grammar import IN_A_JOB, in_quotes
from ..configuration.settings import server_address, store_wait
from ..launchers.checks import LOCAL, RAY, check_address, check_launcher, refusal
from ..processes.outcome import Outcome, outcomes_in
from ..processes.stopping import EXIT_STATUS, terminable
from ..processes.streams import print_error
from ..store import Store, StoreError
from ..store.recorder import recording
from .dry_run import show_plan
from .job import HERE, figure_command
from .sweep_names import job_labels

SWEEP_ID = "SVM_SWEEP_ID"
"""Environment variable with the process number of a sweep: names its folder."""
FOLDER_OF_A_JOB = ("hydra.job.chdir", "hydra.job.env_set", "hydra.output_subdir", "hydra.sweep.subdir")
"""Settings of Hydra that give a job a folder or an environment of its own."""

_ELSEWHERE = re.compile(r"\$\\?\{[^}]*:")
"""A value that only a job on another machine knows: as `IN_A_JOB`, and ``${oc.env:NAME}`` of its environment."""


def run_sweep(jobs: Sequence[Sequence[str]], config: Any, launcher: Callable[[], Launcher]) -> Sequence[JobReturn]:
    """Run the jobs of a sweep, lists of overrides, and show their results; return what the launcher returns.

    `config` is composed for the sweep as a whole, with Hydra's own part; its ``hydra.sweep.dir`` is made absolute.
    `launcher` makes the launcher, which a dry run does not need.

    Raises
    ------
    SettingsError, StoreError
        Settings of a job are wrong; or the launcher, the cluster, the store or its server cannot be used.
    SystemExit
        With the exit status, if it is not 0.
    """
    composed = [compose(overrides) for overrides in jobs]
    if any((job.engine, job.ranks) == ("mpi", "auto") for job in composed):
        raise SettingsError(NO_SWEEPS)
    if config.dry_run:
        plain = [[word for word in overrides if not word.startswith("dry_run=")] for overrides in jobs]
        outcomes = [show_plan(job, plain[number], number) for number, job in enumerate(composed)]
        there = sum(outcome.result_path is not None for outcome in outcomes)
        are = "is" if len(outcomes) == 1 else "are"
        print(f"{there} of {number_of(len(outcomes), 'run')} {are} in the store", flush=True)
        sys.exit(max(outcome.exit_code for outcome in outcomes))
    paper, highlight = style_of(composed[0]), composed[0].highlight
    if highlight is not None:
        check_choice("highlight", highlight, sorted({job.algo.name for job in composed}))
    store = _checked(config)
    is_remote = config.hydra.runtime.choices["hydra/launcher"] not in (HERE, LOCAL)
    _check_settings(jobs, composed, _ELSEWHERE if is_remote else IN_A_JOB)
    directory = Path(config.hydra.sweep.dir).absolute()
    with read_write(config.hydra):  # of itself in Hydra 1.4
        config.hydra.sweep.dir = str(directory)
        config.hydra.overrides.hydra.append(f"hydra.sweep.dir={in_quotes(str(directory))}")  # for jobs on any machine
    directory.mkdir(parents=True, exist_ok=True)
    write_file(directory / "multirun.yaml", OmegaConf.to_yaml(config).encode())  # as Hydra's own sweeper does
    with recording(store, print_error, wait=store_wait(config.store)) as begin:
        begin()
        returns, stopped = _launched(jobs, launcher(), config.hydra.runtime.choices["hydra/launcher"], directory)
        store.remove_leftovers_of_sweeps()
        if status := _finish(directory, store, config, paper, highlight, stopped):
            sys.exit(status)
    return returns


def _check_settings(jobs: Sequence[Sequence[str]], composed: Sequence[DictConfig], unknown: re.Pattern[str]) -> None:
    """Refuse a sweep with a job whose settings are wrong, before the first one begins.

    Only the job knows the value of a word that matches `unknown`. For a job with such a word, only the references in
    its other words are checked.
    """
    wrong: dict[str, list[str]] = {}
    for label, overrides, job in zip(job_labels(jobs), jobs, composed, strict=True):
        fixed = [word for word in overrides if not unknown.search(word)]
        try:
            if len(fixed) < len(overrides):
                config_of(compose(fixed))
            else:
                settings_of(overrides, job, jobs=1)
        except SettingsError as error:
            wrong.setdefault(str(error), []).append(label)
    if len(wrong) == 1 and len(jobs) == len(next(iter(wrong.values()))):
        raise SettingsError(next(iter(wrong)))
    if wrong:
        count = sum(map(len, wrong.values()))
        more = {why: f" and {len(labels) - 1} more" if labels[1:] else "" for why, labels in wrong.items()}
        reasons = [f"{labels[0]}{more[why]}: {why}" for why, labels in wrong.items()]
        raise SettingsError(f"{count} of {len(jobs)} runs cannot be made, so none was: {'; '.join(reasons)}")


def _checked(config: Any) -> Store:
    """Return the store, after checks: raises where the launcher, a setting of Hydra or the store cannot be used."""
    name = config.hydra.runtime.choices["hydra/launcher"]
    check_launcher(name, f"hydra/launcher={name}")
    for word in config.hydra.overrides.hydra:
        if name in (LOCAL, RAY) and word.lstrip("+").startswith(FOLDER_OF_A_JOB):
            raise SettingsError(
                f"{word}: the jobs of hydra/launcher={name} share folder and environment; add "
                "hydra/launcher=here, which makes one after the other"
            )
    if name == RAY and (address := config.hydra.launcher.ray.init.address) is not None:
        check_address(address)
    folder("store.root", config.store.root)
    if (server := server_address(config.store.uri)) is not None:
        Store.open(config.store.root, server=server)
    return Store.at(config.store.root, server)


def _launched(
    jobs: Sequence[Sequence[str]], launcher: Launcher, name: str, directory: Path
) -> tuple[Sequence[JobReturn], int | None]:
    """Launch the jobs; return what the launcher returns, and the exit status if not all jobs have ended.

    SettingsError: the launcher, whose name is given, has refused all jobs, whose outcomes are written to the directory.
    """
    try:
        with terminable():
            return launcher.launch(jobs, initial_job_idx=0), None
    except KeyboardInterrupt as stopped:
        return [], EXIT_STATUS[type(stopped)]
    except UserError:
        raise
    except Exception as error:  # of a launcher
        if name in (HERE, LOCAL, RAY):  # a fault of this program
            print_error(traceback.format_exc())
            return [], 1
        said = f"hydra/launcher={name}: {refusal(error)}"
        if not outcomes_in(directory):  # Slurm did not take the jobs
            raise SettingsError(said) from error
        print_error(f"error: {said}")
        return [], 1


def _finish(
    directory: Path, store: Store, config: Any, paper: PaperStyle | None, highlight: str | None, stopped: int | None
) -> int:
    from . import sweep_results  # imports matplotlib

    outcomes = [_fetched(outcome, store) for outcome in outcomes_in(directory)]
    overrides: Any = OmegaConf.to_container(config.hydra.overrides.task, resolve=False)
    status = sweep_results.finish(
        outcomes, directory, figure_command(["-m", *overrides]), paper, highlight, stopped=stopped
    )
    if any(outcome.result_path for outcome in outcomes):
        print("\n".join(sweep_results.next_commands(directory, store)), flush=True)
    return status


def _fetched(outcome: Outcome, store: Store) -> Outcome:
    """Fetch the record of a job that ran on another machine, so that its curve can be drawn."""
    if outcome.result_path is None or Path(outcome.result_path).exists():
        return outcome
    run = None
    with contextlib.suppress(StoreError):
        run = Store.open(store.root, server=store.server).find_finished(str(outcome.key))
    return dataclasses.replace(outcome, result_path=str(run.result_path) if run else None)
