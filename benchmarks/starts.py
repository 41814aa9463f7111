"""Compares the CPU times of two starts of the program: how far the ratio of two series differs between them.

Make the runs of `sgdr_time` on some data sets again, in another store, and compare them with the published ones; a
second argument is another folder of evidence, as an earlier commit has it:

    python3 reproduce.py figure=sgdr_time scale=paper dataset=adult,ijcnn1 store=again figures=again/figures
    .venv/bin/python -m benchmarks.starts again [EVIDENCE]

A time is the median over the runs of a series of their CPU seconds to the last evaluation. Two series are compared on
the same data set with the same C. `experiments/papers/times.py` widens intervals by what is printed here.
"""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

import numpy as np
import pandas as pd

from svm_cost_curves import experiments
from svm_cost_curves.experiments import evidence

PROBLEM = ["dataset", "problem.C"]
SERIES = [*PROBLEM, "algo", "algo.eps", "budget.epochs", "budget.evaluations"]
SHORT = 0.2
"""CPU seconds below which a time is short."""


def medians(table: pd.DataFrame) -> pd.Series[float]:
    """Return the median CPU seconds of each series, from a table with a row for each evaluation of each run."""
    last_seconds = table.groupby([*SERIES, "seed"], dropna=False)["cpu_seconds"].max()
    return last_seconds.groupby(SERIES, dropna=False).median()


def differences(changes: pd.Series[float]) -> list[float]:
    """Return by how much the logarithm of the ratio of two series changes, for each pair on the same problem."""
    pairs = (itertools.combinations(group, 2) for _, group in changes.groupby(PROBLEM))
    return [abs(first - second) for first, second in itertools.chain.from_iterable(pairs)]


def main() -> None:
    """Print the factor within which the ratios of the two starts agree."""
    store, *folder = map(Path, sys.argv[1:])
    published = medians(evidence.load("sgdr_time", *folder))
    again = medians(experiments.load(store=store))
    both = pd.concat([published, again], axis=1, keys=["published", "again"]).dropna()
    changes = (both["again"] / both["published"]).map(np.log)
    for name, kept in (("all", changes), ("short", changes[both["published"] < SHORT])):
        factors = np.exp(differences(kept))
        most = np.quantile(factors, 0.95)
        print(f"{name}: {len(kept)} series, 95 % of {len(factors):,} ratios differ by at most {most:.3f}")


if __name__ == "__main__":
    main()
