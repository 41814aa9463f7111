"""Linear methods on explicit weights: DCD, MPU, SVMperf, OCAS, SVMSGD and SGD-QN.

DCD: Hsieh, Chang, Lin, Keerthi, Sundararajan, ICML 2008. MPU: Panagiotakopoulos, Tsampouka, ICML 2010, as this project
reads it. SVMperf: Joachims, KDD 2006, on one slack variable. OCAS: Franc, Sonnenburg, ICML 2008. SVMSGD 2: Bottou,
COMPSTAT 2010. SGD-QN: Bordes, Bottou, Gallinari, JMLR 10, 2009, and its erratum, with Chang and Smith, JMLR 11, 2010.
"""

import enum
from dataclasses import dataclass

from . import _core
from .core_solver import LinearCoreSolver
from .precision import Precision


@dataclass
class DcdSettings:
    """Settings of `Dcd`."""

    eps: float = 1e-3
    """Stops when (P - D) / D <= eps."""
    shrinking: bool = True
    """Skip coordinates that are expected to stay at their bounds (section 3.2)."""
    permutation: bool = True
    """Whether each epoch has a new random order."""


class Dcd(LinearCoreSolver):
    """Each step solves the dual exactly in one coordinate (Algorithms 1 and 3). Skipped coordinates cost nothing."""

    name = "dcd"
    summary = "DCD: dual coordinate descent, the method of LIBLINEAR (Hsieh et al. 2008)"
    Settings = DcdSettings

    def make(self) -> _core.LinearSolver:  # noqa: D102 (inherited)
        return _core.Dcd(self.problem.features, C=self.problem.C, **vars(self.settings), seed=self.seed)


@dataclass
class MpuSettings:
    """Settings of `Mpu`."""

    eps: float = 0.01
    """Stops at the end of a pass when (J - L) / L <= eps; J is the objective and L the dual objective."""


class Mpu(LinearCoreSolver):
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

    def make(self) -> _core.LinearSolver:  # noqa: D102 (inherited)
        lambda_ = self.problem.require_lambda()
        return _core.Mpu(self.problem.features, lambda_=lambda_, eps=self.settings.eps, seed=self.seed)


@dataclass
class SvmPerfSettings:
    """Settings of `SvmPerf`."""

    eps: float = 0.01
    """Stops when (J - L) / L <= eps; J - L is the violation of the next cut."""


class SvmPerf(LinearCoreSolver):
    """Cutting planes of the mean hinge loss, one in each iteration (n presentations).

    The weights are the minimum of the master problem, and the next cut is made there. A cut is removed once its weight
    in the master problem has been 0 for 50 iterations.
    """

    name = "svmperf"
    summary = "SVMperf: cutting planes (Joachims 2006)"
    Settings = SvmPerfSettings

    def make(self) -> _core.LinearSolver:  # noqa: D102 (inherited)
        problem = self.problem
        return _core.SvmPerf(problem.features, lambda_=problem.require_lambda(), eps=self.settings.eps)


@dataclass
class OcasSettings:
    """Settings of `Ocas`."""

    eps: float = 0.01
    """Stops when (J - L) / L <= eps; J is the objective and L the largest master value so far."""
    mu: float = 0.1
    """In (0, 1]: the next cut is made at best + mu (master - best), for the best weights and the master's."""


class Ocas(LinearCoreSolver):
    """Cutting planes of the mean hinge loss, one in each iteration (n presentations).

    The best weights move to the exact minimum of the objective on the line to the minimum of the master problem.
    """

    name = "ocas"
    summary = "OCAS: cutting planes with an exact line search (Franc, Sonnenburg 2008)"
    Settings = OcasSettings

    def make(self) -> _core.LinearSolver:  # noqa: D102 (inherited)
        problem, settings = self.problem, self.settings
        return _core.Ocas(problem.features, lambda_=problem.require_lambda(), eps=settings.eps, mu=settings.mu)


@dataclass
class SvmSgdSettings:
    """Settings of `SvmSgd`."""

    t0: float | None = None
    """Steps are 1 / (lambda (t + t0)), t = 1, 2, ... None: t0 is chosen on a sample."""
    precision: Precision = Precision.float64


class SvmSgd(LinearCoreSolver):
    """Stochastic subgradient steps of length 1 / (lambda (t + t0)) on the lambda form, examples in new permutations.

    w = v / divisor, so that scaling w takes O(1); v is divided by the divisor once that exceeds 10^5.

    If t0 is not given, the first step chooses it on min(n, 1000) random examples: t0 = 1 / (lambda eta0) with eta0 <=
    1 / lambda. eta0 starts at 1 / (mean squared norm), and is doubled, or else halved, as long as this decreases the
    objective on the sample after one pass over it. These passes and objectives are charged, as presentations too, and
    timed. Iterations are the steps after that.
    """

    name = "svmsgd"
    summary = "SVMSGD: stochastic subgradient steps 1 / (lambda (t + t0)), t0 from a sample (Bottou 2010)"
    Settings = SvmSgdSettings

    def make(self) -> _core.LinearSolver:  # noqa: D102 (inherited)
        problem, settings = self.problem, self.settings
        kind = {Precision.float64: _core.SvmSgd, Precision.float32: _core.SvmSgd32}[settings.precision]
        return kind(problem.features, lambda_=problem.require_lambda(), t0=settings.t0, seed=self.seed)


class Variant(enum.Enum):
    """What SGD-QN learns.

    corrected: curvatures are added up, as in the authors' program after the erratum; original: ratios are averaged, the
    algorithm of 2009.
    """

    corrected = "corrected"
    original = "original"


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


class SgdQn(LinearCoreSolver):
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

    def make(self) -> _core.LinearSolver:  # noqa: D102 (inherited)
        given = {**vars(self.settings), "variant": _core.SgdQnVariant.__members__[self.settings.variant.value]}
        kind = {Precision.float64: _core.SgdQn, Precision.float32: _core.SgdQn32}[given.pop("precision")]
        return kind(self.problem.features, lambda_=self.problem.require_lambda(), **given, seed=self.seed)
