"""Sequential minimal optimisation (Platt 1998): greedy by exact gain, or second-order pairs (Fan, Chen, Lin 2005)."""

from dataclasses import dataclass

from solvers import _core
from solvers.base import CoreSolver


@dataclass
class SmoSettings:
    """Settings of `Smo`."""

    tolerance: float = 1e-3
    """Stop when no KKT condition is violated by more (LIBSVM's eps); 0: run to the budget or to rounding."""


class Smo(CoreSolver):
    """Dual decomposition with the smallest working set.

    Without bias: one coordinate, that of the largest gain of the dual after clipping; n evaluations an iteration.
    With bias: two, by second-order working set selection; 2n.
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
