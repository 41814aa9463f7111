"""The command line: ``python run.py algo=sbp dataset=adult``; ``python run.py --help`` lists what there is.

This file joins Hydra to the project and turns every error into a message and an exit status: 0 done (or found in the
store), 2 something in the command, the data or the store is wrong, 1 a fault of the program, 130 stopped by Ctrl-C.
"""

from __future__ import annotations

import dataclasses
import os
import re
import sys
import traceback
from pathlib import Path

import hydra
from hydra.core.config_store import ConfigStore
from hydra.core.hydra_config import HydraConfig
from hydra.errors import HydraException, MissingConfigException
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import ConfigAttributeError, ConfigKeyError, OmegaConfBaseException

import solvers
from experiments import cli
from experiments.config import GaussianConfig, LinearConfig, PolynomialConfig, RunConfig, algo_schema
from experiments.outcome import Outcome
from experiments.settings import nearest
from experiments.sweep import SweepCallback

CONF = Path(__file__).resolve().parent / "conf"
_outcomes: list[Outcome] = []
"""Outcomes of the jobs of this process: `hydra.main` does not hand on what a job returns."""


def register() -> None:
    """Tell Hydra the schema of every group, and each solver as an option of ``algo``."""
    store = ConfigStore.instance()
    store.store(name="schema", node=RunConfig)
    for name, schema in (("gaussian", GaussianConfig), ("polynomial", PolynomialConfig), ("linear", LinearConfig)):
        store.store(group="schema/kernel", name=name, node=schema)
    for name in solvers.names():
        store.store(group="algo", name=name, node=algo_schema(name, solvers.get(name).Settings))


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
    os.environ["HYDRA_FULL_ERROR"] = "1"  # Hydra raises instead of printing and leaving
    os.environ[cli.SWEEP_ID] = str(os.getpid())  # two sweeps that start in the same second get different folders
    stopped: int | None = None
    try:
        register()
        hydra.main(version_base="1.3", config_path=str(CONF), config_name="config")(job)()
    except KeyboardInterrupt:
        stopped = 130
    except (HydraException, OmegaConfBaseException, ValueError, OSError) as error:
        # jobs do not raise: this is about the command line, or a folder that cannot be made
        cli.complain(f"error: {explain(error)}")
        return 2
    except Exception:  # a worker of the sweep was killed, for want of memory as a rule
        cli.complain(traceback.format_exc())
        stopped = 1
    if SweepCallback.directory is not None:
        words = [word for word in sys.argv[1:] if not word.startswith("store.")]
        command = " ".join(["python run.py", *words])
        return cli.finish_sweep(SweepCallback.directory, command, stopped=stopped)
    return stopped if stopped is not None else max((outcome.exit_code for outcome in _outcomes), default=0)


def explain(error: BaseException) -> str:
    """Say in one line what is wrong with the command, and what was probably meant."""
    cause = error.__cause__ if isinstance(error.__cause__, OmegaConfBaseException) else error
    if isinstance(error, MissingConfigException) and error.missing_cfg_file:
        group, _, name = error.missing_cfg_file.rpartition("/")
        options = sorted(error.options or ())
        what = {"algo": "algorithm", "dataset": "data set"}.get(group, group)
        return f"unknown {what} {name!r}; known: {', '.join(options)}{nearest(name, options)}"
    if isinstance(cause, ConfigAttributeError | ConfigKeyError) and cause.full_key:
        group, _, name = cause.full_key.rpartition(".")
        schema = cause.object_type
        known = [field.name for field in dataclasses.fields(schema)] if dataclasses.is_dataclass(schema) else []
        where = f"{group} has" if group else "known are"
        return f"unknown setting {cause.full_key!r}; {where} {', '.join(known) or 'no settings'}{nearest(name, known)}"
    if isinstance(cause, OmegaConfBaseException) and cause.full_key:
        return f"{cause.full_key}: {_first_line(cause)}"
    if "Ambiguous value" in str(error):
        return f"{_first_line(error)}: several values are a sweep, which needs -m (or --multirun)"
    text = re.sub(r"\s*\n\s*See https\S+ for details", "", str(error)).strip()
    return re.sub(r"\s*\n\s*", "; ", text)


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


if __name__ == "__main__":
    sys.exit(main())
