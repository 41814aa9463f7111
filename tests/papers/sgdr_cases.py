"""Fake runs of the SGD-revisited paper: objectives, lower bounds and times that are given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from evidence_cases import finished_run, panel

from experiments.papers.sgdr.timing import STOPPING, methods
from experiments.reproduction.evidence import Panel
from experiments.reproduction.spec import FigureSpec
from experiments.store import FinishedRun

J_OPT = 0.3
EPS = 0.01
STEP = 0.8
"""A fake run has an evaluation this share of its time before it reaches the target."""


def run(
    folder: Path,
    name: str,
    points: Sequence[tuple[float, float, float | None]],
    *,
    seed: int = 0,
    stops: bool = True,
    **overrides: Any,
) -> FinishedRun:
    """Write a run of (seconds, J / J_opt - 1, 1 - L / J_opt), an epoch each second; `stops`: before its budget."""
    budget = {"epochs": points[-1][0] * (2 if stops else 1)}
    return finished_run(
        folder,
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
        **{"settings": {"algo": {"eps": EPS}, "budget": budget}} | overrides,
    )


def optimum_run(folder: Path, name: str, gap: float = 1e-9, at: float = 1.0, **overrides: Any) -> FinishedRun:
    """Write a run that certifies the optimum, or a multiple of it, up to a relative gap."""
    return run(folder, name, [(1.0, at * (1 + gap / 2) - 1, 1 - at * (1 - gap / 2))], **overrides)


def times_panel(
    folder: Path,
    spec: FigureSpec,
    seconds: Mapping[str, Mapping[float, Sequence[float]]],
    dataset: str = "adult",
    *,
    d: int = 100,
    gap: float = 1e-9,
    **fields: Any,
) -> Panel:
    """Write one data set of a figure of times: for each method and C the seconds of its runs; negative: not reached.

    All methods of the figure have a series, those that are not given one without runs. Runs of equal seconds are one.
    """
    data: dict[str, Any] = {"provenance": {"data": {"counts": {"train": {"d": d}}}}, "dataset": dataset}

    @cache
    def written(stopping: bool, value: float) -> FinishedRun:
        return timed_run(folder, "sgd_s" if stopping else "pegasos", value, **data)

    optimum = optimum_run(folder, "optimum", gap, **data)
    runs: dict[str, list[FinishedRun]] = {name: [optimum] for name in spec.members("optimum").values()}
    for method in methods(spec):
        for C, member in spec.members(method).items():
            runs[member] = [written(method in STOPPING, value) for value in seconds.get(method, {}).get(C, ())]
    return panel(dataset, runs, **fields)


def timed_run(folder: Path, method: str, seconds: float, **overrides: Any) -> FinishedRun:
    """Write a run that is 1 % above the optimum after so many seconds; of negative ones it never is, for as long."""
    end = abs(seconds)
    above, below = (0.02, 0.02) if seconds < 0 else (0.004, 0.004)
    bound = below if method in STOPPING else None
    further = [] if method in STOPPING else [(2 * end, above / 2 if seconds > 0 else above, None)]
    points = [(STEP * end, 0.5, bound and 0.5), (end, above, bound), *further]
    return run(folder, f"{method} {seconds}", points, stops=seconds > 0, **overrides)


def everywhere(spec: FigureSpec, **seconds: Sequence[float]) -> dict[str, dict[float, Sequence[float]]]:
    """The same seconds for every C."""
    return {method: dict.fromkeys(spec.members("optimum"), values) for method, values in seconds.items()}
