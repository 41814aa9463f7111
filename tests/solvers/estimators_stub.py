"""Writes `solvers/estimators/__init__.pyi`: the classes that are made when they are asked for, for type checkers.

Run this file after a solver or a setting has changed.
"""

from __future__ import annotations

import textwrap
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, get_args, get_origin

from svm_cost_curves.solvers import registry
from svm_cost_curves.solvers.estimators.classes import make_classifier
from svm_cost_curves.solvers.estimators.parameters import RandomState, choices_of, kinds_of, parameters_of

STUB = Path(__file__).resolve().parents[2] / "solvers" / "estimators" / "__init__.pyi"
HEAD = '''"""scikit-learn estimators of the solvers; written by tests/solvers/estimators_stub.py."""

from typing import Literal

import numpy as np

from .classifier import SolverClassifier

__all__ = ["all_classifiers"]

def all_classifiers() -> dict[str, type[SolverClassifier]]: ...
'''
CLASS = '''
class {name}(SolverClassifier):
    """{text}
    """

    def __init__(
        self,
        *,
{parameters}    ) -> None: ...
'''


def stub() -> str:
    """Return the text of the stub: the project's own solvers, without those of SVM_SOLVERS."""
    own = [name for name, solver in registry.solver_classes().items() if not registry.is_plugin(solver)]
    return HEAD + "".join(map(_class, own))


def _class(solver: str) -> str:
    made = make_classifier(solver)
    every = parameters_of(made.solver)
    common = next(one.name for one in every if one.name not in made.solver.Settings.__dataclass_fields__)
    text, _, _ = (made.__doc__ or "").partition(f"\n{common} : ")  # the rest is alike in all classes
    text = text.removesuffix("\n\nParameters\n----------")
    lines = [f"{one.name}: {_type(one.hint)} = {_literal(one.default)},\n" for one in every]
    parameters = textwrap.indent("".join(lines), 8 * " ")
    return CLASS.format(name=made.__name__, text=textwrap.indent(text, 4 * " ").strip(), parameters=parameters)


def _literal(default: Any) -> str:
    return f'"{default}"' if isinstance(default, str) else repr(default)


def _type(hint: Any) -> str:
    return " | ".join(map(_kind, kinds_of(hint)))


def _kind(kind: Any) -> str:
    if texts := choices_of(kind):
        return f"Literal[{', '.join(map(_literal, texts))}]"
    if get_origin(kind) is list:
        (item,) = map(_kind, get_args(kind))
        return f"tuple[{item}, ...] | list[{item}]"
    if kind is RandomState:
        return "np.random.RandomState"
    if get_origin(kind) is Annotated:
        return _kind(get_args(kind)[0])
    return "None" if kind is NoneType else str(kind.__name__)


if __name__ == "__main__":
    STUB.write_text(stub(), encoding="utf-8")
