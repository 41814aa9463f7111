"""Loads the problem of a run, for figures that use the data or a solver's state."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...solvers import Problem
    from ..configuration.settings import RunSettings


def load_problem(run: RunSettings) -> Problem:
    """Return the problem of a run with its data. Raises DataError if they are not available."""
    from ... import datasets
    from ..run.assembly import assemble
    from ..run.console import note

    cache_dir = datasets.default_cache_dir()
    data = datasets.load(run.dataset, cache_dir=cache_dir, note=note)
    problem: Problem = assemble(run, data, cache_dir=cache_dir).problem
    return problem
