"""scikit-learn estimators of the solvers: `SBPClassifier`, `SIMBAClassifier`, `SGDMClassifier`, one for each solver.

A class is made when it is first asked for, from the solver's Settings: its parameters have their names, defaults and
descriptions. ``dir(solvers.estimators)`` lists all classes.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from functools import cache
from typing import Any

from svm_cost_curves.solvers.base import Solver
from svm_cost_curves.solvers.estimators.classifier import SolverClassifier
from svm_cost_curves.solvers.estimators.parameters import parameters_of
from svm_cost_curves.solvers.registry import get, names

__all__ = ["SolverClassifier", "all_classifiers"]
_ACRONYMS = frozenset(
    "Asset Cpny Cpsp Dcd Lasvm Liblinear Libsvm Mpu Ocas Qn Sbp Sdca Sgd Simba Smo Svm".split()  # noqa: SIM905
)
"""Parts of solvers' class names that their papers write in capitals."""
_SUFFIX = "Classifier"


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


def class_name(solver: type[Solver]) -> str:
    """Return the name of a solver's estimator: ``SBPClassifier`` for ``Sbp``."""
    parts = re.findall("[A-Z][a-z0-9]*", solver.__name__)
    return "".join(part.upper() if part in _ACRONYMS else part for part in parts) + _SUFFIX


def solver_of(estimator: str) -> str | None:
    """Return the name of the solver whose estimator has this class name; None if there is none."""
    return next((name for name in names() if class_name(get(name)) == estimator), None)


@cache
def make_classifier(name: str) -> type[SolverClassifier]:
    """Make the estimator class of the solver called `name`; raises SettingsError if there is none."""
    solver = get(name)
    signature = inspect.Signature(
        [
            inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD),
            *(
                inspect.Parameter(parameter.name, inspect.Parameter.KEYWORD_ONLY, default=parameter.default)
                for parameter in parameters_of(solver)
            ),
        ]
    )

    def __init__(self: SolverClassifier, **parameters: Any) -> None:  # noqa: N807
        bound = signature.bind(self, **parameters)
        bound.apply_defaults()
        for parameter, value in bound.arguments.items():
            if parameter != "self":
                setattr(self, parameter, value)

    vars_of_init: Any = __init__
    vars_of_init.__signature__ = signature  # scikit-learn reads the names of the parameters there
    content = {"__init__": __init__, "__doc__": _documentation(solver), "__module__": __package__, "solver": solver}
    return type(class_name(solver), (SolverClassifier,), content)


def _documentation(solver: type[Solver]) -> str:
    lines = [f"{solver.summary}.", "", *inspect.cleandoc(solver.__doc__ or "").splitlines(), ""]
    lines += ["Parameters", "----------"]
    for parameter in parameters_of(solver):
        default = f'"{parameter.default}"' if isinstance(parameter.default, str) else parameter.default
        lines.append(f"{parameter.name} : {parameter.type}, default {default}")
        lines += textwrap.wrap(parameter.text, 112, initial_indent="    ", subsequent_indent="    ")
    return "\n".join([*lines, "", *inspect.cleandoc(SolverClassifier.__doc__ or "").splitlines()[2:]])
