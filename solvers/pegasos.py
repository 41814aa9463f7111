"""Pegasos (Shalev-Shwartz, Singer, Srebro, Cotter: Pegasos, Mathematical Programming 2011), on kernels or linear."""

from dataclasses import dataclass
from typing import Any

from solvers import _core
from solvers.accounting import Accounting
from solvers.base import CoreSolver
from solvers.errors import SettingsError
from solvers.problem import Problem


@dataclass
class PegasosSettings:
    """Settings of `Pegasos`."""

    project: bool = False
    """Project onto ||w|| <= 1 / sqrt(lambda) after each step."""
    accounting: Accounting = Accounting.on_demand
    """on_demand: each response costs one evaluation per support vector; kept: n for each example added."""


class Pegasos(CoreSolver):
    """Stochastic subgradient steps of length 1 / (lambda t) on the lambda form, examples uniform with replacement.

    With the linear kernel the weights are explicit: an iteration reads one row, and no kernel is evaluated.
    """

    name = "pegasos"
    summary = "Pegasos: stochastic subgradient steps on the primal (Shalev-Shwartz et al. 2011)"
    Settings = PegasosSettings
    needs = frozenset({"lambda"})

    def __init__(self, problem: Problem, settings: PegasosSettings, seed: int) -> None:
        self._linear = problem.kernel.name == "linear"
        if self._linear:
            self.cost = "feature_accesses"
            if settings.accounting is not Accounting.on_demand:
                raise SettingsError("algo.accounting is about kernel evaluations: leave it out with kernel=linear")
        super().__init__(problem, settings, seed)

    def make(self) -> _core.KernelSolver | _core.LinearSolver:  # noqa: D102 (inherited)
        shared: dict[str, Any] = {"project": self.settings.project, "seed": self.seed}
        lambda_ = self.problem.require_lambda()
        if self._linear:
            return _core.LinearPegasos(self.problem.features, lambda_=lambda_, **shared)
        accounting = self.settings.accounting.core()
        return _core.Pegasos(self.problem.rows.source, lambda_=lambda_, accounting=accounting, **shared)
