"""The kernel Adatron (Friess, Cristianini, Campbell 1998), compiled outside the project."""

from dataclasses import dataclass

import adatron_core

from svm_cost_curves.solvers import _core
from svm_cost_curves.solvers.core_solver import CoreSolver


@dataclass
class AdatronSettings:
    """Settings of `Adatron`."""

    eta: float = 0.1
    """Step; it converges below 2 / max K(x, x)."""


class Adatron(CoreSolver):
    """Gradient ascent on the dual, one coordinate at a time, clipped to [0, C]; a step costs n kernel evaluations."""

    name = "adatron"
    summary = "Kernel Adatron (Friess, Cristianini, Campbell 1998)"
    Settings = AdatronSettings
    needs = frozenset({"lambda"})
    dual_feasible = True

    def make(self) -> _core.KernelSolver:  # noqa: D102 (inherited)
        made: _core.KernelSolver = adatron_core.Adatron(
            self.problem.rows.source, C=self.problem.C, eta=self.settings.eta, seed=self.seed
        )
        return made
