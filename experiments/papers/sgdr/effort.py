"""How long methods take to an accuracy, in CPU seconds, and how many times as long as others."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal

from experiments.curve import column, cost_to_reach
from experiments.papers.judging import above, at_most
from experiments.papers.sgdr.optimum import Optimum
from experiments.reproduction.statistics import Interval, bootstrap_groups
from experiments.reproduction.verdict import Ruling
from experiments.store import FinishedRun

ACCURACY: Final = 0.01
"""(J - J_opt) / J_opt that is timed."""
STOPPING: Final = ("sgd_s", "sgd_m")
"""Methods that are timed to their own end, as in the paper; others to the first checkpoint of the accuracy."""
ROUNDING: Final = 1e-9
RESAMPLES: Final = 2000


@dataclass(frozen=True)
class Effort:
    """CPU seconds of one method's runs.

    Attributes
    ----------
    seconds : tuple of float
        By seed. A run that did not get there stands with the time of the longest run of all: it takes longer than that,
        as far as is known.
    reached : tuple of bool
        Which runs got there.
    """

    seconds: tuple[float, ...]
    reached: tuple[bool, ...]

    @cached_property
    def median(self) -> float:
        """Median of the seconds; no more than it is where it is not `known`."""
        return statistics.median(self.seconds)

    @property
    def known(self) -> bool:
        """Whether most runs got there, so that the median is theirs."""
        return 2 * sum(self.reached) > len(self.reached)

    def text(self) -> str:
        """Median, with a sign where it is a lower limit."""
        return ("" if self.known else ">") + seconds_text(self.median)


def effort(runs: Sequence[FinishedRun], optimum: Optimum, *, to_the_end: bool = False) -> Effort | None:
    """Time some runs; None without runs.

    Parameters
    ----------
    runs : sequence of FinishedRun
    optimum : Optimum
    to_the_end : bool
        To the end that the method sets, not to the first checkpoint of the accuracy.
    """
    timed = [run for run in runs if len(run.curve)]
    if not timed:
        return None
    found = [stop_seconds(run) if to_the_end else reach_seconds(run, optimum) for run in timed]
    longest = max(float(column(run.curve, "cpu_seconds")[-1]) for run in timed)
    return Effort(
        tuple(longest if seconds is None else seconds for seconds in found),
        tuple(seconds is not None for seconds in found),
    )


def reach_seconds(run: FinishedRun, optimum: Optimum) -> float | None:
    """Return the time of a run's first checkpoint with (J - J_opt) / J_opt <= `ACCURACY`; None where there is none."""
    excess = optimum.excess(column(run.curve, "primal"))
    return cost_to_reach(column(run.curve, "cpu_seconds"), excess, ACCURACY + ROUNDING)


def stop_seconds(run: FinishedRun) -> float | None:
    """Return the time of a run's end, if it is its own; None where the budget ended it."""
    return float(column(run.curve, "cpu_seconds")[-1]) if stopped(run) else None


def stopped(run: FinishedRun) -> bool:
    """Whether a run ended by its own rule, before its budget of epochs."""
    return bool(run.result["counters"]["epochs"] < run.result["settings"]["budget"]["epochs"])


def tolerance(run: FinishedRun) -> float:
    """Return the eps of a run's stopping rule."""
    return float(run.result["settings"]["algo"]["eps"])


@dataclass(frozen=True)
class TimeRatio:
    """How many times as long one method takes as another.

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


def time_ratio(first: Effort, second: Effort) -> TimeRatio | None:
    """Divide the median of one by that of the other; None where neither is known."""
    if not first.known and not second.known:
        return None

    def of(one: Sequence[int], other: Sequence[int]) -> float:
        return statistics.median(first.seconds[k] for k in one) / statistics.median(second.seconds[k] for k in other)

    interval = bootstrap_groups(of, (len(first.seconds), len(second.seconds)), resamples=RESAMPLES)
    assert interval is not None  # both have runs, and take time
    return TimeRatio(interval, "at least" if not first.known else "at most" if not second.known else "")


def fastest(efforts: Iterable[Effort | None]) -> Effort | None:
    """Return the one with the smallest median; None where one of them has no runs, for it might be that."""
    return next(iter(_sorted(efforts, key=lambda effort: effort.median)), None)


def slowest(efforts: Iterable[Effort | None]) -> Effort | None:
    """Return the one with the largest median, or that has none; None where one has no runs, for it might be that."""
    return next(reversed(_sorted(efforts, key=lambda effort: (not effort.known, effort.median))), None)


def _sorted(efforts: Iterable[Effort | None], key: Callable[[Effort], Any]) -> list[Effort]:
    found = list(efforts)
    known = [effort for effort in found if effort is not None]
    return sorted(known, key=key) if len(known) == len(found) else []


def multiple_text(multiple: float) -> str:
    """Write how many times as long something takes: ``0.251``, ``12.3``, ``1,234``."""
    return f"{multiple:,.0f}" if multiple >= 999.5 else f"{multiple:.3g}"


def seconds_text(seconds: float) -> str:
    """Write a time with three digits: ``12.3 ms``, ``1.23 s``."""
    if seconds < 0.9995:
        return f"{1e3 * seconds:.3g} ms"
    return f"{seconds:.3g} s" if seconds < 999.5 else f"{seconds:,.0f} s"
