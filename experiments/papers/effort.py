"""What methods take to an accuracy, by run, and how many times as much as others; some runs do not get there."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal

from experiments.papers.cases import above, at_most
from experiments.reproduction.evidence import Panel
from experiments.reproduction.statistics import Interval, bootstrap_groups
from experiments.reproduction.verdict import Ruling

RESAMPLES: Final = 2000


@dataclass(frozen=True)
class Effort:
    """What one method's runs take.

    Attributes
    ----------
    costs : tuple of float
        By seed: seconds, or iterations. A run that did not get there stands with what the longest run of all took: it
        takes more than that, as far as is known.
    reached : tuple of bool
        Which runs got there.
    """

    costs: tuple[float, ...]
    reached: tuple[bool, ...]

    @cached_property
    def median(self) -> float:
        """Median of the costs; no more than it is where it is not `known`."""
        return statistics.median(self.costs)

    @property
    def known(self) -> bool:
        """Whether most runs got there, so that the median is theirs."""
        return 2 * sum(self.reached) > len(self.reached)

    def text(self, written: Callable[[float], str]) -> str:
        """Median, with a sign where it is a lower limit."""
        return ("" if self.known else ">") + written(self.median)


def effort_of(found: Sequence[float | None], longest: float) -> Effort:
    """Put runs together, some of which did not get there.

    Parameters
    ----------
    found : sequence of (float or None)
        What each run took; None: it did not get there.
    longest : float
        What the longest run took, to its end.
    """
    return Effort(tuple(longest if cost is None else cost for cost in found), tuple(cost is not None for cost in found))


@dataclass(frozen=True)
class Ratio:
    """How many times as much one method takes as another.

    Attributes
    ----------
    interval : Interval
        Of the ratio of the medians, resampling the runs of both.
    bound : str
        ``at least`` where the first method did not get there, ``at most`` where the second did not; else empty.
    """

    interval: Interval
    bound: Literal["", "at least", "at most"] = ""

    def above(self, limit: float) -> Ruling:
        """Whether it lies above a limit; a bound says so in its own direction only."""
        return self._bounded(above(self.interval, limit), "reproduced", "not_reproduced")

    def at_most(self, limit: float) -> Ruling:
        """Whether it lies at or below a limit; a bound says so in its own direction only."""
        return self._bounded(at_most(self.interval, limit), "not_reproduced", "reproduced")

    def _bounded(self, ruling: Ruling, when_more: Ruling, when_less: Ruling) -> Ruling:
        if not self.bound or ruling == {"at least": when_more, "at most": when_less}[self.bound]:
            return ruling
        return "not_applicable"

    def as_dict(self) -> dict[str, Any]:
        """JSON-able form."""
        return self.interval.as_dict() | {"bound": self.bound}

    def text(self) -> str:
        """Write it with its interval."""
        interval = self.interval
        low, middle, high = map(multiple_text, (interval.low, interval.estimate, interval.high))
        return f"{self.bound} {middle} [{low}, {high}]".strip()


def ratio_of(first: Effort, second: Effort) -> Ratio | None:
    """Divide the median of one by that of the other; None where neither is known."""
    if not first.known and not second.known:
        return None

    def of(one: Sequence[int], other: Sequence[int]) -> float:
        return statistics.median(first.costs[k] for k in one) / statistics.median(second.costs[k] for k in other)

    interval = bootstrap_groups(of, (len(first.costs), len(second.costs)), resamples=RESAMPLES)
    assert interval is not None  # both have runs, and cost something
    return Ratio(interval, "at least" if not first.known else "at most" if not second.known else "")


def multiple_text(multiple: float) -> str:
    """Write how many times as much something takes: ``0.251``, ``12.3``, ``1,234``."""
    return f"{multiple:,.0f}" if multiple >= 999.5 else f"{multiple:.3g}"


def seconds_text(seconds: float) -> str:
    """Write a time with three digits: ``12.3 ms``, ``1.23 s``."""
    if seconds < 0.9995:
        return f"{1e3 * seconds:.3g} ms"
    return f"{seconds:.3g} s" if seconds < 999.5 else f"{seconds:,.0f} s"


def clock_mismatch(panel: Panel, series: Iterable[str]) -> str:
    """Why the clocks of some series cannot be compared; empty where they can."""
    runs = [run for name in series for run in panel.runs.get(name, ())]
    for what, text in (("cpu", "processors"), ("threads", "numbers of threads")):
        values = {str(run.result["provenance"].get(what)) for run in runs}
        if len(values) > 1:
            return f"timed on different {text}: {', '.join(sorted(values))}"
    return ""
