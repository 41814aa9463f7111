"""Pegasos (Shalev-Shwartz, Singer, Srebro, Cotter: Pegasos, Mathematical Programming 2011), on kernels or linear."""

from dataclasses import dataclass
from typing import Any

from . import _core
from .accounting import Accounting
from .core_solver import CoreSolver
from .errors import SettingsError


@dataclass
class PegasosSettings:
    """Settings of `Pegasos`."""

    project: bool = False
    """Project onto ||w|| <= 1 / sqrt(lambda) after each step."""
    accounting: Accounting = Accounting.on_demand
    """on_demand: a response costs one kernel evaluation for each support vector; kept: an added example costs n."""


class Pegasos(CoreSolver):
    """Stochastic subgradient steps of length 1 / (lambda t) on the lambda form; examples uniform with replacement.

    With the linear kernel the weights are explicit: an iteration reads one row, and no kernel is evaluated.
    """

    name = "pegasos"
    summary = "Pegasos: stochastic subgradient steps on the primal (Shalev-Shwartz et al. 2011)"
    Settings = PegasosSettings
    needs = frozenset({"lambda"})
    explicit = frozenset({"linear"})

    def make(self) -> _core.KernelSolver | _core.LinearSolver:  # noqa: D102 (inherited)
        problem, settings = self.problem, self.settings
        arguments: dict[str, Any] = {
            "lambda_": problem.require_lambda(),
            "project": settings.project,
            "seed": self.seed,
        }
        if problem.kernel.name not in self.explicit:
            return _core.Pegasos(problem.rows.source, accounting=settings.accounting.core(), **arguments)
        if settings.accounting is not Accounting.on_demand:
            raise SettingsError("algo.accounting is about kernel evaluations: leave it out with kernel=linear")
        return _core.LinearPegasos(problem.features, **arguments)
