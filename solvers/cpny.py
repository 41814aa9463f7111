"""CPNY: cutting planes on Nystrom features (Joachims, Finley, Yu 2009; as Lee, Wright 2011 call SVM-Perf 3.0)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from solvers import _core
from solvers.errors import SettingsError
from solvers.on_nystrom import OnNystromFeatures
from solvers.problem import Problem


@dataclass
class CpnySettings:
    """Settings of `Cpny`."""

    features: int = 512
    """s: training points that are sampled; features are as many, or fewer where their kernel matrix has less rank."""
    eps_d: float = 1e-16
    """Eigenvalues below this share of the largest are dropped, and those that are rounding errors of float32."""
    eps: float = 0.001
    """Ends when the next cut is violated by no more, in units of the mean hinge loss; SVM-Perf's is 0.1 percent."""


def check_eps(eps: float) -> None:
    """Refuse an accuracy that cannot be one.

    Raises
    ------
    SettingsError
        Not finite and positive.
    """
    if not (math.isfinite(eps) and eps > 0.0):
        raise SettingsError(f"algo.eps = {eps!r}: it must be finite and positive, in units of the mean hinge loss")


class Cpny(OnNystromFeatures):
    """One-slack cutting planes, as `svmperf` has them, on rows of features; one cut an iteration, n presentations.

    SVM-Perf 3.0 ends where the newest cut is violated by no more than its ``-e``, 0.1, and its loss is the rate of
    errors in percent: so the objective J on the features exceeds their optimum by 0.001 at most. This absolute stop is
    kept. Its own decomposition of K_SS is by Cholesky, without an ``eps_d``; the span of the sample is the same.

    On the features the best value of the master problem, `lower_bound`, bounds the optimum from below. The record does
    not get it: features restrict w to the span of the sample, so that the optimum on them lies above the kernel
    problem's, and a bound below the one need not lie below the other. The objective that is recorded is, up to
    rounding, the kernel problem's own at that w, and so an upper bound of both.
    """

    name = "cpny"
    summary = "CPNY: one-slack cutting planes on Nystrom features (SVM-Perf 3.0)"
    Settings = CpnySettings
    ends = True

    def __init__(self, problem: Problem, settings: CpnySettings, seed: int) -> None:
        check_eps(settings.eps)
        problem.require_lambda()
        super().__init__(problem, settings, seed)

    def make(self, features: _core.FeatureMatrix) -> _core.SvmPerf:  # noqa: D102 (inherited)
        lambda_ = self.problem.require_lambda()
        return _core.SvmPerf(features, lambda_=lambda_, eps=self.settings.eps, relative=False)

    @property
    def lower_bound(self) -> float:
        """A lower bound on the optimum of the lambda form on the features; 0 before there is a cut."""
        return (self._core and self._core.lower_bound) or 0.0
