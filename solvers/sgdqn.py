"""SGD-QN (Bordes, Bottou, Gallinari: SGD-QN: Careful quasi-Newton stochastic gradient descent, JMLR 10, 2009).

Its erratum: Bordes, Bottou, Gallinari, Chang, Smith: SGDQN is less careful than expected, JMLR 11, 2010.
"""

import enum
from dataclasses import dataclass

from svm_cost_curves.solvers import _core
from svm_cost_curves.solvers.core_solver import CoreSolver
from svm_cost_curves.solvers.precision import Precision


class Variant(enum.Enum):
    """What SGD-QN learns.

    corrected: curvatures are added up, as in the authors' program after the erratum; original: ratios are averaged, the
    algorithm of 2009.
    """

    corrected = "corrected"
    original = "original"

    def core(self) -> _core.SgdQnVariant:
        """Return the core's value."""
        return _core.SgdQnVariant.__members__[self.value]


@dataclass
class SgdQnSettings:
    """Settings of `SgdQn`."""

    variant: Variant = Variant.corrected
    """corrected: the authors' program (erratum of 2010); original: the algorithm of 2009."""
    t0: float | None = None
    """The first steps have length 1 / (lambda t0). None: t0 is chosen on a sample."""
    skip: int = 16
    """The regulariser acts once in this many steps on dense rows. It costs O(d). So, as in the authors' programs, the
    number is multiplied by d / (mean stored coordinates of a row), and rounded."""
    tuning_passes: int = 10
    """Corrected variant: passes over the sample in a trial of a t0, from 1 to 100. The authors' program makes as many
    as the run will make, and does not count them in its time; here they are charged."""
    permutation: bool = True
    """Whether each epoch has a new random order. The authors' program has one order for all epochs."""
    restart: bool = True
    """Corrected variant: each epoch counts the steps to the regulariser's next action anew, as in the authors' program.
    If there are more of them than examples, as in wide sparse data, the regulariser never acts."""
    precision: Precision = Precision.float64


class SgdQn(CoreSolver):
    """Stochastic subgradient steps with a diagonal matrix G for the inverse Hessian.

    A margin error adds G y x to w. Every `skip` steps the regulariser subtracts skip lambda G w from it. The next step
    compares its gradient with that at the former w. The change of the gradient divided by the change of w_i is a
    curvature c_i, and lambda where neither has changed.

    - ``corrected``, the authors' program LibSGDQN: G_ii = 1 / (lambda t0) at first. When the loss of the example has
      appeared or vanished, 1 / G_ii grows by c_i times the steps since it grew last. c_i is clipped to [lambda / 10,
      100 lambda]; it is 101 lambda if w_i did not change and x_i is not 0. t0 is a power of ten, and at least the steps
      between two actions of the regulariser, or 1 if it never acts. It is chosen on a tenth of the examples (at least
      1,000, at most 10,000), in `tuning_passes` passes for each trial. The program tries 1, 10, ..., 10^10; here the
      search begins near 1 / (lambda times the first step of `SvmSgd`) and ends when the objective rises.
    - ``original``, the algorithm of 2009: G = B / (t + t0). B_ii, 1 / lambda at first, is changed by 2 / r times its
      difference to 1 / c_i, r = 2, 3, ..., and clipped to [1 / (100 lambda), 1 / lambda]. The erratum says that
      averages of such ratios learn less of the curvature than intended. t0 is chosen as in `SvmSgd`.

    The choice of t0 is charged as in `SvmSgd`. The inner product with the former w, once every `skip` steps, is charged
    as well. The O(d) operations read no training features: they are timed only.
    """

    name = "sgdqn"
    summary = "SGD-QN: stochastic steps with a diagonal quasi-Newton matrix (Bordes et al. 2009, 2010)"
    Settings = SgdQnSettings
    needs = frozenset({"lambda"})
    kernels = frozenset({"linear"})
    explicit = frozenset({"linear"})

    def make(self) -> _core.LinearSolver:  # noqa: D102 (inherited)
        problem, settings = self.problem, self.settings
        kinds = {Precision.float64: _core.SgdQn, Precision.float32: _core.SgdQn32}
        kind = kinds[settings.precision]
        return kind(
            problem.features,
            lambda_=problem.require_lambda(),
            variant=settings.variant.core(),
            t0=settings.t0,
            skip=settings.skip,
            tuning_passes=settings.tuning_passes,
            permutation=settings.permutation,
            restart=settings.restart,
            seed=self.seed,
        )
