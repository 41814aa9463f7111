"""The margin perceptron with unlearning (Panagiotakopoulos, Tsampouka: ICML 2010), as this project reads it."""

from dataclasses import dataclass

from svm_cost_curves.solvers import _core
from svm_cost_curves.solvers.core_solver import CoreSolver


@dataclass
class MpuSettings:
    """Settings of `Mpu`."""

    eps: float = 0.01
    """Stops at the end of a pass when (J - L) / L <= eps; J is the objective and L the dual objective."""


class Mpu(CoreSolver):
    """A perceptron with margin that counts how often each example was added, and removes examples added too often.

    This project's reading: ascent of the dual of the lambda form in whole steps. The dual variables are alpha_k = c_k
    s, s = C / q, with whole numbers 0 <= c_k <= q, and w = s sum c_k y_k x_k. In passes over fresh permutations an
    example is learnt (c_k + 1) if y_k <w, x_k> < 1 - s |x_k|^2 / 2, and unlearnt (c_k - 1) if y_k <w, x_k> > 1 + s
    |x_k|^2 / 2. Each change increases the dual objective, which is always a lower bound on the objective.

    The schedule of s is this project's too. At first q is the smallest power of two with s |x|^2 <= 1 for all rows. It
    is doubled after a pass in which no example would have been changed twice in succession, or which did not increase
    the dual. If the margins of a pass suggest that eps is reached, the objective is computed, at one inner product with
    each row. The run also ends at q = 2^40: float64 then cannot reach eps.
    """

    name = "mpu"
    summary = "Margin perceptron with unlearning: dual ascent in whole steps (Panagiotakopoulos, Tsampouka 2010)"
    Settings = MpuSettings
    needs = frozenset({"lambda"})
    kernels = frozenset({"linear"})
    explicit = frozenset({"linear"})

    def make(self) -> _core.LinearSolver:  # noqa: D102 (inherited)
        problem = self.problem
        lambda_ = problem.require_lambda()
        return _core.Mpu(problem.features, lambda_=lambda_, eps=self.settings.eps, seed=self.seed)
