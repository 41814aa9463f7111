"""scikit-learn estimators of the solvers: `SBPClassifier`, `SIMBAClassifier`, `SGDMClassifier`, one for each solver.

A class is made when it is first asked for, from the solver's Settings: its parameters have their names, defaults and
descriptions. ``dir(solvers.estimators)`` lists all classes; ``__init__.pyi`` has their types for type checkers.
"""

from __future__ import annotations

from typing import Any

from .classes import all_classifiers, make_classifier, solver_of

__all__ = ["all_classifiers"]


def __getattr__(name: str) -> Any:
    """Return an estimator's class by its name; pickle and joblib find it here as well."""
    solver = None if name.startswith("_") else solver_of(name)
    if solver is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return make_classifier(solver)


def __dir__() -> list[str]:
    return sorted([*__all__, *(made.__name__ for made in all_classifiers().values())])
