"""A table of presets: a row for a data set becomes an option of Hydra's groups, for each algorithm of the table."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from svm_cost_curves.experiments.configuration import choices
from svm_cost_curves.experiments.configuration.choices import CONF
from svm_cost_curves.experiments.configuration.composition import settings_of
from svm_cost_curves.experiments.configuration.presets import options, read_tables
from svm_cost_curves.solvers import SettingsError

PRINTED = {"sigma2": 2.0, "C": 3.0}


def test_a_row_is_for_every_algorithm_of_its_table() -> None:
    values = {"source": "a paper", "unbiased": PRINTED, "biased": PRINTED}
    table = {"source": "a paper", "algorithms": ["sbp", "smo"], "rows": {"adult": PRINTED}}
    assert options({"t.yaml": table}) == {("pair", "sbp_adult"): values, ("pair", "smo_adult"): values}
    assert options({"t.yaml": {"source": "a paper", "rows": {"adult": PRINTED}}}) == {("data", "adult"): values}
    once = {"source": "a paper", "algorithms": ["sbp"], "rows": {"all": {"epochs": 1}}}
    assert options({"t.yaml": once}) == {("algo", "sbp"): {"source": "a paper", "epochs": 1}}


def test_a_row_may_have_another_source_and_other_algorithms() -> None:
    rows = {"adult": {"algorithms": "all", "source": "a guess", "kernel": "linear"}}
    table = {"source": "a paper", "algorithms": ["sbp"], "rows": rows}
    assert options({"t.yaml": table}) == {("data", "adult"): {"source": "a guess", "kernel": "linear"}}


def test_a_row_of_a_protocol_is_an_option_of_its_own() -> None:
    table = {"source": "a paper", "rows": {"adult": PRINTED | {"C": 1.0}, "web": {"algorithms": ["sbp"], "C": 2.0}}}
    assert {*options({"t.yaml": table})} == {("data", "adult"), ("pair", "sbp_web")}
    other = {"source": "elsewhere", "protocol": "p", "rows": table["rows"]}
    assert {*options({"t.yaml": table, "u.yaml": other})} == {
        *(("data", "adult"), ("pair", "sbp_web")),
        *(("data", "p_adult"), ("pair", "p_sbp_web")),
    }


def test_numbers_beside_those_with_and_without_bias_are_for_both() -> None:
    row = PRINTED | {"biased": {"C": 5.0, "nu": 0.1}}
    (values,) = options({"t.yaml": {"source": "a paper", "rows": {"adult": row}}}).values()
    assert (values["unbiased"], values["biased"]) == (PRINTED, {"sigma2": 2.0, "C": 5.0, "nu": 0.1})


@pytest.mark.parametrize(
    "table",
    [
        None,
        [],
        {"source": "a paper"},
        {"rows": {}},
        {"source": "a paper", "rows": {"adult": None}},
        {"source": "a paper", "rows": [PRINTED]},
        {"source": "a paper", "rows": {}, "kernel": "linear"},
        {"source": "a paper", "algorithms": "sbp", "rows": {"adult": PRINTED}},
        {"source": "a paper", "rows": {"all": PRINTED}},
    ],
)
def test_what_is_no_table_is_refused_with_its_file(table: Any) -> None:
    with pytest.raises(SettingsError, match=r"conf/preset/t\.yaml: "):
        options({"t.yaml": table})


def test_two_rows_for_the_same_runs_are_refused_with_both_files() -> None:
    table = {"source": "a paper", "algorithms": ["sbp"], "rows": {"adult": PRINTED}}
    with pytest.raises(SettingsError, match=r"conf/preset/b\.yaml: a\.yaml has values for sbp_adult as well"):
        options({"a.yaml": table, "b.yaml": table})


def test_a_file_that_is_not_yaml_is_refused(tmp_path: Path) -> None:
    (tmp_path / "t.yaml").write_text("rows: {adult: [}")
    with pytest.raises(SettingsError, match=r"t\.yaml, line 1: it is not YAML"):
        read_tables(tmp_path)


def test_a_new_file_gives_a_data_set_its_values(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SVM_DATA_CACHE", str(tmp_path / "cache"))
    conf = Path(shutil.copytree(CONF, tmp_path / "conf"))
    monkeypatch.setattr(choices, "CONF", conf)
    words = ["algo=sbp", "dataset=synthetic"]
    assert settings_of(words).kernel.sigma2 is None
    (conf / "preset" / "mine.yaml").write_text("source: my thesis\nrows:\n  synthetic: {sigma2: 2.5, C: 3}\n")
    run = settings_of(words)
    other = settings_of([*words, "kernel.sigma2=7"])
    assert (run.kernel.sigma2, run.problem.C) == (2.5, 3.0)
    assert run.origins["kernel.sigma2"] == run.origins["problem.C"] == "my thesis"
    assert (other.kernel.sigma2, other.origins["kernel.sigma2"]) == (7.0, "command line")
    (conf / "preset" / "mine.yaml").unlink()
    assert settings_of(words).kernel.sigma2 is None
