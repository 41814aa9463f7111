"""Settings: checked values, units, identity."""

from __future__ import annotations

import dataclasses
import enum
import json
import math
import pickle
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svm_cost_curves import solvers
from svm_cost_curves.datasets import DatasetConfig
from svm_cost_curves.experiments.configuration import schema as schemas
from svm_cost_curves.experiments.configuration.budget import Budget
from svm_cost_curves.experiments.configuration.choices import CONF, parse_memory
from svm_cost_curves.experiments.configuration.schedule import EvaluationSchedule
from svm_cost_curves.experiments.configuration.schema import (
    NOT_INFLUENTIAL,
    BudgetConfig,
    GaussianConfig,
    PolynomialConfig,
    ProblemConfig,
    RowsConfig,
    RunConfig,
    StoreConfig,
    algo_schema,
    kernel_name,
)
from svm_cost_curves.experiments.configuration.settings import MAX_SEED, available_cores, nearest, resolve
from svm_cost_curves.solvers import Limit, SettingsError


def config(solver: str = "sbp", /, **changes: Any) -> RunConfig:
    schema = algo_schema(solver, solvers.get(solver).Settings)
    base = RunConfig(algo=schema(), dataset=DatasetConfig(name="toy"), kernel=GaussianConfig(1.0))
    return dataclasses.replace(base, **changes)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("12GiB", 12 * 2**30),
        ("12 gib", 12 * 2**30),
        ("1.5MiB", 3 * 2**19),
        ("800MB", 800 * 10**6),
        ("2kB", 2000),
        ("1e9", 10**9),
        (4096, 4096),
        ("7B", 7),
    ],
)
def test_memory_has_units(text: str | int, number: int) -> None:
    assert parse_memory(text) == number


def test_automatic_memory_is_a_part_of_the_machines() -> None:
    assert 2**28 < parse_memory("auto") < 2**50


@pytest.mark.parametrize("text", ["", "twelve", "-1GiB", "0GiB", "12 GX", "GiB", "1e400GiB", "nan", 0, -5])
def test_other_memory_is_refused(text: str | int) -> None:
    with pytest.raises(SettingsError, match="memory must be auto"):
        parse_memory(text)


@given(st.text(max_size=12))
def test_memory_never_fails_otherwise(text: str) -> None:
    try:
        assert parse_memory(text) >= 0
    except SettingsError as error:
        assert "memory must be" in str(error)  # noqa: PT017 (either outcome is right)


LIMITS = ("epochs", "iterations", "kernel_evaluations", "inner_products", "seconds")


@pytest.mark.parametrize("name", LIMITS)
@pytest.mark.parametrize("value", [0.0, -1.0, float("nan"), float("inf")])
def test_budgets_are_positive(name: str, value: float) -> None:
    with pytest.raises(SettingsError, match=f"budget.{name} must be a number > 0"):
        resolve(config(budget=BudgetConfig(**{name: value})))


@pytest.mark.parametrize("name", LIMITS[1:4])
def test_counts_are_whole(name: str) -> None:
    with pytest.raises(SettingsError, match="whole"):
        resolve(config(budget=BudgetConfig(**{name: 1.5})))
    assert getattr(resolve(config(budget=BudgetConfig(**{name: 1e9}))).budget.limit, name) == 10**9


def test_evaluations_are_at_least_one() -> None:
    with pytest.raises(SettingsError, match=r"budget\.evaluations"):
        resolve(config(budget=BudgetConfig(evaluations=0)))


def test_ten_epochs_unless_the_command_line_gives_a_limit() -> None:
    assert resolve(config()).budget.epochs == 10
    budget = resolve(config(budget=BudgetConfig(seconds=60.0))).budget
    assert (budget.epochs, budget.limit.cpu_seconds) == (None, 60.0)


def test_a_budget_in_counters() -> None:
    budget = Budget(0.2, Limit(kernel_evaluations=10**9, cpu_seconds=3.0), 60)
    assert budget.limits(32561) == Limit(presentations=6513, kernel_evaluations=10**9, cpu_seconds=3.0)
    assert Budget(1e-9, Limit(), 60).limits(10).presentations == 1


def test_even_steps_are_counted_in_epochs() -> None:
    run = resolve(config(budget=BudgetConfig(epochs=2.0, every=0.1, tail=0.5)))
    assert run.budget.schedule(1000) == EvaluationSchedule(60, 100.0, 500.0, 1000)
    assert resolve(config(budget=BudgetConfig(epochs=2.0, every=0.1))).budget.schedule(1000).tail == math.inf
    assert run.identity()["budget"]["every"] == 0.1
    plain = resolve(config(budget=BudgetConfig(epochs=2.0))).identity()["budget"]
    assert not {"every", "tail"} & set(plain)  # the keys of runs without them are what they were


@pytest.mark.parametrize(
    ("budget", "message"),
    [
        (BudgetConfig(epochs=1.0, iterations=5.0, every=0.1), "epochs alone, got iterations"),
        (BudgetConfig(epochs=1.0, every=-0.1), "every must be a number"),
        (BudgetConfig(epochs=1.0, every=0.1, tail=0.0), "tail must be a number"),
        (BudgetConfig(epochs=1.0, tail=0.5), "give that as well"),
        (BudgetConfig(epochs=1e3, every=1e-3), "1e[+]06 points"),
    ],
)
def test_even_steps_that_make_no_sense(budget: BudgetConfig, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        resolve(config(budget=budget))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"seed": -1}, "seed must be between"),
        ({"seed": MAX_SEED + 1}, "seed must be between"),
        ({"threads": 0}, "threads must be"),
        ({"threads": "many"}, "threads must be"),
        ({"progress": "perhaps"}, "progress must be"),
        ({"picture": "perhaps"}, "picture must be"),
        ({"rows": RowsConfig("all")}, "rows.provider must be one of auto, gram"),
        ({"kernel": None}, "kernel must be one of"),
        ({"algo": None}, "unknown algorithm"),
    ],
)
def test_other_wrong_values(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        resolve(config(**changes))


def test_the_algorithms_name_cannot_be_changed_alone() -> None:
    schema = algo_schema("sbp", solvers.get("sbp").Settings)
    with pytest.raises(SettingsError, match="write algo=pegasos"):
        resolve(config(algo=schema(name="pegasos")))


def test_threads() -> None:
    assert resolve(config()).threads == available_cores()
    job = resolve(config(), jobs=4)
    assert (job.threads, job.building_threads, job.jobs) == (1, available_cores(), 4)
    assert resolve(config(threads=3), jobs=4).building_threads == 3


@pytest.mark.parametrize("name", ["progress", "picture"])
def test_progress_and_pictures_are_for_single_runs(name: str) -> None:
    assert getattr(resolve(config()), name)
    assert not getattr(resolve(config(), jobs=2), name)
    assert getattr(resolve(config(**{name: True}), jobs=2), name)


@pytest.mark.parametrize(
    "changes",
    [
        {"seed": 1},
        {"problem": ProblemConfig(C=2.0)},
        {"budget": BudgetConfig(epochs=5.0)},
        {"kernel": PolynomialConfig()},
        {"kernel": GaussianConfig(2.0)},
    ],
)
def test_what_changes_a_result_is(changes: dict[str, Any]) -> None:
    assert resolve(config(**changes)).identity() != resolve(config()).identity()


@pytest.mark.parametrize("algo", solvers.names())
def test_the_identity_is_plain(algo: str) -> None:
    identity = resolve(config(algo)).identity()
    assert json.loads(json.dumps(identity)) == identity
    assert not any(isinstance(value, enum.Enum) for value in identity["algo"].values())


def test_schema_of_an_algorithm_keeps_types_and_defaults() -> None:
    @dataclasses.dataclass(frozen=True)
    class Settings:
        rate: float = 0.5

    schema = algo_schema("new", Settings)
    assert dataclasses.asdict(schema()) == {"rate": 0.5, "name": "new"}
    assert issubclass(schema, Settings)


def test_kernel_names() -> None:
    assert kernel_name(PolynomialConfig()) == "polynomial"


def test_nearest_names() -> None:
    assert nearest("spb", ["sbp", "smo", "pegasos"]) == "; did you mean sbp?"
    assert nearest("quite different", ["sbp"]) == ""


@pytest.mark.parametrize("name", solvers.names())
def test_the_schema_of_an_algorithm_is_pickled_by_its_name(name: str) -> None:
    made = getattr(schemas, name)
    sent = pickle.dumps(made)
    assert len(sent) < 100
    assert pickle.loads(sent) is made
    own = [field.name for field in dataclasses.fields(solvers.get(name).Settings)]
    assert [field.name for field in dataclasses.fields(made)] == [*own, "name"]
    assert made().name == name


def test_other_names_have_no_schema() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nobody'"):
        schemas.nobody  # noqa: B018


def test_settings_that_do_not_influence_a_result_are_no_part_of_the_identity() -> None:
    others = {
        "threads": 3,
        "memory": "1GiB",
        "rows": RowsConfig("cache"),
        "progress": False,
        "picture": False,
        "checkpoint_seconds": 5.0,
        "store": StoreConfig("elsewhere"),
        "model": "model.npz",
        "highlight": "sbp",
        "style": "paper",
        "width": "3",
        "format": "svg",
        "dry_run": True,
    }
    assert {*others, "hydra"} == set(NOT_INFLUENTIAL)
    plain = resolve(config()).identity()
    for name, value in others.items():
        assert resolve(config(**{name: value})).identity() == plain, name
    timed = BudgetConfig(seconds=1.0)
    assert resolve(config(budget=timed, threads=3)).identity() != resolve(config(budget=timed, threads=2)).identity()
    influential = {"algo", "kernel", "problem", "budget", "seed", "engine"}
    assert set(plain) <= influential
    # the data have a fingerprint, presets act through the values that they fill in, ranks are part of the engine
    rest = {"dataset", "preset", "ranks"}
    assert {field.name for field in dataclasses.fields(RunConfig)} == influential | {*others} | rest


def test_an_import_of_the_schema_imports_no_solver_files() -> None:
    code = "import svm_cost_curves.experiments.run.runner; from svm_cost_curves.solvers import registry; "
    code += "print(registry.solver_classes.cache_info().currsize)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=CONF.parent)
    assert done.stdout == "0\n"
