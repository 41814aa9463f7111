"""The dual variables of SGD-s and SGD-m, looked at inside the solver at the end of each pass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from scipy import sparse

from experiments.papers.problem import problem_of
from experiments.settings import RunSettings
from solvers import _core

PASSES: Final = 30
ROUNDING: Final = 1e-9
"""Relative: of a sum over all examples, made in another order."""


@dataclass(frozen=True)
class Box:
    """What the first passes of one run say.

    Attributes
    ----------
    passes : int
    largest : float
        Largest dual variable over C.
    apart : float
        Largest distance of L from the dual objective of these variables, over the sum in it.
    """

    passes: int
    largest: float
    apart: float

    @property
    def holds(self) -> bool:
        """Whether they lie in [0, C], and L is the dual objective there; they are counts, so that none is below 0."""
        return self.largest <= 1 and self.apart <= ROUNDING


def box(run: RunSettings, passes: int = PASSES) -> Box:
    """Run a solver for some passes and look at it at the end of each.

    Parameters
    ----------
    run : RunSettings
        Of SGD-s or SGD-m. The first `passes` passes are those of the run itself.
    passes : int
        At most: it may stop by itself before.

    Raises
    ------
    DataError
        The data cannot be had.
    """
    problem = problem_of(run)
    core: Any = run.solver(problem, run.solver_settings, run.seed).make()
    X: Any = sparse.csr_matrix(problem.X, dtype=np.float64)
    done, largest, apart = 0, 0.0, 0.0
    while done < passes and core.advance(iterations=(done + 1) * problem.n) == _core.Status.limit:
        done += 1
        shares = core.updates() / (core.counters.presentations / problem.n)  # of C
        alpha = problem.C * shares
        weights = X.T @ (alpha * problem.y)
        dual = problem.require_lambda() * (alpha.sum() - weights @ weights / 2)
        largest = max(largest, float(shares.max()))
        apart = max(apart, float(abs(core.lower_bound - dual) / (problem.require_lambda() * alpha.sum())))
    return Box(done, largest, apart)
