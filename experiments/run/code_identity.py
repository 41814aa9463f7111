"""The identity of the Python code behind a run: its solver, what that imports, the evaluation, and library versions."""

from __future__ import annotations

import hashlib
import inspect
import re
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Final

from svm_cost_curves.experiments.provenance import PROJECT_ROOT
from svm_cost_curves.solvers import Solver

_RUN: Final = ("advance", "assembly")
"""Modules beside this one that decide what a run computes; `solvers.evaluation` decides what it measures."""
_IMPORT: Final = re.compile(
    r"^ *(?:from svm_cost_curves\.solvers(?:\.(\w+) import| import (.+))|import svm_cost_curves\.solvers\.(\w+))",
    re.MULTILINE,
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
            waiting += _imported(sources[path])
    parts = [f"{path.name} {sources[path]}" for path in sorted(sources, key=lambda path: path.name)]
    parts += [f"{name} {metadata.version(name)}" for name in solver.libraries]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _imported(source: str) -> list[Path]:
    """Return the files of `solvers` that a source imports."""
    names = [name.strip() for groups in _IMPORT.findall(source) for part in groups for name in part.split(",")]
    files = [PROJECT_ROOT / "solvers" / f"{name}.py" for name in names if name]
    return [path for path in files if path.is_file()]
