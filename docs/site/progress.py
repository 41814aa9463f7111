"""Says which of several pieces of work are done, and every five seconds which one is going on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from sphinx.util import logging

from svm_cost_curves.experiments.processes.elapsed import ElapsedTime

LOGGER = logging.getLogger(__name__)
Result = TypeVar("Result")


def with_progress(kind: str, names: Sequence[str], results: Iterable[Result]) -> Iterator[Result]:
    """Yield the results, and say before each one ``pages of curves: 3 of 44, sbp_fig2``."""
    elapsed = ElapsedTime(LOGGER.info)
    remaining = iter(results)
    for number, name in enumerate(names, start=1):
        elapsed.begin(f"{kind}: {number} of {len(names)}, {name}")
        try:
            result = next(remaining)
        finally:
            elapsed.end()
        yield result
