"""The margin perceptron with unlearning (Panagiotakopoulos, Tsampouka: ICML 2010), as we read it."""

from dataclasses import dataclass

from solvers import _core
from solvers.base import CoreSolver


@dataclass
class MpuSettings:
    """Settings of `Mpu`."""

    eps: float = 0.01
    """The relative gap (J - L) / L between the objective and the dual at which it stops, at the end of a pass."""


class Mpu(CoreSolver):
    """A perceptron with margin that counts how often each example was learnt, and takes back what was learnt too often.

    Our reading, from what the method is known to do: ascent of the dual of the lambda form in whole steps. The dual
    variables are alpha_k = c_k s, s = C / q, with whole numbers 0 <= c_k <= q, and w = s sum c_k y_k x_k. In passes
    over fresh permutations an example is learnt (c_k + 1) if y_k <w, x_k> < 1 - s |x_k|^2 / 2, and unlearnt (c_k - 1)
    if y_k <w, x_k> > 1 + s |x_k|^2 / 2. Each change raises the dual, a lower bound on the objective at any moment.

    How s becomes small is ours as well: q is at first the smallest power of two at which s |x|^2 <= 1 for all rows, and
    is doubled after a pass in which no example would have taken a second step at once, or which did not raise the dual.
    At the end of a pass whose own margins promise that accuracy the objective is computed, one more inner product with
    each row. q ends at 2^40: should eps be out of reach of that, and so of float64, the run ends too.
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
