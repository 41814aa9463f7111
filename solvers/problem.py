"""The SVM problem that all solvers get: data, kernel, regularisation, and a source of kernel rows."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from functools import cached_property
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from . import _core
from .all_reduce import AllReduce
from .errors import SettingsError, check_setting
from .features import (
    MAX_FEATURES,
    Features,
    TrainingPoints,
    augmented,
    canonical,
    check_range,
    check_resolution,
    core_matrix,
    in_order,
    largest_square,
    stored_arrays,
)
from .kernels import Gaussian, Kernel, Linear
from .rows import WORKING_BYTES, RowPolicy, Rows, make_rows

T = TypeVar("T")
_LARGEST_SHIFTED = 2.0**14
"""Largest |x - shift|^2 / sigma2. Rounding x - shift to float32 then changes no kernel value by more than 1e-5."""
_BYTES_A_FEATURE = 65
"""Memory of sparse points for each feature, besides their values: offsets and order of columns, weights, dense rows.

Measured on 2e7 features: 45 to 58 bytes for methods with explicit weights, 65 for those with kernel rows.
"""


class Stream(Protocol):
    """Points that are made when they are read, so that they need not fit in memory."""

    @property
    def shape(self) -> tuple[int, int]:
        """Number of points and of features."""

    def __getitem__(self, rows: NDArray[np.integer], /) -> NDArray[np.float32]:
        """Return points, (m, d), finite. A row always has the same values."""


class Problem:
    """A binary classification problem with a kernel SVM objective.

    Examples are ordered by class, positive ones first, and within a class as they are given: the responses of one class
    are then a contiguous range, which water filling, SMO and the row update need. `order` maps back.

    Parameters
    ----------
    X : (n, d) float32, dense C-contiguous or CSR; or a stream of them
        Points of a stream can be read with `examples` only: methods that need all points at once refuse it.
    y : (n,) labels in {-1, +1}
    kernel : Kernel
    lambda_ : float, optional
        Regularisation of the lambda form, lambda/2 ||w||^2 + mean hinge loss; C = 1 / (lambda n).
    nu : float, optional
        Slack volume per example of the slack-constrained form.
    bias : bool
        Whether the predictor has an unregularised bias.
    rho : float
        A constant feature appended to every point; its weight is regularised like the others. 0 appends none.
    rows : RowPolicy, optional

    Raises
    ------
    SettingsError
        If shapes or labels do not agree, a feature is not finite, or a value is outside its range. `FeatureRangeError`:
        features are so large that sums or kernel values would overflow, or so small that kernel values would be 0.
    """

    core_matrix = staticmethod(core_matrix)
    all_reduce = AllReduce()
    """Communication between the ranks that share the rows; see `solvers.shard`."""
    shard: _core.Shard | None = None
    """Which rows of the whole problem this rank has; None if it has all."""
    _stream: Stream | None = None
    _points: TrainingPoints | None = None
    shift: NDArray[np.float32] | None = None
    """Subtracted from all points, (d,); None: nothing."""

    def __init__(
        self,
        X: Features | Stream,
        y: NDArray[np.integer],
        kernel: Kernel,
        *,
        lambda_: float | None = None,
        nu: float | None = None,
        bias: bool = False,
        rho: float = 0.0,
        rows: RowPolicy | None = None,
    ) -> None:
        if len(X.shape) != 2 or y.shape != (X.shape[0],):
            raise SettingsError(f"X is (n, d) and y (n,), got {X.shape} and {y.shape}")
        if set(np.unique(y)) != {-1, 1}:
            raise SettingsError(f"labels are -1 and +1, both present, got {np.unique(y)[:5].tolist()}")
        if rho != 0.0 and not 1e-30 <= abs(rho) <= 1e30:
            raise SettingsError(f"rho = {rho!r}: it must be 0, or a number that float32 can hold, up to 1e30 in size")
        if rho != 0.0 and not isinstance(kernel, Linear):
            raise SettingsError(f"rho = {rho:g} appends a constant feature, which works with kernel=linear only")
        self.kernel = kernel
        self.rho = rho
        self.order: NDArray[np.intp] = np.argsort(-y.astype(np.int8), kind="stable")
        self.n: int = X.shape[0]
        self.d: int = X.shape[1] + (rho != 0.0)
        if self.d > MAX_FEATURES:
            raise SettingsError(f"X has {X.shape[1]:,} features: indices have 32 bits, up to {MAX_FEATURES:,}")
        self._regularise(lambda_, nu, bias, rows, sparse_points=bool(sparse.issparse(X)))
        self.positives = int(np.count_nonzero(y == 1))
        self.y: NDArray[np.int8] = y[self.order].astype(np.int8)
        if isinstance(X, np.ndarray) or sparse.issparse(X):
            ordered = self._with_constant(canonical(X))[self.order]
            self.shift = self._integral_mean(ordered)
            shifted = self._shifted(ordered)
            check_resolution(kernel, shifted)
            check_range(kernel, shifted, "training points")
            self._points = TrainingPoints(shifted)
        else:
            self._stream = X

    def _regularise(
        self, lambda_: float | None, nu: float | None, bias: bool, rows: RowPolicy | None, *, sparse_points: bool
    ) -> None:
        """Check and set everything that does not change the points."""
        if nu is not None and not 0.0 <= nu < math.inf:
            raise SettingsError(f"nu = {nu!r}: it must be finite and not negative")
        if lambda_ is not None:
            check_setting("lambda", lambda_)
            check_setting(f"lambda = {lambda_!r}, C = 1/(lambda n)", 1.0 / (lambda_ * self.n))
        self.lambda_, self.nu, self.bias, self.policy = lambda_, nu, bias, rows or RowPolicy()
        if sparse_points:
            self.require_memory(
                _BYTES_A_FEATURE * self.d,
                f"vectors as long as the data have features, {self.d:,} (their largest index),",
                "number the features without gaps, or",
            )

    def variant(self, *, lambda_: float | None, nu: float | None, bias: bool, rows: RowPolicy | None = None) -> Problem:
        """Return another problem on the same points, with the same kernel and rho.

        The two share what was made of the points, such as `features`, but not the kernel rows. Arguments and errors are
        those of the constructor.
        """
        variant = copy.copy(self)
        vars(variant).pop("rows", None)
        variant._regularise(lambda_, nu, bias, rows, sparse_points=self._points is not None and self._points.sparse)
        return variant

    @property
    def X(self) -> Features:  # noqa: N802 (the field's name)
        """All points, (n, d), in the problem's order, offsets and indices read-only; a stream is refused."""
        return self._held.original()

    @property
    def _held(self) -> TrainingPoints:
        if self._points is None:
            raise SettingsError(
                f"the {self.n:,} training rows are made when they are needed, and this needs all of them at once: take "
                "dataset.max_train=60000 of them, or a method for streams, algo=asset_online or asset_star_online"
            )
        return self._points

    def examples(self, numbers: NDArray[np.integer]) -> Features:
        """Return the points with these numbers in the problem's order, (m, d). A stream makes them now."""
        if self._stream is None:
            return self.X[numbers]
        made = self._stream[self.order[numbers]]
        check_range(self.kernel, made, "training points")
        return made

    @cached_property
    def matrix(self) -> _core.Matrix:
        """The core's view of all points."""
        return self.core_matrix(self.X)

    @property
    def C(self) -> float:  # noqa: N802 (the field's name)
        """LIBSVM's C = 1 / (lambda n)."""
        return 1.0 / (self.require_lambda() * self.n)

    def require_memory(self, needed: int, arrays: str, advice: str = "") -> None:
        """Raise SettingsError if `needed` bytes exceed both the policy's `memory_bytes` and `WORKING_BYTES`.

        `arrays` says what they hold, and `advice` what the user can do instead of "raise memory=".
        """
        limit = max(self.policy.memory_bytes, WORKING_BYTES)
        if needed > limit:
            raise SettingsError(
                f"{arrays} take {needed / 2**30:,.1f} GiB, and memory= allows {limit / 2**30:,.1f} GiB: "
                f"{advice}{' ' if advice else ''}raise memory="
            )

    def require_lambda(self) -> float:
        """Return lambda; raise SettingsError if it is not set."""
        if self.lambda_ is None:
            raise SettingsError("this solver works on the lambda form: set problem.lambda_ or problem.C")
        return self.lambda_

    def require_nu(self) -> float:
        """Return nu; raise SettingsError if it is not set."""
        if self.nu is None:
            raise SettingsError("this solver works on the slack-constrained form: set problem.nu")
        return self.nu

    @cached_property
    def rows(self) -> Rows:
        """Kernel rows, built at first use, so that a solver without kernel rows does not wait for them."""
        return make_rows(self.kernel, self.matrix, stored_arrays(self.X), self.positives, self.policy)

    @property
    def feature_order(self) -> NDArray[np.int64]:
        """Order of the features in `features`, (d,): the most frequent first, equally frequent ones by first point.

        The weights of frequent features are then close to each other in memory.
        """
        return self._held.order()

    @cached_property
    def features(self) -> _core.FeatureMatrix:
        """The training points by rows and by columns, made at first use; columns are in the order of `feature_order`.

        If fewer than half of the values are not zero they are stored sparsely, also if the data are dense.
        """
        return _core.FeatureMatrix(self.core_matrix(self.ordered), self.positives)

    @property
    def ordered(self) -> Features:
        """The rows of `features`: training points, (n, d), with columns in the order of `feature_order`."""
        return self._held.ordered()

    def in_feature_order(self, X: Features) -> Features:
        """Return points, (m, d), with columns in the order of `feature_order`, sparse if most values are zero."""
        return in_order(X, self.feature_order)

    @cached_property
    def largest_norm(self) -> float:
        """Largest Euclidean norm of a row."""
        return self.features.largest_norm

    def compute_on_whole(self, compute: Callable[[Problem], T]) -> T:
        """Return ``compute(self)``; a `ProblemShard` asks the rank that has the whole problem."""
        return compute(self)

    def counted_features(self) -> _core.CountedFeatures:
        """Return a view of rows and columns that counts what is read, for solvers written in Python."""
        return _core.CountedFeatures(self.features)

    def in_data_order(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Convert weights, (d,), from the order of `feature_order` to the order of the data."""
        ordered = np.empty_like(weights)
        ordered[self.feature_order] = weights
        return ordered

    def counted_rows(self) -> _core.CountedRows:
        """Return a view of the kernel rows that counts what is read, for solvers written in Python."""
        return _core.CountedRows(self.rows.source)

    def describe_rows(self) -> str:
        """Return a description of the source of kernel rows."""
        return self.rows.description

    def points(self, X: Features) -> Features:
        """Return other points, (m, d) float32, with rho appended and shifted as the training points are.

        Raises
        ------
        SettingsError
            The width differs, or the values are too large: see `check_range`.
        """
        X = self._with_constant(X)
        if X.shape[1] != self.d:
            raise SettingsError(f"the points have {X.shape[1]} features, the training set has {self.d}")
        shifted = self._shifted(X)
        check_range(self.kernel, shifted, "points to evaluate")
        return shifted

    def _with_constant(self, X: Features) -> Features:
        return augmented(X, self.rho) if self.rho != 0.0 else X

    def _integral_mean(self, X: Features) -> NDArray[np.float32] | None:
        # |x|^2 + |z|^2 - 2 <x, z> loses digits if the points are far from the origin, and the core then has to compute
        # values in a slower way. So all points are shifted by one vector, which does not change distances; with an
        # integral vector integral features stay exact.
        if not isinstance(self.kernel, Gaussian) or not isinstance(X, np.ndarray):
            return None
        if X.min() >= 0.0 and X.max() <= 1.0:
            return None  # close enough to the origin; and the core has a faster way for 0/1 features
        shift: NDArray[np.float32] = np.rint(X.mean(axis=0, dtype=np.float64)).astype(np.float32)
        if not shift.any() or largest_square(X - shift) > _LARGEST_SHIFTED * self.kernel.sigma2:
            return None  # no shift, or one whose rounding would matter: the core then computes from differences
        return shift

    def _shifted(self, X: Features) -> Features:
        if self.shift is None or not isinstance(X, np.ndarray):
            return X
        return X - self.shift
