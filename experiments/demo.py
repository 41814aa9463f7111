"""``python -m experiments.demo``: five kernel solvers on Adult, three seeds each, as in Figure 2 of the SBP paper.

It is one sweep of ``run.py``, followed by a sentence about its curves, the command for ten seeds, and the command that
opens the mlflow UI on its runs. Further settings can be given as for ``run.py``
(``python -m experiments.demo budget.epochs=2``).
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import experiments.processes.program_start  # noqa: F401
from experiments.configuration.schema import StoreConfig
from experiments.provenance import PROJECT_ROOT
from experiments.store import Store

if TYPE_CHECKING:
    import pandas as pd

SOLVERS = ("sbp", "pegasos", "sdca", "smo", "perceptron")
SEEDS, ALL_SEEDS = 3, 10
COST, MEASURE = "kernel_evaluations", "test_error"
NEAR = 0.1
"""The sentence compares the costs at which the mean error is at most this share above the least one."""


def main(arguments: Sequence[str]) -> int:
    """Run the demonstration; return the exit status of its sweep."""
    roots = [text.removeprefix("store.root=") for text in arguments if text.startswith("store.root=")]
    root = Path(roots[-1] if roots else StoreConfig.root)
    print(f"five solvers on Adult, {SEEDS} seeds: {shlex.join(command(SEEDS, arguments))}", flush=True)
    sweep = subprocess.Popen([sys.executable, str(PROJECT_ROOT / "run.py"), *command(SEEDS, arguments)[2:]])
    if code := sweep.wait():
        return code
    for folder in (root / "sweeps").glob(f"*_{sweep.pid}"):  # one, unless hydra.sweep.dir was given
        if said := sentence(curves_of(folder, Store.open(root))):
            print(said)
    print(f"all {ALL_SEEDS} seeds: {shlex.join(command(ALL_SEEDS, arguments))}")
    print(f"all runs in the mlflow UI: {ui_command(root)}\nand there: {Store.open(root).ui_address()}")
    return 0


def command(seeds: int, arguments: Sequence[str]) -> list[str]:
    """Return the words of the sweep."""
    words = [f"algo={','.join(SOLVERS)}", "dataset=adult", f"seed=range({seeds})"]
    return ["python", "run.py", "-m", *words, *arguments]


def curves_of(folder: Path, store: Store) -> dict[str, list[pd.DataFrame]]:
    """Return the curves of a sweep's runs, by algorithm."""
    from experiments.processes.job_ledger import FolderLedger

    keys = [outcome.key for outcome in FolderLedger(folder).outcomes() if outcome.key]
    curves: dict[str, list[pd.DataFrame]] = {}
    for run in store.find_all_finished(keys).values():
        curves.setdefault(run.result["algo"], []).append(run.curve)
    return curves


def sentence(curves: Mapping[str, Sequence[pd.DataFrame]]) -> str:
    """Say what curves show: what an error near the least one costs each solver, and where the last is meanwhile.

    Parameters
    ----------
    curves : mapping of str to sequence of DataFrame
        Runs of each algorithm.

    Returns
    -------
    str
        Empty if no algorithm has a point.
    """
    from experiments.curve import cost_to_reach, value_at
    from experiments.plotting.means import mean_curves
    from experiments.run.console import count

    means = mean_curves(curves, cost=COST, measure=MEASURE)
    if not means:
        return ""
    target = (1 + NEAR) * min(curve.mean.min() for curve in means.values())
    costs = {name: cost_to_reach(curve.cost, curve.mean, target) for name, curve in means.items()}
    reached = sorted((cost, name) for name, cost in costs.items() if cost is not None)
    (least, first), (_, last) = reached[0], reached[-1]
    others = ", ".join(f"{name} {cost / least:.1f} times" for cost, name in reached[1:])
    meanwhile = value_at(means[last].cost, means[last].mean, least)
    never = [name for name, cost in costs.items() if cost is None]
    return (
        f"A test error of {target:.1%}, {NEAR:.0%} above the least one, costs {first} {count(least)} kernel evaluations"
        + (f", {others} as many (at that cost {last} is still at {float(meanwhile):.1%})" if others else "")
        + (f"; {', '.join(never)} did not reach it." if never else ".")
    )


def ui_command(root: Path) -> str:
    """Return the command that opens the mlflow UI on a store, with mlflow's path where the shell would not find it."""
    command = Store.open(root).ui_command()
    beside = Path(sys.executable).with_name("mlflow")
    return command if shutil.which("mlflow") or not beside.exists() else command.replace(" mlflow ui", f" {beside} ui")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
