"""Classes, functions and parameters in `solvers/_core.pyi`, read as a module of Python."""

from __future__ import annotations

import enum
import inspect
import typing
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import SimpleNamespace

STUB = Path(__file__).resolve().parents[2] / "solvers" / "_core.pyi"
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
        return signatures(self.classes[name], "__init__") if "__init__" in vars(self.classes[name]) else []

    def members(self, name: str) -> dict[str, list[Signature] | None]:
        """Return methods with their signatures and properties with None, those of the bases among them."""
        members: dict[str, list[Signature] | None] = {}
        for owner in reversed(inspect.getmro(self.classes.get(name, object))):
            for member, value in vars(owner).items():
                if isinstance(value, property):
                    members[member] = None
                elif inspect.isfunction(value) and not member.startswith("_"):
                    members[member] = signatures(owner, member)
        return members

    def subclasses(self, name: str) -> list[str]:
        """Return the classes that can stand for this one: itself and those derived from it, if they can be made."""
        base = self.classes[name]
        return [child for child, kind in self.classes.items() if issubclass(kind, base) and self.constructors(child)]


def signatures(owner: type, name: str) -> list[Signature]:
    """Return the parameters of a method in each of its overloads, without self."""
    asked: typing.Any = SimpleNamespace(__module__=MODULE, __qualname__=f"{owner.__qualname__}.{name}")
    versions = typing.get_overloads(asked) or [vars(owner)[name]]
    every = [list(inspect.signature(version).parameters.values())[1:] for version in versions]
    return [tuple(one for one in signature if one.kind is not one.VAR_KEYWORD) for signature in every]


@cache
def read() -> Stub:
    """Return what the stub says."""
    stub, module = Stub(), {"__name__": MODULE}
    text = "from __future__ import annotations\n" + STUB.read_text(encoding="utf-8").partition('"""\n')[2]
    exec(compile(text, str(STUB), "exec"), module)
    _read(module, "", stub)
    return stub


def _read(members: typing.Mapping[str, object], prefix: str, stub: Stub) -> None:
    for name, value in members.items():
        if name.startswith("_") or getattr(value, "__module__", "") != MODULE:
            continue
        if inspect.isfunction(value) and not prefix:
            stub.functions[name] = [tuple(inspect.signature(value).parameters.values())]
        elif inspect.isclass(value) and issubclass(value, enum.Enum):
            stub.enums[prefix + name] = list(value.__members__)
        elif inspect.isclass(value) and not issubclass(value, Exception):
            stub.classes[prefix + name] = value
            _read(vars(value), f"{prefix}{name}.", stub)
