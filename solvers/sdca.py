"""Stochastic dual coordinate ascent on kernels (Hsieh et al. 2008; Shalev-Shwartz, Zhang 2013)."""

from dataclasses import dataclass

from svm_cost_curves.solvers import _core
from svm_cost_curves.solvers.accounting import Accounting
from svm_cost_curves.solvers.core_solver import CoreSolver


@dataclass
class SdcaSettings:
    """Settings of `Sdca`."""

    accounting: Accounting = Accounting.on_demand
    """on_demand: a response costs one kernel evaluation for each support vector; kept: a changed alpha costs n."""


class Sdca(CoreSolver):
    """Draws examples uniformly with replacement; sets alpha to the exact maximum of the dual, clipped to [0, C]."""

    name = "sdca"
    summary = "Stochastic dual coordinate ascent (Hsieh et al. 2008)"
    Settings = SdcaSettings
    needs = frozenset({"lambda"})
    dual_feasible = True

    def make(self) -> _core.KernelSolver:  # noqa: D102 (inherited)
        problem, accounting = self.problem, self.settings.accounting.core()
        return _core.Sdca(problem.rows.source, C=problem.C, accounting=accounting, seed=self.seed)
