"""Every public class, function, method and property of the compiled module has a docstring."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import core_stub
import pytest

from svm_cost_curves.solvers import _core


def documented(owner: Any, name: str) -> Iterator[tuple[str, str]]:
    """Names and docstrings of the public members of a module or class, those of nested classes included."""
    for member, value in vars(owner).items():
        if member.startswith("_") or not (callable(value) or isinstance(value, property)):
            continue
        if isinstance(value, owner if inspect.isclass(owner) else ()):
            continue  # a value of an enum
        yield f"{name}{member}", _own_text(value)
        if inspect.isclass(value):
            yield from documented(value, f"{name}{member}.")


def _own_text(value: Any) -> str:
    """Return the docstring without the signature that pybind11 puts before that of a function."""
    text = (vars(value).get("__doc__") if inspect.isclass(value) else value.__doc__) or ""
    return text.partition("\n\n")[2].strip() if "->" in text.partition("\n")[0] else text.strip()


@pytest.mark.parametrize(("name", "text"), list(documented(_core, "")))
def test_it_has_a_docstring(name: str, text: str) -> None:
    assert text, f"{name} has none"


def test_all_classes_of_the_stub_are_walked() -> None:
    assert set(core_stub.read().classes) <= {name for name, _ in documented(_core, "")}
