"""Repeats of a run that is too short to be timed once: its times become the means over several equal runs."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ...solvers import _core
from ..provenance import SHORT
from .active_run import ActiveRun
from .advance import advance_run
from .console import Display
from .curve_builder import CurveBuilder

TIMES = ("cpu_seconds", "wall_seconds")


class _Times(CurveBuilder):
    """Stores a run's times at each evaluation, by the number of iterations, and evaluates nothing."""

    def __init__(self, n: int) -> None:
        super().__init__(evaluator=None, n=n, pause=math.inf)  # type: ignore[arg-type]  # no point is ever pending
        self.seconds: dict[int, list[float]] = {}

    def add(self, solver: Any) -> None:
        self.seconds.setdefault(solver.counters.iterations, [getattr(solver, name) for name in TIMES])


def repeat_if_short(run: ActiveRun, rows: list[dict[str, Any]], raise_if_stopped: Callable[[], None]) -> dict[str, Any]:
    """Repeat a run until its solvers have worked for `SHORT` CPU seconds in all, and set its times to the means.

    New solvers of the same settings begin with an empty cache of kernel rows and pass the same evaluations, which are
    not evaluated again. The times in `rows`, the evaluations of the run, are changed in place.

    Returns
    -------
    dict
        Entries of result.json: ``repeats``, the number of runs behind the times, and with more than one ``cpu_seconds``
        and ``wall_seconds``, means of a whole run. A run on several processes is not repeated, nor one whose repeat
        does not pass the same evaluations: a library need not be deterministic.
    """
    settings, budget, n = run.settings, run.settings.budget, run.data.n
    totals = [getattr(run.solver, name) for name in TIMES]
    sums = {row["iterations"]: [row[name] for name in TIMES] for row in rows}
    repeats = 1
    while totals[0] < SHORT and settings.engine == "local":
        solver, times = run.engine.make_solver(settings, _with_empty_cache(run.problem)), _Times(n)
        limit, schedule = budget.limits(n), budget.schedule(n)
        advance_run(solver, limit, schedule, times, Display(), raise_if_stopped=raise_if_stopped)
        if times.seconds.keys() != sums.keys():
            return {"repeats": 1}
        for iterations, seconds in times.seconds.items():
            sums[iterations] = [total + new for total, new in zip(sums[iterations], seconds, strict=True)]
        totals = [total + getattr(solver, name) for total, name in zip(totals, TIMES, strict=True)]
        repeats += 1
    if repeats == 1:
        return {"repeats": 1}
    for row in rows:
        row |= {name: total / repeats for name, total in zip(TIMES, sums[row["iterations"]], strict=True)}
    return {**{name: total / repeats for name, total in zip(TIMES, totals, strict=True)}, "repeats": repeats}


def _with_empty_cache(problem: Any) -> Any:
    """Return a problem without the kernel rows that earlier solvers have cached; a Gram matrix is kept."""
    if "rows" not in vars(problem) or not isinstance(problem.rows.source, _core.CachedRows):
        return problem
    numbers = {name: getattr(problem, name) for name in ("lambda_", "nu", "bias")}
    return problem.variant(**numbers, rows=problem.policy)
