"""The jobs of a sweep as jobs of a pool: worker processes of this machine, or a Ray cluster."""

from __future__ import annotations

import dataclasses
import pickle
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from hydra.core.hydra_config import HydraConfig
from hydra.core.utils import JobReturn, JobStatus, configure_log, setup_globals
from omegaconf import DictConfig, OmegaConf, open_dict, read_write

from ...solvers import SettingsError
from ...support.text import number_of
from ..configuration.composition import compose
from ..configuration.settings import available_cores
from ..launchers.cluster import cores_here
from ..processes.outcome import Outcome
from ..processes.pool import Pool, Report, run_jobs
from ..processes.streams import ElapsedTime, print_error
from ..run.console import console, note, progress_text
from ..run.jobs import RunsLine
from ..run.meter import LINE_WIDTH, cut, meter
from .job import run_job
from .sweep_names import job_labels


@dataclass(frozen=True)
class SweepJob:
    """One job of a sweep."""

    number: int
    overrides: tuple[str, ...]
    jobs: int | None
    """Jobs at a time; None: on Ray, as many as its machine has cores."""
    hydra: bytes
    """Hydra's own part of the sweep's configuration, pickled."""

    @property
    def label(self) -> str:
        """Short name of the job: its overrides, separated by spaces."""
        return " ".join(self.overrides)

    def __call__(self, report: Report, /) -> Outcome:
        """Run the job in a worker and return its outcome; see `experiments.processes.pool.Job`."""
        config = compose(self.overrides)
        sweep = _hydra_part(self.hydra)
        OmegaConf.copy_cache(from_config=sweep, to_config=config)  # ``${now:...}`` is the sweep's
        with read_write(sweep.hydra):  # what ``${hydra:job.num}`` and its like stand for
            job = sweep.hydra.job
            job.num, job.id = self.number, f"{job.name}_{self.number}"
            job.override_dirname = ",".join(sorted(self.overrides))
            sweep.hydra.overrides.task = [*self.overrides]
        command, remote = ["run.py", "-m", *self.overrides], self.jobs is None
        jobs = cores_here() if remote else self.jobs
        return run_job(config, self.overrides, command, number=self.number, jobs=jobs, remote=remote, report=report)


@lru_cache(maxsize=1)
def _hydra_part(packed: bytes) -> Any:
    """Return Hydra's part of a sweep's configuration, and make it the one of this worker."""
    setup_globals()  # Hydra's resolvers, as in ``model=${now:%H}.npz``
    config = pickle.loads(packed)
    HydraConfig.instance().set_config(config)
    configure_log(config.hydra.job_logging, config.hydra.verbose)
    return HydraConfig.instance().cfg


def launch(
    job_overrides: Sequence[Sequence[str]],
    first: int,
    config: DictConfig,
    workers: AbstractContextManager[Pool],
    jobs: int | None,
) -> list[JobReturn]:
    """Run the jobs of a sweep in the processes of a pool, and write their outcomes to the sweep's folder.

    One line shows how far all of them are; each job that is made has a line at its end. `first` is the number of the
    first job, `config` that of the sweep as a whole, `jobs` as in `SweepJob`.

    Raises
    ------
    KeyboardInterrupt
        After the running jobs have recorded their state.
    """
    folder = Path(config.hydra.sweep.dir)
    with read_write(config.hydra), open_dict(config.hydra):
        config.hydra.runtime.output_dir = str(folder)
    packed = pickle.dumps(OmegaConf.masked_copy(config, "hydra"))
    sweep = [SweepJob(first + i, tuple(overrides), jobs, packed) for i, overrides in enumerate(job_overrides)]
    returns = [JobReturn(overrides=overrides, status=JobStatus.UNKNOWN) for overrides in job_overrides]
    labels, line = job_labels(job_overrides), RunsLine(len(sweep))
    reasons: dict[tuple[str, str], str] = {}
    fractions = dict.fromkeys(range(len(sweep)), 0.0)
    elapsed, progress = ElapsedTime(note), meter(console(sys.stderr))
    try:
        with workers as pool:
            at_a_time = min(pool.size, len(sweep))
            elapsed.begin(f"{number_of(len(sweep), 'run')}, {at_a_time} at a time; starting the worker processes")
            for event in run_jobs(sweep, pool):
                elapsed.end()
                fractions[event.index] = event.fraction
                if event.outcome is not None:
                    event.outcome.write(folder, first + event.index)
                    returns[event.index].return_value = event.outcome
                    returns[event.index].status = JobStatus.COMPLETED
                    if event.outcome.status == "found":  # takes no time, so it says nothing about the others
                        del fractions[event.index]
                    else:
                        print(cut(_end(event.outcome, labels[event.index], reasons), LINE_WIDTH), flush=True)
                elif event.note.startswith("killed"):
                    print_error(f"{labels[event.index]}: {event.note}")
                done = sum(fractions.values()) / len(fractions) if fractions else 1.0
                text = line.after(event, labels[event.index])
                progress.update(done, text, is_measured=line.is_measured)
    finally:
        elapsed.end()
        progress.close()
    return returns


def _end(outcome: Outcome, label: str, reasons: dict[tuple[str, str], str]) -> str:
    """Return one line for an ended job. A message is printed for its first job only; `reasons` has that job's label."""
    if not outcome.exit_code:
        return f"{label}: {outcome.status}; {progress_text(vars(outcome), vars(outcome))}"
    first = reasons.setdefault((outcome.status, outcome.message), label)
    same = "" if first == label else f", as {first}"
    return f"{label}: {outcome.status}{same}" if same else dataclasses.replace(outcome, label=label).line


def parallel_jobs(n_jobs: Any) -> int:
    """Return how many jobs run at a time: negative numbers count down from all cores, -1 is all of them.

    Raises
    ------
    SettingsError
        It is not a whole number, or 0.
    """
    if type(n_jobs) is not int or n_jobs == 0:
        raise SettingsError(f"hydra.launcher.n_jobs must be a whole number other than 0, got {n_jobs!r}")
    return max(1, available_cores() + 1 + n_jobs if n_jobs < 0 else n_jobs)
