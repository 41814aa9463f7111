"""A budget ends every run, or is refused; evaluations are spread over the logarithm of the cost, up to the budget."""

from __future__ import annotations

import dataclasses
import itertools
import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from run_cases import DATA, alone

from svm_cost_curves import solvers
from svm_cost_curves.experiments.configuration.budget import (
    BUDGET_LIMITS,
    COUNTER_OF,
    DECADES,
    Budget,
    EvaluationSchedule,
)
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
from svm_cost_curves.solvers import Limit, Problem, RowPolicy, SettingsError, plugins

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
        solver.advance(Limit(iterations=limit))


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


def budget_of(**limits: Any) -> Budget:
    """The checked budget of a run of SBP."""
    config = RunConfig(algo=algo_schema("sbp", solvers.get("sbp").Settings)(), kernel=GaussianConfig(1.0))
    return resolve(dataclasses.replace(config, budget=BudgetConfig(**limits))).budget


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        *(({name: value}, f"{name} must be a number > 0") for name in BUDGET_LIMITS for value in (0.0, -1.0)),
        *(({name: value}, "number > 0") for name in ("epochs", "seconds") for value in (math.nan, math.inf)),
        *(({name: 1.5}, "whole") for name in ("iterations", "kernel_evaluations", "inner_products")),
        ({"evaluations": 0}, "budget.evaluations"),
        ({"epochs": 1.0, "iterations": 5.0, "every": 0.1}, "epochs alone, got iterations"),
        ({"epochs": 1.0, "every": -0.1}, "every must be a number"),
        ({"epochs": 1.0, "every": 0.1, "tail": 0.0}, "tail must be a number"),
        ({"epochs": 1.0, "tail": 0.5}, "give that as well"),
        ({"epochs": 1e3, "every": 1e-3}, "1e[+]06 points"),
    ],
)
def test_what_is_no_budget_is_refused(limits: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        budget_of(**limits)


def test_ten_epochs_unless_the_command_line_gives_a_limit() -> None:
    assert budget_of().epochs == 10
    assert (budget_of(seconds=60.0).epochs, budget_of(seconds=60.0).limit.cpu_seconds) == (None, 60.0)
    assert budget_of(iterations=1e9).limit.iterations == 10**9


def test_epochs_are_presentations_rounded_up() -> None:
    budget = Budget(0.2, Limit(kernel_evaluations=10**9, cpu_seconds=3.0), 60)
    assert budget.limits(32561) == Limit(presentations=6513, kernel_evaluations=10**9, cpu_seconds=3.0)
    assert Budget(1e-9, Limit(), 60).limits(10).presentations == 1


def test_even_steps_are_counted_in_epochs_and_part_of_the_identity_where_they_are_given() -> None:
    budget = budget_of(epochs=2.0, every=0.1, tail=0.5)
    assert budget.schedule(1000) == EvaluationSchedule(60, 100.0, 500.0, 1000)
    assert budget_of(epochs=2.0, every=0.1).schedule(1000).tail == math.inf
    assert budget.identity()["every"] == 0.1
    assert not {"every", "tail"} & {*budget_of(epochs=2.0).identity()}  # the keys of runs without them stay


counts = st.one_of(st.none(), st.integers(1, 10**15))


@given(
    st.builds(
        Limit,
        iterations=counts,
        presentations=counts,
        kernel_evaluations=counts,
        inner_products=counts,
        cpu_seconds=st.one_of(st.none(), st.floats(1e-3, 1e6)),
    ).filter(lambda limit: bool(limit.given())),
    st.integers(1, 200),
    st.integers(1, 10**9),
)
def test_a_schedule_rises_to_exactly_its_budget(budget: Limit, points: int, epoch: int) -> None:
    points_of_run = EvaluationSchedule(points, epoch=epoch).limits(budget)
    assert 1 <= len(points_of_run) <= points
    assert points_of_run[-1] == budget
    for before, after in itertools.pairwise(points_of_run):
        assert before != after
        for name in budget.given():
            assert 0 < getattr(before, name) <= getattr(after, name)
    for point in points_of_run:
        assert set(point.given()) == set(budget.given())
        assert all(isinstance(value, int) for name, value in point.given().items() if name != "cpu_seconds")
    for point in points_of_run[:-1]:
        presentations = point.presentations or 0
        assert presentations <= epoch or presentations % epoch == 0 or presentations == budget.presentations


def test_an_epochs_budget_is_evaluated_within_the_first_epoch_and_then_at_epoch_ends() -> None:
    presentations = [
        point.presentations for point in EvaluationSchedule(9, epoch=100).limits(Limit(presentations=1050))
    ]
    assert presentations == [1, 2, 6, 14, 32, 77, 200, 400, 1050]
    later = [point.presentations for point in EvaluationSchedule(60, epoch=100).limits(Limit(presentations=400))][-4:]
    assert later == [100, 200, 300, 400]
    budget = Limit(iterations=1050)  # of which an epoch is no unit
    assert EvaluationSchedule(9, epoch=100).limits(budget) == EvaluationSchedule(9).limits(budget)


def test_one_large_limit_is_cut_geometrically() -> None:
    points = EvaluationSchedule(61).limits(Limit(kernel_evaluations=10**10))
    assert len(points) == 61
    logs = [math.log10(point.kernel_evaluations or 0) for point in points]
    assert logs[0] == pytest.approx(10 - DECADES)
    steps = [after - before for before, after in itertools.pairwise(logs)]
    assert max(steps) - min(steps) < 1e-6


def test_a_small_limit_begins_at_one_and_has_each_number_once() -> None:
    assert [point.iterations for point in EvaluationSchedule(60).limits(Limit(iterations=5))] == [1, 2, 3, 4, 5]
    assert [point.iterations for point in EvaluationSchedule(1).limits(Limit(iterations=7))] == [7]


def test_without_a_limit_every_iteration_is_evaluated_until_the_points_run_out() -> None:
    assert EvaluationSchedule(3).limits(Limit()) == [Limit(iterations=1), Limit(iterations=2), Limit()]


def test_even_steps_are_counted_back_from_the_end_and_join_the_grid() -> None:
    def places(budget: int, points: int, every: float, tail: float = math.inf) -> list[int | None]:
        schedule = EvaluationSchedule(points, every, tail, epoch=100)
        return [point.presentations for point in schedule.limits(Limit(presentations=budget))]

    assert places(305, 1, 10.0, 50.0) == [265, 275, 285, 295, 305]
    assert places(305, 3, 100.0) == [1, 5, 17, 105, 205, 305]  # 1, 17 and 305 are of the grid
    assert places(33, 1, 100 / 30) == [3, 6, 10, 13, 16, 20, 23, 26, 30, 33]


@pytest.mark.parametrize("budget", [Limit(iterations=9), Limit(presentations=9, iterations=9), Limit()])
def test_even_steps_are_of_presentations(budget: Limit) -> None:
    with pytest.raises(ValueError, match="presentations"):
        EvaluationSchedule(5, 2.0).limits(budget)


@pytest.mark.parametrize(
    ("budget", "points"), [(Limit(iterations=0), 5), (Limit(iterations=5), 0), (Limit(cpu_seconds=-1.0), 5)]
)
def test_senseless_budgets_are_refused(budget: Limit, points: int) -> None:
    with pytest.raises(ValueError, match=r"positive|at least one"):
        EvaluationSchedule(points).limits(budget)
