"""LASVM (Bordes, Ertekin, Weston, Bottou: Fast kernel classifiers with online and active learning, JMLR 6, 2005)."""

from dataclasses import dataclass

import numpy as np

from solvers import _core
from solvers.base import CoreSolver
from solvers.errors import SettingsError


@dataclass
class LasvmSettings:
    """Settings of `Lasvm`."""

    tolerance: float = 1e-3
    """tau: pairs that violate the KKT conditions by no more are left alone, and finishing ends where delta <= tau."""
    passes: int = 1
    """Over the examples, each in a fresh random order, before finishing, which looks at the expansion only: one pass
    leaves the dual objective about 1 % short on Adult and MNIST, two 0.02 % at most. 0: passes and finishing by turns
    until a pass changes nothing, which is the optimum of the whole problem."""
    delta_max: float | None = None
    """REPROCESS is repeated while delta is above this; None: it follows each example once."""


class Lasvm(CoreSolver):
    """Online SMO: PROCESS takes a fresh example into the expansion, REPROCESS improves it and drops members.

    Only slopes of members are kept. A fresh example costs one evaluation per member, each further row over the
    expansion as many: one for PROCESS with bias, two for REPROCESS; without bias, where single coordinates move, none
    and one. An iteration is PROCESS and REPROCESS of one example, then, as for `smo`, a step of finishing: REPROCESS
    of two examples, or of one.
    """

    name = "lasvm"
    summary = "LASVM: online SMO in one pass, then finishing (Bordes, Ertekin, Weston, Bottou 2005)"
    Settings = LasvmSettings
    needs = frozenset({"lambda"})
    dual_feasible = True
    biases = frozenset({False, True})

    def make(self) -> _core.KernelSolver:  # noqa: D102 (inherited)
        delta_max = self.settings.delta_max
        if self.settings.passes < 0:
            raise SettingsError(f"algo.passes = {self.settings.passes}: it must not be negative")
        return _core.Lasvm(
            self.problem.rows.source,
            C=self.problem.C,
            bias=self.problem.bias,
            tolerance=self.settings.tolerance,
            passes=self.settings.passes,
            delta_max=np.inf if delta_max is None else delta_max,
            seed=self.seed,
        )
