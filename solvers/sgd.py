"""SGD for the primal L1-SVM revisited (Panagiotakopoulos, Tsampouka 2013): SGD-r, SGD-s and SGD-m."""

from dataclasses import dataclass, field
from typing import Any, ClassVar

from . import _core
from .core_solver import LinearCoreSolver
from .errors import SettingsError
from .precision import Precision


@dataclass
class SgdRSettings:
    """Settings of `SgdR`: none."""


class SgdR(LinearCoreSolver):
    """A perceptron with the margin threshold lambda t at step t; examples uniform with replacement."""

    name = "sgd_r"
    summary = "SGD-r: a perceptron with a growing margin (Panagiotakopoulos, Tsampouka 2013)"
    Settings = SgdRSettings

    def make(self) -> _core.LinearSolver:  # noqa: D102 (inherited)
        return _core.SgdRandom(self.problem.features, lambda_=self.problem.require_lambda(), seed=self.seed)


@dataclass
class SgdSSettings:
    """Settings of `SgdS`."""

    eps: float = 0.01
    """Stops at the end of an epoch when (J - L) / L <= eps; J is the objective, L a lower bound on its optimum."""
    check_factor: float = 1.2
    """J takes a pass: it is computed when its estimate is below this many eps. Our text of the paper has lost
    its value."""
    precision: Precision = Precision.float64
    """Arithmetic of the weights. In float32 L has about five digits, after thousands of epochs three to four."""


class SgdS(LinearCoreSolver):
    """SGD-r in complete epochs, each over a new permutation.

    After T epochs the number of updates by each example, times C/T, is a feasible point of the dual. Its objective L is
    a lower bound on the optimum that costs nothing, so the method can stop at a given accuracy.
    """

    name = "sgd_s"
    summary = "SGD-s: SGD-r over permutations, which knows its accuracy (Panagiotakopoulos, Tsampouka 2013)"
    Settings: ClassVar[type[Any]] = SgdSSettings

    def multiplicities(self) -> list[int]:
        """Return how often in a row an example is presented in the first epoch, the second, ..., periodically."""
        return [1]

    def make(self) -> _core.LinearSolver:  # noqa: D102 (inherited)
        kinds = {Precision.float64: _core.SgdPasses, Precision.float32: _core.SgdPasses32}
        return kinds[self.settings.precision](
            self.problem.features,
            lambda_=self.problem.require_lambda(),
            eps=self.settings.eps,
            check_factor=self.settings.check_factor,
            multiplicities=self.multiplicities(),
            seed=self.seed,
        )


@dataclass
class SgdMSettings(SgdSSettings):
    """Settings of `SgdM`."""

    multiplicity_schedule: list[int] = field(default_factory=lambda: [1, 5, 5, 5, 5, 1, 1, 1, 1])
    """How often in a row an example is presented in the first epoch, the second, ..., periodically. Our text
    of the paper has lost its schedule; this one is from memory."""


class SgdM(SgdS):
    """SGD-s with multiple updates: an example is presented several times in a row at the price of one inner product.

    An epoch of multiplicity ell counts as ell epochs: in `presentations`, in t and in the bound.
    """

    name = "sgd_m"
    summary = "SGD-m: SGD-s with multiple updates (Panagiotakopoulos, Tsampouka 2013)"
    Settings = SgdMSettings

    def multiplicities(self) -> list[int]:  # noqa: D102 (inherited)
        schedule: list[int] = self.settings.multiplicity_schedule
        if not schedule or not all(0 < multiplicity < 2**32 for multiplicity in schedule):
            raise SettingsError(f"algo.multiplicity_schedule = {schedule}: it must be numbers from 1 to 2^32 - 1")
        return schedule
