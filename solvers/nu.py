"""Derives the slack volume nu of a problem from its lambda (Lemma 2.1 of the SIMBA and SBP papers)."""

from __future__ import annotations

import math

import numpy as np

from .base import Limit, Status
from .dual import Smo, SmoSettings
from .errors import SettingsError
from .kernels import Linear
from .linear import Dcd, DcdSettings
from .problem import Problem
from .snapshots import KernelSnapshot, LinearSnapshot


class NuNotFoundError(SettingsError):
    """No optimum was found; `estimate` is mean hinge loss / ||w|| of the last iterate, a nu that is attainable."""

    def __init__(self, message: str, estimate: float) -> None:
        super().__init__(message)
        self.estimate = estimate


def derive_nu(problem: Problem, *, relative_gap: float = 1e-5, max_epochs: int = 1000) -> float:
    """Return nu = mean hinge loss / ||w||, both at the optimum of the lambda form.

    SMO finds the optimum: the search ends when the duality gap, computed here, is at most `relative_gap` times the
    objective, and fails after `max_epochs` (presentations over n).

    Raises
    ------
    NuNotFoundError
        If the gap is not reached: the data are (nearly) separable at this lambda and nu is lost in rounding, or SMO
        needs more passes.
    SettingsError
        If the optimum cannot be told from w = 0.
    """
    solver = Smo(problem, SmoSettings(tolerance=0.0), seed=0)
    for epoch in range(1, max_epochs + 1):
        status = solver.advance(Limit(presentations=epoch * problem.n))
        snapshot = solver.snapshot()
        assert isinstance(snapshot, KernelSnapshot)
        assert snapshot.responses is not None
        responses = snapshot.responses
        norm2 = float(np.abs(snapshot.coefficients) @ responses)
        hinge = float(np.maximum(0.0, 1.0 - responses - problem.y * snapshot.bias).mean())
        primal = 0.5 * problem.require_lambda() * norm2 + hinge
        dual = float(np.abs(snapshot.coefficients).sum() - 0.5 * norm2) / (problem.C * problem.n)
        if primal - dual <= relative_gap * primal:
            # lambda/2 ||w - w*||^2 <= P - D, as P is strongly convex: a shorter w may as well be 0.
            if 0.5 * problem.require_lambda() * norm2 <= relative_gap * primal:
                raise SettingsError(
                    "nu could not be derived from lambda: the optimum cannot be told from w = 0; "
                    "give a smaller lambda (a larger C), or problem.nu"
                )
            return hinge / math.sqrt(norm2)
        if status is Status.CONVERGED:
            break
    message = (
        f"nu could not be derived from lambda = {problem.lambda_:g}: the duality gap stays at "
        f"{(primal - dual) / primal:.1e} of the objective after {epoch} epochs; set problem.nu"
    )
    if isinstance(problem.kernel, Linear) and not problem.bias:
        hinge, norm2 = _with_explicit_weights(problem, max_epochs)
    if norm2 > 0:
        raise NuNotFoundError(message, hinge / math.sqrt(norm2))
    raise SettingsError(message)


def _with_explicit_weights(problem: Problem, max_epochs: int) -> tuple[float, float]:
    """Return mean hinge loss and ||w||^2 after DCD, whose weights in float64 lose less than sums over kernel values."""
    solver = Dcd(problem, DcdSettings(), seed=0)
    solver.advance(Limit(presentations=max_epochs * problem.n))
    snapshot = solver.snapshot()
    assert isinstance(snapshot, LinearSnapshot)
    weights = problem.in_data_order(snapshot.weights)
    hinge = np.maximum(0.0, 1.0 - problem.y * (problem.X @ weights)).mean()
    return float(hinge), float(weights @ weights)
