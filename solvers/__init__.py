"""SVM solvers on one instrumented core.

A solver is a class derived from `solvers.base.Solver` with a `name`. `get` finds it if it is in a module of this
package, or in a file that the environment variable SVM_SOLVERS names (several are separated as in PATH). A new solver
is one new file.
"""

from __future__ import annotations

if __name__ != "svm_cost_curves.solvers":
    raise ImportError("write svm_cost_curves.solvers for solvers: the folders of this checkout are one package")

from svm_cost_curves.solvers._core import Purpose, Random, RandomSubsets, build_info
from svm_cost_curves.solvers.base import Counters, Limit, Solver, Status
from svm_cost_curves.solvers.errors import SettingsError
from svm_cost_curves.solvers.kernels import Gaussian, Kernel, Linear, Polynomial
from svm_cost_curves.solvers.nu import derive_nu
from svm_cost_curves.solvers.problem import Problem
from svm_cost_curves.solvers.python_solver import PythonSolver
from svm_cost_curves.solvers.registry import get, names
from svm_cost_curves.solvers.rows import RowPolicy
from svm_cost_curves.solvers.snapshots import FunctionSnapshot, KernelSnapshot, LinearSnapshot, Snapshot

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
