"""SVMperf (Joachims: Training linear SVMs in linear time, KDD 2006), on one slack variable."""

from dataclasses import dataclass

from svm_cost_curves.solvers import _core
from svm_cost_curves.solvers.core_solver import CoreSolver


@dataclass
class SvmPerfSettings:
    """Settings of `SvmPerf`."""

    eps: float = 0.01
    """Stops when (J - L) / L <= eps; J - L is the violation of the next cut."""


class SvmPerf(CoreSolver):
    """Cutting planes of the mean hinge loss, one in each iteration (n presentations).

    The weights are the minimum of the master problem, and the next cut is made there. A cut is removed once its weight
    in the master problem has been 0 for 50 iterations.
    """

    name = "svmperf"
    summary = "SVMperf: cutting planes (Joachims 2006)"
    Settings = SvmPerfSettings
    needs = frozenset({"lambda"})
    kernels = frozenset({"linear"})
    explicit = frozenset({"linear"})

    def make(self) -> _core.LinearSolver:  # noqa: D102 (inherited)
        problem = self.problem
        return _core.SvmPerf(problem.features, lambda_=problem.require_lambda(), eps=self.settings.eps)
