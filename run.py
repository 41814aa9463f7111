"""The command line: ``python run.py algo=sbp dataset=adult``; ``python run.py --help`` lists what there is.

This file joins Hydra to the project and turns every error into a message and an exit status: 0 done (or found in the
store), 2 something in the command, the data or the store is wrong, 1 a fault of the program, 130 stopped by Ctrl-C, 75
by SIGTERM.
"""

from __future__ import annotations

import os
import sys
import traceback
from pathlib import Path
from typing import Any

import hydra
from hydra.core.hydra_config import HydraConfig
from hydra.types import RunMode
from omegaconf import DictConfig

import experiments.processes.program_start  # noqa: F401
from experiments.command_line import cli
from experiments.command_line.sweep import Refused, SweepCallback
from experiments.configuration.composition import COMPOSITION_ERRORS, CONF, config_of, explain, for_each_job, register
from experiments.configuration.engine import NO_SWEEPS
from experiments.launchers import cluster
from experiments.launchers.checks import RAY
from experiments.launchers.local import killed_worker, parallel_jobs
from experiments.processes import streams
from experiments.processes.job_queue import Desk, Folder
from experiments.processes.outcome import EXIT_CODES, Outcome, status_of
from experiments.processes.stopping import restored
from experiments.run.errors import USER_ERRORS, print_error, print_text

_outcomes: list[Outcome] = []
"""Outcomes of the jobs of this process: `hydra.main` does not hand on what a job returns."""


def job(composed: DictConfig) -> None:
    """One job, as Hydra calls it: in this process for a single run, in a worker for each job of a sweep.

    It never raises: Hydra would drop all outcomes of a sweep but the first error.
    """
    hydra_config = HydraConfig.get()
    sweep = hydra_config.mode == RunMode.MULTIRUN
    if sweep:
        os.chdir(hydra_config.runtime.cwd)  # a cluster's processes begin elsewhere
    outcome = cli.run_job(
        lambda: config_of(composed),
        overrides=list(hydra_config.overrides.task),
        jobs=_jobs(hydra_config) if sweep else None,
        number=hydra_config.job.num if sweep else None,
        command=["run.py", *(["-m"] if sweep else []), *hydra_config.overrides.task],
        desk=_desk(hydra_config) if sweep else None,
    )
    _outcomes.append(outcome)


def _jobs(hydra_config: Any) -> int:
    """Jobs that run at once on the machine of this one."""
    if _on_ray(hydra_config):
        return cluster.cores_here()
    return parallel_jobs(hydra_config.launcher.get("n_jobs", 1))


def _desk(hydra_config: Any) -> Desk:
    return cluster.OnCluster() if _on_ray(hydra_config) else Folder(Path(hydra_config.runtime.output_dir))


def _on_ray(hydra_config: Any) -> bool:
    return bool(hydra_config.runtime.choices["hydra/launcher"] == RAY)


@restored()  # a sweep hears signals until its table is written
def main() -> int:
    """Run the command line and return its exit status."""
    words = sys.argv[1:]
    if {"--help", "-h"} & set(words):
        return print_text(lambda: cli.help_text(CONF))  # Hydra would load its plugins first
    if "--version" in words:
        return print_text(cli.version_text)
    sweep = bool({"--multirun", "-m"} & set(words))
    if sweep and "engine=mpi" in words and not any(word.startswith("ranks=") for word in words):
        print_error(f"error: {NO_SWEEPS}")  # once, and not for each job
        return 2
    os.environ["HYDRA_FULL_ERROR"] = "1"  # Hydra raises instead of printing and leaving
    os.environ[cli.SWEEP_ID] = str(os.getpid())  # two sweeps that start in the same second get different folders
    stopped: int | None = None
    try:
        cli.check_home()
        register()
        if sweep:
            sys.argv[1:] = for_each_job(words)  # Hydra reads it
        _compose_and_run()
    except KeyboardInterrupt as signalled:
        stopped = EXIT_CODES[status_of(SweepCallback.stop(signalled))]
    except (Refused, *USER_ERRORS) as error:
        print_error(f"error: {error}")
        return 2
    except (*COMPOSITION_ERRORS, ValueError, OSError) as error:
        # jobs do not raise: this is about the command line, or a folder that cannot be made
        print_error(f"error: {explain(error)}")
        return 2
    except Exception as error:  # of Hydra, or of a launcher
        own = [word for word in words if word.lstrip("+~").startswith(("hydra.", "hydra/"))]
        if own and not _begun():
            why = f"{type(error).__name__}: {str(error).partition(chr(10))[0]}".rstrip(": ")
            print_error(f"error: Hydra cannot work with {' '.join(own)}: {why}")
            return 2
        print_error(traceback.format_exc())
        stopped = 1
    if SweepCallback.directory is not None:
        SweepCallback.collect()
        shown = [word for word in words if not word.startswith(("store.", "store="))]
        command = " ".join(["python run.py", *shown])
        return cli.finish_sweep(SweepCallback.directory, command, stopped=stopped)
    return stopped if stopped is not None else max((outcome.exit_code for outcome in _outcomes), default=0)


def _begun() -> bool:
    """Whether a job of this command has begun."""
    return bool(_outcomes or (SweepCallback.directory is not None and Folder(SweepCallback.directory).outcomes()))


def _compose_and_run() -> None:
    """Let Hydra do what the command line says, and once more what is missing when a worker of joblib was killed."""
    known: list[Outcome] | None = []
    while known is not None:
        broken = False
        try:
            hydra.main(version_base="1.3", config_path=str(CONF), config_name="config")(job)()
        except Exception as error:
            if SweepCallback.directory is None or not killed_worker(error):
                raise
            broken = True
            print_error("a worker was killed: what is missing is made again")
        if SweepCallback.directory is None:
            return
        known = Folder(SweepCallback.directory).next_turn(known, broken=broken)


if __name__ == "__main__":
    sys.exit(streams.run(main))
