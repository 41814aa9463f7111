"""OCAS (Franc, Sonnenburg: Optimized cutting plane algorithm for support vector machines, ICML 2008)."""

from dataclasses import dataclass

from svm_cost_curves.solvers import _core
from svm_cost_curves.solvers.core_solver import CoreSolver


@dataclass
class OcasSettings:
    """Settings of `Ocas`."""

    eps: float = 0.01
    """Stops when (J - L) / L <= eps; J is the objective and L the largest master value so far."""
    mu: float = 0.1
    """In (0, 1]: the next cut is made at best + mu (master - best), for the best weights and the master's."""


class Ocas(CoreSolver):
    """Cutting planes of the mean hinge loss, one in each iteration (n presentations).

    The best weights move to the exact minimum of the objective on the line to the minimum of the master problem.
    """

    name = "ocas"
    summary = "OCAS: cutting planes with an exact line search (Franc, Sonnenburg 2008)"
    Settings = OcasSettings
    needs = frozenset({"lambda"})
    kernels = frozenset({"linear"})
    explicit = frozenset({"linear"})

    def make(self) -> _core.LinearSolver:  # noqa: D102 (inherited)
        problem, settings = self.problem, self.settings
        return _core.Ocas(problem.features, lambda_=problem.require_lambda(), eps=settings.eps, mu=settings.mu)
