"""What `solvers/_core.pyi` says: classes, functions, and their parameters."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

STUB = Path(__file__).resolve().parents[2] / "solvers" / "_core.pyi"


@dataclass(frozen=True)
class Parameter:
    """One parameter; `kind` is its annotation as text."""

    name: str
    kind: str
    keyword: bool
    optional: bool


Signature = tuple[Parameter, ...]
"""The parameters of a function, or of a method without self."""


@dataclass
class Class:
    """A class; enumerations have no constructor."""

    bases: list[str]
    constructors: list[Signature] = field(default_factory=list)
    methods: dict[str, list[Signature]] = field(default_factory=dict)
    properties: list[str] = field(default_factory=list)


@dataclass
class Stub:
    """All of the module, by names."""

    classes: dict[str, Class] = field(default_factory=dict)
    enums: dict[str, list[str]] = field(default_factory=dict)
    """Members of each; of one inside a class by its dotted name."""
    functions: dict[str, list[Signature]] = field(default_factory=dict)

    def members(self, name: str) -> dict[str, list[Signature] | None]:
        """Return methods with their signatures and properties with None, those of the bases among them."""
        found: dict[str, list[Signature] | None] = {}
        own = self.classes.get(name)
        if own is None:
            return found
        for base in own.bases:
            found |= self.members(base)
        return found | own.methods | dict.fromkeys(own.properties)

    def subclasses(self, name: str) -> list[str]:
        """Return the classes that can stand for this one: itself and those derived from it, if they can be made."""
        return [own for own, what in self.classes.items() if what.constructors and name in self._line(own)]

    def _line(self, name: str) -> list[str]:
        bases = self.classes[name].bases if name in self.classes else []
        return [name, *(one for base in bases for one in self._line(base))]


@cache
def read() -> Stub:
    """Return what the stub says."""
    stub = Stub()
    _read(ast.parse(STUB.read_text(encoding="utf-8")).body, "", stub)
    return stub


def _read(body: list[ast.stmt], prefix: str, stub: Stub) -> None:
    for node in body:
        if isinstance(node, ast.FunctionDef) and not prefix:
            stub.functions.setdefault(node.name, []).append(_signature(node, method=False))
        elif isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            bases = [ast.unparse(base) for base in node.bases]
            name = prefix + node.name
            if "enum.Enum" in bases:
                members = [one for one in node.body if isinstance(one, ast.Assign)]
                stub.enums[name] = [ast.unparse(one.targets[0]) for one in members]
            elif not any(base.endswith(("Error", "Exception")) for base in bases):
                stub.classes[name] = _class(node, bases)
                _read([one for one in node.body if isinstance(one, ast.ClassDef)], f"{name}.", stub)


def _class(node: ast.ClassDef, bases: list[str]) -> Class:
    made = Class(bases)
    for one in node.body:
        if not isinstance(one, ast.FunctionDef):
            continue
        if any(ast.unparse(mark) == "property" for mark in one.decorator_list):
            made.properties.append(one.name)
        elif one.name == "__init__":
            made.constructors.append(_signature(one, method=True))
        else:
            made.methods.setdefault(one.name, []).append(_signature(one, method=True))
    return made


def _signature(node: ast.FunctionDef, *, method: bool) -> Signature:
    own = node.args.args[1:] if method else node.args.args
    without = len(own) - len(node.args.defaults)
    parameters = [Parameter(one.arg, _kind(one), False, k >= without) for k, one in enumerate(own)]
    for one, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True):
        parameters.append(Parameter(one.arg, _kind(one), True, default is not None))
    return tuple(parameters)


def _kind(one: ast.arg) -> str:
    return ast.unparse(one.annotation) if one.annotation is not None else "object"
