"""Benchmark 12: engine=mpi on this machine against one process, and a model of its time on many machines."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import cache, partial
from math import ceil, log2
from pathlib import Path
from typing import Any

from experiments.bench.measure import Row, alternate, median_ratio
from experiments.configuration.engine import mpirun
from solvers import SettingsError

ROOT = Path(__file__).resolve().parents[2]
DATA: dict[str, list[str]] = {
    "covtype_subset": ["dataset.positive=[1]", "dataset.scaling=minmax", "algo.batch_size=8192"],
    "adult": ["algo.batch_size=8192"],
    "rcv1_ccat_subset": ["algo.batch_size=8000"],  # all of its rows
    "newsgroups_binary": ["algo.batch_size=8000"],
}
"""Data sets, and the settings for each."""
METHODS = {
    "minibatch_pegasos": ["algo=minibatch_pegasos", "algo.average=last"],
    "minibatch_sdca aggressive": ["algo=minibatch_sdca", "algo.variant=aggressive"],
}
ITERATIONS = 300
BITS_A_SECOND = 10e9
LATENCY = 2e-5
"""Latency between two machines in seconds, for each message of a sum."""
MACHINES = (1, 2, 4, 8, 16, 32, 64)


@dataclass(frozen=True)
class Measured:
    """An iteration of one run.

    Attributes
    ----------
    seconds : float
        Wall time.
    sums : float
        Over all ranks.
    bytes : float
        That a rank hands over for one sum.
    """

    seconds: float
    sums: float = 0.0
    bytes: float = 0.0


def rows(repetitions: int) -> list[Row]:
    """Return the rows of all data sets; none without mpirun."""
    try:
        mpirun()
    except SettingsError:
        return []
    return [row for name in DATA for method in METHODS for row in _rows(name, method, repetitions)]


def _rows(name: str, method: str, repetitions: int) -> list[Row]:
    run = partial(measure, name, method)
    about = f"{method}, {DATA[name][-1].removeprefix('algo.batch_size=')} examples, {name}"
    pairs = alternate(lambda: run(1).seconds, lambda: run(None).seconds, repetitions)
    mine, other, ratio, spread = median_ratio(pairs)
    one = Row(f"an iteration on one rank / without MPI; {about}", _us(mine), _us(other), ratio, 1.05, spread=spread)
    if (os.cpu_count() or 1) < 2:
        return [one]
    mine, other, ratio, spread = median_ratio(alternate(lambda: run(None).seconds, lambda: run(2).seconds, repetitions))
    what = f"an iteration without MPI / on two ranks; {about}"
    return [one, Row(what, _us(mine), _us(other), ratio, 1.5, at_most=False, spread=spread)]


def _us(seconds: float) -> str:
    return f"{1e6 * seconds:,.0f} us"


def measure(name: str, method: str, ranks: int | None) -> Measured:
    """Run a method from the command line, on a number of ranks or without MPI.

    Raises
    ------
    subprocess.CalledProcessError
        The run has failed.
    """
    options = [f"dataset={name}", "kernel=linear", "problem.lambda_=1e-4", *METHODS[method], *DATA[name]]
    options += [f"budget.iterations={ITERATIONS}", "budget.evaluations=1", "progress=false", "threads=1"]
    # another seed each time, as what is in the store is not run again
    options += [
        f"seed={next(_seeds)}",
        f"store.root={_store().name}",
        *([f"ranks={ranks}", "engine=mpi"] if ranks else []),
    ]
    command = [sys.executable, "run.py", *options]
    output = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    path = next(line.removeprefix("result: ") for line in output.splitlines() if line.startswith("result: "))
    result: dict[str, Any] = json.loads(Path(path).read_text(encoding="utf-8"))
    iterations = result["counters"]["iterations"]
    costs = result.get("communication", {})
    sums = costs.get("exchanges", 0)
    return Measured(
        result["wall_seconds"] / iterations,
        sums / iterations,
        costs["bytes"] / (sums * costs["ranks"]) if sums else 0.0,
    )


_seeds = itertools.count()


@cache
def _store() -> tempfile.TemporaryDirectory[str]:
    """Make a temporary store for all measurements: a new one takes seconds."""
    return tempfile.TemporaryDirectory()


def seconds_on(machines: int, alone: float, shared: Measured) -> float:
    """Return the seconds of an iteration on several machines, by a model: divided work, and sums over the network.

    A sum is an all-reduce of as many bytes as two ranks hand over here: each machine sends and receives them twice, but
    for its own share, in 2 log2 steps (Rabenseifner's algorithm).
    """
    if machines == 1:
        return alone
    travelling = 2 * (machines - 1) / machines * shared.bytes * 8 / BITS_A_SECOND
    return alone / machines + shared.sums * (travelling + 2 * ceil(log2(machines)) * LATENCY)


def main() -> None:
    """Print the table of docs/scaling.md."""
    print(
        "| run | bytes a sum | sums | " + " | ".join(f"{m} machines" if m > 1 else "1" for m in MACHINES) + " | best |"
    )
    print("|" + " --- |" * (len(MACHINES) + 4))
    for name in DATA:
        for method in METHODS:
            alone, shared = measure(name, method, None).seconds, measure(name, method, 2)
            times = {m: seconds_on(m, alone, shared) for m in MACHINES}
            best = min(times, key=lambda m: times[m])
            print(
                f"| {method}, {name} | {shared.bytes:,.0f} | {shared.sums:.0f} | "
                + " | ".join(f"{1e6 * seconds:,.0f} us" for seconds in times.values())
                + f" | {best}: {alone / times[best]:.1f} times |",
                flush=True,
            )


if __name__ == "__main__":
    main()
