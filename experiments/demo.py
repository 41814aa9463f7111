"""``python -m svm_cost_curves.experiments.demo``: Figure 2 of the SBP paper in small, on Adult.

It is one sweep of ``run.py``, five kernel solvers and three seeds over two epochs, which says what its curves show.
Then it prints the command of the whole experiment (ten epochs, ten seeds).
Further settings can be given as for ``run.py`` (``... .demo budget.epochs=1``).
"""

from __future__ import annotations

import shlex
import signal
import sys
from collections.abc import Sequence

TYPE_CHECKING = False  # for a type checker it is true; typing would be imported too early
if TYPE_CHECKING:
    from .processes.command import Main

SOLVERS = ("sbp", "pegasos", "sdca", "smo", "perceptron")
SEEDS, ALL_SEEDS = 3, 10
BUDGET = "budget.epochs=2"
"""Of the demonstration, which then takes 110 CPU seconds."""


def main(arguments: Sequence[str]) -> int:
    """Run the demonstration; return the exit status of its sweep."""
    if {"--help", "-h"} & set(arguments):
        print(__doc__.strip())
        return 0
    from .command_line.program import main as sweep

    budget, whole = ([], "") if any(text.startswith("budget.") for text in arguments) else ([BUDGET], ", ten epochs")
    short = command(SEEDS, [*budget, *arguments])
    print(f"five solvers on Adult, {SEEDS} seeds: {shlex.join(short)}", flush=True)
    sys.argv = short[1:]
    if status := sweep():
        return status
    print(f"all {ALL_SEEDS} seeds{whole}: {shlex.join(command(ALL_SEEDS, arguments))}")
    return 0


def command(seeds: int, arguments: Sequence[str]) -> list[str]:
    """Return the words of the sweep."""
    overrides = [f"algo={','.join(SOLVERS)}", "dataset=adult", f"seed=range({seeds})"]
    return ["python3", "run.py", "-m", *overrides, "highlight=sbp", *arguments]


def _load() -> Main:
    from .processes.core import load_core

    load_core()
    from .command_line import program  # noqa: F401 (while a signal ends the process at once)

    return lambda: main(sys.argv[1:])


if __name__ == "__main__":
    # until `run` answers them
    signal.pthread_sigmask(
        signal.SIG_BLOCK,
        (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGXCPU),
    )
    from .processes.command import run

    sys.exit(run(_load))
