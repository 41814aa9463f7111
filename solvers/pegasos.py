"""Pegasos on kernels (Shalev-Shwartz, Singer, Srebro, Cotter: Pegasos, Mathematical Programming 2011)."""

from dataclasses import dataclass

from solvers import _core
from solvers.accounting import Accounting
from solvers.base import CoreSolver


@dataclass
class PegasosSettings:
    """Settings of `Pegasos`."""

    project: bool = False
    """Project onto ||w|| <= 1 / sqrt(lambda) after each step."""
    accounting: Accounting = Accounting.on_demand
    """on_demand: each response costs one evaluation per support vector; kept: n for each example added."""


class Pegasos(CoreSolver):
    """Stochastic subgradient steps of length 1 / (lambda t) on the lambda form, examples uniform with replacement."""

    name = "pegasos"
    summary = "Pegasos: stochastic subgradient steps on the primal (Shalev-Shwartz et al. 2011)"
    Settings = PegasosSettings
    needs = frozenset({"lambda"})

    def make(self, rows: _core.RowSource) -> _core.KernelSolver:  # noqa: D102 (inherited)
        return _core.Pegasos(
            rows,
            lambda_=self.problem.require_lambda(),
            project=self.settings.project,
            accounting=self.settings.accounting.core(),
            seed=self.seed,
        )
