"""The slack volume nu that corresponds to a lambda (Lemma 2.1 of the SIMBA and SBP papers)."""

from __future__ import annotations

import math

import numpy as np

from solvers.errors import SettingsError
from solvers.problem import Problem


def derive_nu(problem: Problem, *, relative_gap: float = 1e-5, max_epochs: float = 1000.0) -> float:
    """Return nu = mean hinge loss / ||w||, both at the optimum of the lambda form.

    The optimum is found by SMO, whose duality gap is measured.

    Parameters
    ----------
    problem : Problem
        With lambda set.
    relative_gap : float
        (P - D) / P at which the optimum counts as found.
    max_epochs : float
        Presentations over n after which the search is given up.

    Raises
    ------
    SettingsError
        If the gap is not reached: the data are (nearly) separable at this lambda and nu is lost in rounding, or SMO needs
        more passes.
    """
    from solvers.base import Limit
    from solvers.smo import Smo, SmoSettings

    tolerance = 0.1
    while True:
        solver = Smo(problem, SmoSettings(tolerance=tolerance), seed=0)
        solver.advance(Limit(presentations=math.ceil(max_epochs * problem.n)))
        snapshot = solver.snapshot()
        responses = snapshot.responses
        assert responses is not None
        norm2 = float(np.abs(snapshot.coefficients) @ responses)
        hinge = float(np.maximum(0.0, 1.0 - responses - problem.y * snapshot.bias).mean())
        primal = 0.5 * problem.require_lambda() * norm2 + hinge
        dual = float(np.abs(snapshot.coefficients).sum() - 0.5 * norm2) / (problem.C * problem.n)
        if primal - dual <= relative_gap * primal:
            return hinge / math.sqrt(norm2)
        tolerance *= 0.1
        if tolerance < 1e-9:
            raise SettingsError(
                f"nu could not be derived from lambda = {problem.lambda_:g}: the duality gap stays at "
                f"{(primal - dual) / primal:.1e} of the objective; set problem.nu"
            )
