"""LIBLINEAR, called through scikit-learn's LinearSVC, to compare with `dcd` (Fan et al. 2008; Hsieh et al. 2008)."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from svm_cost_curves.solvers.errors import SettingsError
from svm_cost_curves.solvers.features import Features
from svm_cost_curves.solvers.passes import NOT_REPORTED, Passes
from svm_cost_curves.solvers.problem import Problem


@dataclass
class LiblinearSettings:
    """Settings of `Liblinear`."""

    tolerance: float = 1e-4
    """LIBLINEAR's eps: it stops when the projected gradients of the dual differ by at most this."""


class Liblinear(Passes):
    """Dual coordinate descent with shrinking, to LIBLINEAR's own stopping rule.

    An iteration is a pass over the examples that are not shrunk. LIBLINEAR does not report how many those are, and late
    passes may have almost none. So presentations are not counted, and a budget in epochs does not limit the run.

    LIBLINEAR gets the points in float64 as CSR; this conversion is done once and not timed. Its own copy of them (16
    bytes a value) and scikit-learn's checks happen inside each call and are timed. They take as long as one to four
    passes over all examples: some percent of a run to LIBLINEAR's own stop, 10 to 25 % of a run of ten passes.
    """

    name = "liblinear"
    summary = "LIBLINEAR through scikit-learn, for running times (Fan et al. 2008)"
    Settings = LiblinearSettings
    uncounted = NOT_REPORTED | {"presentations"}

    def __init__(self, problem: Problem, settings: LiblinearSettings, seed: int) -> None:
        if not settings.tolerance > 0:
            raise SettingsError(f"algo.tolerance = {settings.tolerance}: it must be positive")
        super().__init__(problem, settings, seed)

    def data(self) -> Features:  # noqa: D102 (inherited)
        return sparse.csr_matrix(self.problem.X, dtype=np.float64)

    def model(self, passes: int, seed: int) -> Any:  # noqa: D102 (inherited)
        from sklearn.svm import LinearSVC

        # Here a limit on passes is intended. The filter is not removed again: a second thread records the run, and two
        # threads that set and restore filters can lose them.
        warnings.filterwarnings("ignore", message="Liblinear failed to converge")
        return LinearSVC(
            loss="hinge",
            dual=True,
            fit_intercept=False,
            C=self.problem.C,
            tol=self.settings.tolerance,
            max_iter=passes,
            random_state=seed,
        )
