"""``python -m svm_cost_curves.experiments.demo``: Figure 2 of the SBP paper in small, on Adult.

It is one sweep of ``run.py``, five kernel solvers and three seeds over two epochs, which says what its curves show.
Then it prints the command of the whole experiment (ten epochs, ten seeds).
Further settings can be given as for ``run.py`` (``... .demo budget.epochs=1``).
"""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Sequence

import svm_cost_curves.experiments.processes.program_start  # noqa: F401
from svm_cost_curves.experiments.provenance import PROJECT_ROOT

SOLVERS = ("sbp", "pegasos", "sdca", "smo", "perceptron")
SEEDS, ALL_SEEDS = 3, 10
BUDGET = "budget.epochs=2"
"""Of the demonstration, which then takes 110 CPU seconds."""


def main(arguments: Sequence[str]) -> int:
    """Run the demonstration; return the exit status of its sweep."""
    if {"--help", "-h"} & set(arguments):
        print(__doc__.strip())
        return 0
    budget, whole = ([], "") if any(text.startswith("budget.") for text in arguments) else ([BUDGET], ", ten epochs")
    short = command(SEEDS, [*budget, *arguments])
    print(f"five solvers on Adult, {SEEDS} seeds: {shlex.join(short)}", flush=True)
    sweep = subprocess.Popen([sys.executable, str(PROJECT_ROOT / "run.py"), *short[2:]])
    try:
        code = sweep.wait()
    except KeyboardInterrupt:  # the sweep has heard it too, and ends by itself
        code = sweep.wait()
    if code:
        return code
    print(f"all {ALL_SEEDS} seeds{whole}: {shlex.join(command(ALL_SEEDS, arguments))}")
    return 0


def command(seeds: int, arguments: Sequence[str]) -> list[str]:
    """Return the words of the sweep."""
    words = [f"algo={','.join(SOLVERS)}", "dataset=adult", f"seed=range({seeds})"]
    return ["python3", "run.py", "-m", *words, "highlight=sbp", *arguments]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
