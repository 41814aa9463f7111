"""Tables of presets: a row is for an algorithm, a data set or both, and is found by their names and the protocol."""

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


def test_a_row_of_a_protocol_has_a_name_of_its_own() -> None:
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
        {"source": "a paper", "max_train": 5, "rows": {}},
        {"source": "a paper", "protocol": "p", "max_train": "many", "rows": {}},
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


@pytest.fixture
def conf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of conf/, which the program reads."""
    copy = Path(shutil.copytree(CONF, tmp_path / "conf"))
    monkeypatch.setattr(choices, "CONF", copy)
    return copy


def test_a_new_file_gives_a_data_set_its_values(conf: Path) -> None:
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


def test_a_protocol_has_rows_and_sizes_of_its_own_and_the_command_line_wins(conf: Path) -> None:
    (conf / "dataset" / "small.yaml").write_text("name: small\nkind: synthetic\nmax_train: 60\nmax_test: 20\n")
    rows = "rows:\n  small: {sigma2: 2.5, C: 3}\n"
    (conf / "preset" / "mine.yaml").write_text(f"source: mine\nprotocol: p\nmax_train: 40\n{rows}")
    expected = {
        "protocol=null": (None, 60, 20),
        "protocol=p": (2.5, 40, 20),
        "dataset.max_train=50": (2.5, 50, 20),
        "dataset.max_train=null": (2.5, None, 20),
        "dataset={max_train: 9}": (2.5, 9, 20),
    }
    for word, values in expected.items():
        run = settings_of(["dataset=small", "protocol=p", word])
        assert (run.kernel.sigma2, run.dataset.max_train, run.dataset.max_test) == values, word
    with pytest.raises(SettingsError, match=r"^unknown protocol 'q'; known: elsewhere_gaussian, elsewhere_linear, p$"):
        settings_of(["protocol=q"])


@pytest.mark.parametrize("values", ["unbiased: {sigma: 2}", "unbiased: 3", "epochs: many", "kernl: linear"])
def test_a_wrong_value_of_a_row_is_refused_with_its_place(
    values: str, conf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (conf / "preset" / "mine.yaml").write_text(f"source: mine\nrows:\n  synthetic: {{{values}}}\n")
    with pytest.raises(SettingsError, match=r"^conf/preset/, synthetic: \w"):
        settings_of(["dataset=synthetic"])
    (conf / "preset" / "mine.yaml").unlink()
    theirs = tmp_path / "theirs" / "preset" / "data" / "synthetic.yaml"
    theirs.parent.mkdir(parents=True)
    theirs.write_text(f"source: mine\n{values}\n")
    monkeypatch.setenv(choices.CONFIG_DIR, str(tmp_path / "theirs"))
    with pytest.raises(SettingsError, match=rf"^{theirs}: \w"):
        settings_of(["dataset=synthetic"])


def test_a_file_of_the_users_is_found_by_what_follows_dataset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also in place of a row of a protocol, and for data of scikit-learn; a name that is only shown finds none."""
    (tmp_path / "preset" / "data").mkdir(parents=True)
    for name in ("adult", "elsewhere_linear_adult", "sklearn:iris"):
        (tmp_path / "preset" / "data" / f"{name}.yaml").write_text(f"source: 'mine, {name}'\nunbiased: {{C: 7}}\n")
    monkeypatch.setenv(choices.CONFIG_DIR, str(tmp_path))
    for words, origin in {
        ("dataset=adult",): "mine, adult",
        ("dataset=adult", "dataset.name=other"): "mine, adult",
        ("dataset=adult", "protocol=elsewhere_linear"): "mine, elsewhere_linear_adult",
        ("dataset=adult", "protocol=elsewhere_gaussian"): "protocol of docs/elsewhere.md",
        ("dataset=sklearn:iris", "dataset.positive=[1]"): "mine, sklearn:iris",
        ("dataset=digits", "dataset.name=adult"): "this project",
    }.items():
        assert settings_of(["algo=pegasos", *words]).origins["problem.C"] == origin, words


def test_what_stands_in_braces_was_typed_too() -> None:
    """A printed nu belongs to all rows of the paper's data."""
    for word in ("dataset.max_train=300", "dataset={max_train: 300}"):
        run = settings_of(["algo=sbp", "dataset=adult", word])
        assert (run.problem.nu, run.origins["dataset.max_train"]) == (None, "command line"), word
