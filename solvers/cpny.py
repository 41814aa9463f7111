"""CPNY: cutting planes on Nystrom features (SVM-Perf 3.0; Joachims, Finley, Yu 2009; name of Lee, Wright 2011)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from . import _core
from .errors import SettingsError, check_setting
from .nystrom import Nystrom, NystromSolver
from .problem import Problem


@dataclass
class CpnySettings:
    """Settings of `Cpny`."""

    features: int = 512
    """s: number of sampled training points. The number of features is the rank of their kernel matrix, at most s."""
    eps_d: float = 1e-16
    """Eigenvalues below this fraction of the largest are dropped; so are rounding errors of float32."""
    eps: float = 0.001
    """Stops when the next cut is violated by at most eps, in units of the mean hinge loss. SVM-Perf: 0.1 percent."""
    eigenvalue_threshold: float | None = None
    """Eigenvalues below this times max K(x, x) are dropped. None: sqrt(s) 2^-23, the rounding errors of float32; 0:
    only eps_d counts, and features that are rounding errors remain."""
    qp_precision: float = 0.001
    """Between 0 and 1: the master problem is solved to this times J - L, the gap that the next cut has to close."""
    idle_cuts: int | None = 50
    """A cut whose weight has been 0 in this many master problems in a row is removed; null: none is. SVM-Perf: 50."""


class Cpny(NystromSolver):
    """One-slack cutting planes as in `svmperf`, on rows of features; an iteration adds one cut, with n presentations.

    SVM-Perf 3.0 stops when the newest cut is violated by at most ``-e`` = 0.1. Its loss is the error rate in percent,
    so the objective J on the features then exceeds their optimum by at most 0.001. This solver has the same absolute
    stopping rule. SVM-Perf decomposes K_SS by Cholesky, without ``eps_d``; the span of the sample is the same.

    SVM-Perf solves its inner problem by decomposition, to about a half to a fifth of the gap. Here an active-set method
    with a Cholesky factor solves it. `qp_precision`, `eigenvalue_threshold` and `idle_cuts` can be changed to see what
    they contribute.

    `lower_bound`, the best value of the master problem, is a lower bound on the optimum over the features. It is not
    recorded: features restrict w to the span of the sample, so the optimum over them lies above that of the kernel
    problem, and a lower bound on the first is not one on the second. The recorded objective is, up to rounding, the
    kernel problem's at this w, and so an upper bound on both optima.
    """

    name = "cpny"
    summary = "CPNY: one-slack cutting planes on Nystrom features (SVM-Perf 3.0)"
    Settings = CpnySettings

    def __init__(self, problem: Problem, settings: CpnySettings, seed: int) -> None:
        check_setting("algo.eps", settings.eps)
        if not 0.0 < settings.qp_precision < 1.0:
            raise SettingsError(f"algo.qp_precision = {settings.qp_precision!r}: it must lie between 0 and 1")
        if settings.idle_cuts is not None and settings.idle_cuts < 1:
            raise SettingsError(f"algo.idle_cuts = {settings.idle_cuts}: it must be at least 1, or null")
        problem.require_lambda()
        super().__init__(problem, settings, seed)

    def sample(self) -> Nystrom:  # noqa: D102 (inherited)
        s = self.settings
        return Nystrom.sample(self.problem, s.features, s.eps_d, self.seed, threshold=s.eigenvalue_threshold)

    def make(self, features: NDArray[Any]) -> _core.SvmPerf:  # noqa: D102 (inherited)
        lambda_ = self.problem.require_lambda()
        return _core.SvmPerf(
            _core.FeatureMatrix(_core.Matrix(features), self.problem.positives),
            lambda_=lambda_,
            eps=self.settings.eps,
            relative=False,
            qp_precision=self.settings.qp_precision,
            idle_cuts=self.settings.idle_cuts,
        )

    @property
    def lower_bound(self) -> float:
        """A lower bound on the optimum of the lambda form on the features; 0 before the first cut."""
        return (self._core and self._core.lower_bound) or 0.0
