"""SVM solvers on one instrumented core.

A solver is a class derived from `solvers.base.Solver` with a `name`. `get` finds it if it is in a module of this
package, or in a file that the environment variable SVM_SOLVERS names (several are separated as in PATH). A new solver
is one new file.
"""

from __future__ import annotations

from typing import Any

from solvers import _core
from solvers.base import Counters, Limit, Solver, Status
from solvers.errors import SettingsError
from solvers.kernels import Gaussian, Kernel, Linear, Polynomial
from solvers.nu import derive_nu
from solvers.problem import Problem
from solvers.python_solver import PythonSolver
from solvers.registry import get, names
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


def build_info() -> dict[str, Any]:
    """Return what the core was built from and with: build_id, compiler, flags, isa (in use here), counting."""
    return _core.build_info()
