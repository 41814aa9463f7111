"""SVMlight (Joachims: Making large-scale SVM learning practical, 1999): decomposition with larger working sets."""

from dataclasses import dataclass

from svm_cost_curves.solvers import _core
from svm_cost_curves.solvers.core_solver import CoreSolver


@dataclass
class SvmLightSettings:
    """Settings of `SvmLight`."""

    tolerance: float = 1e-3
    """Stops when no KKT condition is violated by more (LIBSVM's eps). 0: runs to the budget or to rounding error."""
    working_set: int = 10
    """q, even: the number of variables that an iteration changes."""
    shrink_after: int = 100
    """h: a variable that was optimal at its bound for h iterations is shrunk; 0: none is. Optimal means by a margin,
    the largest violation: until the bias is accurate, a smaller margin can have the wrong sign."""


class SvmLight(CoreSolver):
    """Dual decomposition along the steepest feasible direction with q components (his section 3).

    The problem of the working set is solved exactly. An iteration reads q rows, restricted to the variables that are
    not shrunk (section 4). Before the run stops, shrunk variables return and their responses are computed again: this
    takes a row over them for each support vector, between two iterations.
    """

    name = "svmlight"
    summary = "SVMlight: decomposition with working sets of ten, shrinking (Joachims 1999)"
    Settings = SvmLightSettings
    needs = frozenset({"lambda"})
    dual_feasible = True
    biases = frozenset({False, True})

    def make(self) -> _core.KernelSolver:  # noqa: D102 (inherited)
        return _core.SvmLight(
            self.problem.rows.source,
            C=self.problem.C,
            bias=self.problem.bias,
            tolerance=self.settings.tolerance,
            working_set=self.settings.working_set,
            shrink_after=self.settings.shrink_after,
        )
