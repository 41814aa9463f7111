"""The problem of a figure's runs, for a maker that looks at the data or inside a solver."""

from __future__ import annotations

import datasets
from experiments.assembly import assemble
from experiments.settings import RunSettings
from solvers import Problem


def load_problem(run: RunSettings) -> Problem:
    """Load the data of a run and build its problem.

    Raises
    ------
    DataError
        The data cannot be had.
    """
    cache_dir = datasets.default_cache_dir()
    problem: Problem = assemble(run, datasets.load(run.dataset, cache_dir=cache_dir), cache_dir=cache_dir).problem
    return problem
