"""Writes `solvers/_core.pyi`, the types of the compiled module, and reads it as a module of Python.

`make stub` runs this file, as is needed after the bindings or the settings of a solver in the core have changed.
"""

from __future__ import annotations

import enum
import inspect
import re
import subprocess
import sys
import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from svm_cost_curves.solvers import _core

STUB = Path(__file__).resolve().parents[2] / "solvers" / "_core.pyi"
HEAD = '''"""The instrumented core: kernels, counted rows, water levels and solvers.

Types only, written by `make stub`: the texts are in the module, where `help(_core)` shows them.
"""

import enum
from collections.abc import Callable, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

class _Class(type):
    """What pybind11 makes classes with."""

class InvalidArgument(ValueError): ...  # noqa: N818
'''
TYPES = [
    (r"svm_cost_curves\.solvers\._core\.|collections\.abc\.", ""),
    (r"\((?:self|arg0): [\w.]+", "(self"),
    (r"typing\.Supports(Float|Int)( \| typing\.SupportsIndex)?", lambda found: found[1].lower()),
    (r"typing\.Annotated\[numpy\.typing\.ArrayLike, (numpy\.\w+)\]", r"NDArray[\1]"),
    (r'typing\.Annotated\[([^"]+), "FixedSize\(\d+\)"\]', r"\1"),
    (r"numpy\.typing\.", ""),
    (r"numpy\.ndarray", "NDArray[Any]"),
    (r"numpy\.", "np."),
    (r"(typing_extensions|types)\.CapsuleType", "object"),
    (r"\bdict\b(?!\[)", "dict[str, Any]"),
    (r"<([\w.]+): \d+>", r"\1"),  # a member of an enumeration
    (r"= (inf|\d{11,})", "= ..."),  # a bound that no run reaches
    (r"(: \w+) = None", r"\1 | None = None"),
]
"""What pybind11 writes in the signatures of docstrings, and what a stub has for it."""


def text() -> str:
    """Return the text of the stub."""
    written = HEAD + "\n".join(_members(vars(_core)))
    words = [sys.executable, "-m", "ruff", "format", "--stdin-filename", str(STUB), "-"]
    return subprocess.run(words, input=written, capture_output=True, text=True, check=True).stdout


def _members(owner: Mapping[str, object]) -> Iterator[str]:
    """Write what a module or a class has, in the order of the bindings."""
    for name, value in owner.items():
        if name.startswith("_") and name != "__init__":
            continue
        if inspect.isclass(value) and issubclass(value, enum.Enum):
            yield f"class {name}(enum.Enum):"
            yield from (f"    {member} = {one.value}" for member, one in value.__members__.items())
        elif inspect.isclass(value) and not issubclass(value, Exception):
            base = value.__base__
            yield f"class {name}({base.__name__ if base in vars(_core).values() else 'metaclass=_Class'}):"
            yield from (f"    {line}" for line in [*_members(vars(value))] or ["..."])
        elif isinstance(value, property):
            yield "@property"
            yield f"def {name}{_signatures(value.fget.__doc__)[0]}: ..."
        elif callable(value) and not inspect.isclass(value):
            versions = _signatures(value.__doc__)
            for version in versions:
                yield from ["@overload"] * (len(versions) > 1)
                yield f"def {name}{version}: ..."


def _signatures(docstring: str | None) -> list[str]:
    """Return the parameters and the type of the result, of each overload, from what pybind11 writes before a text."""
    found = re.findall(r"^(?:\d+\. )?\w*(\(.*\) -> .*)$", docstring or "", re.MULTILINE)
    for pattern, plain in TYPES:
        found = [re.sub(pattern, plain, signature) for signature in found]
    return found


MODULE = "stub of _core"
Signature = tuple[inspect.Parameter, ...]
"""The parameters of a function, or of a method without self; each has its annotation as a text."""


@dataclass
class Stub:
    """All of the module; names of nested classes are dotted."""

    classes: dict[str, type] = field(default_factory=dict)
    enums: dict[str, list[str]] = field(default_factory=dict)
    """Members of each."""
    functions: dict[str, list[Signature]] = field(default_factory=dict)

    def constructors(self, name: str) -> list[Signature]:
        """Return the signatures of a class's own constructor; none where no object of it can be made."""
        return _methods(self.classes[name]).get("__init__", [])

    def members(self, name: str) -> dict[str, list[Signature] | None]:
        """Return methods with their signatures and properties with None, those of the bases among them."""
        members: dict[str, list[Signature] | None] = {}
        for owner in reversed(inspect.getmro(self.classes.get(name, object))):
            for member, value in vars(owner).items():
                if isinstance(value, property):
                    members[member] = None
            members |= {name: every for name, every in _methods(owner).items() if not name.startswith("_")}
        return members

    def subclasses(self, name: str) -> list[str]:
        """Return the classes that can stand for this one: itself and those derived from it, if they can be made."""
        base = self.classes[name]
        return [child for child, kind in self.classes.items() if issubclass(kind, base) and self.constructors(child)]


def signatures(name: str, function: Any) -> list[Signature]:
    """Return the parameters of a function, or of a method without self, in each of its overloads."""
    every = [inspect.signature(version).parameters.values() for version in overloads(name) or [function]]
    return [tuple(one for one in signature if one.name != "self") for signature in every]


def overloads(name: str) -> typing.Sequence[typing.Callable[..., Any]]:
    """Return the overloads of a function or method of the stub; none where it has one signature."""
    asked: Any = SimpleNamespace(__module__=MODULE, __qualname__=name)
    return typing.get_overloads(asked)


def _methods(owner: type) -> dict[str, list[Signature]]:
    """Return the methods that a class itself defines."""
    return {
        name: signatures(f"{owner.__qualname__}.{name}", value)
        for name, value in vars(owner).items()
        if inspect.isfunction(value)
    }


@cache
def read() -> Stub:
    """Return what the stub says."""
    stub, module = Stub(), {"__name__": MODULE}
    code = "from __future__ import annotations\n" + STUB.read_text(encoding="utf-8").partition('"""\n')[2]
    exec(compile(code, str(STUB), "exec"), module)
    _read(module, "", stub)
    return stub


def _read(members: typing.Mapping[str, object], prefix: str, stub: Stub) -> None:
    for name, value in members.items():
        if name.startswith("_") or not (overloads(name) or getattr(value, "__module__", "") == MODULE):
            continue
        if inspect.isfunction(value) and not prefix:
            stub.functions[name] = signatures(name, value)
        elif inspect.isclass(value) and issubclass(value, enum.Enum):
            stub.enums[prefix + name] = list(value.__members__)
        elif inspect.isclass(value) and not issubclass(value, Exception):
            stub.classes[prefix + name] = value
            _read(vars(value), f"{prefix}{name}.", stub)


if __name__ == "__main__":
    STUB.write_text(text(), encoding="utf-8")
