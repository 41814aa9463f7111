"""engine=mpi on this machine beside one process; ``python -m benchmarks.ranks`` prints the table of docs/mpi.md."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from math import ceil, log2
from pathlib import Path

import pytest

from benchmarks.data import ROOT, load
from benchmarks.measure import Comparisons
from svm_cost_curves.experiments.configuration.choices import mpirun
from svm_cost_curves.solvers import SettingsError

DATA: dict[str, tuple[str, ...]] = {
    "covtype_subset": ("dataset.positive=[1]", "dataset.scaling=minmax", "algo.batch_size=8192"),
    "adult": ("algo.batch_size=8192",),
    "rcv1_ccat_subset": ("algo.batch_size=8000",),  # all of its rows
    "newsgroups_binary": ("algo.batch_size=8000",),
}
"""Data sets, and the settings for each."""
METHODS = {
    "pegasos": ("algo=minibatch_pegasos", "algo.average=last"),
    "aggressive": ("algo=minibatch_sdca", "algo.variant=aggressive"),
}
ITERATIONS = 300
BITS_A_SECOND = 10e9
LATENCY = 2e-5
"""Latency between two machines in seconds, for each message of a sum."""
MACHINES = (1, 2, 4, 8, 16, 32, 64)
SEEDS = itertools.count()
"""Another seed each time, as a run that is in the store is not made again."""


@dataclass(frozen=True)
class Iteration:
    """Wall seconds of an iteration; sums over all ranks; bytes that a rank hands over for one sum."""

    seconds: float
    sums: float
    bytes: float


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", DATA)
def benchmark_ranks(name: str, method: str, table: Comparisons, tmp_path: Path) -> None:
    """Compare an iteration without MPI with one on one rank and on two."""
    try:
        mpirun()
    except SettingsError as error:
        pytest.skip(str(error))
    load(name)

    def seconds(ranks: int | None) -> float:
        return measured(name, method, ranks, tmp_path).seconds

    about = f"minibatch {method}, {DATA[name][-1].removeprefix('algo.batch_size=')} examples, {name}"
    table.alternate(
        f"an iteration on one rank / without MPI; {about}", lambda: seconds(1), lambda: seconds(None), at_most=1.05
    )
    table.alternate(
        f"an iteration without MPI / on two ranks; {about}", lambda: seconds(None), lambda: seconds(2), at_least=1.5
    )


def measured(name: str, method: str, ranks: int | None, store: Path) -> Iteration:
    """Run a method from the command line, on a number of ranks or, with None, without MPI.

    Raises
    ------
    subprocess.CalledProcessError
        The run has failed.
    """
    overrides = [f"dataset={name}", "kernel=linear", "problem.lambda_=1e-4", *METHODS[method], *DATA[name]]
    overrides += [
        f"budget.iterations={ITERATIONS}",
        "budget.evaluations=1",
        "progress=false",
        "picture=false",
        "threads=1",
    ]
    overrides += [f"seed={next(SEEDS)}", f"store.root={store}", *([f"ranks={ranks}", "engine=mpi"] if ranks else [])]
    output = subprocess.run(
        [sys.executable, "run.py", *overrides], cwd=ROOT, check=True, capture_output=True, text=True
    )
    path = next(line.removeprefix("result: ") for line in output.stdout.splitlines() if line.startswith("result: "))
    result = json.loads(Path(path).read_text(encoding="utf-8"))
    iterations, costs = result["counters"]["iterations"], result.get("communication", {})
    sums = costs.get("exchanges", 0)
    size = costs["bytes"] / (sums * costs["ranks"]) if sums else 0.0
    return Iteration(result["wall_seconds"] / iterations, sums / iterations, size)


def seconds_on(machines: int, alone: float, shared: Iteration) -> float:
    """Return the seconds of an iteration on several machines, by a model: divided work, and sums over the network.

    A sum is an all-reduce: each machine sends and receives the bytes twice, but for its own share, in 2 log2 steps
    (Rabenseifner's algorithm).
    """
    if machines == 1:
        return alone
    travelling = 2 * (machines - 1) / machines * shared.bytes * 8 / BITS_A_SECOND
    return alone / machines + shared.sums * (travelling + 2 * ceil(log2(machines)) * LATENCY)


def main() -> None:
    """Print the table of docs/mpi.md."""
    machines = [f"{m} machines" if m > 1 else "1" for m in MACHINES]
    print("| " + " | ".join(["run", "bytes a sum", "sums", *machines, "best"]) + " |")
    print("|" + " --- |" * (len(MACHINES) + 4))
    for name, method in itertools.product(DATA, METHODS):
        with tempfile.TemporaryDirectory() as folder:
            alone = measured(name, method, None, Path(folder)).seconds
            shared = measured(name, method, 2, Path(folder))
        times = {m: seconds_on(m, alone, shared) for m in MACHINES}
        best = min(MACHINES, key=times.__getitem__)
        cells = [f"minibatch {method}, {name}", f"{shared.bytes:,.0f}", f"{shared.sums:.0f}"]
        cells += [f"{1e6 * seconds:,.0f} us" for seconds in times.values()]
        print("| " + " | ".join([*cells, f"{best}: {alone / times[best]:.1f} times"]) + " |", flush=True)


if __name__ == "__main__":
    main()
