"""Timing of two programs side by side, and the table of their ratios."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence

from matplotlib.ticker import EngFormatter

HEADINGS = ("first / second", "first", "second", "ratio", "bar", "met", "spread of the ratio")


class Comparisons:
    """The table of a session: a row for each comparison of two programs; `missed` counts those that miss their bar."""

    def __init__(self, repeat: int) -> None:
        self.repeat = repeat
        self.rows: list[tuple[str, ...]] = []
        self.missed = 0

    def alternate(
        self,
        comparison: str,
        first: Callable[[], float],
        second: Callable[[], float],
        unit: str = "s",
        *,
        at_most: float | None = None,
        at_least: float | None = None,
    ) -> None:
        """Measure both in turn, `repeat` times, so that a busy machine slows both equally, and add the row.

        `comparison` names them as "first / second"; they return numbers in `unit`, of which an empty one means none.
        `at_most` or `at_least` is the bar of the ratio.
        """
        pairs = [(first(), second()) for _ in range(self.repeat)]
        self.add(comparison, pairs, unit, at_most=at_most, at_least=at_least)

    def add(
        self,
        comparison: str,
        pairs: Sequence[tuple[float, float]],
        unit: str = "s",
        *,
        at_most: float | None = None,
        at_least: float | None = None,
    ) -> None:
        """Add the row of pairs that have been measured: medians of both sides and of the ratios."""
        ratios = [first / second for first, second in pairs]
        ratio = statistics.median(ratios)
        bar = met = ""
        if at_most is not None or at_least is not None:
            bar = f"at most {at_most:g}" if at_most is not None else f"at least {at_least:g}"
            missed = ratio > at_most if at_most is not None else ratio < (at_least or 0.0)
            self.missed += missed
            met = "**NO**" if missed else "yes"
        write = EngFormatter(unit, places=2) if unit else "{:.3g}".format
        sides = (write(statistics.median(side)) for side in zip(*pairs, strict=True))
        times = "once" if len(pairs) == 1 else f"{min(ratios):.3g} to {max(ratios):.3g}, {len(pairs)} times"
        self.rows.append((comparison, *sides, f"{ratio:.3g}", bar, met, times))


def cpu_seconds(call: Callable[[], object]) -> float:
    """Return the CPU seconds of one call in this thread; on a busy machine they vary less than wall seconds."""
    start = time.thread_time()
    call()
    return time.thread_time() - start


def seconds(call: Callable[[], object]) -> float:
    """Return the wall seconds of one call."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start
