"""The parameters of an estimator: those that its solver's problem, limits and Settings have."""

from __future__ import annotations

import ast
import dataclasses
import enum
import inspect
import math
import re
import reprlib
import textwrap
from dataclasses import dataclass
from functools import cache, cached_property
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np
from pydantic import (
    Field,
    InstanceOf,
    NonNegativeFloat,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    TypeAdapter,
    ValidationError,
)

from ..base import Limit, Solver
from ..errors import LARGEST_INTEGER, SettingsError
from ..kernels import Polynomial
from ..rows import MAX_THREADS

KERNELS = {"rbf": "gaussian", "poly": "polynomial", "linear": "linear"}
"""scikit-learn's names of the kernels, and those of this project."""
OPEN_EPOCHS, STOPPED_EPOCHS = 10.0, 10_000.0
"""Epochs of a method without a stopping rule, and of one with it, if no limit is given."""


UNWEIGHTED = "all examples have the same weight in these solvers"
_WORDING = (
    (re.compile(r"\balgo=\w+: "), ""),
    (re.compile(r"\b(?:algo|problem|kernel|budget)\.(?=[a-zA-Z])"), ""),
    (re.compile(r"\blambda = "), "lambda_ = "),
    (re.compile(r"\bkernel=gaussian\b"), 'kernel="rbf"'),
    (re.compile(r"\bkernel=polynomial\b"), 'kernel="poly"'),
    (re.compile(r"\bkernel=linear\b"), 'kernel="linear"'),
    (re.compile(r"\bmemory="), "memory"),
    (re.compile(r"\bnull\b"), "None"),
)
"""How messages name settings of the command line, and what they are here."""
Seed = Annotated[int, Field(ge=0, le=2**32 - 1)]
Threads = Annotated[int, Field(ge=1, le=MAX_THREADS)]
RandomState = InstanceOf[np.random.RandomState]
_WORDS: dict[Any, str] = {
    NoneType: "None",
    bool: "True or False",
    int: "a whole number",
    float: "a finite number",
    PositiveInt: "a positive whole number",
    NonNegativeInt: "a whole number, at least 0",
    PositiveFloat: "a positive number",
    NonNegativeFloat: "a number, at least 0",
    list[int]: "a tuple of whole numbers",
    Seed: "a whole number from 0 to 2^32 - 1",
    Threads: f"a whole number from 1 to {MAX_THREADS}",
    RandomState: "a numpy.random.RandomState",
}
"""What a value of a type is, in words."""


@dataclass(frozen=True)
class Parameter:
    """One parameter: its name, type, default, and description."""

    name: str
    hint: Any
    default: Any
    text: str

    @cached_property
    def allowed(self) -> str:
        """What a value may be, in words."""
        kinds = (
            _WORDS.get(kind) or [f'"{text}"' for text in choices_of(kind)] or str(kind) for kind in kinds_of(self.hint)
        )
        *most, last = (text for kind in kinds for text in ([kind] if isinstance(kind, str) else kind))
        return f"{', '.join(most)}{' or ' * bool(most)}{last}"

    @cached_property
    def _adapter(self) -> TypeAdapter[Any]:
        return TypeAdapter(self.hint)

    def checked(self, value: Any) -> Any:
        """Return a value with Python's types, and a choice as the solver has it; raises SettingsError.

        Types are strict: a whole number is no text, no truth value, and no float.
        """
        given = plain(value)
        if isinstance(self.hint, type) and issubclass(self.hint, enum.Enum) and isinstance(given, str):
            given = next((member for member in self.hint if member.value == given), given)
        if get_origin(self.hint) is list and isinstance(given, tuple | np.ndarray):
            given = [plain(item) for item in given]
        try:
            checked = self._adapter.validate_python(given, strict=True)
        except (ValidationError, OverflowError):  # OverflowError: a whole number beyond float64
            checked = math.nan
        too_large = isinstance(checked, int) and abs(checked) > LARGEST_INTEGER
        if too_large or (isinstance(checked, float) and not math.isfinite(checked)):
            shown = " ".join(reprlib.repr(value).split())
            limit = ", up to 2^63 - 1" if too_large else ""
            raise SettingsError(f"{self.name} = {shown}: it must be {self.allowed}{limit}")
        return checked


def in_python(text: str) -> str:
    """Return a message with the parameters' names and values as they are in Python."""
    for pattern, replacement in _WORDING:
        text = pattern.sub(replacement, text)
    return text


def kinds_of(hint: Any) -> tuple[Any, ...]:
    """Return the members of a union, or the type itself."""
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)


def plain(value: Any) -> Any:
    """Return numpy's numbers as Python's."""
    return value.item() if isinstance(value, np.generic) else value


def choices_of(kind: Any) -> list[str]:
    """Return the texts that a type allows; none if it is not a choice."""
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return [member.value for member in kind]
    return list(get_args(kind)) if get_origin(kind) is Literal else []


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


def _default_epochs(solver: type[Solver]) -> float:
    return STOPPED_EPOCHS if solver.has_stopping_rule() else OPEN_EPOCHS


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
        Parameter(field.name, hints[field.name], simple(getattr(defaults, field.name)), in_python(texts[field.name]))
        for field in dataclasses.fields(solver.Settings)
    ]


def _kernel(solver: type[Solver]) -> list[Parameter]:
    names = [name for name, ours in KERNELS.items() if ours in solver.kernels]
    parameters = []
    if len(names) > 1:
        text = "Kernel function; rbf is the Gaussian kernel."
        parameters.append(Parameter("kernel", Literal[tuple(names)], names[0], text))
    if "rbf" in names:
        text = "Width of the Gaussian kernel exp(-|x - z|^2 / (2 sigma2)); at most one of sigma2 and gamma is given."
        parameters.append(Parameter("sigma2", PositiveFloat | None, None, text))
    if names != ["linear"]:
        text = (
            '1/(2 sigma2), and the factor of the polynomial kernel. "scale": 1/(d Var(X)) for d features, or 1 if all '
            'values of X are equal; "auto": 1/d. None: as "scale", but equal values are refused.'
        )
        parameters.append(Parameter("gamma", PositiveFloat | Literal["scale", "auto"] | None, None, text))
    if "poly" in names:
        text = "Degree of the polynomial kernel (gamma <x, z> + coef0)^degree, up to 16."
        parameters.append(Parameter("degree", PositiveInt, Polynomial.degree, text))
        parameters.append(Parameter("coef0", NonNegativeFloat, Polynomial.coef0, "Constant of the polynomial kernel."))
    if "linear" in names:
        text = "A constant feature appended to every example, for the linear kernel: a regularised bias. 0: none."
        parameters.append(Parameter("rho", float, 0.0, text))
    return parameters


def _problem(solver: type[Solver]) -> list[Parameter]:
    parameters = []
    if solver.needs:
        names = "C, lambda_ and nu" if "nu" in solver.needs else "C and lambda_"
        text = f"1/(lambda n), the weight of the losses. At most one of {names} is given. Without any: C = 1."
        parameters.append(Parameter("C", PositiveFloat | None, None, text))
        text = "Weight of the norm in lambda/2 |w|^2 + mean hinge loss."
        parameters.append(Parameter("lambda_", PositiveFloat | None, None, text))
    if "nu" in solver.needs:
        text = "Bound on the mean slack. None: derived from C; this solves the problem by SMO, which takes long."
        parameters.append(Parameter("nu", NonNegativeFloat | None, None, text))
    if len(solver.biases) > 1:
        parameters.append(Parameter("bias", bool, False, "Whether the predictor has an unregularised bias."))
    return parameters


def _limits(solver: type[Solver]) -> list[Parameter]:
    parameters = []
    if "presentations" not in solver.uncounted:
        choice = ", not counting the choice of t0" if "t0" in _names(solver.Settings) else ""
        text = f"Limit on presentations, divided by n. Without any limit: {_default_epochs(solver):,.0f}{choice}."
        parameters.append(Parameter("epochs", PositiveFloat | None, None, text))
    for name in Limit.__dataclass_fields__:
        if name not in {"presentations", *solver.uncounted}:
            hint = PositiveFloat | None if name == "cpu_seconds" else PositiveInt | None
            text = f"Limit on {name.replace('_', ' ').replace('cpu', 'CPU')}: fit ends at the first limit reached."
            parameters.append(Parameter(name, hint, None, text))
    return parameters


def _resources() -> list[Parameter]:
    seed = Seed | RandomState | None
    return [
        Parameter("evaluations", NonNegativeInt, 10, "Points of the curve, at most; each doubles the cost. 0: none."),
        Parameter("memory", PositiveInt | None, None, "Bytes for the run, with its kernel rows. None: 4 GiB."),
        Parameter("threads", Threads | None, None, "Threads for kernel rows and predictions. None: one for each core."),
        Parameter("random_state", seed, None, "Seed of all random choices."),
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
