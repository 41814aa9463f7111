"""Dual variables of SGD-s and SGD-m at the ends of passes, and the closed form of multiple updates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ...reproduction.evidence import Evidence, Reason
from ...reproduction.statistics.interval import Interval
from ...reproduction.statistics.regression import mean_exponent
from ..problem import load_problem

if TYPE_CHECKING:
    from ....solvers import Problem
    from ...configuration.settings import RunSettings

METHODS: Final = ("sgd_s", "sgd_m")
RANDOM_EPOCHS: Final = (3, 6, 12, 25, 50)
MULTIPLICITY: Final = 5


@dataclass(frozen=True)
class DualBox:
    """Dual variables and lower bound over the first passes of one run, and multiple updates from its weights.

    `largest` is the largest dual variable over C; `apart` the largest distance of L from the dual objective of these
    variables, over the sum in it. `updates` counts the multiple updates that were made step by step, `different` those
    whose closed form has another number.
    """

    passes: int
    largest: float
    apart: float
    updates: int = 0
    different: int = 0


def dual_box(run: RunSettings, passes: int = 30) -> DualBox:
    """Run SGD-s or SGD-m for at most `passes` passes and read its dual variables at the end of each.

    The passes repeat the run's first ones; after each, the multiple updates of 1,000 examples are counted again. Raises
    DataError without data.
    """
    from ....solvers import _core

    problem = load_problem(run)
    core: Any = run.solver(problem, run.solver_settings, run.seed).make()
    X: Any = sparse.csr_matrix(problem.X, dtype=np.float64)
    lambda_, chosen = problem.require_lambda(), slice(None, None, -(-problem.n // 1000))
    Z = X[chosen].multiply(problem.y[chosen, None]).tocsr()
    done, largest, apart, updates, different = 0, 0.0, 0.0, 0, 0
    while done < passes and core.advance(iterations=(done + 1) * problem.n) == _core.Status.iterations:
        done += 1
        steps = core.counters.presentations
        shares = core.updates() / (steps / problem.n)  # of C
        alpha = problem.C * shares
        weights = X.T @ (alpha * problem.y)
        dual = lambda_ * (alpha.sum() - weights @ weights / 2)
        largest = max(largest, float(shares.max()))
        apart = max(apart, float(abs(core.lower_bound - dual) / (lambda_ * alpha.sum())))
        a = problem.in_data_order(np.asarray(core.weights())) * (lambda_ * steps)
        norms = np.asarray(Z.multiply(Z).sum(axis=1)).ravel()
        same = multiple_updates(lambda_ * steps, lambda_, Z @ a, norms)
        updates, different = updates + len(same), different + int((~same).sum())
    return DualBox(done, largest, apart, updates, different)


def multiple_updates(
    threshold: float, lambda_: float, responses: NDArray[np.float64], squared_norms: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Say for each example whether the closed form counts as many updates as its presentations one by one, (n,)."""
    from ....solvers import _core

    counts = np.zeros(len(responses))
    for k in range(MULTIPLICITY):
        counts += responses + counts * squared_norms <= threshold + lambda_ * k
    settings: dict[str, Any] = {"threshold": threshold, "lambda_": lambda_, "multiplicity": MULTIPLICITY}
    closed = [
        _core.multiple_update(response=float(response), squared_norm=float(norm), **settings)
        for response, norm in zip(responses, squared_norms, strict=True)
    ]
    return np.asarray(counts == closed)


def random_excess(problem: Problem, seed: int) -> list[float]:
    """Return by how much SGD-r's largest dual variable exceeds C, over C, after each of `RANDOM_EPOCHS`; at least 1/n.

    The steps are made here, as the core does not count them by example.
    """
    from ....solvers import _core

    X: Any = sparse.csr_matrix(problem.X, dtype=np.float64)
    rows = [(X.indices[start:end], X.data[start:end]) for start, end in pairwise(X.indptr)]
    n, lambda_, draws = problem.n, problem.require_lambda(), _core.Random(seed, _core.Purpose.sampling)
    a, updates, excesses = np.zeros(problem.d), np.zeros(n), []
    for t in range(RANDOM_EPOCHS[-1] * n):
        i = draws.below(n)
        places, values = rows[i]
        if problem.y[i] * (values @ a[places]) <= lambda_ * t:
            a[places] += problem.y[i] * values
            updates[i] += 1
        if (t + 1) % n == 0 and (t + 1) // n in RANDOM_EPOCHS:
            excesses.append(max(float(updates.max() * n / (t + 1) - 1), 1 / n))
    return excesses


def random_exponent(run: RunSettings) -> Interval | None:
    """Return a of excess ~ epochs^-a (`random_excess`), mean over ten seeds. Raises DataError without data."""
    problem = load_problem(replace(run, dataset=replace(run.dataset, max_train=1000)))
    return mean_exponent((RANDOM_EPOCHS, 1 / np.array(random_excess(problem, seed))) for seed in range(10))


def on_each(evidence: Evidence, series: str, call: Callable[[RunSettings], Any]) -> dict[str, dict[str, Any]]:
    """Apply `call` to the settings of a series on each data set; a `Reason` where runs or data are missing."""
    from ....datasets import DataError

    values: dict[str, dict[str, Any]] = {}
    for panel in evidence.panels:
        try:
            runs = panel.runs.get(series)
            value = asdict(call(panel.settings[series])) if runs else Reason("no finished runs").as_dict()
        except DataError as error:
            value = Reason(str(error).partition(": ")[0]).as_dict()
        values[panel.dataset] = value
    return values
