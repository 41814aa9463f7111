"""Finds solvers by name: in the modules of this package, and in the files that SVM_SOLVERS names."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import inspect
import pkgutil
import sys
import traceback
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from types import ModuleType

from ..support.paths import named_by
from . import _core
from .base import Solver
from .errors import SettingsError


def names() -> list[str]:
    """Return the names of all solvers, sorted."""
    return list(solver_classes())


def get(name: str) -> type[Solver]:
    """Return the solver class called `name`; raises SettingsError if there is none."""
    try:
        return solver_classes()[name]
    except KeyError:
        raise SettingsError(f"there is no solver {name!r}; there are {', '.join(names())}") from None


@cache
def solver_classes() -> dict[str, type[Solver]]:
    """Return all solver classes by their names, sorted.

    Raises SettingsError if two solvers have one name, a file that SVM_SOLVERS names cannot be imported or has no
    solver, or a solver in it lacks a method or has an attribute of an earlier version.
    """
    by_name: dict[str, type[Solver]] = {}
    # packages hold no solvers; `solvers.estimators` would import scikit-learn, which takes a second
    names = (info.name for info in pkgutil.iter_modules([str(Path(__file__).parent)]) if not info.ispkg)
    modules = [importlib.import_module(f"{__package__}.{name}") for name in names]
    for path in named_by("SVM_SOLVERS"):
        modules.append(_imported(path))
        _check_complete(modules[-1])
    for module in modules:
        for _, member in inspect.getmembers(module, inspect.isclass):
            if not issubclass(member, Solver) or inspect.isabstract(member) or member.__module__ != module.__name__:
                continue
            if "shares" in vars(member):
                raise SettingsError(f"solver {member.name!r}: the attribute `shares` is now called `shardable`")
            if member.name in by_name:
                raise SettingsError(f"two solvers are called {member.name!r}: {by_name[member.name]} and {member}")
            by_name[member.name] = member
    return dict(sorted(by_name.items()))


def is_plugin(solver: type[Solver]) -> bool:
    """Whether a solver's class is defined outside this package."""
    return not solver.__module__.startswith(f"{__package__}.")


def source_of(solver: type[Solver]) -> str:
    """Return the SHA-256 of the file that defines a solver's class, and of the compiled modules that it imports."""
    members = vars(sys.modules[solver.__module__]).values()
    names = {str(getattr(member, "__name__" if inspect.ismodule(member) else "__module__", "")) for member in members}
    names -= {_core.__name__, *sys.stdlib_module_names}  # the build and Python's version are noted by themselves
    files = (str(getattr(sys.modules.get(name), "__file__", "")) for name in names)
    compiled = sorted(file for file in files if file.endswith(tuple(EXTENSION_SUFFIXES)))
    digest = hashlib.sha256()
    for file in (inspect.getfile(solver), *compiled):
        digest.update(Path(file).read_bytes())
    return digest.hexdigest()


def _check_complete(module: ModuleType) -> None:
    """Refuse a file without a solver, or with one that lacks a member; a base of another class there may lack some."""
    file = Path(module.__file__ or "").name
    members = [member for _, member in inspect.getmembers(module, inspect.isclass) if issubclass(member, Solver)]
    classes = [member for member in members if member.__module__ == module.__name__]
    if not classes:
        raise SettingsError(f"SVM_SOLVERS: {file} has no solver: a class that derives from PythonSolver or Solver")
    for member in classes:
        if any(solver is not member and issubclass(solver, member) for solver in classes):
            continue
        if lacking := sorted(getattr(member, "__abstractmethods__", ())):
            s = "s" * (len(lacking) > 1)
            raise SettingsError(
                f"SVM_SOLVERS: {file}: class {member.__name__} lacks the method{s} {', '.join(lacking)}"
            )
        if unset := [name for name in ("name", "Settings") if not hasattr(member, name)]:
            raise SettingsError(f"SVM_SOLVERS: {file}: class {member.__name__} lacks {' and '.join(unset)}")


def _imported(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"svm_solver_{path.stem}", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise SettingsError(f"SVM_SOLVERS names {str(path)!r}, which is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look up their annotations there
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[spec.name]
        raise SettingsError(f"SVM_SOLVERS: {_place(path, error)}: {_message(error)}") from error
    return module


def _place(path: Path, error: BaseException) -> str:
    """Return the file, and its line that raised an error while the file was imported."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    if isinstance(error, SyntaxError) and error.filename == str(path):
        lines.append(error.lineno)
    return f"{path}, line {lines[-1]}" if lines else str(path)


def _message(error: BaseException) -> str:
    """Return type and message of an error in one line."""
    message = " ".join(str(error.msg if isinstance(error, SyntaxError) else error).split())
    return f"{type(error).__name__}: {message}" if message else type(error).__name__
