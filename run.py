"""The command line: ``python run.py algo=sbp dataset=adult``; ``python run.py --help`` lists what there is.

This file joins Hydra to the project and turns every error into a message and an exit status: 0 done (or found in the
store), 2 something in the command, the data or the store is wrong, 1 a fault of the program, 130 stopped by Ctrl-C, 75
by SIGTERM.
"""

from __future__ import annotations

import os
import shlex
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path

import hydra
from omegaconf import DictConfig

import experiments.processes.program_start  # noqa: F401
from experiments.command_line import dry_run, sweep_results
from experiments.command_line.help import help_text, version_text
from experiments.command_line.hydra_words import for_each_job, register
from experiments.command_line.job import run_composed
from experiments.command_line.sweep import SWEEP_ID, Refused, SweepCallback
from experiments.command_line.value_lists import expanded
from experiments.configuration import paper_style
from experiments.configuration.choices import check_home
from experiments.configuration.composition import COMPOSITION_ERRORS, CONF, explain
from experiments.configuration.engine import NO_SWEEPS
from experiments.configuration.paper_style import PaperStyle
from experiments.processes import streams
from experiments.processes.outcome import EXIT_CODES, STOPPED, Outcome, status_of
from experiments.processes.stopping import restored
from experiments.run.errors import USER_ERRORS, print_error, print_text
from support.files import temporary_folder


@restored()  # a sweep handles signals until its table is written
def main() -> int:
    """Run the command line and return its exit status."""
    words = sys.argv[1:]
    if {"--help", "-h"} & set(words):
        return print_text(lambda: help_text(CONF))  # Hydra would load its plugins first
    if "--version" in words:
        return print_text(version_text)
    sweeps = bool({"--multirun", "-m"} & set(words))
    if sweeps and "engine=mpi" in words and not any(word.startswith("ranks=") for word in words):
        print_error(f"error: {NO_SWEEPS}")  # once, and not for each job
        return 2
    os.environ["HYDRA_FULL_ERROR"] = "1"  # Hydra raises instead of printing and leaving
    os.environ[SWEEP_ID] = str(os.getpid())  # two sweeps that start in the same second get different folders
    SweepCallback.sweep = None
    outcomes: list[Outcome] = []
    stopped: int | None = None
    paper: PaperStyle | None = None
    try:
        check_home()
        register()
        paper, settings = paper_style.asked(words)
        answer, composed = dry_run.asked(expanded(settings, sweeps=sweeps))
        sys.argv[1:] = for_each_job(composed) if sweeps else composed  # Hydra reads it
        if answer is not None:
            return _answer(answer, sweeps)
        _compose_and_run(run_composed, outcomes)
    except KeyboardInterrupt as interrupt:
        sweep = SweepCallback.sweep
        stopped = EXIT_CODES[status_of(interrupt if sweep is None else sweep.stopped(interrupt))]
    except (Refused, *USER_ERRORS) as error:
        print_error(f"error: {error}")
        return 2
    except (*COMPOSITION_ERRORS, ValueError, OSError) as error:
        # jobs do not raise: this is about the command line, or a folder that cannot be made
        print_error(f"error: {explain(error)}")
        return 2
    except Exception as error:  # of Hydra, or of a launcher
        own = [word for word in words if word.lstrip("+~").startswith(("hydra.", "hydra/"))]
        if own and not outcomes and not (SweepCallback.sweep and SweepCallback.sweep.ledger.outcomes()):
            why = f"{type(error).__name__}: {str(error).partition(chr(10))[0]}".rstrip(": ")
            print_error(f"error: Hydra cannot work with {' '.join(own)}: {why}")
            return 2
        print_error(traceback.format_exc())
        stopped = 1
    if SweepCallback.sweep is not None:
        SweepCallback.sweep.collect()
        return sweep_results.finish(SweepCallback.sweep.directory, _shown(words), paper, stopped=stopped)
    code = stopped if stopped is not None else max((outcome.exit_code for outcome in outcomes), default=0)
    records = [Path(outcome.result_path).parent for outcome in outcomes if outcome.result_path]
    if code or not records:
        return code
    return sweep_results.write_for_paper(outcomes, records[0], _shown(words), paper)


def _answer(answer: Callable[[DictConfig], Outcome], sweeps: bool) -> int:
    """Answer each job of a command in this process, without a run; nothing is written."""
    outcomes: list[Outcome] = []
    with temporary_folder() as folder:
        if sweeps:
            sys.argv += ["hydra/launcher=here", f"hydra.sweep.dir='{folder}'"]
        _compose_and_run(answer, outcomes)
    if sweeps:
        there = sum(outcome.result_path is not None for outcome in outcomes)
        print(f"{there} of {len(outcomes)} runs are in the store", flush=True)
    return max((outcome.exit_code for outcome in outcomes), default=0)


def _compose_and_run(job: Callable[[DictConfig], Outcome], outcomes: list[Outcome]) -> None:
    """Let Hydra compose the command line and call its jobs; those of this process add their outcomes to the list."""

    def run(composed: DictConfig) -> Outcome:
        stopped = outcomes and outcomes[-1].status in STOPPED  # a sweep in this process begins no further job
        outcomes.append(outcomes[-1] if stopped else job(composed))
        return outcomes[-1]  # `hydra.main` drops it

    hydra.main(version_base="1.3", config_path=str(CONF), config_name="config")(run)()


def _shown(words: Sequence[str]) -> str:
    """Return the command line for a figure, without the place of the store; it can be pasted into a shell."""
    return shlex.join(["python", "run.py", *(word for word in words if not word.startswith(("store.", "store=")))])


if __name__ == "__main__":
    sys.exit(streams.run(main))
