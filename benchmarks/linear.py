"""Linear solvers beside LIBLINEAR, SGDClassifier and a plain loop in C++; CPU seconds inside the solver, one thread."""

from __future__ import annotations

import itertools
import math
import re
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import SGDClassifier

from benchmarks import data
from benchmarks.measure import Comparisons, cpu_seconds
from benchmarks.plain_svmsgd import PlainSvmSgd
from svm_cost_curves.solvers import Limit, Linear, Problem, Solver, get
from svm_cost_curves.solvers.passes import Liblinear, LiblinearSettings
from svm_cost_curves.solvers.precision import Precision

DATA: dict[str, dict[str, object]] = {
    "adult": {},
    "web": {},
    "covtype_subset": {"positive": [1], "scaling": "minmax"},
    "ijcnn1": {},
    "rcv1_ccat_subset": {},
    "newsgroups_binary": {},
}
"""Data sets, and the fields of their specification that are replaced."""
SOME = ("adult", "rcv1_ccat_subset", "newsgroups_binary")
SEEDS = range(5)
PEGASOS_LAMBDA = 1e-4
T0 = 1e4
EPOCHS = 100
NEVER = 1e-12
"""An eps that no run reaches; with it SGD-s never computes J."""
MOST_PASSES = 20_000
"""Passes of LIBLINEAR at most."""
STRICT = 1e-12
"""A tolerance that LIBLINEAR does not reach."""
TOLERANCES = (1.0, 0.3, 0.1, 0.03, 0.01, 3e-3, 1e-3, 3e-4, 1e-4, 1e-5)


def benchmark_pegasos(table: Comparisons) -> None:
    """Compare examples a second with SGDClassifier's; both test one margin for each of EPOCHS n examples."""
    X, y = data.load_sparse("rcv1_ccat_subset")
    examples = EPOCHS * X.shape[0]
    problem = Problem(X, y, Linear(), lambda_=PEGASOS_LAMBDA)

    def library() -> float:
        model = SGDClassifier(
            loss="hinge", alpha=PEGASOS_LAMBDA, fit_intercept=False, tol=None, random_state=0, max_iter=EPOCHS
        )
        return examples / cpu_seconds(lambda: model.fit(X, y))

    table.alternate(
        f"Pegasos / SGDClassifier(loss='hinge'), weights in float64 / float32, examples a second, "
        f"rcv1_ccat_subset, {EPOCHS} epochs, lambda = {PEGASOS_LAMBDA:g}",
        lambda: examples / _ended(problem, "pegasos", Limit(presentations=examples)).cpu_seconds,
        library,
        "/s",
        at_least=2.0,
    )


@pytest.mark.parametrize("name", SOME)
def benchmark_svmsgd(name: str, table: Comparisons) -> None:
    """Compare examples a second in float32, given t0, with a plain loop; both make the same EPOCHS n updates."""
    X, y = data.load_sparse(name)
    problem = Problem(X, y, Linear(), lambda_=1.0 / X.shape[0])
    examples = EPOCHS * problem.n
    with PlainSvmSgd(X[problem.order], problem.y, seed=0) as plain:
        table.alternate(
            "SVMSGD in float32 / a plain loop of the same updates in C++ (-O3 -march=native -ffast-math), examples a "
            f"second, {name}, C = 1",
            lambda: (
                examples
                / _ended(
                    problem, "svmsgd", Limit(presentations=examples), t0=T0, precision=Precision.float32
                ).cpu_seconds
            ),
            lambda: examples / plain.run(EPOCHS, 1.0 / X.shape[0], T0)[1],
            "/s",
            at_least=1.0,
        )


@pytest.mark.parametrize("name", DATA)
def benchmark_sgd_s(name: str, table: Comparisons) -> None:
    """Compare examples a second with SGDClassifier's."""
    problem = _problem(name, 1.0)
    epochs = EPOCHS // 2
    examples = epochs * problem.n
    table.alternate(
        f"SGD-s / SGDClassifier(loss='hinge'), examples a second, {epochs} epochs; {name}, C = 1",
        lambda: examples / _ended(problem, "sgd_s", Limit(presentations=examples), eps=NEVER).cpu_seconds,
        lambda: examples / _ended(problem, "sklearn_sgd", Limit(iterations=epochs)).cpu_seconds,
        "/s",
        at_least=2.0,
    )


@pytest.mark.parametrize("eps", [1e-3, 1e-6])
@pytest.mark.parametrize("C", [1.0, 10.0])
@pytest.mark.parametrize("name", SOME)
def benchmark_liblinear(name: str, C: float, eps: float, table: Comparisons, capfd: pytest.CaptureFixture[str]) -> None:
    """Compare dual coordinate descent with LIBLINEAR to the same gap, less its first pass and its copy of the data."""
    problem = _problem(name, C)
    library, seeds = LiblinearRuns(problem, capfd), itertools.cycle(SEEDS)
    effort = library.least_effort(eps)
    table.alternate(
        f"DCD to a relative duality gap of {eps:g} / LIBLINEAR to as small a gap with {effort}"
        f"{'' if effort.gap <= eps else ' (too few)'}; {name}, C = {C:g}",
        lambda: _ended(problem, "dcd", Limit(), next(seeds), eps=eps).cpu_seconds,
        lambda: library.seconds(effort) - library.seconds(Effort(passes=1)),
        at_most=0.8 if effort.gap <= eps else None,
    )


def _problem(name: str, C: float) -> Problem:
    loaded = data.load(name, **DATA[name])
    return Problem(loaded.X, loaded.y, Linear(), lambda_=1.0 / (C * loaded.n))


def _ended(problem: Problem, algo: str, limit: Limit, seed: int = 0, **settings: Any) -> Solver:
    kind = get(algo)
    solver = kind(problem, kind.Settings(**settings), seed)
    solver.advance(limit)
    return solver


@dataclass(frozen=True)
class Effort:
    """Settings of LIBLINEAR, and the relative duality gap (P - D) / D at its end."""

    tolerance: float = STRICT
    passes: int = MOST_PASSES
    gap: float = math.inf

    def __str__(self) -> str:
        if self.tolerance == STRICT:
            return f"its fewest passes, {self.passes:,}"
        return f"its tolerance {self.tolerance:g}"


class LiblinearRuns:
    """Runs of LIBLINEAR (dual coordinate descent) on one problem, with several tolerances and numbers of passes."""

    def __init__(self, problem: Problem, printed: pytest.CaptureFixture[str]) -> None:
        self._problem = problem
        self._printed = printed
        self._library = Liblinear(problem, LiblinearSettings(), 0)
        self._X = self._library.data()
        self._known: dict[Effort, Effort] = {}

    def seconds(self, effort: Effort) -> float:
        """Return the CPU seconds of a run."""
        return cpu_seconds(lambda: self._fit(effort, verbose=False))

    def least_effort(self, eps: float) -> Effort:
        """Return the faster of two settings that reach a relative duality gap of eps, without the time of the search.

        The fewest passes without a rule to stop by, to some percent; its own rule, at the loosest tolerance of some.
        Where no way gets there, the most passes.
        """
        low, effort = 1, self._measured(Effort(passes=2))
        while effort.gap > eps and effort.passes < MOST_PASSES:
            low, effort = effort.passes, self._measured(Effort(passes=min(2 * effort.passes, MOST_PASSES)))
        while effort.gap <= eps and effort.passes - low > max(1, effort.passes // 20):
            middle = self._measured(Effort(passes=(low + effort.passes) // 2))
            low, effort = (low, middle) if middle.gap <= eps else (middle.passes, effort)
        by_its_rule = (self._measured(Effort(tolerance)) for tolerance in TOLERANCES)
        ways = [effort, *itertools.islice((way for way in by_its_rule if way.gap <= eps), 1)]
        return min((way for way in ways if way.gap <= eps), key=self.seconds, default=effort)

    def _measured(self, effort: Effort) -> Effort:
        """Run it and compute the gap; the library returns weights, and prints the dual objective in verbose mode."""
        if effort not in self._known:
            self._printed.readouterr()
            w = self._fit(effort, verbose=True).coef_.ravel()
            text = self._printed.readouterr().out
            objective = re.search(r"Objective value = (\S+)", text)
            if objective is None:
                raise AssertionError(f"LIBLINEAR printed no objective: {text!r}")
            losses = np.maximum(0.0, 1.0 - self._problem.y * (self._X @ w))
            gap = (0.5 * w @ w + self._problem.C * losses.sum()) / -float(objective.group(1)) - 1.0
            self._known[effort] = replace(effort, gap=float(gap))
        return self._known[effort]

    def _fit(self, effort: Effort, verbose: bool) -> Any:
        model = self._library.model(effort.passes, seed=0).set_params(tol=effort.tolerance, verbose=int(verbose))
        return model.fit(self._X, self._problem.y)
