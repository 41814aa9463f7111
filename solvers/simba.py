"""SIMBA (Hazan, Koren, Srebro: Beating SGD: Learning SVMs in sublinear time, NIPS 2011)."""

import enum
from dataclasses import dataclass

from . import _core
from .core_solver import CoreSolver
from .errors import SettingsError
from .problem import Problem
from .snapshots import LinearSnapshot


class LearningRate(enum.Enum):
    """The learning rate of the importance weights in iteration t.

    corrected: eta_t = sqrt(log(n) / t), which at t = T is the constant rate of Algorithm 1; printed: eta_t =
    sqrt(log n) / t, as section 6 prints it. The steps of the weights are 1 / sqrt(2 t) in both.
    """

    corrected = "corrected"
    printed = "printed"


@dataclass
class SimbaSettings:
    """Settings of `Simba`."""

    horizon: int | None = None
    """T of Algorithm 1: the steps are constant, eta = sqrt(log(n) / T), and the run ends after T iterations. None: no
    horizon, eta_t as `learning_rate` says (section 6)."""
    learning_rate: LearningRate = LearningRate.corrected
    """corrected: eta_t = sqrt(log(n) / t); printed: sqrt(log n) / t. Without horizon only."""
    clip: bool = True
    """Whether estimates are limited to [-1 / eta, 1 / eta] (Algorithm 1, line 10)."""


class Simba(CoreSolver):
    """Sublinear Importance-sampling Bi-stochastic Algorithm on the slack-constrained form (Algorithm 1).

    An iteration draws one row by the examples' importance and adds it to the weights; then it draws one column by the
    squared weights and updates the importance of all examples. The predictor is the mean of all iterates, divided by
    its water level. If a norm is larger than 1, all rows and nu are divided by the largest norm.
    """

    name = "simba"
    summary = "SIMBA: sublinear learning, one row and one column a step (Hazan, Koren, Srebro 2011)"
    Settings = SimbaSettings
    needs = frozenset({"nu"})
    biases = frozenset({False, True})
    kernels = frozenset({"linear"})
    explicit = frozenset({"linear"})
    uncounted = frozenset({"inner_products"})

    def __init__(self, problem: Problem, settings: SimbaSettings, seed: int) -> None:
        if settings.horizon is not None and not 1 <= settings.horizon < 2**63:
            raise SettingsError(f"algo.horizon must be a whole number >= 1 (or null), got {settings.horizon}")
        if settings.horizon is not None and settings.learning_rate is LearningRate.printed:
            raise SettingsError(
                "algo.learning_rate=printed shrinks with t: leave out algo.horizon, whose rate is constant"
            )
        super().__init__(problem, settings, seed)
        if (divisor := self._core.divisor) > 1.0:
            self.remarks = (f"rows and nu are divided by {divisor:.6g}, the largest norm: SIMBA needs norms <= 1",)

    def make(self) -> _core.LinearSolver:  # noqa: D102 (inherited)
        problem = self.problem
        return _core.Simba(
            problem.features,
            nu=problem.require_nu(),
            bias=problem.bias,
            horizon=self.settings.horizon or 0,
            printed_rate=self.settings.learning_rate is LearningRate.printed,
            clip=self.settings.clip,
            seed=self.seed,
        )

    def snapshot(self) -> LinearSnapshot:  # noqa: D102 (inherited)
        core = self._core
        return LinearSnapshot(core.weights(), core.bias, volume=self.problem.n * self.problem.require_nu())
