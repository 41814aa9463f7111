"""Every file of conf/ composes, has the types of its schema, and leads to settings that can be run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from omegaconf import DictConfig, OmegaConf

from svm_cost_curves import solvers
from svm_cost_curves.experiments.configuration.choices import CONF
from svm_cost_curves.experiments.configuration.composition import compose, option_names, settings_of
from svm_cost_curves.experiments.configuration.presets import ALL, look_up, options, read_tables
from svm_cost_curves.experiments.configuration.schema import RunConfig
from svm_cost_curves.experiments.configuration.settings import RunSettings
from svm_cost_curves.solvers import SettingsError


def settings(*overrides: str) -> RunSettings:
    return settings_of(overrides)


@pytest.mark.parametrize("algo", solvers.names())
def test_every_algorithm_composes_and_resolves(algo: str) -> None:
    run_settings = settings(f"algo={algo}")
    assert run_settings.algo == algo
    assert isinstance(run_settings.solver_settings, solvers.get(algo).Settings)
    budget = run_settings.budget
    assert len(budget.schedule(1000).limits(budget.limits(1000))) > 10


@pytest.mark.parametrize("dataset", option_names("dataset"))
def test_every_data_set_composes_and_resolves(dataset: str) -> None:
    run_settings = settings(f"dataset={dataset}")
    assert run_settings.dataset.name == dataset
    assert run_settings.problem.C is not None


@pytest.mark.parametrize("kernel", option_names("kernel"))
def test_every_kernel_composes_and_resolves(kernel: str) -> None:
    assert settings(f"kernel={kernel}").identity()["kernel"]["name"] == kernel


TABLES = read_tables(CONF / "preset")


@pytest.mark.parametrize("file", TABLES)
def test_every_table_of_presets_names_algorithms_and_data_sets_that_there_are(file: str) -> None:
    table = TABLES[file]
    assert {*table["rows"]} <= {*option_names("dataset"), ALL}
    for row in (table, *table["rows"].values()):
        assert row.get("algorithms", ALL) == ALL or {*row["algorithms"]} <= {*solvers.names()}


def test_every_row_of_a_table_reaches_the_runs_that_it_is_for() -> None:
    # rows of a protocol: tests/elsewhere/test_search.py
    rows = options({file: table for file, table in TABLES.items() if "protocol" not in table})
    one_of_each = [*({name for group, name in rows if group == "data"}), "adult"]
    for dataset in one_of_each:
        algo = "asset" if ("pair", f"asset_{dataset}") in rows else "perceptron"
        preset, _ = look_up(algo, dataset, None)
        for found, name in ((preset.data, ("data", dataset)), (preset.pair, ("pair", f"{algo}_{dataset}"))):
            expected = rows.get(name, {})
            assert found.source == expected.get("source")
            assert OmegaConf.merge(found, expected) == OmegaConf.structured(found)


@pytest.mark.parametrize("name", option_names("store"))
def test_stores_compose(name: str) -> None:
    assert isinstance(OmegaConf.to_object(compose([f"store={name}"])), RunConfig)


TABLE_2 = [  # data set, bias, sigma^2, C, nu as the SBP paper prints them
    ("reuters_money_fx", False, 0.5, 1.0, 6.34e-4),
    ("adult", False, 10.0, 1.0, 1.10e-2),
    ("adult", True, 100.0, 100.0, 5.79e-4),
    ("mnist", False, 25.0, 1.0, 2.21e-4),
    ("mnist", True, 25.0, 1000.0, 6.42e-11),
    ("covtype", True, 5000.0, 10000.0, 7.62e-10),
]


@pytest.mark.parametrize(("dataset", "bias", "sigma2", "C", "nu"), TABLE_2)
def test_presets_are_the_papers_table_2(dataset: str, bias: bool, sigma2: float, C: float, nu: float) -> None:
    run_settings = settings("algo=sbp", f"dataset={dataset}", f"problem.bias={str(bias).lower()}")
    assert run_settings.kernel.sigma2 == sigma2
    assert (run_settings.problem.C, run_settings.problem.nu, run_settings.problem.bias) == (C, nu, bias)
    for name in ("kernel.sigma2", "problem.C", "problem.nu"):
        assert run_settings.origins[name] == "SBP paper, Table 2"


TABLE_1 = [  # data set, 1/(lambda m) and 1/(2 sigma^2) as the ASSET paper prints them
    ("adult", 1000.0, 0.001),
    ("mnist", 100.0, 0.01),
    ("rcv1_ccat", 10.0, 1.0),
    ("ijcnn1", 100.0, 1.0),
]


ON_STREAMS = ("asset_online", "asset_star_online")


@pytest.mark.parametrize("algo", ["asset", "asset_star", *ON_STREAMS, "cpny", "cpsp", "sklearn_nystroem"])
@pytest.mark.parametrize(("dataset", "C", "gamma"), TABLE_1)
def test_presets_are_the_asset_papers_table_1(algo: str, dataset: str, C: float, gamma: float) -> None:
    run_settings = settings(f"dataset={dataset}", f"algo={algo}")
    assert run_settings.kernel.sigma2 == pytest.approx(0.5 / gamma)
    assert (run_settings.problem.C, run_settings.problem.bias) == (C, False)
    assert run_settings.origins["problem.C"] == run_settings.origins["kernel.sigma2"] == "ASSET paper, Table 1"
    assert run_settings.budget.epochs == (1 if algo in ON_STREAMS else 10_000 if algo in ("cpny", "cpsp") else 10)
    assert settings(f"dataset={dataset}", f"algo={algo}", "problem.C=2").problem.C == 2.0


def test_the_perceptron_runs_a_hundred_epochs_on_adult_only() -> None:
    assert settings("algo=perceptron", "dataset=adult").budget.epochs == 100
    assert settings("algo=perceptron", "dataset=mnist").budget.epochs == 10
    assert settings("algo=sbp", "dataset=adult").budget.epochs == 10
    assert settings("algo=perceptron", "dataset=adult", "budget.epochs=2").budget.epochs == 2


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["algo=libsvm", "problem.bias=false"], "with a bias only"),
        (["algo.eta=nan"], "algo.eta = nan: it must be a finite number"),
        (["algo=simba", "algo.horizon=9223372036854775808"], "algo.horizon = 9223372036854775808: whole numbers lie"),
        (["problem.rho=inf"], "problem.rho = inf: it must be a finite number"),
        (["algo=sgd_m", "algo.multiplicity_schedule=${oc.env:HOME}"], "algo.multiplicity_schedule must be a list"),
        (["kernel=linear", "kernel.sigma2=3"], "unknown setting 'kernel.sigma2'; kernel has no settings"),
        (["algo=pegasos", "algo.draws=single"], "unknown setting 'algo.draws'"),
    ],
)
def test_wrong_values_are_refused(arguments: list[str], hint: str) -> None:
    with pytest.raises(SettingsError, match=re.escape(hint)):
        settings(*arguments)


def test_the_composed_configuration_holds_no_machine_path() -> None:
    config = compose([])
    assert isinstance(config, DictConfig)
    assert str(Path.home()) not in OmegaConf.to_yaml(config)
    assert str(CONF.parent) not in OmegaConf.to_yaml(config)
