"""SGD-QN (Bordes, Bottou, Gallinari: SGD-QN: Careful quasi-Newton stochastic gradient descent, JMLR 10, 2009)."""

from dataclasses import dataclass

from solvers import _core
from solvers.base import CoreSolver
from solvers.precision import Precision


@dataclass
class SgdQnSettings:
    """Settings of `SgdQn`."""

    t0: float | None = None
    """Steps are B / (t + t0), t = 1, 2, ... None: t0 is chosen on a sample."""
    skip: int = 16
    """The regulariser acts once in this many steps on dense rows. It costs O(d). So, as in the authors' programs, the
    number is multiplied by d / (mean stored coordinates of a row), and rounded."""
    precision: Precision = Precision.float64


class SgdQn(CoreSolver):
    """Stochastic subgradient steps with a diagonal matrix B for the inverse Hessian; examples in new permutations.

    A margin error adds B y x / (t + t0) to w. Every `skip` steps the regulariser subtracts skip lambda / (t + t0) B w
    from it. The next step updates B_ii, 1 / lambda at first, by 2 / r times its difference to the ratio of the change
    of w_i to the change of the gradient, r = 2, 3, ..., and clips it to [1 / (100 lambda), 1 / lambda].

    This is the algorithm of 2009. Its erratum (JMLR 11, 2010) says that averages of such ratios learn less of the
    curvature than intended; later programs add up curvatures instead. t0 is chosen and charged as in `SvmSgd`. The
    inner product with the former w, once every `skip` steps, is charged as well. The O(d) operations read no training
    features: they are timed only.
    """

    name = "sgdqn"
    summary = "SGD-QN: stochastic steps with a diagonal quasi-Newton matrix (Bordes, Bottou, Gallinari 2009)"
    Settings = SgdQnSettings
    needs = frozenset({"lambda"})
    kernels = frozenset({"linear"})
    explicit = frozenset({"linear"})

    def make(self) -> _core.LinearSolver:  # noqa: D102 (inherited)
        problem, settings = self.problem, self.settings
        kinds = {Precision.float64: _core.SgdQn, Precision.float32: _core.SgdQn32}
        kind = kinds[settings.precision]
        lambda_ = problem.require_lambda()
        return kind(problem.features, lambda_=lambda_, t0=settings.t0, skip=settings.skip, seed=self.seed)
