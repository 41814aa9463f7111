"""Runs that use all parts of each method, and comparisons of their states to the bit."""

from __future__ import annotations

import io
from functools import cache
from typing import Any

import numpy as np
from cases import problem, solver

from svm_cost_curves.solvers import Linear, LinearSnapshot, Problem, Solver, get
from svm_cost_curves.solvers.accounting import Accounting
from svm_cost_curves.solvers.asset_online import CosineSnapshot
from svm_cost_curves.solvers.base import State
from svm_cost_curves.solvers.cpsp import BasisSnapshot
from svm_cost_curves.solvers.fourier import FourierSnapshot
from svm_cost_curves.solvers.linear import Variant as SgdQnVariant
from svm_cost_curves.solvers.minibatch import Averaging
from svm_cost_curves.solvers.precision import Precision
from svm_cost_curves.solvers.sbp import Draws
from svm_cost_curves.solvers.simba import LearningRate

Variant = tuple[str, bool, dict[str, Any]]
VARIANTS: dict[str, Variant] = {
    "sbp": ("sbp", False, {}),
    "sbp, long steps": ("sbp", False, {"eta": 3.0}),
    "sbp, pairs": ("sbp", True, {}),
    "sbp, pairs, long steps": ("sbp", True, {"eta": 3.0}),
    "sbp, single": ("sbp", True, {"draws": Draws.single}),
    "pegasos": ("pegasos", False, {}),
    "pegasos, kept, projected": ("pegasos", False, {"accounting": Accounting.kept, "project": True}),
    "sdca": ("sdca", False, {}),
    "smo": ("smo", False, {"tolerance": 0.0}),
    "smo, bias": ("smo", True, {"tolerance": 0.0}),
    "svmlight": ("svmlight", False, {"tolerance": 0.0, "working_set": 4, "shrink_after": 5}),
    "svmlight, bias": ("svmlight", True, {"tolerance": 0.0, "working_set": 4, "shrink_after": 5}),
    "lasvm": ("lasvm", False, {"tolerance": 0.0, "passes": 0}),
    "lasvm, bias": ("lasvm", True, {"tolerance": 0.0, "passes": 2}),
    "lasvm, bias, repeated": ("lasvm", True, {"tolerance": 0.0, "passes": 0, "delta_max": 0.5, "drop_below": 0.1}),
    "perceptron": ("perceptron", False, {}),
    "averaged_perceptron": ("averaged_perceptron", False, {}),
    "sgd_r": ("sgd_r", False, {}),
    "sgd_s": ("sgd_s", False, {"eps": 0.1, "check_factor": 1e9}),
    "sgd_m, float32": ("sgd_m", False, {"eps": 1e-9, "check_factor": 1e9, "precision": Precision.float32}),
    "dcd": ("dcd", False, {"eps": 1e-9}),
    "asset": ("asset", True, {"features": 12}),
    "asset_star": ("asset_star", False, {"features": 12, "window": 20}),
    "cpny": ("cpny", False, {"features": 12, "eps": 1e-12}),
    "cpny, no safeguards": (
        "cpny",
        False,
        {"features": 12, "eps": 1e-12, "qp_precision": 0.5, "idle_cuts": None, "eigenvalue_threshold": 0.0},
    ),
    "cpsp": ("cpsp", False, {"features": 12, "eps": 1e-12}),
    "minibatch_pegasos": ("minibatch_pegasos", False, {"batch_size": 5, "average": Averaging.tail}),
    "minibatch_sdca": ("minibatch_sdca", False, {"batch_size": 5, "average": Averaging.decaying}),
    "simba": ("simba", False, {}),
    "simba, bias, constant steps": ("simba", True, {"horizon": 500}),
    "simba, printed, no clipping": ("simba", False, {"learning_rate": LearningRate.printed, "clip": False}),
    "pegasos, linear": ("pegasos", False, {"project": True}),
    "ocas": ("ocas", False, {"eps": 1e-12}),
    "svmperf": ("svmperf", False, {"eps": 1e-12}),
    "mpu": ("mpu", False, {"eps": 1e-9}),
    "svmsgd": ("svmsgd", False, {}),
    "sgdqn, float32": ("sgdqn", False, {"precision": Precision.float32, "skip": 3}),
    "sgdqn, original": ("sgdqn", False, {"variant": SgdQnVariant.original, "skip": 3, "permutation": False}),
    "asset_online": ("asset_online", True, {"features": 9}),
    "asset_star_online": ("asset_star_online", False, {"features": 9, "window": 7}),
    "fourier": ("fourier", False, {"pairs": 16}),
}
"""Name, bias and settings of runs that use all parts of each method."""


RANDOM = [name for name in VARIANTS if not name.startswith(("smo", "svmlight", "ocas", "svmperf"))]
STEADY = [name for name in VARIANTS if not name.startswith(("asset", "cp", "fourier", "ocas", "svmperf"))]
"""Methods that cost nothing before their first iteration, and do not end before the limits of the test."""
CORE = [name for name in VARIANTS if not name.startswith(("averaged", "cpny", "asset", "fourier"))]
"""Variants whose state is that of one object of the core."""


@cache
def shared(bias: bool, linear: bool, n: int = 77) -> Problem:
    return problem(n, bias=bias, flips=0.15, **({"kernel": Linear()} if linear else {}))


def make(variant: str, seed: int = 1, n: int = 77) -> Solver:
    name, bias, given = VARIANTS[variant]
    linear = variant == "pegasos, linear" or get(name).kernels == {"linear"}
    return solver(name, shared(bias, linear, n), seed, **given)


def state(made: Solver) -> tuple[Any, ...]:
    """All that is visible of a run, to the bit."""
    snapshot = made.snapshot()
    if isinstance(snapshot, LinearSnapshot):
        return made.counters, snapshot.weights.tobytes(), snapshot.lower_bound
    if isinstance(snapshot, BasisSnapshot):
        points = snapshot.basis.points[: len(snapshot.coefficients)]
        return made.counters, snapshot.coefficients.tobytes(), np.asarray(points).tobytes()
    if isinstance(snapshot, CosineSnapshot):
        return made.counters, snapshot.weights.tobytes(), snapshot.bias
    if isinstance(snapshot, FourierSnapshot):
        return made.counters, snapshot.decision_values(made.problem.X).tobytes()
    responses = None if snapshot.responses is None else snapshot.responses.tobytes()
    return made.counters, snapshot.coefficients.tobytes(), snapshot.bias, responses


def reread(made: Solver) -> State:
    """A solver's state from a file."""
    file = io.BytesIO()
    taken = made.state()
    np.savez(file, allow_pickle=False, **taken)
    file.seek(0)
    with np.load(file, allow_pickle=False) as arrays:
        return dict(arrays)


def same_members(mine: Solver, theirs: Solver) -> None:
    """The states of both runs have the same bits, except for times."""
    a, b = mine.state(), theirs.state()
    assert a.keys() == b.keys()
    for name, values in a.items():
        if not name.endswith("_seconds"):
            assert values.dtype == b[name].dtype
            assert values.tobytes() == b[name].tobytes(), name
