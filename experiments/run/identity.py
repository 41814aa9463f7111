"""The identity of a run: one short key for everything that can change its result.

Two runs with the same key give the same curve, so a finished run with that key is never computed again.
The key is a hash of the settings that influence the result, the identity of the data, the identities of the compiled
core and of the Python code, and the instruction set: the last bits of a result differ between instruction sets.

Decisions, each checked by a test:

* Numbers that compare equal give the same key: ``1``, ``1.0`` and ``numpy.float32(1)``; ``0.0`` and ``-0.0``. The
  command line does not distinguish them, and no solver does. Other floats enter by
  ``repr``, so every float64 is distinct. ``True`` is not ``1`` and ``"1"`` is not ``1``.
* NaN and infinities are refused: they are no valid settings, and NaN is not equal to itself.
* The order of keys in a mapping does not matter; the order in a list does. A tuple is a list.
* A missing setting and a setting of ``None`` differ: settings are resolved (defaults filled in) before they come here.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import json
import math
from collections.abc import Mapping
from enum import Enum
from functools import cache
from importlib import metadata
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ..provenance import PROJECT_ROOT

if TYPE_CHECKING:
    from ...solvers import Solver

_RUN: Final = ("advance", "assembly")
"""Modules beside this one that decide what a run computes; `solvers.evaluation` decides what it measures."""
KEY_LENGTH: Final = 32
"""Hexadecimal digits of a key: 128 bits, far beyond any chance of a collision."""


def run_key(settings: Mapping[str, Any], data_fingerprint: str, build_id: str, isa: str, code: str) -> str:
    """Return the key of a run: the first `KEY_LENGTH` hexadecimal digits of a SHA-256.

    Parameters
    ----------
    settings : mapping
        Resolved settings (`RunSettings.identity`): nested mappings with string keys; leaves are None, booleans,
        numbers, strings, enumeration members, paths, or lists and tuples of these.
    data_fingerprint : str
        Identity of the data (`datasets.fingerprint`).
    build_id, isa : str
        Identity of the compiled core, and the instruction set that it runs on (`solvers.build_info`).
    code : str
        Identity of the Python code (`code_id`).

    Raises
    ------
    ValueError
        A number is NaN or infinite, or an identity is empty.
    TypeError
        A setting has a type that has no canonical form.
    """
    return settings_key(settings, data_fingerprint, build_id=build_id, isa=isa, code=code)


def settings_key(settings: Mapping[str, Any], data_fingerprint: str, **identities: str) -> str:
    """Return a key of settings, data and `identities`; without these, the same for any core: it names checkpoint files.

    Parameters and errors are those of `run_key`.
    """
    identities = {"data_fingerprint": data_fingerprint, **identities}
    for name, value in identities.items():
        if not isinstance(value, str) or not value:
            raise ValueError(f"{name} must be a non-empty string, got {value!r}")
    text = canonical_json({"settings": dict(settings), **identities})
    return hashlib.sha256(text.encode()).hexdigest()[:KEY_LENGTH]


def canonical_json(value: Any) -> str:
    """Return JSON text that is the same for equal values: sorted keys, no spaces, ASCII, one form for equal numbers.

    Raises
    ------
    ValueError
        A number is NaN or infinite.
    TypeError
        A value has no canonical form; the message says where it is.
    """
    return json.dumps(_canonical(value, "settings"), sort_keys=True, separators=(",", ":"), allow_nan=False)


def _canonical(value: Any, where: str) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, Enum):
        return _canonical(value.value, where)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):  # a subclass of int or str could print itself in another way
        return int(value)
    if isinstance(value, str | PurePath):
        return str(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{where} is {value}: settings must be finite numbers (use null for 'no limit')")
        return int(value) if value.is_integer() else float(value)
    if isinstance(value, Mapping):
        for name in value:
            if not isinstance(name, str):
                raise TypeError(f"{where} has the key {name!r}: keys of settings must be strings")
        return {str(name): _canonical(item, f"{where}.{name}") for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_canonical(item, f"{where}[{index}]") for index, item in enumerate(value)]
    raise TypeError(
        f"{where} is a {type(value).__name__}: allowed are None, booleans, numbers, strings, paths, lists and mappings"
    )


@cache
def code_id(solver: type[Solver]) -> str:
    """Return the identity of the Python code that makes a solver's runs.

    It is a SHA-256 over the solver's file, the files of `solvers` that it imports, directly or not, the files that
    advance and evaluate a run, and the versions of the solver's `libraries`.
    """
    waiting = [Path(inspect.getfile(solver)), *(Path(__file__).with_name(f"{name}.py") for name in _RUN)]
    waiting.append(PROJECT_ROOT / "solvers" / "evaluation.py")
    sources: dict[Path, str] = {}
    while waiting:
        path = waiting.pop()
        if path not in sources:
            sources[path] = path.read_text(encoding="utf-8")
            names = (PROJECT_ROOT / "solvers" / f"{name}.py" for name in _imported(path, sources[path]))
            waiting += [file for file in names if file.is_file()]
    parts = [f"{path.name} {sources[path]}" for path in sorted(sources, key=lambda path: path.name)]
    parts += [f"{name} {metadata.version(name)}" for name in solver.libraries]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _imported(path: Path, source: str) -> set[str]:
    """Return what a file imports from `solvers`: names of its modules, or of what the package itself has."""
    folder = path.resolve().parent
    inside = folder.is_relative_to(PROJECT_ROOT)
    package = ["svm_cost_curves", *folder.relative_to(PROJECT_ROOT).parts] if inside else []
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) + 1 - node.level] if node.level else []
            module = ".".join([*above, *([node.module] if node.module else [])])
            names |= {f"{module}.{alias.name}" for alias in node.names}
    return {name.split(".")[2] for name in names if name.startswith("svm_cost_curves.solvers.")}
