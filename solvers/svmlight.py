"""SVMlight (Joachims: Making large-scale SVM learning practical, 1999): decomposition with larger working sets."""

from dataclasses import dataclass

from solvers import _core
from solvers.base import CoreSolver


@dataclass
class SvmLightSettings:
    """Settings of `SvmLight`."""

    tolerance: float = 1e-3
    """Stop when no KKT condition is violated by more (LIBSVM's eps); 0: run to the budget or to rounding."""
    working_set: int = 10
    """q, even: how many variables an iteration changes."""
    shrink_after: int = 100
    """h: a variable that has looked optimal at its bound for so many iterations is put aside; 0: none ever is."""


class SvmLight(CoreSolver):
    """Dual decomposition along the steepest feasible direction with q components (his section 3).

    The problem of the working set is solved exactly. q rows an iteration, of which only the variables are looked at
    that have not been put aside (section 4); those come back, with responses computed anew, before it stops: a row
    over them for each support vector, between two iterations.
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
