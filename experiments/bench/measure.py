"""Timing of two things side by side, and the row of a benchmark's table."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One line of the table.

    Attributes
    ----------
    what : str
    ours, theirs : str
        The two figures, with units.
    ratio : float
    bar : float or None
        What the ratio is held against, if anything.
    at_most : bool
        Whether the ratio must not exceed the bar (else: must reach it).
    spread : str
        Smallest and largest ratio over the repetitions, and how many there were.
    """

    what: str
    ours: str
    theirs: str
    ratio: float
    bar: float | None
    at_most: bool = True
    spread: str = ""

    @property
    def met(self) -> bool:
        """Whether the requirement is met."""
        if self.bar is None:
            return True
        return self.ratio <= self.bar if self.at_most else self.ratio >= self.bar


def seconds(call: Callable[[], object]) -> float:
    """Return the wall seconds of one call."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def cpu_seconds(call: Callable[[], object]) -> float:
    """Return the CPU seconds of one call in this thread; on a busy machine they vary less than wall seconds."""
    start = time.thread_time()
    call()
    return time.thread_time() - start


def alternate(first: Callable[[], float], second: Callable[[], float], repetitions: int) -> list[tuple[float, float]]:
    """Return the times of first and second, measured alternately: a busy machine slows both equally."""
    return [(first(), second()) for _ in range(repetitions)]


def median_ratio(pairs: list[tuple[float, float]]) -> tuple[float, float, float, str]:
    """Return the medians of both sides, the median of the ratios, and the ratios' spread in words."""
    ratios = [a / b for a, b in pairs]
    spread = f"{min(ratios):.3g} to {max(ratios):.3g}, {len(ratios)} repetitions"
    return (
        statistics.median(a for a, _ in pairs),
        statistics.median(b for _, b in pairs),
        statistics.median(ratios),
        spread,
    )
