"""Cost of methods to a target, run by run, and ratios of these costs. Some runs miss the target."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal

from svm_cost_curves.experiments.papers.cases import UNCLEAR, Decision, above, at_most
from svm_cost_curves.experiments.reproduction.evidence import Panel
from svm_cost_curves.experiments.reproduction.statistics import Interval, bootstrap_groups
from svm_cost_curves.experiments.reproduction.verdict import Ruling

RESAMPLES: Final = 2000


@dataclass(frozen=True)
class Effort:
    """Costs of one method's runs to a target.

    Attributes
    ----------
    costs : tuple of float
        By seed, in seconds or iterations. A run that misses the target has the cost of the longest run: a lower bound.
    reached : tuple of bool
        Which runs reached the target.
    step : float
        Factor between evaluations: the target was reached between `cost / step` and `cost`.
    """

    costs: tuple[float, ...]
    reached: tuple[bool, ...]
    step: float = 1.0

    @cached_property
    def median(self) -> float:
        """Median of the costs; a lower bound unless it is `known`."""
        return statistics.median(self.costs)

    @property
    def known(self) -> bool:
        """Whether more than half of the runs reached the target."""
        return 2 * sum(self.reached) > len(self.reached)

    def columns(self, name: str) -> dict[str, float]:
        """Columns of a figure's data: the median under a name, least and largest cost, numbers of runs."""
        spread = {"least": min(self.costs), "largest": max(self.costs)}
        return {name: self.median, **spread, "runs": len(self.costs), "reached": sum(self.reached)}

    def text(self, written: Callable[[float], str]) -> str:
        """Write the median, with ``>`` if it is a lower bound."""
        return ("" if self.known else ">") + written(self.median)


def effort_of(found: Sequence[float | None], longest: float, step: float = 1.0) -> Effort:
    """Collect the cost of each run to the target (None: missed) and the cost of the longest run to its end."""
    costs = tuple(longest if cost is None else cost for cost in found)
    return Effort(costs, tuple(cost is not None for cost in found), step)


@dataclass(frozen=True)
class Ratio:
    """Ratio of the costs of two methods.

    Attributes
    ----------
    interval : Interval
        Ratio of the medians over the runs of both, widened by the steps of the evaluations.
    bound : str
        ``at least`` if the first method misses the target, ``at most`` if the second does; else empty.
    """

    interval: Interval
    bound: Literal["", "at least", "at most"] = ""

    def above(self, limit: float) -> Decision:
        """Decide whether the ratio is above a limit; a bound decides in its own direction only (else unclear)."""
        return self._bounded(above(self.interval, limit), "holds", "fails")

    def at_most(self, limit: float) -> Decision:
        """Decide whether the ratio is at most a limit; a bound decides in its own direction only (else unclear)."""
        return self._bounded(at_most(self.interval, limit), "fails", "holds")

    def _bounded(self, decision: Decision, when_more: Ruling, when_less: Ruling) -> Decision:
        if not self.bound or decision.ruling == {"at least": when_more, "at most": when_less}[self.bound]:
            return decision
        return UNCLEAR

    def as_dict(self) -> dict[str, Any]:
        """JSON-able form."""
        return self.interval.as_dict() | {"bound": self.bound}

    def text(self) -> str:
        """Write the estimate and its interval."""
        interval = self.interval
        low, middle, high = map(multiple_text, (interval.low, interval.estimate, interval.high))
        return f"{self.bound} {middle} [{low}, {high}]".strip()


def ratio_of(first: Effort, second: Effort) -> Ratio | None:
    """Return the ratio of two medians; None if neither is known."""
    if not first.known and not second.known:
        return None

    def of(one: Sequence[int], other: Sequence[int]) -> float:
        return statistics.median(first.costs[k] for k in one) / statistics.median(second.costs[k] for k in other)

    interval = bootstrap_groups(of, (len(first.costs), len(second.costs)), resamples=RESAMPLES)
    assert interval is not None  # both have runs, and their costs are positive
    interval = interval.widened(first.step, second.step)
    return Ratio(interval, "at least" if not first.known else "at most" if not second.known else "")


def multiple_text(multiple: float) -> str:
    """Write a ratio with three digits: ``0.251``, ``12.3``, ``1,234``."""
    return f"{multiple:,.0f}" if multiple >= 999.5 else f"{multiple:.3g}"


def seconds_text(seconds: float) -> str:
    """Write a time with three digits: ``12.3 ms``, ``1.23 s``."""
    if seconds < 0.9995:
        return f"{1e3 * seconds:.3g} ms"
    return f"{seconds:.3g} s" if seconds < 999.5 else f"{seconds:,.0f} s"


def clock_mismatch(panel: Panel, series: Iterable[str]) -> str:
    """Say why the times of some series cannot be compared; empty if they can."""
    runs = [run for name in series for run in panel.runs.get(name, ())]
    for what, text in (("cpu", "processors"), ("threads", "numbers of threads")):
        values = {str(run.result["provenance"].get(what)) for run in runs}
        if len(values) > 1:
            return f"timed on different {text}: {', '.join(sorted(values))}"
    return ""
