"""Fake runs of the SGD-revisited paper: objectives, lower bounds and times that are given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from evidence_cases import finished_run, panel

from svm_cost_curves.experiments.papers.sgdr.timing import STOPPING
from svm_cost_curves.experiments.reproduction.evidence import Panel, Run
from svm_cost_curves.experiments.reproduction.spec import FigureSpec

J_OPT = 0.3
EPS = 0.01
STEP = 0.8
"""A fake run has an evaluation this share of its time before it reaches the target."""


def run(
    name: str,
    points: Sequence[tuple[float, float, float | None]],
    *,
    seed: int = 0,
    stops: bool = True,
    stop_at: float = EPS,
    **overrides: Any,
) -> Run:
    """Write a run of (seconds, J / J_opt - 1, 1 - L / J_opt), an epoch each second, with eps `stop_at`.

    `stops`: before its budget.
    """
    budget = {"epochs": points[-1][0] * (2 if stops else 1)}
    return finished_run(
        name=name,
        algo=name.split()[0],
        seed=seed,
        rows=[
            {
                "iterations": k,
                "epochs": seconds,
                "cpu_seconds": seconds,
                "primal": J_OPT * (1 + above),
                "dual": None if below is None else J_OPT * (1 - below),
            }
            for k, (seconds, above, below) in enumerate(points, start=1)
        ],
        **{"settings": {"algo": {"eps": stop_at}, "budget": budget}} | overrides,
    )


def optimum_run(name: str, gap: float = 1e-9, at: float = 1.0, **overrides: Any) -> Run:
    """Write a run that certifies the optimum, or a multiple of it, up to a relative gap."""
    return run(name, [(1.0, at * (1 + gap / 2) - 1, 1 - at * (1 - gap / 2))], **overrides)


def times_panel(
    spec: FigureSpec,
    seconds: Mapping[str, Mapping[float, Sequence[float]]],
    dataset: str = "adult",
    *,
    gap: float = 1e-9,
    **fields: Any,
) -> Panel:
    """Write one data set of a figure of times: for each series and C the seconds of its runs; negative: not reached.

    All series of the figure are there, those that are not given without runs; ``sgd_s 0.15`` gives one eps. Where a
    method that stops is given by its name alone, its stop is within the target at eps = 0.15 after these seconds, and
    misses it at eps = 0.3; with eps = 0.01 it is within the target after `FIRST` times them and stops after `FIXED`
    times them. Runs of equal seconds are one.
    """
    data: dict[str, Any] = {"dataset": dataset}

    @cache
    def written(value: float, eps: float | None) -> Run:
        return timed_run(value, eps, **data)

    optimum = optimum_run("optimum", gap, **data)
    runs: dict[str, list[Run]] = {name: [optimum] for name in spec.members("optimum").values()}
    for method in [series.name for series in spec.series if series.name != "optimum"]:
        for values, member in spec.points(method):
            eps, word = values.get("algo.eps", EPS), f"{method} {values.get('algo.eps', EPS):g}"
            sign = -1 if eps == MISSED and word not in seconds else 1
            given = seconds.get(word, seconds.get(method, {}) if eps in (EPS, BEST, MISSED) else {})
            written_runs = [
                written(sign * value, eps if method in STOPPING else None)
                for value in given.get(values["problem.C"], ())
            ]
            runs[member] = written_runs
    return panel(dataset, runs, **fields)


def members(spec: FigureSpec, method: str, C: float | None = None, eps: float | None = None) -> list[str]:
    """The keys of a method's runs with all C and eps, or one of them."""
    return [
        member
        for values, member in spec.points(method)
        if C in (None, values["problem.C"]) and eps in (None, values.get("algo.eps", EPS))
    ]


BEST, MISSED = 0.15, 0.3
FIRST, FIXED = 0.9, 3.0


def timed_run(seconds: float, eps: float | None = None, **overrides: Any) -> Run:
    """Write a run that is 1 % above the optimum after so many seconds; of negative ones it never is, for as long.

    With eps = 0.01 a run of negative seconds is ended by its budget, with others it stops.
    """
    end, reached = abs(seconds), seconds > 0
    name = f"{'pegasos' if eps is None else 'sgd_s'} {seconds} {eps}"
    points: list[tuple[float, float, float | None]]
    if eps is None:
        last = 0.002 if reached else 0.02
        points = [(STEP * end, 0.5, None), (end, 2 * last if reached else last, None), (2 * end, last, None)]
        return run(name, points, stops=reached, **overrides)
    if eps != EPS:
        points = [(STEP * end, 0.5, 0.5), (end, 0.004 if reached else 0.02, 0.004)]
        return run(name, points, stop_at=eps, **overrides)
    if not reached:
        return run(name, [(STEP * end, 0.5, 0.5), (end, 0.02, 0.02)], stops=False, **overrides)
    points = [(STEP * FIRST * end, 0.5, 0.5), (FIRST * end, 0.004, 0.5), (FIXED * end, 0.0005, 0.004)]
    return run(name, points, **overrides)


def everywhere(spec: FigureSpec, **seconds: Sequence[float]) -> dict[str, dict[float, Sequence[float]]]:
    """The same seconds for every C."""
    return {method: dict.fromkeys(spec.members("optimum"), values) for method, values in seconds.items()}
