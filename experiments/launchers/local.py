"""Sweeps on this machine, by joblib: how many jobs at once, what their processes are forked from, how one was lost."""

from __future__ import annotations

import os

from experiments.configuration.settings import available_cores
from experiments.processes.forkserver import PROCESSES, preload, start

JOBLIB = "joblib"


def parallel_jobs(n_jobs: int) -> int:
    """Jobs that joblib runs at once for its ``n_jobs``: negative numbers count down from all cores."""
    cores = available_cores()
    return max(1, cores + 1 + n_jobs) if n_jobs < 0 else max(1, n_jobs)


def prepare(n_jobs: int) -> None:
    """Have joblib fork its workers from our server, and wait until that is ready.

    Parameters
    ----------
    n_jobs : int
        joblib's; with one job at a time nothing is prepared, as joblib makes it in this process.
    """
    if parallel_jobs(n_jobs) == 1:
        return
    from joblib.externals.loky.backend import context

    context.set_start_method("forkserver", force=True)
    preload("experiments.command_line.cli", "hydra_plugins.hydra_joblib_launcher._core")
    first = PROCESSES.Process(target=os.getpid)
    start(first)
    first.join()


def killed_worker(error: Exception) -> bool:
    """Whether this is what joblib raises when the process of a job has gone."""
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    return isinstance(error, TerminatedWorkerError)
