"""Makes the estimators' classes from the solvers' Settings."""

from __future__ import annotations

import difflib
import inspect
import re
import textwrap
from functools import cache
from typing import Any

from ..base import Solver
from ..registry import get, names
from .classifier import SolverClassifier
from .parameters import UNWEIGHTED, parameters_of

_ACRONYMS = frozenset(
    "Asset Cpny Cpsp Dcd Lasvm Liblinear Libsvm Mpu Ocas Qn Sbp Sdca Sgd Simba Smo Svm".split()  # noqa: SIM905
)
"""Parts of solvers' class names that their papers write in capitals."""
_SUFFIX = "Classifier"
_OTHER_NAMES = {
    "n_jobs": "threads",
    "max_iter": "epochs",
    "tol": "tolerance or eps",
    "cache_size": "memory",
    "alpha": "lambda_",
    "seed": "random_state",
    "sigma": "sigma2",
    "n_components": "features",
}
"""Names of scikit-learn's SVMs, and those of the parameters here."""


def all_classifiers() -> dict[str, type[SolverClassifier]]:
    """Return the estimators of all solvers, by the solvers' names."""
    return {name: make_classifier(name) for name in names()}


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
    defaults = {parameter.name: parameter.default for parameter in parameters_of(solver)}
    signature = inspect.Signature(
        [
            inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD),
            *(
                inspect.Parameter(parameter, inspect.Parameter.KEYWORD_ONLY, default=default)
                for parameter, default in defaults.items()
            ),
        ]
    )

    def __init__(self: SolverClassifier, **parameters: Any) -> None:  # noqa: N807
        for given in parameters:
            if given not in defaults:
                raise TypeError(f"{type(self).__name__} has no parameter {given}: {_advice(given, list(defaults))}")
        for parameter, value in {**defaults, **parameters}.items():
            setattr(self, parameter, value)

    vars_of_init: Any = __init__
    vars_of_init.__signature__ = signature  # scikit-learn reads the names of the parameters there
    vars_of_init.__qualname__ = f"{class_name(solver)}.__init__"
    content = {"__init__": __init__, "__doc__": _documentation(solver), "__module__": __package__, "solver": solver}
    return type(class_name(solver), (SolverClassifier,), content)


def _advice(name: str, allowed: list[str]) -> str:
    """Return advice on which parameter to give instead of an unknown one."""
    if name == "class_weight":
        return UNWEIGHTED
    meant = [option for option in _OTHER_NAMES.get(name, "").split(" or ") if option in allowed]
    if meant := meant or difflib.get_close_matches(name, allowed, n=1):
        return f"did you mean {' or '.join(meant)}?"
    return f"it has {', '.join(allowed)}"


def _documentation(solver: type[Solver]) -> str:
    lines = [f"{solver.summary}.", "", *inspect.cleandoc(solver.__doc__ or "").splitlines(), ""]
    lines += ["Parameters", "----------"]
    for parameter in parameters_of(solver):
        default = f'"{parameter.default}"' if isinstance(parameter.default, str) else parameter.default
        lines.append(f"{parameter.name} : {parameter.allowed}, default {default}")
        lines += textwrap.wrap(parameter.text, 112, initial_indent="    ", subsequent_indent="    ")
    return "\n".join([*lines, "", *inspect.cleandoc(SolverClassifier.__doc__ or "").splitlines()[2:]])
