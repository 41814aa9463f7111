"""SVMSGD 2 (Bottou: Stochastic gradient descent, version 2; Large-Scale Machine Learning with SGD, COMPSTAT 2010)."""

from dataclasses import dataclass

from svm_cost_curves.solvers import _core
from svm_cost_curves.solvers.core_solver import CoreSolver
from svm_cost_curves.solvers.precision import Precision


@dataclass
class SvmSgdSettings:
    """Settings of `SvmSgd`."""

    t0: float | None = None
    """Steps are 1 / (lambda (t + t0)), t = 1, 2, ... None: t0 is chosen on a sample."""
    precision: Precision = Precision.float64


class SvmSgd(CoreSolver):
    """Stochastic subgradient steps of length 1 / (lambda (t + t0)) on the lambda form, examples in new permutations.

    w = v / divisor, so that scaling w takes O(1); v is divided by the divisor once that exceeds 10^5.

    If t0 is not given, the first step chooses it on min(n, 1000) random examples: t0 = 1 / (lambda eta0) with eta0 <=
    1 / lambda. eta0 starts at 1 / (mean squared norm), and is doubled, or else halved, as long as this decreases the
    objective on the sample after one pass over it. These passes and objectives are charged, as presentations too, and
    timed. Iterations are the steps after that.
    """

    name = "svmsgd"
    summary = "SVMSGD: stochastic subgradient steps 1 / (lambda (t + t0)), t0 from a sample (Bottou 2010)"
    Settings = SvmSgdSettings
    needs = frozenset({"lambda"})
    kernels = frozenset({"linear"})
    explicit = frozenset({"linear"})

    def make(self) -> _core.LinearSolver:  # noqa: D102 (inherited)
        problem, settings = self.problem, self.settings
        kinds = {Precision.float64: _core.SvmSgd, Precision.float32: _core.SvmSgd32}
        kind = kinds[settings.precision]
        return kind(problem.features, lambda_=problem.require_lambda(), t0=settings.t0, seed=self.seed)
