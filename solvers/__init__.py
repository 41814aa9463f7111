"""SVM solvers on one instrumented core.

A solver is a class derived from `solvers.base.Solver` with a `name`; every module of this package is looked through
for such classes, so a new solver is one new file. Files named in the environment variable SVM_SOLVERS (separated as in
PATH) are looked through as well.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import os
import pkgutil
import sys
import traceback
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from solvers import _core
from solvers.base import Counters, Limit, PythonSolver, Solver, Status
from solvers.errors import SettingsError
from solvers.kernels import Gaussian, Kernel, Linear, Polynomial
from solvers.nu import derive_nu
from solvers.problem import Problem
from solvers.rows import RowPolicy
from solvers.snapshots import FunctionSnapshot, KernelSnapshot, LinearSnapshot, Snapshot

__all__ = [
    "Counters",
    "FunctionSnapshot",
    "Gaussian",
    "Kernel",
    "KernelSnapshot",
    "Limit",
    "Linear",
    "LinearSnapshot",
    "Polynomial",
    "Problem",
    "PythonSolver",
    "RowPolicy",
    "SettingsError",
    "Snapshot",
    "Solver",
    "Status",
    "build_info",
    "derive_nu",
    "get",
    "names",
]


def _modules() -> list[ModuleType]:
    own = [importlib.import_module(f"{__name__}.{info.name}") for info in pkgutil.iter_modules(__path__)]
    for entry in filter(None, os.environ.get("SVM_SOLVERS", "").split(os.pathsep)):
        path = Path(entry)
        spec = importlib.util.spec_from_file_location(f"svm_solver_{path.stem}", path)
        if spec is None or spec.loader is None or not path.is_file():
            raise SettingsError(f"SVM_SOLVERS names {entry!r}, which is not a Python file")
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module  # where dataclasses look for their annotations
        try:
            spec.loader.exec_module(module)
        except (Exception, SystemExit) as error:
            del sys.modules[spec.name]
            raise SettingsError(f"SVM_SOLVERS: {_where(path, error)}: {_what(error)}") from error
        own.append(module)
    return own


def _where(path: Path, error: BaseException) -> str:
    """Name the file, and the last of its lines that an error while it was imported came through."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    if isinstance(error, SyntaxError) and error.filename == str(path):
        lines.append(error.lineno)
    return f"{path}, line {lines[-1]}" if lines else str(path)


def _what(error: BaseException) -> str:
    """Return type and message of an error in one line."""
    message = " ".join(str(error.msg if isinstance(error, SyntaxError) else error).split())
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


@cache
def _registry() -> dict[str, type[Solver]]:
    found: dict[str, type[Solver]] = {}
    for module in _modules():
        for _, member in inspect.getmembers(module, inspect.isclass):
            if not issubclass(member, Solver) or inspect.isabstract(member) or member.__module__ != module.__name__:
                continue
            if member.name in found:
                raise SettingsError(f"two solvers are called {member.name!r}: {found[member.name]} and {member}")
            found[member.name] = member
    return dict(sorted(found.items()))


def names() -> list[str]:
    """Return the names of all solvers, sorted."""
    return list(_registry())


def get(name: str) -> type[Solver]:
    """Return the solver class called `name`.

    Raises
    ------
    SettingsError
        If there is none.
    """
    try:
        return _registry()[name]
    except KeyError:
        raise SettingsError(f"there is no solver {name!r}; there are {', '.join(names())}") from None


def build_info() -> dict[str, Any]:
    """Return what the core was built from and with: build_id, compiler, flags, isa (in use here), counting."""
    return _core.build_info()
