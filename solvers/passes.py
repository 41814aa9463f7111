"""Libraries that accept a number of passes but cannot be interrupted: LIBLINEAR and scikit-learn's SGDClassifier.

Fan et al. 2008; Pedregosa et al. 2011. They are here to compare running times.
"""

from __future__ import annotations

import abc
import math
import time
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ._core import Purpose, Random
from .base import Counters, Limit, Status
from .errors import SettingsError, check_setting
from .features import Features, compact
from .kernels import Gaussian, Kernel, Polynomial
from .problem import Problem
from .python_solver import PythonSolver
from .snapshots import KernelSnapshot, LinearSnapshot, Snapshot

NOT_REPORTED = frozenset({"kernel_evaluations", "inner_products", "feature_accesses", "feature_accesses_dense"})
"""Counters that no library reports."""
MAX_PASSES = 2**31 - 1
"""The libraries count passes in 32 bits."""


class Passes(PythonSolver):
    """Runs a library from the start for each number of passes over the examples.

    The first k passes of a longer run are those of a run of k passes. So one run of k passes gives the point of the
    curve after k. Its time is the time of that run, not the sum over all runs, and it never decreases. It contains all
    that the library does for k passes; data are converted before the clock starts where the library allows it.

    To reach a limit in passes takes one run, however long. With a limit in seconds only, the number of passes is
    doubled until a run takes that long.
    """

    needs = frozenset({"lambda"})
    kernels = explicit = frozenset({"linear"})
    timed = True
    libraries = ("scikit-learn",)
    uncounted = NOT_REPORTED

    def __init__(self, problem: Problem, settings: Any, seed: int) -> None:
        super().__init__(problem, settings, seed)
        self.cost = "iterations"  # the libraries do not report what they read
        self._data = self.data()
        self._library_seed = Random(seed, Purpose.order).below(2**32)
        # the first call of a library also imports modules: make it here, on one example of each class
        self._fit(self.model(1, self._library_seed), self._data[[0, -1]], problem.y[[0, -1]])
        self._weights = np.zeros(problem.d)
        self._passes = 0
        self._converged = False

    @abc.abstractmethod
    def data(self) -> Features:
        """Return the problem's points, (n, d), in the storage that is fastest for the library."""

    @abc.abstractmethod
    def model(self, passes: int, seed: int) -> Any:
        """Return scikit-learn's estimator with this limit on passes; it may converge earlier."""

    def advance(self, limit: Limit) -> Status:  # noqa: D102 (inherited)
        while not self._converged:
            if reached := self.reached(limit):
                return reached
            self._run(self._next(limit))
        return Status.CONVERGED

    def _next(self, limit: Limit) -> int:
        counts = [] if limit.iterations is None else [limit.iterations]
        if "presentations" not in self.uncounted and limit.presentations is not None:
            counts.append(math.ceil(limit.presentations / self.problem.n))
        return min(counts, default=2 * self._passes or 1)

    def _run(self, passes: int) -> None:
        if passes > MAX_PASSES:
            raise SettingsError(f"algo={self.name} can make {MAX_PASSES:,} passes at most; more were asked for")
        model = self.model(passes, self._library_seed)
        cpu, wall = self.cpu_clock(), time.monotonic()
        self._fit(model, self._data, self.problem.y)
        cpu, wall = self.cpu_clock() - cpu, time.monotonic() - wall
        self._cpu, self._wall = max(self._cpu, cpu), max(self._wall, wall)
        self._passes = int(model.n_iter_)
        self._converged = self._passes < passes
        self._weights = self.weights_of(model)

    def _fit(self, model: Any, X: Features, y: NDArray[np.int8]) -> None:
        try:
            model.fit(X, y)
        except ValueError as error:
            raise SettingsError(
                f"algo={self.name}: scikit-learn cannot compute with lambda = {self.problem.lambda_:g} and these "
                f"features ({error})"
            ) from error

    def weights_of(self, model: Any) -> NDArray[np.float64]:
        """Return the weights of a fitted model, (d,), in the order of `features`."""
        weights: NDArray[np.float64] = model.coef_.ravel().astype(np.float64)
        return weights[self.problem.feature_order]

    @property
    def counters(self) -> Counters:  # noqa: D102 (inherited)
        presented = self._passes * self.problem.n
        return Counters(iterations=self._passes, presentations=presented).without(self.uncounted)

    def snapshot(self) -> Snapshot:  # noqa: D102 (inherited)
        return LinearSnapshot(self._weights)


def sklearn_kernel(kernel: Kernel) -> dict[str, Any]:
    """Return a kernel as arguments of scikit-learn's estimators."""
    if isinstance(kernel, Gaussian):
        return {"kernel": "rbf", "gamma": 0.5 / kernel.sigma2}
    if isinstance(kernel, Polynomial):
        return {"kernel": "poly", "degree": kernel.degree, "gamma": kernel.gamma, "coef0": kernel.coef0}
    return {"kernel": "linear"}


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
        check_setting("algo.tolerance", settings.tolerance)
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


@dataclass
class SklearnSgdSettings:
    """Settings of `SklearnSgd`: none."""


class SklearnSgd(Passes):
    """Bottou's SGD: steps 1/(lambda (t + t0)), lazy scaling, a new order for each pass; returns the last iterate.

    An iteration is a pass. Its stopping rule is switched off: it tests the losses of examples, not the objective.

    Points are float32, and so are scikit-learn's weights then. If fewer than half of the values are not zero they are
    converted to CSR once, which is not timed. scikit-learn's checks of the points, and its sum of losses, happen inside
    each call and are timed.
    """

    name = "sklearn_sgd"
    summary = "scikit-learn's SGDClassifier, for running times (Pedregosa et al. 2011)"
    Settings = SklearnSgdSettings

    def data(self) -> Features:  # noqa: D102 (inherited)
        return compact(self.problem.X)

    def model(self, passes: int, seed: int) -> Any:  # noqa: D102 (inherited)
        return classifier(self.problem.require_lambda(), passes, seed)


def classifier(lambda_: float, passes: int, seed: int) -> Any:
    """Return scikit-learn's SGD for the lambda form, without intercept, with this number of passes."""
    from sklearn.linear_model import SGDClassifier

    return SGDClassifier(
        loss="hinge",
        penalty="l2",
        alpha=lambda_,
        learning_rate="optimal",
        fit_intercept=False,
        shuffle=True,
        tol=None,
        max_iter=passes,
        random_state=seed,
    )


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
