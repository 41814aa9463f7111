"""Runs of the SBP at a given distance from the optimum of the slack-constrained problem, and SMO's run for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from evidence_cases import N, finished_run, panel, rows_of

from svm_cost_curves.experiments.reproduction.evidence import Panel, Run

NORM, HINGE = 20.0, 0.01
NU = HINGE / NORM
ITERATIONS = np.unique(np.geomspace(1, 1e5, 26).round())

Gap = Callable[[np.ndarray, int], np.ndarray]
"""f* - f(w_bar) at numbers of iterations, for a seed."""


def power(exponent: float, factor: float = 0.5, spread: float = 0.0) -> Gap:
    """A distance that falls as a power of T; the exponents of the runs lie `spread` apart."""
    return lambda iterations, seed: factor * iterations ** -(exponent + spread * (seed - 1))


def optimum(primal: float = 0.5) -> Run:
    """SMO's run: half way with this primal value, then at the optimum, where sum(alpha) = ‖u‖^2 + C n hinge."""
    lambda_ = 1 / N
    best = (NORM**2 / 2 + N * HINGE) / N  # dual: (sum(alpha) - ‖u‖^2 / 2) / n
    rows = [
        {"iterations": 10, "primal": primal, "dual": 0.9 * best},
        {"iterations": 20, "primal": best, "dual": best, "norm": NORM, "hinge": HINGE},
    ]
    problem = {"problem": {"lambda_": lambda_}}
    return finished_run(algo="smo", name="optimum", rows=rows, settings=problem)


def sbp(gap: Gap, seed: int = 0, *, nu: float = NU, norm: float = 0.99, hinge: float = 1.0, extra: int = 0) -> Run:
    """A run of the SBP; `norm` and `hinge` are relative to the largest that the value f(w_bar) allows."""
    level = 1 / NORM - gap(ITERATIONS, seed)
    level[level == 0] = 1e-9
    rows = rows_of(
        iterations=ITERATIONS,
        kernel_evaluations=ITERATIONS * N + extra,
        water_level=level,
        norm=norm / abs(level),
        hinge=hinge * NU / abs(level),
    )
    return finished_run(seed=seed, rows=rows, settings={"problem": {"nu": nu}})


FAST: Gap = power(0.6)


def lemma_panel(gap: Gap = FAST, *, seeds: int = 3, primal: float = 0.5, **options: Any) -> Panel:
    """One data set with runs of both."""
    runs = [sbp(gap, seed, **options) for seed in range(seeds)]
    return panel("adult", {"sbp": runs, "optimum": [optimum(primal)]})
