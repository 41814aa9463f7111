"""The command line without Hydra: one job from configuration to outcome, the end of a sweep, the help text."""

from __future__ import annotations

import dataclasses
import re
import sys
from collections.abc import Callable, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

import solvers
from experiments import provenance
from experiments.command_line import sweep
from experiments.configuration.settings import RunSettings, resolve, setting_name
from experiments.engine import dispatch
from experiments.processes.forkserver import follow
from experiments.processes.job_queue import Desk, Folder
from experiments.processes.mpirun import place
from experiments.processes.outcome import STOPPED, Outcome, OutcomeStatus, exit_code, not_uploaded
from experiments.processes.stopping import terminable
from experiments.run.console import CompactDisplay, Display, FullDisplay, console
from experiments.run.errors import outcome_of, print_error
from solvers import SettingsError

SWEEP_ID = "SVM_SWEEP_ID"
"""Environment variable with the process number of a sweep: names its folder."""


def check_home() -> None:
    """Refuse a user without a home folder, as in some containers: mlflow cannot be imported without one.

    Raises
    ------
    SettingsError
        There is neither HOME nor an entry in the list of users.
    """
    try:
        Path.home()
    except RuntimeError as error:
        raise SettingsError("this user has no home folder: set HOME to a folder that can be written") from error


def run_job(
    make_config: Callable[[], Any],
    *,
    overrides: Sequence[str],
    jobs: int | None,
    number: int | None,
    command: Sequence[str],
    desk: Desk | None = None,
) -> Outcome:
    """Make one run and tell what became of it; never raises.

    Parameters
    ----------
    make_config : callable
        Gives the `RunConfig`; what it raises counts as a fault of the settings if it is a ValueError.
    overrides : sequence of str
        ``name=value`` of each setting on the command line.
    jobs, number : int or None
        For a job of a sweep: how many run at once, and which one this is.
    command : sequence of str
        The command line, for the record.
    desk : Desk or None
        Where a job of a sweep says what becomes of it.
    """
    outcome = Outcome(" ".join(overrides), "killed", "its process was killed", overrides=tuple(overrides))
    if desk is None or number is None:
        return _run(make_config, overrides, None, None, command)
    if _stopped:
        return dataclasses.replace(outcome, status=_stopped[0], message="not started")
    follow()
    if (before := desk.begin(number, outcome)) is not None:
        return before
    outcome = _run(make_config, overrides, jobs, number, command)
    desk.end(number, outcome)
    return outcome


_stopped: list[OutcomeStatus] = []
"""What Ctrl-C or SIGTERM has done to a job of this process: it begins no further one."""


def _run(
    make_config: Callable[[], Any],
    overrides: Sequence[str],
    jobs: int | None,
    number: int | None,
    command: Sequence[str],
) -> Outcome:
    prefix = "" if number is None else f"[{number}] "
    label = " ".join(overrides)
    display: Display | None = None

    def make() -> Outcome:
        nonlocal label, display
        given = [setting_name(override) for override in overrides]
        settings = resolve(make_config(), given=given, jobs=jobs)
        label = " ".join([settings.label(), *sweep.distinguishing(overrides)])
        display = _display(settings, None if number is None else prefix + label, jobs or 1)
        return dispatch.run(settings, display, command)

    with terminable():
        outcome = outcome_of(make, lambda: prefix + label)
    if display is not None:
        display.close()
    if outcome.status == "refused":
        print_error(
            f"{prefix}error: {outcome.message}" if number is None else f"{prefix}{label}: error: {outcome.message}"
        )
    if outcome.status in STOPPED:
        _stopped.append(outcome.status)
        print_error(f"{prefix}{label}: {outcome.status}{'; ' + outcome.message if outcome.message else ''}")
    if number is None and outcome.not_uploaded:
        print_error(not_uploaded([outcome]))
    return dataclasses.replace(outcome, label=label, overrides=tuple(overrides))


def _display(settings: RunSettings, job: str | None, jobs: int) -> Display:
    if place().rank:
        return Display()
    return FullDisplay(progress=settings.progress) if job is None else CompactDisplay(job, jobs=jobs)


def finish_sweep(directory: Path, command: str, *, stopped: int | None) -> int:
    """Show the table of a sweep, draw its figure, and return the exit status.

    Parameters
    ----------
    directory : Path
        Folder of the sweep, where its jobs left their outcomes.
    command : str
        The command line, for the figure's small print.
    stopped : int or None
        Exit status of a sweep that ended before its last job.
    """
    outcomes = Folder(directory).outcomes()
    wrong = [outcome for outcome in outcomes if outcome.exit_code]
    code = exit_code(outcomes) if stopped is None else stopped
    if sweep.groups(outcomes):
        console(sys.stdout).print(sweep.table(outcomes), highlight=False)
    for outcome in wrong:
        print_error(f"{outcome.label}: {outcome.status}: {outcome.message.splitlines()[0] if outcome.message else ''}")
    if told := not_uploaded(outcomes):
        print_error(told)
    if code:
        print_error("the same command again makes only the runs that are missing")
    for path in sweep.draw(outcomes, directory, command):
        print(f"figure: {path}", flush=True)
    return code


def version_text() -> str:
    """Text of ``--version``: the program's version, its commit, and the build of its core."""
    commit, dirty = provenance.git_state(provenance.PROJECT_ROOT)
    source = "no commit known" if commit is None else f"commit {commit[:12]}{' with changes' if dirty else ''}"
    build = solvers.build_info()
    return f"svm-cost-curves {metadata.version('svm-cost-curves')}, {source}, core build {build['build_id']}"


def help_text(conf: Path) -> str:
    """Text of ``--help``: what there is to choose from, one line each.

    Parameters
    ----------
    conf : Path
        The folder of the configuration.
    """
    algorithms = {name: solvers.get(name).summary for name in solvers.names()}
    data_sets = {path.stem: summary_of(path) for path in sorted((conf / "dataset").glob("*.yaml"))}
    kernels = {path.stem: summary_of(path) for path in sorted((conf / "kernel").glob("*.yaml"))}
    return "\n".join(
        [
            "Error against cost for support vector machines: one run of one algorithm on one data set.",
            "",
            "usage: python run.py [algo=NAME] [dataset=NAME] [SETTING=VALUE ...]",
            "       python run.py -m algo=NAME,NAME dataset=NAME 'seed=range(10)'     a sweep, one job per core",
            "",
            "algo= (default: sbp; its own settings are algo.*)",
            *_items(algorithms),
            "",
            "dataset= (default: digits; its own settings are dataset.*)",
            *_items(data_sets),
            "",
            "kernel= (default: gaussian)",
            *_items(kernels),
            "",
            "problem.lambda_= | problem.C= | problem.nu=   at most one; C = 1/(lambda n); default: a preset",
            "problem.bias=true|false                       unregularised bias",
            "problem.rho=1                                 constant feature: a regularised bias (kernel=linear)",
            "budget.epochs= | .iterations= | .kernel_evaluations= | .inner_products= | .feature_accesses= | .seconds=",
            "                                              the first one reached stops; default: preset or 10 epochs",
            "budget.checkpoints=60                         points of the curve, geometric in the cost",
            "budget.every= | .tail=                        epochs between further points; in the last only",
            "seed=0  threads=auto  memory=auto (or 12GiB)  rows.provider=auto|gram|cache|on_the_fly  progress=auto",
            "store.root=results                            database, artifacts and figures",
            "store=server store.uri=http://HOST:5000       a record that several machines share (docs/server.md)",
            "hydra/launcher=joblib|ray|submitit_slurm      -m: here, on a Ray cluster, on Slurm (docs/clusters.md)",
            "engine=local|mpi  ranks=auto                  mpi: so many processes share the rows (minibatch_*)",
            "checkpoint_seconds=30                         wall seconds between two files to go on from; null: none",
            "",
            "A paper's values for an algorithm and a data set are taken by themselves (conf/preset/); what the command",
            "line says wins. A run that is in the store already is shown, not computed. Data files are looked for in",
            "the cache folder, in the folders of SVM_DATA_MIRROR, and at their published address.",
            "SIGTERM leaves a file to go on from (not with checkpoint_seconds=null) and ends a run with status 75: the",
            "same command goes on from it.",
            "",
            "examples:",
            "  python run.py algo=sbp dataset=adult",
            "  python run.py algo=smo dataset=adult problem.bias=true kernel.sigma2=100 problem.C=100",
            "  python run.py algo=pegasos dataset=file dataset.train=x.svm dataset.test=y.svm budget.seconds=60",
            "  python run.py -m algo=sbp,pegasos,sdca,smo dataset=adult 'seed=range(10)'     (quotes for the shell)",
            "  python run.py algo=minibatch_sdca algo.batch_size=1024 dataset=rcv1_ccat engine=mpi ranks=4",
            "",
            "--cfg job shows all settings of a command without running it; --hydra-help is Hydra's own help.",
            "--version shows the version of the program, its commit, and the build of its core.",
        ]
    )


def summary_of(path: Path) -> str:
    """One line on a yaml file: its ``description:`` entry, else the first line of its comment at the top."""
    text = path.read_text(encoding="utf-8")
    for pattern in (r"^description:\s*[\"']?(.+?)[\"']?\s*$", r"\A#\s*(.+)$"):
        if match := re.search(pattern, text, re.MULTILINE):
            return match.group(1)
    return ""


def _items(lines: dict[str, str]) -> list[str]:
    width = max(map(len, lines), default=0) + 2
    return [f"  {name:<{width}}{line}" for name, line in lines.items()]
