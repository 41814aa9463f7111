"""Data set, problem and evaluator of a run; the next run of this process on the same data shares them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import NamedTuple

from svm_cost_curves import datasets
from svm_cost_curves.datasets import Dataset
from svm_cost_curves.experiments.configuration.settings import RunSettings
from svm_cost_curves.experiments.run.assembly import Assembled, assemble
from svm_cost_curves.solvers import plugins
from svm_cost_curves.solvers.evaluation import Evaluator


class Loaded(NamedTuple):
    """What a run works on."""

    data: Dataset
    assembled: Assembled
    evaluator: Evaluator


_last: tuple[tuple[str, str], Loaded] | None = None
"""Of the last run of this process, with the fingerprint and the specification of its data."""


def load(settings: RunSettings, fingerprint: str, note: Callable[[str], None], warn: Callable[[str], None]) -> Loaded:
    """Load the data of a run, which have this fingerprint, and make its problem and its evaluator.

    `note` takes a few words about a step that takes long, `warn` what is to be told of data that were read just now.

    Raises DataError, SettingsError: the data are not available, or the problem cannot be made of them.
    """
    global _last
    key = fingerprint, repr(settings.dataset)
    last = _last[1] if _last is not None and _last[0] == key else None
    _last = None  # other data leave the memory before these are read
    cache_dir = datasets.default_cache_dir()
    note(f"loading {settings.dataset.name}")
    data = datasets.load(settings.dataset, cache_dir=cache_dir) if last is None else last.data
    for warning in data.provenance["warnings"] if last is None else ():
        warn(warning)
    note("setting up the problem")
    like = None if last is None else last.assembled.problem
    with limited_threads(settings.building_threads):
        assembled = assemble(settings, data, cache_dir=cache_dir, notify=note, like=like)
    problem = assembled.problem
    with limited_threads(settings.threads):  # refuses test points before anything is recorded
        if last is not None and problem.order is last.assembled.problem.order:  # a variant, which has the same arrays
            evaluator = last.evaluator.of_variant(problem)
        else:
            evaluator = Evaluator(problem, data)
    loaded = Loaded(data, assembled, evaluator)
    if not plugins.is_plugin(settings.solver):  # a user's solver may change the arrays that it gets
        _last = key, loaded
    return loaded


@contextlib.contextmanager
def limited_threads(number: int) -> Iterator[None]:
    """Limit every BLAS and OpenMP pool of this process."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=number):
        yield
