"""scikit-learn's Nystroem and SGDClassifier, to compare with methods on Nystrom features (Pedregosa et al. 2011)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svm_cost_curves.solvers.errors import SettingsError
from svm_cost_curves.solvers.features import Features
from svm_cost_curves.solvers.kernels import Kernel
from svm_cost_curves.solvers.passes import Passes, sklearn_kernel
from svm_cost_curves.solvers.problem import Problem
from svm_cost_curves.solvers.sklearn_sgd import classifier
from svm_cost_curves.solvers.snapshots import KernelSnapshot


@dataclass
class SklearnNystroemSettings:
    """Settings of `SklearnNystroem`."""

    features: int = 512
    """s: number of sampled training points, from 1 to n."""


class SklearnNystroem(Passes):
    """Computes Nystroem's features of s sampled points, then makes passes of SGDClassifier, as `sklearn_sgd`.

    An iteration is a pass. There is no stopping rule. Each run computes the features again, and is timed with them.

    Points, kernel values, features and weights are float64, because scikit-learn keeps eigenvalues down to 1e-12, and
    those of a float32 matrix are noise. Points are converted once, which is not timed. One thread works.
    """

    name = "sklearn_nystroem"
    summary = "scikit-learn's Nystroem and SGDClassifier, for running times (Pedregosa et al. 2011)"
    Settings = SklearnNystroemSettings
    kernels = frozenset({"gaussian", "polynomial", "linear"})
    explicit = frozenset()
    within_n = ("features",)

    def __init__(self, problem: Problem, settings: SklearnNystroemSettings, seed: int) -> None:
        s = settings.features
        if not 1 <= s <= problem.n:
            raise SettingsError(f"algo.features = {s}: it must be from 1 to n = {problem.n:,}")
        super().__init__(problem, settings, seed)
        self._weights = np.zeros(problem.n)

    def data(self) -> Features:  # noqa: D102 (inherited)
        return self.problem.X.astype(np.float64)

    def model(self, passes: int, seed: int) -> _Model:  # noqa: D102 (inherited)
        return _Model(self.problem.kernel, self.settings.features, self.problem.require_lambda(), passes, seed)

    def weights_of(self, model: _Model) -> NDArray[np.float64]:
        """Return the coefficients of the kernel expansion, (n,); they are 0 outside the sample."""
        coefficients = np.zeros(self.problem.n)
        coefficients[model.points] = model.coefficients
        return coefficients

    def snapshot(self) -> KernelSnapshot:  # noqa: D102 (inherited)
        return KernelSnapshot(self._weights)


@dataclass
class _Model:
    """Both estimators as one, with the members that `Passes` needs."""

    kernel: Kernel
    features: int
    lambda_: float
    passes: int
    seed: int

    def fit(self, X: Any, y: Any) -> None:
        from sklearn.kernel_approximation import Nystroem
        from threadpoolctl import threadpool_limits

        nystroem = Nystroem(
            **sklearn_kernel(self.kernel),
            n_components=min(self.features, X.shape[0]),
            random_state=self.seed,
        )
        sgd = classifier(self.lambda_, self.passes, self.seed)
        with threadpool_limits(limits=1, user_api="blas"):
            sgd.fit(nystroem.fit_transform(X), y)
        self.n_iter_ = sgd.n_iter_
        self.points = nystroem.component_indices_
        self.coefficients = sgd.coef_.ravel() @ nystroem.normalization_
