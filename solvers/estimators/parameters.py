"""The parameters of an estimator: those that its solver's problem, limits and Settings have."""

from __future__ import annotations

import ast
import dataclasses
import enum
import inspect
import textwrap
from dataclasses import dataclass
from functools import cache
from typing import Any, get_type_hints

from svm_cost_curves.solvers.base import Limit, Solver
from svm_cost_curves.solvers.kernels import Polynomial

KERNELS = {"rbf": "gaussian", "poly": "polynomial", "linear": "linear"}
"""scikit-learn's names of the kernels, and those of this project."""
OPEN_EPOCHS, STOPPED_EPOCHS = 10.0, 10_000.0
"""Epochs of a method without a stopping rule, and of one with it, if no limit is given."""


@dataclass(frozen=True)
class Parameter:
    """One parameter: its name, type as text, default, and description."""

    name: str
    type: str
    default: Any
    text: str


@cache
def parameters_of(solver: type[Solver]) -> tuple[Parameter, ...]:
    """Return an estimator's parameters: the solver's own settings first, then the common ones.

    A common parameter that has the name of one of the settings is left out: the solver's own counts.
    """
    settings = _settings(solver)
    taken = {parameter.name for parameter in settings}
    common = [*_kernel(solver), *_problem(solver), *_limits(solver), *_resources()]
    return (*settings, *(parameter for parameter in common if parameter.name not in taken))


def default_limit(solver: type[Solver], n: int) -> Limit:
    """Return the limit of a fit on n examples for which none is given.

    A method that chooses t0 on a sample may need many epochs for that: it gets the default epochs in iterations.
    """
    if "presentations" in solver.uncounted:
        return Limit()
    count = int(_default_epochs(solver) * n)
    return Limit(iterations=count) if "t0" in _names(solver.Settings) else Limit(presentations=count)


def stops_by_itself(settings: type) -> bool:
    """Return whether a setting says how accurate the result is to be, and so when to stop."""
    return not _names(settings).isdisjoint(("eps", "tolerance"))


def _default_epochs(solver: type[Solver]) -> float:
    return STOPPED_EPOCHS if stops_by_itself(solver.Settings) else OPEN_EPOCHS


def _names(settings: type) -> set[str]:
    return {field.name for field in dataclasses.fields(settings)}


def simple(value: Any) -> Any:
    """Return a setting as a parameter: scikit-learn wants defaults to be numbers, texts or tuples."""
    if isinstance(value, enum.Enum):
        return value.value
    return tuple(value) if isinstance(value, list) else value


def _settings(solver: type[Solver]) -> list[Parameter]:
    texts, hints, defaults = field_texts(solver.Settings), get_type_hints(solver.Settings), solver.Settings()
    return [
        Parameter(field.name, _type_text(hints[field.name]), simple(getattr(defaults, field.name)), texts[field.name])
        for field in dataclasses.fields(solver.Settings)
    ]


def _kernel(solver: type[Solver]) -> list[Parameter]:
    names = [name for name, ours in KERNELS.items() if ours in solver.kernels]
    parameters = []
    if len(names) > 1:
        allowed = "{" + ", ".join(f'"{name}"' for name in names) + "}"
        parameters.append(Parameter("kernel", allowed, names[0], "Kernel function; rbf is the Gaussian kernel."))
    if "rbf" in names:
        text = "Width of the Gaussian kernel exp(-|x - z|^2 / (2 sigma2)); at most one of sigma2 and gamma is given."
        parameters.append(Parameter("sigma2", "float or None", None, text))
    if names != ["linear"]:
        text = "1/(2 sigma2), and the factor of the polynomial kernel. None: 1/(d Var(X)) for d features."
        parameters.append(Parameter("gamma", "float or None", None, text))
    if "poly" in names:
        text = "Degree of the polynomial kernel (gamma <x, z> + coef0)^degree."
        parameters.append(Parameter("degree", "int", Polynomial.degree, text))
        parameters.append(Parameter("coef0", "float", Polynomial.coef0, "Constant of the polynomial kernel."))
    if "linear" in names:
        text = "A constant feature appended to every example, for the linear kernel: a regularised bias. 0: none."
        parameters.append(Parameter("rho", "float", 0.0, text))
    return parameters


def _problem(solver: type[Solver]) -> list[Parameter]:
    parameters = []
    if solver.needs:
        names = "C, lambda_ and nu" if "nu" in solver.needs else "C and lambda_"
        text = f"1/(lambda n), the weight of the losses. At most one of {names} is given. Without any: C = 1."
        parameters.append(Parameter("C", "float or None", None, text))
        text = "Weight of the norm in lambda/2 |w|^2 + mean hinge loss."
        parameters.append(Parameter("lambda_", "float or None", None, text))
    if "nu" in solver.needs:
        text = "Bound on the mean slack. None: derived from C; this solves the problem by SMO, which takes long."
        parameters.append(Parameter("nu", "float or None", None, text))
    if len(solver.biases) > 1:
        parameters.append(Parameter("bias", "bool", False, "Whether the predictor has an unregularised bias."))
    return parameters


def _limits(solver: type[Solver]) -> list[Parameter]:
    parameters = []
    if "presentations" not in solver.uncounted:
        choice = ", not counting the choice of t0" if "t0" in _names(solver.Settings) else ""
        text = f"Limit on presentations, divided by n. Without any limit: {_default_epochs(solver):,.0f}{choice}."
        parameters.append(Parameter("epochs", "float or None", None, text))
    for name in Limit.__dataclass_fields__:
        if name not in {"presentations", *solver.uncounted}:
            kind = "float" if name == "cpu_seconds" else "int"
            text = f"Limit on {name.replace('_', ' ').replace('cpu', 'CPU')}: fit ends at the first limit reached."
            parameters.append(Parameter(name, f"{kind} or None", None, text))
    return parameters


def _resources() -> list[Parameter]:
    return [
        Parameter("evaluations", "int", 10, "Points of the curve, at most; each doubles the cost. 0: no curve."),
        Parameter("memory", "int or None", None, "Bytes for the run, with its kernel rows. None: 4 GiB."),
        Parameter("threads", "int or None", None, "Threads for kernel rows and predictions. None: one for each core."),
        Parameter("random_state", "int, RandomState or None", None, "Seed of all random choices."),
    ]


def field_texts(settings: type) -> dict[str, str]:
    """Return the description below each field of a dataclass, also of inherited fields; empty where there is none."""
    texts = dict.fromkeys((field.name for field in dataclasses.fields(settings)), "")
    for kind in reversed(settings.__mro__[:-1]):
        (tree,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
        assert isinstance(tree, ast.ClassDef)
        for node, after in zip(tree.body, tree.body[1:], strict=False):
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                match after:
                    case ast.Expr(value=ast.Constant(value=str(text))):
                        texts[node.target.id] = " ".join(text.split())
    return texts


def _type_text(hint: Any) -> str:
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return "{" + ", ".join(f'"{member.value}"' for member in hint) + "}"
    text = hint.__name__ if isinstance(hint, type) else str(hint)
    return text.replace(" | None", " or None").replace("list[int]", "tuple of int")
