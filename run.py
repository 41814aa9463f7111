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

import hydra
from hydra.core.hydra_config import HydraConfig
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf

from experiments import cli
from experiments.composition import COMPOSITION_ERRORS, CONF, explain, register
from experiments.engine.choice import NO_SWEEPS
from experiments.outcome import EXIT_CODES, Outcome, status_of
from experiments.sweep import Refused, SweepCallback

_outcomes: list[Outcome] = []
"""Outcomes of the jobs of this process: `hydra.main` does not hand on what a job returns."""


def job(composed: DictConfig) -> None:
    """One job, as Hydra calls it: in this process for a single run, in a worker for each job of a sweep.

    It never raises: Hydra would drop all outcomes of a sweep but the first error.
    """
    hydra_config = HydraConfig.get()
    sweep = hydra_config.mode == RunMode.MULTIRUN
    outcome = cli.run_job(
        lambda: OmegaConf.to_object(composed),
        overrides=list(hydra_config.overrides.task),
        jobs=cli.parallel_jobs(hydra_config.launcher.get("n_jobs", 1)) if sweep else None,
        number=hydra_config.job.num if sweep else None,
        command=["run.py", *(["-m"] if sweep else []), *hydra_config.overrides.task],
        directory=Path(hydra_config.runtime.output_dir) if sweep else None,
    )
    _outcomes.append(outcome)


def main() -> int:
    """Run the command line and return its exit status."""
    if {"--help", "-h"} & set(sys.argv[1:]):
        print(cli.help_text(CONF))  # Hydra would compose a configuration and load its plugins first
        return 0
    sweep = bool({"--multirun", "-m"} & set(sys.argv[1:]))
    if sweep and "engine=mpi" in sys.argv[1:] and not any(word.startswith("ranks=") for word in sys.argv[1:]):
        cli.complain(f"error: {NO_SWEEPS}")  # once, and not for each job
        return 2
    os.environ["HYDRA_FULL_ERROR"] = "1"  # Hydra raises instead of printing and leaving
    os.environ[cli.SWEEP_ID] = str(os.getpid())  # two sweeps that start in the same second get different folders
    stopped: int | None = None
    try:
        register()
        hydra.main(version_base="1.3", config_path=str(CONF), config_name="config")(job)()
    except KeyboardInterrupt as signalled:
        stopped = EXIT_CODES[status_of(signalled)]
    except Refused as error:
        cli.complain(f"error: {error}")
        return 2
    except (*COMPOSITION_ERRORS, ValueError, OSError) as error:
        # jobs do not raise: this is about the command line, or a folder that cannot be made
        cli.complain(f"error: {explain(error)}")
        return 2
    except Exception:  # a worker of the sweep was killed, for want of memory as a rule
        cli.complain(traceback.format_exc())
        stopped = 1
    if SweepCallback.directory is not None:
        words = [word for word in sys.argv[1:] if not word.startswith(("store.", "store="))]
        command = " ".join(["python run.py", *words])
        return cli.finish_sweep(SweepCallback.directory, command, stopped=stopped)
    return stopped if stopped is not None else max((outcome.exit_code for outcome in _outcomes), default=0)


if __name__ == "__main__":
    sys.exit(main())
