"""Dual coordinate descent for the linear SVM (Hsieh, Chang, Lin, Keerthi, Sundararajan, ICML 2008)."""

from dataclasses import dataclass

from svm_cost_curves.solvers import _core
from svm_cost_curves.solvers.core_solver import CoreSolver


@dataclass
class DcdSettings:
    """Settings of `Dcd`."""

    eps: float = 1e-3
    """Stops when (P - D) / D <= eps."""
    shrinking: bool = True
    """Skip coordinates that are expected to stay at their bounds (section 3.2)."""
    permutation: bool = True
    """Whether each epoch has a new random order."""


class Dcd(CoreSolver):
    """Each step solves the dual exactly in one coordinate (Algorithms 1 and 3). Skipped coordinates cost nothing."""

    name = "dcd"
    summary = "DCD: dual coordinate descent, the method of LIBLINEAR (Hsieh et al. 2008)"
    Settings = DcdSettings
    needs = frozenset({"lambda"})
    kernels = explicit = frozenset({"linear"})

    def make(self) -> _core.LinearSolver:  # noqa: D102 (inherited)
        return _core.Dcd(
            self.problem.features,
            C=self.problem.C,
            eps=self.settings.eps,
            shrinking=self.settings.shrinking,
            permutation=self.settings.permutation,
            seed=self.seed,
        )
