"""CPNY: cutting planes on Nystrom features (SVM-Perf 3.0; Joachims, Finley, Yu 2009; name of Lee, Wright 2011)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from solvers import _core
from solvers.errors import SettingsError
from solvers.nystrom_solver import NystromSolver
from solvers.problem import Problem


@dataclass
class CpnySettings:
    """Settings of `Cpny`."""

    features: int = 512
    """s: number of sampled training points. The number of features is the rank of their kernel matrix, at most s."""
    eps_d: float = 1e-16
    """Eigenvalues below this fraction of the largest are dropped; so are rounding errors of float32."""
    eps: float = 0.001
    """Stops when the next cut is violated by at most eps, in units of the mean hinge loss. SVM-Perf: 0.1 percent."""


def check_eps(eps: float) -> None:
    """Refuse an accuracy that is not finite and positive.

    Raises
    ------
    SettingsError
        With the value.
    """
    if not (math.isfinite(eps) and eps > 0.0):
        raise SettingsError(f"algo.eps = {eps!r}: it must be finite and positive, in units of the mean hinge loss")


class Cpny(NystromSolver):
    """One-slack cutting planes as in `svmperf`, on rows of features; an iteration adds one cut, with n presentations.

    SVM-Perf 3.0 stops when the newest cut is violated by at most ``-e`` = 0.1. Its loss is the error rate in percent,
    so the objective J on the features then exceeds their optimum by at most 0.001. This solver has the same absolute
    stopping rule. SVM-Perf decomposes K_SS by Cholesky, without ``eps_d``; the span of the sample is the same.

    `lower_bound`, the best value of the master problem, is a lower bound on the optimum over the features. It is not
    recorded: features restrict w to the span of the sample, so the optimum over them lies above that of the kernel
    problem, and a lower bound on the first is not one on the second. The recorded objective is, up to rounding, the
    kernel problem's at this w, and so an upper bound on both optima.
    """

    name = "cpny"
    summary = "CPNY: one-slack cutting planes on Nystrom features (SVM-Perf 3.0)"
    Settings = CpnySettings
    has_stopping_rule = True

    def __init__(self, problem: Problem, settings: CpnySettings, seed: int) -> None:
        check_eps(settings.eps)
        problem.require_lambda()
        super().__init__(problem, settings, seed)

    def make(self, features: _core.FeatureMatrix) -> _core.SvmPerf:  # noqa: D102 (inherited)
        lambda_ = self.problem.require_lambda()
        return _core.SvmPerf(features, lambda_=lambda_, eps=self.settings.eps, relative=False)

    @property
    def lower_bound(self) -> float:
        """A lower bound on the optimum of the lambda form on the features; 0 before the first cut."""
        return (self._core and self._core.lower_bound) or 0.0
