"""Settings: checked values, units, names, identity."""

from __future__ import annotations

import dataclasses
import enum
import json
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svm_cost_curves import datasets, solvers
from svm_cost_curves.datasets import DatasetConfig
from svm_cost_curves.experiments.configuration import schema as schemas
from svm_cost_curves.experiments.configuration.choices import CONF, parse_memory
from svm_cost_curves.experiments.configuration.composition import settings_of
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
)
from svm_cost_curves.experiments.configuration.settings import MAX_SEED, available_cores, resolve
from svm_cost_curves.experiments.run.identity import run_key
from svm_cost_curves.solvers import SettingsError


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
        ("1e9", 10**9),
        (4096, 4096),
        ("7B", 7),
    ],
)
def test_memory_has_units(text: str | int, number: int) -> None:
    assert parse_memory(text) == number


def test_automatic_memory_is_a_part_of_the_machines() -> None:
    assert 2**28 < parse_memory("auto") < 2**50


@given(st.text(max_size=12) | st.sampled_from(["-1GiB", "0GiB", "12 GX", "GiB", "1e400GiB", "1e308TiB", "nan"]))
def test_other_memory_is_refused(text: str) -> None:
    try:
        assert parse_memory(text) > 0
    except SettingsError as error:
        assert "memory must be auto" in str(error)  # noqa: PT017 (either outcome is right)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"seed": -1}, "seed must be between"),
        ({"seed": MAX_SEED + 1}, "seed must be between"),
        ({"threads": 0}, "threads must be"),
        ({"threads": 5000}, "threads must be auto or a whole number from 1 to 1024"),
        ({"threads": "many"}, "threads must be"),
        ({"progress": "perhaps"}, "progress must be"),
        ({"picture": "perhaps"}, "picture must be"),
        ({"memory": "0GiB"}, "memory must be auto"),
        ({"rows": RowsConfig("all")}, "rows.provider must be one of auto, gram"),
        ({"kernel": None}, "kernel must be one of"),
        ({"algo": None}, "unknown algorithm"),
        ({"algo": algo_schema("sbp", solvers.get("sbp").Settings)(name="pegasos")}, "write algo=pegasos"),
    ],
)
def test_other_wrong_values(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        resolve(config(**changes))


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
def test_what_changes_a_result_is_part_of_the_identity(changes: dict[str, Any]) -> None:
    assert resolve(config(**changes)).identity() != resolve(config()).identity()


def test_settings_that_do_not_influence_a_result_are_no_part_of_the_identity() -> None:
    others = {
        "threads": 3,
        "memory": "1GiB",
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
    influential = {"algo", "kernel", "problem", "budget", "seed", "engine", "rows"}
    assert set(plain) <= influential
    # the data have a fingerprint, a protocol acts through the values that it fills in, ranks are part of the engine
    rest = {"dataset", "protocol", "ranks"}
    assert {field.name for field in dataclasses.fields(RunConfig)} == influential | {*others} | rest


def test_a_row_provider_that_is_given_is_part_of_the_identity() -> None:
    """The times of a run with a Gram matrix lack the kernel values: it does not stand for a run that computes them."""
    auto, gram, cache = ({"seed": 1, "rows": RowsConfig(name)} for name in ("auto", "gram", "cache"))
    identities = [resolve(config(**changes)).identity() for changes in (auto, gram, cache)]
    assert [identity.get("clock") for identity in identities] == [None, {"rows": "gram"}, {"rows": "cache"}]


@pytest.mark.parametrize("timed", [config(budget=BudgetConfig(seconds=1.0)), config("libsvm")])
def test_resources_are_part_of_a_run_that_is_timed(timed: RunConfig) -> None:
    """How far a run gets in seconds, and how long LIBSVM takes, depends on them; counted costs do not."""
    for changes in ({"threads": 1}, {"rows": RowsConfig("cache")}, {"memory": "1GiB"}):
        changed: Any = dataclasses.replace(timed, threads=2, memory="2GiB", rows=RowsConfig("auto"))
        assert resolve(dataclasses.replace(changed, **changes)).identity() != resolve(changed).identity()


@pytest.mark.parametrize("algo", solvers.names())
def test_the_identity_is_plain(algo: str) -> None:
    identity = resolve(config(algo)).identity()
    assert json.loads(json.dumps(identity)) == identity
    assert not any(isinstance(value, enum.Enum) for value in identity["algo"].values())


@pytest.mark.parametrize("name", solvers.names())
def test_the_schema_of_an_algorithm_is_pickled_by_its_name(name: str) -> None:
    made = getattr(schemas, name)
    sent = pickle.dumps(made)
    assert len(sent) < 100
    assert pickle.loads(sent) is made
    fields = [field.name for field in dataclasses.fields(solvers.get(name).Settings)]
    assert [field.name for field in dataclasses.fields(made)] == [*fields, "name"]
    assert made().name == name


def test_the_schema_of_frozen_settings_is_frozen_and_keeps_their_defaults() -> None:
    @dataclasses.dataclass(frozen=True)
    class Settings:
        rate: float = 0.5

    assert dataclasses.asdict(algo_schema("new", Settings)()) == {"rate": 0.5, "name": "new"}


def test_other_names_have_no_schema() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nobody'"):
        schemas.nobody  # noqa: B018


def test_an_import_of_the_schema_imports_no_solver_files() -> None:
    code = "import svm_cost_curves.experiments.run.runner; from svm_cost_curves.solvers import registry; "
    code += "print(registry.solver_classes.cache_info().currsize)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=CONF.parent)
    assert done.stdout == "0\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["dataset=digits", "dataset.train=/nonexistent.svm"], "dataset.train has no effect on dataset=digits"),
        (["dataset=adult", "dataset.n=100"], "dataset.n has no effect on dataset=adult"),
        (["dataset=digits", "dataset.topic=GCAT"], "dataset.topic has no effect on dataset=digits"),
        (["dataset=digits", "dataset.expected_test.n=3"], "dataset.expected_test has no effect"),
    ],
)
def test_a_setting_without_effect_is_refused_but_for_a_figure_s(words: list[str], said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        settings_of(words)
    name = words[1].partition("=")[0]
    assert settings_of(words, may_be_unused=[name]).dataset.kind in ("sklearn", "published")


def test_a_name_reaches_the_label_and_neither_the_key_nor_the_presets(tmp_path: Path) -> None:
    path = tmp_path / "mine.svm"
    path.write_text("".join(f"{k % 2} 1:{k}\n" for k in range(10)))
    plain = settings_of(["dataset=file", f"dataset.train={path}"])
    other = settings_of(["dataset=file", f"dataset.train={path}", "dataset.name=theirs"])
    assert (plain.label(), other.label()) == ("sbp mine seed=0", "sbp theirs seed=0")
    keys = {run_key(run.identity(), datasets.fingerprint(run.dataset), "build", "v3", "c") for run in (plain, other)}
    assert len(keys) == 1
    plain, other = (settings_of(["dataset=adult", *words]) for words in ([], ["dataset.name=a9a"]))
    assert plain.problem.nu is not None
    assert plain.identity() == other.identity()


EARLY = [
    ("algo=sbp algo.eta=-1", "eta must be"),
    ("algo=minibatch_sdca algo.batch_size=0", r"algo\.batch_size = 0: it must be from 1"),
    ("algo=asset algo.step=0", "step"),
    ("algo=asset algo.features=0", r"algo\.features = 0: it must be from 1"),
    ("algo=svmlight algo.working_set=-1", r"algo\.working_set = -1 must not be negative"),
    ("algo=fourier algo.pairs=0", r"algo\.pairs = 0"),
    ("algo=cpny algo.eps=0", "eps"),
    ("kernel=polynomial kernel.degree=50", r"kernel\.degree = 50"),
    ("kernel=polynomial kernel.gamma=-1", r"kernel\.gamma = -1"),
]


@pytest.mark.parametrize(("words", "message"), EARLY)
def test_a_bound_that_needs_no_data_is_checked_without_them(words: str, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        settings_of(["dataset=rcv1_ccat_subset", *words.split()])


@pytest.mark.parametrize("words", ["algo=asset algo.features=5000", "algo=minibatch_sdca algo.batch_size=100000"])
def test_a_number_of_examples_is_checked_with_the_data(words: str) -> None:
    settings_of(["dataset=rcv1_ccat_subset", *words.split()])
