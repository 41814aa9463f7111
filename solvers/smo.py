"""Sequential minimal optimisation (Platt 1998): greedy by exact gain, or second-order pairs (Fan, Chen, Lin 2005)."""

from dataclasses import dataclass

from svm_cost_curves.solvers import _core
from svm_cost_curves.solvers.core_solver import CoreSolver


@dataclass
class SmoSettings:
    """Settings of `Smo`."""

    tolerance: float = 1e-3
    """Stops when no KKT condition is violated by more (LIBSVM's eps). 0: runs to the budget or to rounding error."""


class Smo(CoreSolver):
    """Dual decomposition with the smallest working set.

    Without bias an iteration changes the coordinate with the largest gain of the dual after clipping, at n evaluations.
    With bias it changes two, chosen by second-order working set selection, at 2n evaluations.
    """

    name = "smo"
    summary = "Sequential minimal optimisation, greedy (Platt 1998; with bias Fan, Chen, Lin 2005)"
    Settings = SmoSettings
    needs = frozenset({"lambda"})
    dual_feasible = True
    biases = frozenset({False, True})

    def make(self) -> _core.KernelSolver:  # noqa: D102 (inherited)
        kind = _core.SmoWithBias if self.problem.bias else _core.Smo
        return kind(self.problem.rows.source, C=self.problem.C, tolerance=self.settings.tolerance)
