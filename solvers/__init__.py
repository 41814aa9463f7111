"""SVM solvers on one instrumented core.

A solver is a class derived from `solvers.base.Solver` with a `name`. `get` finds it if it is in a module of this
package, or in a file that the environment variable SVM_SOLVERS names (several are separated as in PATH). A new solver
is one new file.
"""

from __future__ import annotations

if __name__ != "svm_cost_curves.solvers":
    raise ImportError("write svm_cost_curves.solvers for solvers: the folders of this checkout are one package")

from ._core import Purpose, Random, RandomSubsets, build_info
from .base import Counters, Limit, Solver, Status
from .errors import SettingsError
from .kernels import Gaussian, Kernel, Linear, Polynomial
from .nu import derive_nu
from .problem import Problem
from .python_solver import PythonSolver
from .registry import get, names
from .rows import RowPolicy
from .snapshots import FunctionSnapshot, KernelSnapshot, LinearSnapshot, Snapshot

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
    "Purpose",
    "PythonSolver",
    "Random",
    "RandomSubsets",
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
