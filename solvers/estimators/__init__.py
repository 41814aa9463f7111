"""scikit-learn estimators of the solvers: `SBPClassifier`, `SIMBAClassifier`, `SGDMClassifier`, one for each solver.

A class is made when it is first asked for, from the solver's Settings: its parameters have their names, defaults and
descriptions. ``dir(solvers.estimators)`` lists all classes.
"""

from __future__ import annotations

from typing import Any

from svm_cost_curves.solvers.estimators.classifier import SolverClassifier
from svm_cost_curves.solvers.estimators.factory import make_classifier, solver_of
from svm_cost_curves.solvers.registry import names

__all__ = ["SolverClassifier", "all_classifiers"]


def all_classifiers() -> dict[str, type[SolverClassifier]]:
    """Return the estimators of all solvers, by the solvers' names."""
    return {name: make_classifier(name) for name in names()}


def __getattr__(name: str) -> Any:
    """Return an estimator's class by its name; pickle and joblib find it here as well."""
    solver = None if name.startswith("_") else solver_of(name)
    if solver is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return make_classifier(solver)


def __dir__() -> list[str]:
    return sorted([*__all__, *(made.__name__ for made in all_classifiers().values())])
