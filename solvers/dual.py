"""Exact methods on the dual of the kernel problem.

SDCA: Hsieh et al. 2008; Shalev-Shwartz, Zhang 2013. SMO: Platt 1998; with bias Fan, Chen, Lin 2005. SVMlight: Joachims:
Making large-scale SVM learning practical, 1999. LASVM: Bordes, Ertekin, Weston, Bottou, JMLR 6, 2005.
"""

from dataclasses import dataclass, replace

import numpy as np

from . import _core
from .accounting import Accounting
from .core_solver import CoreSolver
from .errors import SettingsError
from .snapshots import KernelSnapshot, Snapshot


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


@dataclass
class SmoSettings:
    """Settings of `Smo`."""

    tolerance: float = 1e-3
    """Stops when no KKT condition is violated by more; with a bias, when the two largest violations add up to no more
    (LIBSVM's eps). 0: runs to the budget or to rounding error."""


class Smo(CoreSolver):
    """Dual decomposition with the smallest working set.

    Without bias an iteration changes the coordinate with the largest gain of the dual after clipping, at n evaluations.
    With bias it changes two, chosen by second-order working set selection, at 2n evaluations.
    """

    name = "smo"
    summary = "Sequential minimal optimisation, greedy (Platt 1998; with bias Fan, Chen, Lin 2005)"
    Settings = SmoSettings
    needs = frozenset({"lambda"})
    dual_feasible = True
    biases = frozenset({False, True})

    def make(self) -> _core.KernelSolver:  # noqa: D102 (inherited)
        kind = _core.SmoWithBias if self.problem.bias else _core.Smo
        return kind(self.problem.rows.source, C=self.problem.C, tolerance=self.settings.tolerance)


@dataclass
class SvmLightSettings:
    """Settings of `SvmLight`."""

    tolerance: float = 1e-3
    """Stops when no KKT condition is violated by more; with a bias, when the two largest violations add up to no more
    (LIBSVM's eps). 0: runs to the budget or to rounding error."""
    working_set: int = 10
    """q, even: the number of variables that an iteration changes."""
    shrink_after: int = 100
    """h: a variable that was optimal at its bound for h iterations is shrunk; 0: none is. Optimal means by a margin,
    the largest violation: until the bias is accurate, a smaller margin can have the wrong sign."""


class SvmLight(CoreSolver):
    """Dual decomposition along the steepest feasible direction with q components (his section 3).

    The problem of the working set is solved exactly. An iteration reads q rows, restricted to the variables that are
    not shrunk (section 4). Before the run stops, shrunk variables return and their responses are computed again: this
    takes a row over them for each support vector, between two iterations.
    """

    name = "svmlight"
    summary = "SVMlight: decomposition with working sets of ten, shrinking (Joachims 1999)"
    Settings = SvmLightSettings
    needs = frozenset({"lambda"})
    dual_feasible = True
    biases = frozenset({False, True})

    def make(self) -> _core.KernelSolver:  # noqa: D102 (inherited)
        problem = self.problem
        return _core.SvmLight(problem.rows.source, C=problem.C, bias=problem.bias, **vars(self.settings))


@dataclass
class LasvmSettings:
    """Settings of `Lasvm`."""

    tolerance: float = 1e-3
    """tau: pairs that violate the KKT conditions by at most tau are skipped; finishing stops when delta <= tau."""
    passes: int = 1
    """Passes over the examples, each in a new random order, before finishing, which optimises the expansion only. After
    one pass the dual objective is about 1 % below the optimum on Adult and MNIST, after two at most 0.02 %. 0: passes
    and finishing alternate until a pass changes nothing; that is the optimum of the whole problem."""
    delta_max: float | None = None
    """After each example REPROCESS is repeated while delta is larger than this; None: it is done once."""
    drop_below: float = 0.0
    """From 0 to 1. The predictor leaves out coefficients below this share of the largest one, in magnitude; the
    training keeps them. The authors' program has 0.001 when it saves its model. With a bias the recorded dual objective
    and gap are then missing: the rest of the coefficients is no feasible point of the dual."""


class Lasvm(CoreSolver):
    """Online SMO: PROCESS adds a new example to the expansion, REPROCESS optimises the expansion and removes members.

    Gradients are stored for members only. A new example costs one evaluation for each member. A row over the expansion
    costs the same: with bias PROCESS needs one such row and REPROCESS two; without bias single coordinates change, and
    they need none and one. An iteration is PROCESS and REPROCESS of one example; when finishing it is one REPROCESS,
    which changes two coordinates, or one without bias.
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
        if not 0.0 <= self.settings.drop_below <= 1.0:
            raise SettingsError(f"algo.drop_below = {self.settings.drop_below!r}: it must lie between 0 and 1")
        return _core.Lasvm(
            self.problem.rows.source,
            C=self.problem.C,
            bias=self.problem.bias,
            tolerance=self.settings.tolerance,
            passes=self.settings.passes,
            delta_max=np.inf if delta_max is None else delta_max,
            seed=self.seed,
        )

    def snapshot(self) -> Snapshot:  # noqa: D102 (inherited)
        last, share = super().snapshot(), self.settings.drop_below
        assert isinstance(last, KernelSnapshot)
        if share == 0.0:
            return last
        size = np.abs(last.coefficients)
        coefficients = np.where(size < share * size.max(), 0.0, last.coefficients)
        # without a bias each coefficient is feasible by itself; with one their sum must be 0
        return replace(last, coefficients=coefficients, dual_feasible=not self.problem.bias)
