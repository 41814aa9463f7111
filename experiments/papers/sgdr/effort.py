"""How long methods take to an accuracy, in CPU seconds, and how many times as long as others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from experiments.curve import column, cost_to_reach
from experiments.papers.effort import Effort, effort_of
from experiments.papers.optimum import Optimum
from experiments.store import FinishedRun

ACCURACY: Final = 0.01
"""(J - J_opt) / J_opt that is timed."""
STOPPING: Final = ("sgd_s", "sgd_m")
"""Methods that are timed to their own end, as in the paper; others to the first checkpoint of the accuracy."""
ROUNDING: Final = 1e-9


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
    return effort_of(found, longest)


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
