"""The Stochastic Batch Perceptron (Cotter, Shalev-Shwartz, Srebro 2012)."""

from dataclasses import dataclass
from enum import Enum

from . import _core
from .core_solver import CoreSolver
from .snapshots import KernelSnapshot


class Draws(Enum):
    """What an iteration draws if the problem has a bias: one point of each class (``pairs``), or one (``single``)."""

    pairs = "pairs"
    single = "single"


@dataclass
class SbpSettings:
    """Settings of `Sbp`."""

    draws: Draws = Draws.pairs
    """With bias: an iteration draws one point of each class, each with half the step (2n evaluations), or one (n)."""
    eta: float = 0.0
    """eta_0 in eta_t = eta_0 / sqrt(t); 0 means 1 / sqrt(max_i K(x_i, x_i)) (Algorithm 1, line 1)."""


class Sbp(CoreSolver):
    """Stochastic supergradient ascent on the water level (Algorithm 1; with bias section 3.6).

    The response of example i is c_i = y_i f(x_i). The water level is the gamma at which the sum of max(0, gamma - c_i)
    is the volume n nu; examples with c_i below it are covered. An iteration finds the level, draws a covered example,
    and adds it to the predictor, for n kernel evaluations. The predictor is the average iterate divided by its own
    water level. With a bias each class has a level, and both have equally many covered examples; responses equal to a
    level may be more than that, and then share what those below the level leave (section 3.2).
    """

    name = "sbp"
    summary = "Stochastic Batch Perceptron (Cotter, Shalev-Shwartz, Srebro 2012)"
    Settings = SbpSettings
    needs = frozenset({"nu"})
    biases = frozenset({False, True})

    def make(self) -> _core.KernelSolver:  # noqa: D102 (inherited: `CoreSolver` calls it, and advances what it returns)
        return _core.Sbp(
            self.problem.rows.source,
            nu=self.problem.require_nu(),
            bias=self.problem.bias,
            pairs=self.settings.draws is Draws.pairs,
            eta=self.settings.eta,
            seed=self.seed,
        )

    def snapshot(self) -> KernelSnapshot:  # noqa: D102 (inherited)
        # with the volume n nu the evaluation divides the predictor by its water level
        return KernelSnapshot(self._core.coefficients(), volume=self.problem.n * self.problem.require_nu())
