"""Loads the problem of a run, for figures that use the data or a solver's state."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from svm_cost_curves.experiments.configuration.settings import RunSettings
    from svm_cost_curves.solvers import Problem


def load_problem(run: RunSettings) -> Problem:
    """Return the problem of a run with its data. Raises DataError if they are not available."""
    from svm_cost_curves import datasets
    from svm_cost_curves.experiments.run.assembly import assemble
    from svm_cost_curves.experiments.run.console import note

    cache_dir = datasets.default_cache_dir()
    data = datasets.load(run.dataset, cache_dir=cache_dir, note=note)
    problem: Problem = assemble(run, data, cache_dir=cache_dir).problem
    return problem
