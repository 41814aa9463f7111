"""The base class of all estimators: a solver behind the interface of scikit-learn."""

from __future__ import annotations

import dataclasses
import math
import os
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self, get_type_hints

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter, ValidationError
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from svm_cost_curves.solvers import plugins
from svm_cost_curves.solvers.base import Limit, Solver
from svm_cost_curves.solvers.errors import LARGEST_INTEGER, CoreError, SettingsError
from svm_cost_curves.solvers.estimators.fit import Fit
from svm_cost_curves.solvers.estimators.parameters import KERNELS, default_limit, simple
from svm_cost_curves.solvers.features import Features, sigma2_from_data
from svm_cost_curves.solvers.kernels import Gaussian, Kernel, Linear, Polynomial
from svm_cost_curves.solvers.models import Model, ModelError
from svm_cost_curves.solvers.nu import derive_nu
from svm_cost_curves.solvers.problem import Problem
from svm_cost_curves.solvers.rows import RowPolicy

if TYPE_CHECKING:
    import pandas as pd

_PREFIX = re.compile(r"\b(?:algo|problem|kernel|budget)\.(?=[a-zA-Z])")
"""Of a setting's name on the command line, which messages have."""


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

    def fit(self, X: Any, y: Any) -> Self:
        """Train on (n, d) points, dense or sparse, and (n,) labels of two classes.

        Features are converted to float32. Of settings that count examples (``features``, ``batch_size``) at most n is
        used. Raises ValueError if the data or a parameter is not allowed.
        """
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float32, order="C")
        kind = type_of_target(y, input_name="y", raise_unknown=True)
        if kind != "binary":
            check_classification_targets(y)  # has a message of its own about numbers that are no classes
            raise ValueError(f"Only binary classification is supported. The type of the target is {kind}.")
        classes, labels = np.unique(y, return_inverse=True)
        if len(classes) < 2:
            raise ValueError(f"two classes are needed, and y has only one class, {classes[0]!r}")
        try:
            self._train(_stored(X), (2 * labels - 1).astype(np.int8), classes)
        except (SettingsError, CoreError) as error:
            raise ValueError(f"{type(self).__name__}: {_PREFIX.sub('', str(error))}") from error
        self.classes_ = classes
        return self

    def _train(self, X: Features, y: NDArray[np.int8], classes: NDArray[Any]) -> None:
        n = X.shape[0]
        settings, limit = self._settings(n), self._limit(n)
        problem = self._problem(X, y)
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        if not isinstance(self.evaluations, int | np.integer) or self.evaluations < 0:
            raise SettingsError(f"evaluations = {self.evaluations!r}: it must be a whole number, at least 0")
        solver = plugins.make(self.solver, problem, settings, seed)
        fit = Fit(problem, X, classes.tolist(), int(self.evaluations))
        self.converged_ = fit.advance(solver, limit)
        self._fit = fit
        self.counters_ = {name: cost for name, cost in vars(solver.counters).items() if cost is not None}
        self.n_iter_ = self.counters_["iterations"]

    def _settings(self, n: int) -> Any:
        """Return the solver's settings; their types are checked."""
        adapters = _adapters(self.solver)
        given = {name: _plain(getattr(self, name)) for name in adapters}
        for name in self.solver.within_n:
            given[name] = min(given[name], n)
        try:
            checked = {name: adapters[name].validate_python(value) for name, value in given.items()}
            return self.solver.Settings(**checked)
        except ValidationError as error:
            (first, *_) = error.errors()
            names = ", ".join(f"{name} = {value!r}" for name, value in given.items())
            raise SettingsError(f"a setting has a wrong type or value ({names}): {first['msg']}") from error

    def _limit(self, n: int) -> Limit:
        """Return the limits that are given, or the default one."""
        given = {name: getattr(self, name, None) for name in ("epochs", *Limit.__dataclass_fields__)}
        limits = {name: value for name, value in given.items() if value is not None}
        for name, value in limits.items():
            if not 0 < value <= LARGEST_INTEGER:
                raise SettingsError(f"{name} = {value!r}: it must be positive and at most 2^63 - 1, or None: no limit")
            if name in self.solver.not_counted(self._kernel_name()):
                raise SettingsError(f"{name} = {value!r} cannot end the fit: the method does not count that here")
        if not limits:
            return default_limit(self.solver, n)
        if "epochs" in limits:
            limits["presentations"] = min(limits.pop("epochs") * n, LARGEST_INTEGER)
        return Limit(**{name: value if name == "cpu_seconds" else math.ceil(value) for name, value in limits.items()})

    def _problem(self, X: Features, y: NDArray[np.int8]) -> Problem:
        given = {name: getattr(self, name, None) for name in ("C", "lambda_", "nu")}
        numbers = {name: float(value) for name, value in given.items() if value is not None}
        if len(numbers) > 1:
            raise SettingsError(f"at most one of C, lambda_ and nu is given, got {' and '.join(sorted(numbers))}")
        lambda_ = numbers.get("lambda_")
        if self.solver.needs and lambda_ is None and "nu" not in numbers:
            C = numbers.get("C", 1.0)
            if not C > 0:
                raise SettingsError(f"C = {C!r}: it must be positive")
            lambda_ = 1.0 / (C * X.shape[0])
        given_rows = {"memory_bytes": self.memory, "threads": self.threads}
        rows: dict[str, Any] = {name: int(value) for name, value in given_rows.items() if value is not None}
        problem = Problem(
            X,
            y,
            self._make_kernel(X),
            lambda_=lambda_,
            nu=numbers.get("nu"),
            bias=getattr(self, "bias", True in self.solver.biases),
            rho=getattr(self, "rho", 0.0),
            rows=RowPolicy(**rows),
        )
        if "nu" in self.solver.needs and problem.nu is None:
            problem.nu = derive_nu(problem)
        return problem

    def _kernel_name(self) -> str:
        """Return the project's name of the kernel."""
        name = getattr(self, "kernel", None)
        if name is None:
            (only,) = self.solver.kernels
            return only
        if name not in KERNELS or KERNELS[name] not in self.solver.kernels:
            known = " or ".join(
                repr(sklearn_name) for sklearn_name, ours in KERNELS.items() if ours in self.solver.kernels
            )
            raise SettingsError(f"kernel = {name!r}: it must be {known}")
        return KERNELS[name]

    def _make_kernel(self, X: Features) -> Kernel:
        name, sigma2, gamma = self._kernel_name(), getattr(self, "sigma2", None), getattr(self, "gamma", None)
        if name == Linear.name:
            return Linear()
        if sigma2 is not None and gamma is not None:
            raise SettingsError("at most one of sigma2 and gamma is given: gamma = 1/(2 sigma2)")
        if gamma is not None and not gamma > 0:
            raise SettingsError(f"gamma = {gamma!r}: it must be positive")
        if sigma2 is None:
            sigma2 = sigma2_from_data(X) if gamma is None else 0.5 / float(gamma)
        if name == Gaussian.name:
            return Gaussian(float(sigma2))
        return Polynomial(int(self.degree), 0.5 / float(sigma2), float(self.coef0))

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return f(x), (m,) float64, for (m, d) points: positive for the second class."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, accept_sparse="csr", dtype=np.float32, order="C")
        return self._fit.model().decision_values(_stored(X), int(self.threads or os.cpu_count() or 1))

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
        parameters = {name: simple(_plain(value)) for name, value in self.get_params().items()}
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
            other = about.get("estimator") or f"a run of algo={about.get('algo')}: read it by solvers.models.Model.load"
            raise ModelError(f"{path} is not a model of {cls.__name__}, but of {other}")
        try:
            estimator = cls(**{name: simple(value) for name, value in about["settings"].items()})
            estimator.counters_, estimator.converged_ = dict(about["counters"]), bool(about["converged"])
            names = list(about["names"])
        except (KeyError, TypeError) as error:
            raise ModelError(f"{path} has other settings than {cls.__name__} has: {error}") from error
        estimator._fit = Fit.of_model(model)
        estimator.classes_ = np.asarray(model.classes)
        estimator.n_iter_, estimator.n_features_in_ = estimator.counters_["iterations"], model.d
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


@cache
def _adapters(solver: type[Solver]) -> dict[str, TypeAdapter[Any]]:
    """Return what checks the type of each setting; making them takes longer than checking."""
    hints = get_type_hints(solver.Settings)
    return {field.name: TypeAdapter(hints[field.name]) for field in dataclasses.fields(solver.Settings)}


def _stored(X: Any) -> Features:
    """Return checked points as the core stores them; scikit-learn may pass a sparse array instead of a matrix."""
    stored: Features = sparse.csr_matrix(X) if sparse.issparse(X) else X  # type: ignore[call-overload]
    return stored


def _plain(value: Any) -> Any:
    """Return numpy's numbers as Python's."""
    return value.item() if isinstance(value, np.generic) else value
