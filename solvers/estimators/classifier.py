"""The base class of all estimators: a solver behind the interface of scikit-learn."""

from __future__ import annotations

import contextlib
import dataclasses
import math
import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning, DataConversionWarning
from sklearn.utils import check_array, check_random_state
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from ...support.rounding import float32_losses
from .. import plugins
from ..base import Limit, Solver, Status
from ..errors import LARGEST_INTEGER, CoreError, SettingsError
from ..features import Features, sigma2_from_data
from ..kernels import Gaussian, Kernel, Linear, Polynomial
from ..models import Model, ModelError
from ..nu import NuNotFoundError, derive_nu
from ..problem import Problem
from ..rows import RowPolicy
from .fit import Fit
from .parameters import KERNELS, UNWEIGHTED, default_limit, in_python, parameters_of, plain, simple

if TYPE_CHECKING:
    import pandas as pd


class SolverClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """A solver as a classifier of scikit-learn, for two classes.

    Attributes
    ----------
    classes_ : (2,) array
        The labels; the second one is the positive class.
    n_features_in_ : int
    n_iter_ : int
        Iterations of the solver.
    counters_ : dict of str to int
        Exact costs of the fit, without those that the method does not count.
    converged_ : bool
        Whether the method has stopped by itself; otherwise a limit was reached.
    model_ : solvers.models.Model
        The predictor, without the training problem.
    curve_ : pandas.DataFrame
        A row for each evaluation: costs, times, and the measures on the training set (primal and, where the method has
        a lower bound, dual objective of the lambda form).

    Notes
    -----
    `model_` and `curve_` are computed when they are first needed, or when the estimator is pickled. Until both are
    there, the training points and kernel rows are held in memory; with ``evaluations=0`` there is no curve.
    """

    solver: ClassVar[type[Solver]]

    def fit(self, X: Any, y: Any, **unknown: Any) -> Self:
        """Train on (n, d) points, dense or sparse, and (n,) labels of two classes.

        Features are converted to float32. Of settings that count examples (``features``, ``batch_size``) at most n is
        used. Raises ValueError if the data or a parameter is not allowed. A ConvergenceWarning says that a method with
        a stopping rule has ended at a limit, that nu could not be derived, or that the
        predictor is constant or gives both classes' points one class; a DataConversionWarning, that features
        lose in float32 what tells the points apart.
        """
        for name in unknown:
            raise TypeError(f"{type(self).__name__}.fit takes X and y only, got {name}: {UNWEIGHTED}")
        with self._errors():
            given = {each.name: each.checked(getattr(self, each.name)) for each in parameters_of(self.solver)}
        X, y = self._validated(X, y, dtype="numeric")
        kind = type_of_target(y, input_name="y", raise_unknown=True)
        if kind != "binary":
            check_classification_targets(y)  # has a message of its own about numbers that are no classes
            raise ValueError(f"Only binary classification is supported. The type of the target is {kind}.")
        classes, labels = np.unique(y, return_inverse=True)
        if len(classes) < 2:
            raise ValueError(f"two classes are needed, and y has only one class, {classes.tolist()[0]!r}")
        given_X = X
        with np.errstate(over="ignore"):  # refused in the next check
            X = check_array(X, accept_sparse="csr", dtype=np.float32, order="C", input_name="X", estimator=self)
        if losses := float32_losses(_stored(_as_numbers(given_X)), getattr(self, "feature_names_in_", None)):
            text = f"{type(self).__name__}: {'; '.join(losses)}: scale X before, for example by StandardScaler"
            warnings.warn(text, DataConversionWarning, stacklevel=2)
        with self._errors():
            self._train(_stored(X), (2 * labels - 1).astype(np.int8), classes, given)
        self.classes_ = classes
        return self

    def _validated(self, *X_and_y: Any, **checks: Any) -> Any:
        """Return what scikit-learn's ``validate_data`` does; raises ValueError for dates, which it may take."""
        if dates := _dates(X_and_y[0]):
            raise ValueError(
                f"{type(self).__name__}: {dates}, but features must be numbers: drop the column, or convert it "
                "to a number, such as a number of days"
            )
        try:
            with np.errstate(over="ignore", invalid="ignore"):  # refused by scikit-learn in a sentence
                return validate_data(self, *X_and_y, accept_sparse="csr", **checks)
        except OverflowError as error:
            raise ValueError(f"{type(self).__name__}: X has a whole number that float64 cannot hold") from error

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        """Raise errors of settings as ValueError that names the class, and its parameters as they are here."""
        try:
            yield
        except (SettingsError, CoreError) as error:
            raise ValueError(f"{type(self).__name__}: {in_python(str(error))}") from error

    def _train(self, X: Features, y: NDArray[np.int8], classes: NDArray[Any], given: dict[str, Any]) -> None:
        n = X.shape[0]
        limit, default = self._limit(n, given)
        settings = {field.name: given[field.name] for field in dataclasses.fields(self.solver.Settings)}
        settings |= {name: min(settings[name], n) for name in self.solver.within_n}
        problem = self._problem(X, y, given)
        seed = int(check_random_state(given["random_state"]).randint(2**31 - 1))
        solver = plugins.make(self.solver, problem, self.solver.Settings(**settings), seed)
        fit = Fit(problem, X, classes.tolist(), given["evaluations"])
        status = fit.advance(solver, limit)
        self.converged_ = status is Status.CONVERGED
        self._fit = fit
        self.counters_ = {name: cost for name, cost in vars(solver.counters).items() if cost is not None}
        self.n_iter_ = self.counters_["iterations"]
        if not self.converged_ and self.solver.has_stopping_rule():
            reached = "epochs" if status is Status.PRESENTATIONS or default else status.value
            of_default = " (the default)" if default else f" = {given[reached]:g}"
            self._warn(f"it has reached {reached}{of_default} before it has converged; raise {reached}, or scale X")

        if defect := fit.defect(y, given["threads"] or os.cpu_count() or 1):
            self._warn(f"{defect}; scale X, or choose other parameters")

    def _warn(self, text: str, depth: int = 2) -> None:
        """Warn at the user's line, which called the method that is `depth` calls away from here."""
        warnings.warn(f"{type(self).__name__}: {text}", ConvergenceWarning, stacklevel=depth + 2)

    def _limit(self, n: int, given: dict[str, Any]) -> tuple[Limit, bool]:
        """Return the limits that are given, or the default one, and whether it is the default."""
        names = ("epochs", *Limit.__dataclass_fields__)
        limits = {name: given[name] for name in names if given.get(name) is not None}
        for name, value in limits.items():
            if name in self.solver.not_counted(self._kernel_name(given)):
                raise SettingsError(f"{name} = {value!r} cannot end the fit: the method does not count that here")
        if not limits:
            return default_limit(self.solver, n), True
        if "epochs" in limits:
            limits["presentations"] = math.ceil(min(limits.pop("epochs") * n, LARGEST_INTEGER))
        return Limit(**limits), False

    def _problem(self, X: Features, y: NDArray[np.int8], given: dict[str, Any]) -> Problem:
        numbers = {name: given[name] for name in ("C", "lambda_", "nu") if given.get(name) is not None}
        if len(numbers) > 1:
            raise SettingsError(f"at most one of C, lambda_ and nu is given, got {' and '.join(sorted(numbers))}")
        lambda_ = numbers.get("lambda_")
        if self.solver.needs and lambda_ is None and "nu" not in numbers:
            lambda_ = _inverse("C", numbers.get("C", 1.0), X.shape[0])
        rows = {"memory_bytes": given["memory"], "threads": given["threads"]}
        try:
            problem = Problem(
                X,
                y,
                self._make_kernel(X, given),
                lambda_=lambda_,
                nu=numbers.get("nu"),
                bias=given.get("bias", True in self.solver.biases),
                rho=given.get("rho", 0.0),
                rows=RowPolicy(**{name: value for name, value in rows.items() if value is not None}),
            )
        except SettingsError as error:
            if "C" in numbers and str(error).startswith("lambda"):
                raise SettingsError(f"C = {numbers['C']!r}: {error}") from error
            raise
        if "nu" in self.solver.needs and problem.nu is None:
            try:
                problem.nu = derive_nu(problem)
            except NuNotFoundError as error:
                problem.nu = error.estimate
                text = f"{in_python(str(error))}, or scale X; the fit goes on with nu = {error.estimate:g}"
                self._warn(text, depth=3)
        return problem

    def _kernel_name(self, given: dict[str, Any]) -> str:
        """Return the project's name of the kernel."""
        if "kernel" in given:
            return KERNELS[given["kernel"]]
        (only,) = self.solver.kernels
        return only

    def _make_kernel(self, X: Features, given: dict[str, Any]) -> Kernel:
        name, sigma2, gamma = self._kernel_name(given), given.get("sigma2"), given.get("gamma")
        if name == Linear.name:
            return Linear()
        if sigma2 is not None and gamma is not None:
            raise SettingsError("at most one of sigma2 and gamma is given: gamma = 1/(2 sigma2)")
        if gamma == "auto":
            sigma2 = X.shape[1] / 2
        elif gamma == "scale":
            with contextlib.suppress(SettingsError):  # all values are equal: scikit-learn takes gamma = 1
                sigma2 = sigma2_from_data(X)
            sigma2 = sigma2 or 0.5
        elif gamma is not None:
            sigma2 = _inverse("gamma", gamma, 2)
        elif sigma2 is None:
            sigma2 = sigma2_from_data(X)
        if name == Gaussian.name:
            return Gaussian(sigma2)
        return Polynomial(given["degree"], _inverse("sigma2", sigma2, 2), given["coef0"])

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return f(x), (m,) float64, for (m, d) points: positive for the second class."""
        check_is_fitted(self)
        X = self._validated(X, reset=False, dtype=np.float32, order="C")
        with self._errors():
            (threads,) = (each.checked(self.threads) for each in parameters_of(self.solver) if each.name == "threads")
            return self._fit.model().decision_values(_stored(X), threads or os.cpu_count() or 1)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each of (m, d) points, (m,)."""
        positive = self.decision_function(X) > 0.0
        predicted: NDArray[Any] = self.classes_[positive.astype(np.intp)]
        return predicted

    @property
    def model_(self) -> Model:
        """The predictor without the training problem."""
        check_is_fitted(self)
        return self._fit.model()

    @property
    def curve_(self) -> pd.DataFrame:
        """The curve of the fit: see the class."""
        check_is_fitted(self)
        curve = self._fit.curve()
        if curve is None:
            raise AttributeError("this estimator has no curve: it was loaded from a file, or fitted with evaluations=0")
        return curve

    def save(self, path: Path | str) -> None:
        """Write the fitted estimator to a file without pickled objects; the curve is not part of it.

        Raises OSError if it cannot be written.
        """
        check_is_fitted(self)
        parameters = {name: simple(plain(value)) for name, value in self.get_params().items()}
        if not isinstance(parameters["random_state"], int):
            parameters["random_state"] = None
        about = {
            "estimator": type(self).__name__,
            "algo": self.solver.name,
            "settings": parameters,
            "counters": self.counters_,
            "converged": self.converged_,
            "names": list(getattr(self, "feature_names_in_", ())),
        }
        dataclasses.replace(self.model_, about=about).save(path)

    @classmethod
    def load(cls, path: Path | str) -> Self:
        """Read a fitted estimator that `save` has written.

        Raises ModelError if the file is missing, damaged, of another version, or of another estimator.
        """
        model = Model.load(path)
        about = model.about
        if about.get("estimator") != cls.__name__:
            found = about.get("estimator") or f"a run of algo={about.get('algo')}: read it by solvers.models.Model.load"
            raise ModelError(f"{path} is not a model of {cls.__name__}, but of {found}")
        try:
            estimator = cls(**{name: simple(value) for name, value in about["settings"].items()})
            estimator.counters_, estimator.converged_ = dict(about["counters"]), bool(about["converged"])
            names, estimator.n_iter_ = list(about["names"]), estimator.counters_["iterations"]
        except Exception as error:  # whatever foreign entries raise
            raise ModelError(f"{path} has other settings than {cls.__name__} has: {error}") from error
        estimator._fit = Fit.of_model(model)
        estimator.classes_ = np.asarray(model.classes)
        estimator.n_features_in_ = model.d
        if names:
            estimator.feature_names_in_ = np.asarray(names, dtype=object)
        return estimator

    def __sklearn_is_fitted__(self) -> bool:
        # without this method a fitted estimator is one with an attribute like `lambda_`, which is a parameter here
        return "_fit" in vars(self)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_class = False
        return tags


def _inverse(name: str, value: float, factor: int) -> float:
    """Return 1 / (factor value); raises SettingsError if float64 cannot hold it."""
    product = factor * value
    inverse = 1.0 / product if product > 0 else math.inf
    if not 0.0 < inverse < math.inf:
        raise SettingsError(f"{name} = {value!r}: 1/({factor} {name}) must be a positive number in float64")
    return inverse


def _dates(X: Any) -> str:
    """Return in words which column of an array or a data frame holds dates or durations; an empty text: none."""
    if isinstance(X, np.ndarray):
        return f"X holds {X.dtype}" if X.dtype.kind in "mM" else ""
    pairs = zip(getattr(X, "columns", ()), getattr(X, "dtypes", ()), strict=False)
    dates = (f"column {name} holds {kind}" for name, kind in pairs if getattr(kind, "kind", None) in {"m", "M"})
    return next(dates, "")


def _as_numbers(X: Any) -> Any:
    """Return checked points in float64 if they are objects, as those of a data frame with categories."""
    return X if X.dtype.kind in "biuf" else X.astype(np.float64)


def _stored(X: Any) -> Features:
    """Return checked points as the core stores them; scikit-learn may pass a sparse array instead of a matrix."""
    stored: Features = sparse.csr_matrix(X) if sparse.issparse(X) else X  # type: ignore[call-overload]
    return stored
