"""LIBLINEAR itself, through scikit-learn's LinearSVC, as a peer of DCD (Fan et al. 2008; Hsieh et al. 2008)."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from solvers.errors import SettingsError
from solvers.features import Features
from solvers.passes import OF_NO_LIBRARY, Passes
from solvers.problem import Problem


@dataclass
class LiblinearSettings:
    """Settings of `Liblinear`."""

    tolerance: float = 1e-4
    """LIBLINEAR's eps: it stops where the projected gradients of the dual differ by no more."""


class Liblinear(Passes):
    """Dual coordinate descent with shrinking, to LIBLINEAR's own stopping rule.

    An iteration is a pass over what is not shrunk. LIBLINEAR does not say how much that is, and late passes may look at
    next to nothing: so presentations are not counted, and a budget in epochs does not bound it.

    LIBLINEAR gets its points in float64, by rows and sparse, made once and not charged. Charged, because inside each
    call, is its own copy of them (16 bytes a value) with scikit-learn's checks. They take as long as one to four passes
    over all examples: some percent of a run to its own end, a tenth to a quarter of one that ends after ten passes.
    """

    name = "liblinear"
    summary = "LIBLINEAR through scikit-learn, for running times (Fan et al. 2008)"
    Settings = LiblinearSettings
    uncounted = OF_NO_LIBRARY | {"presentations"}

    def __init__(self, problem: Problem, settings: LiblinearSettings, seed: int) -> None:
        if not settings.tolerance > 0:
            raise SettingsError(f"algo.tolerance = {settings.tolerance}: it must be positive")
        super().__init__(problem, settings, seed)

    def data(self) -> Features:  # noqa: D102 (inherited)
        return sparse.csr_matrix(self.problem.X, dtype=np.float64)

    def model(self, passes: int, seed: int) -> Any:  # noqa: D102 (inherited)
        from sklearn.svm import LinearSVC

        # Passes that run out are no accident here. Set for good: a run is recorded in a second thread, and filters that
        # two threads set and put back get lost.
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
