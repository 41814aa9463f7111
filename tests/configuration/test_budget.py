"""A budget ends every run, or is refused: no limit is in a counter that the solver never spends."""

from __future__ import annotations

import dataclasses
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from run_cases import DATA, alone

from svm_cost_curves import solvers
from svm_cost_curves.experiments.configuration.budget import BUDGET_LIMITS, COUNTER_OF
from svm_cost_curves.experiments.configuration.composition import settings_of
from svm_cost_curves.experiments.configuration.schema import (
    BudgetConfig,
    GaussianConfig,
    LinearConfig,
    ProblemConfig,
    RunConfig,
    algo_schema,
)
from svm_cost_curves.experiments.configuration.settings import resolve
from svm_cost_curves.experiments.run.advance import costs_of, reached
from svm_cost_curves.solvers import Problem, RowPolicy, SettingsError, plugins

OLD = "budget." + "checkpoints"
PATIENCE = 20.0
"""CPU seconds after which a run is taken to be endless; the longest one here takes a tenth of a second."""
KERNELS = {"gaussian": (GaussianConfig(2.0), solvers.Gaussian(2.0)), "linear": (LinearConfig(), solvers.Linear())}
CASES = [
    (name, kernel) for name in solvers.names() for kernel in KERNELS if kernel in solvers.get(name).kernels
]  # fmt: skip


def solver_of(name: str, kernel: str) -> Any:
    generator = np.random.default_rng(0)
    X = generator.normal(size=(40, 4)).astype(np.float32)
    y = np.where(X[:, 0] + generator.normal(size=40) > 0, 1, -1)
    kind = solvers.get(name)
    form = {"lambda_": 0.025} if "lambda" in kind.needs else {"nu": 0.1} if "nu" in kind.needs else {}
    problem = Problem(X, y, KERNELS[kernel][1], bias=min(kind.biases), rows=RowPolicy(provider="on_the_fly"), **form)
    small = {field.name for field in dataclasses.fields(kind.Settings)} & {"features", "batch_size"}
    return plugins.make(kind, problem, kind.Settings(**dict.fromkeys(small, 8)), 0)


@pytest.mark.parametrize(("name", "kernel"), CASES)
def test_what_is_declared_is_what_is_not_counted(name: str, kernel: str) -> None:
    solver = solver_of(name, kernel)
    for limit in (1, 3):
        counters = vars(solver.counters)
        declared = solver.not_counted(kernel)
        assert {name for name, value in counters.items() if value is None} - {"feature_accesses_dense"} == (
            declared - {"feature_accesses_dense"}
        )
        solver.advance(solvers.Limit(iterations=limit))


@pytest.mark.parametrize("limit", BUDGET_LIMITS)
@pytest.mark.parametrize(("name", "kernel"), CASES)
def test_a_budget_ends_the_run_or_is_refused(name: str, kernel: str, limit: str) -> None:
    config = RunConfig(
        algo=algo_schema(name, solvers.get(name).Settings)(),
        kernel=KERNELS[kernel][0],
        problem=ProblemConfig(bias=min(solvers.get(name).biases)),
        budget=BudgetConfig(**{limit: 2.0 if limit == "epochs" else 0.02 if limit == "seconds" else 700.0}),
    )
    counter = COUNTER_OF[limit]
    try:
        settings = resolve(config, given=["kernel"])
    except SettingsError as error:
        assert f"budget.{limit} cannot end this run: algo={name}" in str(error)  # noqa: PT017 (either is right)
        assert counter in solvers.get(name).not_counted(kernel)
        return
    solver = solver_of(name, kernel)
    budget = settings.budget.limits(40)
    status, started = None, time.process_time()
    try:
        while status is not solvers.Status.CONVERGED and not reached(budget, costs_of(solver)):
            assert time.process_time() - started < PATIENCE, f"{solver.counters} without an end"
            status = solver.advance(dataclasses.replace(budget, cpu_seconds=solver.cpu_seconds + 0.05))
    except SettingsError as error:
        assert "would never end the run" in str(error)  # noqa: PT017 (either is right)


LATE = """
from dataclasses import dataclass
from svm_cost_curves.solvers import Counters, KernelSnapshot, PythonSolver
import numpy as np

@dataclass
class Settings:
    pass

class Late(PythonSolver):
    name, summary, Settings = "late", "reads features alone", Settings

    def __init__(self, problem, settings, seed):
        super().__init__(problem, settings, seed)
        self.view = problem.counted_features()

    def advance(self, limit):
        with self.clocks():
            while not (reached := self.reached(limit)):
                self.view.row(0)
                self.view.present()
        return reached

    @property
    def counters(self):
        return Counters.of(self.view.counters)

    def snapshot(self):
        return KernelSnapshot(np.zeros(self.problem.n))
"""


@pytest.mark.parametrize("words", [[OLD + "=5"], ["algo=smo", f"+{OLD}=5"], [OLD + "=null"]])
def test_the_old_name_of_a_setting_is_refused_with_the_new_one(words: list[str]) -> None:
    with pytest.raises(SettingsError, match=rf"^{re.escape(OLD)} is now called budget\.evaluations$"):
        settings_of(words)


def test_a_setting_that_is_added_is_refused_like_any_unknown_one() -> None:
    for word in ("budget.nothing=1", "+budget.nothing=1"):
        with pytest.raises(SettingsError, match=r"^unknown setting 'budget\.nothing'; budget has epochs, "):
            settings_of([word])
    with pytest.raises(SettingsError, match=r"^unknown setting 'nothing'; known are algo, dataset, "):
        settings_of(["+nothing=1"])


def test_a_users_solver_is_refused_what_its_views_do_not_count(
    fresh: Path, tmp_path: Path, own_solvers: Callable[[Path], None]
) -> None:
    path = tmp_path / "late.py"
    path.write_text(LATE)
    own_solvers(path)
    with pytest.raises(SettingsError, match=r"budget\.kernel_evaluations cannot end this run: algo=late"):
        alone(fresh, "algo=late", "kernel=linear", *DATA, "budget.kernel_evaluations=1000")
    result, _ = alone(fresh, "algo=late", "kernel=linear", *DATA, "budget.feature_accesses=1000")
    assert result["counters"]["feature_accesses"] >= 1000
