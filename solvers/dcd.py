"""Dual coordinate descent for the linear SVM (Hsieh, Chang, Lin, Keerthi, Sundararajan, ICML 2008)."""

from dataclasses import dataclass

from solvers import _core
from solvers.base import CoreSolver


@dataclass
class DcdSettings:
    """Settings of `Dcd`."""

    eps: float = 1e-3
    """Stops where (P - D) / D <= eps."""
    shrinking: bool = True
    """Leave out coordinates that seem to stay at their bounds (section 3.2)."""
    permutation: bool = True
    """A fresh order in each epoch, or always the same."""


class Dcd(CoreSolver):
    """Each step solves the dual exactly in one coordinate (Algorithms 1 and 3). What is shrunk is not charged."""

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
