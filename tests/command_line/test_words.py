"""Words for Hydra: options behind settings, files of settings, lists of values, and the jobs of a sweep."""

from __future__ import annotations

import os
import re
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from svm_cost_curves.experiments.command_line.words import for_each_job, jobs_of, translated
from svm_cost_curves.experiments.configuration.choices import CONF, CONFIG_DIR, add_config_folders
from svm_cost_curves.experiments.configuration.composition import settings_of
from svm_cost_curves.solvers import SettingsError

FILE = """
algo: sbp
dataset.train: a folder/x.csv
dataset:
  positive: [1, b]
problem:
  bias: true
  nu: null
seed: range(2)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's folder of options."""
    monkeypatch.setenv(CONFIG_DIR, str(tmp_path))
    (tmp_path / "experiment").mkdir()
    (tmp_path / "experiment" / "mine.yaml").write_text(FILE)
    (tmp_path / "experiment" / "words.yaml").write_text("just words")
    (tmp_path / "experiment" / "hydra.yaml").write_text("defaults:\n  - override /algo: smo\n")
    return tmp_path


def test_options_may_stand_between_settings() -> None:
    assert translated(["algo=sbp", "-cd", "D", "-m", "seed=0,1"]) == ["algo=sbp", "seed=0,1", "-m"]
    assert translated(["--info", "algo=sbp", "-c", "job"]) == ["algo=sbp", "--info", "-c", "job"]
    assert translated(["--dry-run", "format=pdf,svg"]) == ["format='pdf,svg'", "dry_run=true"]
    assert translated(["hydra.run.dir=x"]) == ["hydra.run.dir=x", "hydra.output_subdir=.hydra"]


@pytest.mark.parametrize("value", ["x-${now:%H}.npz", "x-${hydra:job.name}.npz"])
def test_a_value_that_hydra_makes_is_left_to_hydra(value: str) -> None:
    assert any(value in word for word in translated([f"model={value}"]))


def test_a_group_may_be_added_as_hydra_writes_it() -> None:
    assert translated(["+algo=sbp", "++dataset=digits", "+seed=1"]) == ["algo=sbp", "dataset=digits", "+seed=1"]
    assert translated(["-m", "+algo=sbp,smo"]) == ["algo=sbp,smo", "-m"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--cfg", "all", "--package", "x"], "--package x: there is no such group of settings"),
        (["--cfg"], "--cfg must be followed by one of job, hydra, all"),
        (["-c=none"], "-c must be followed by one of job, hydra, all; got 'none'"),
        (["--dry-run", "seed=${seed}"], r"seed=\${seed} cannot be resolved: it refers to itself"),
        (["dataset=file:${a}.csv"], r"dataset\.train=\${a}\.csv cannot be resolved: there is no setting 'a'"),
    ],
)
def test_what_hydra_would_refuse_in_its_own_words_is_refused_before(words: list[str], message: str) -> None:
    with pytest.raises(SettingsError, match=f"^{message}"):
        translated(words)


def test_a_label_that_yaml_reads_as_a_truth_value_is_refused_with_the_file(folder: Path) -> None:
    (folder / "dataset").mkdir()
    path = folder / "dataset" / "mine.yaml"
    path.write_text("kind: file\nname: mine\ntrain: a.csv\npositive: [yes]\n")
    with pytest.raises(
        SettingsError, match=r'mine\.yaml: dataset\.positive\[0\] must be .* as \["true"\] or \["yes"\]$'
    ):
        settings_of(["dataset=mine"])
    path.write_text(path.read_text().replace("[yes]", '["yes"]'))
    assert settings_of(["dataset=mine"]).dataset.positive == ["yes"]


@pytest.mark.usefixtures("folder")
def test_the_settings_of_a_file_take_the_place_of_its_name() -> None:
    settings = [
        "dataset=file",
        "algo=sbp",
        "dataset.train=a folder/x.csv",
        "dataset.positive=[1,b]",
        "problem.bias=true",
        "problem.nu=null",
    ]
    assert translated(["dataset=file", "-m", "+experiment=mine", "seed=3"]) == [*settings, "seed=3", "-m"]
    assert translated(["dataset=file", "experiment=mine", "-m", "threads=1"]) == [
        *settings,
        "seed=range(2)",
        "threads=1",
        "-m",
    ]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["+experiment=mein"], "unknown experiment 'mein'; did you mean mine"),
        (["+experiment=words"], r"words\.yaml: it must have lines NAME: VALUE"),
        (["+experiment=hydra"], r"hydra\.yaml: a file of options has settings only, and 'defaults' is none of them"),
        (["+experiment=mine"], r"mine\.yaml is a sweep \(seed=range\(2\)\), which needs -m"),
        (["+experiment=a", "+experiment=b"], r"^\+experiment=a,b: one at a time"),
    ],
)
def test_what_is_no_file_of_settings_is_refused(words: list[str], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        translated(words)


@pytest.mark.parametrize("name", ["1", "..", "a.", "budget..epochs", "-m"])
def test_a_name_in_a_file_that_is_no_setting_is_told_with_the_file(name: str, folder: Path) -> None:
    (folder / "experiment" / "wrong.yaml").write_text(f'"{name}": 3\n')
    with pytest.raises(SettingsError, match=r"wrong\.yaml: '.*' is not the name of a setting, as algo"):
        translated(["+experiment=wrong"])


def test_a_folder_of_the_user_has_options_of_every_group(folder: Path) -> None:
    (folder / "dataset").mkdir()
    text = (CONF / "dataset" / "digits.yaml").read_text().replace("name: digits", "name: heart")
    (folder / "dataset" / "heart.yaml").write_text(text)
    assert settings_of(["dataset=heart"]).dataset.name == "heart"
    more = folder / "more"
    more.mkdir()
    for form in (["--config-dir", str(more)], [f"--config-dir={more}"], ["-cd", str(more)]):
        add_config_folders(["-m", *form, "dataset=heart"])
        assert os.environ[CONFIG_DIR] == f"{more}{os.pathsep}{folder}"
    with pytest.raises(SettingsError, match=r"--config-dir \S+/none: there is no such folder"):
        add_config_folders(["--config-dir", str(folder / "none")])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-m=1"], "-m=1: write -m, without a value, or NAME=VALUE"),
        (["--help=x"], "--help=x: write --help, without a value"),
        (["--"], "--: write NAME=VALUE"),
        (["--info=x"], "--info must be followed by one of all, config"),
        (["--info", "x"], "--info must be followed by one of all, config"),
        ([f"problem.C={'9' * 500}"], "problem.C has too many digits: a number is at most 1.8e308"),
    ],
)
def test_words_that_hydra_and_python_refuse_in_many_lines_get_one(words: list[str], message: str) -> None:
    with pytest.raises(SettingsError, match=re.escape(message)):
        translated(["dataset=digits", *words])


@pytest.mark.parametrize("sweeps", [False, True])
@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("nonsense: 1\n", "unknown setting 'nonsense'"),
        ("problem:\n  nonsense: 1\n", "unknown setting 'problem.nonsense'"),
        ("algo: nosuch\n", "unknown algorithm 'nosuch'"),
        ("seed: x\n", "seed must be a whole number, got 'x'"),
        ("problem.C: -1\n", "problem.C must be a number > 0, got -1.0"),
        ("problem:\n  C: ${nope}\n", "problem.C=${nope} cannot be resolved"),
        ("model: /no/such/folder/x.npz\n", "model = '/no/such/folder/x.npz': its folder must exist"),
    ],
)
def test_an_error_of_an_experiment_names_its_file(folder: Path, content: str, message: str, sweeps: bool) -> None:
    path = folder / "experiment" / "wrong.yaml"
    path.write_text(f"dataset: digits\n{content}")
    words = ["-m"] * sweeps
    with pytest.raises(SettingsError, match=rf"^{re.escape(str(path))}: {re.escape(message)}"):
        translated([*words, "+experiment=wrong"])
    path.write_text("dataset: digits\n")
    with pytest.raises(SettingsError, match=r"^threads must be"):  # what is typed is not the file's
        translated([*words, "+experiment=wrong", "threads=x"])


def test_a_swept_value_of_an_experiment_names_its_file(folder: Path) -> None:
    (folder / "experiment" / "wrong.yaml").write_text("algo: sbp,nosuch\ndataset: digits\n")
    with pytest.raises(SettingsError, match=r"wrong\.yaml: unknown algorithm 'nosuch'"):
        translated(["-m", "+experiment=wrong"])


def test_where_an_experiment_sends_results_is_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = folder / "experiment" / "away.yaml"
    path.write_text(f"algo: sbp\ndataset: digits\nstore:\n  uri: http://h:5000\nmodel: {folder}/m.npz\n")
    translated(["+experiment=away", "store.root=here"])
    said = " ".join(capsys.readouterr().err.split())
    assert said == f"... {path} sets store.uri=http://h:5000 model={folder}/m.npz"
    translated(["+experiment=away", "store.uri=null", "model=null"])
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("path", sorted((CONF / "experiment").glob("*.yaml")), ids=lambda path: path.stem)
def test_each_file_of_the_project_is_understood(path: Path) -> None:
    *words, _ = translated(["-m", f"+experiment={path.stem}"])
    jobs = [settings_of(job, jobs=2) for job in jobs_of(words)]
    assert {job.origins["algo"] for job in jobs} == {"command line"}


def values(word: str) -> list[float]:
    text, _ = translated([word, "-m"])
    name, _, listed = text.partition("=")
    assert name == word.partition("=")[0]
    return [float(value) for value in listed.split(",")]


def test_logspace_has_even_logarithms_and_linspace_even_differences() -> None:
    powers = values("problem.lambda_=logspace(-6,-2,9)")
    np.testing.assert_allclose(np.diff(np.log10(powers)), 0.5, rtol=1e-10)
    assert powers[::2] == [1e-6, 1e-5, 1e-4, 1e-3, 1e-2]  # as they are typed: the same runs
    assert values("kernel.sigma2=linspace(1, 3, 5)") == [1.0, 1.5, 2.0, 2.5, 3.0]
    assert values("kernel.sigma2=linspace(2,7,1)") == [2.0]
    words = ["algo=sbp,smo", "seed=range(3)", "dataset.train='logspace(1).svm'", "-m"]
    assert translated(words) == words


@pytest.mark.parametrize(
    ("call", "options", "message"),
    [
        ("logspace(-6,-2)", ["-m"], "logspace needs three numbers: first, last, number of values"),
        ("logspace(a,b,3)", ["-m"], "logspace needs three numbers"),
        ("linspace(0,1,2.5)", ["-m"], "the number of values from 1 to 10,000"),
        ("linspace(0,1,0)", ["-m"], "the number of values from 1 to 10,000"),
        ("linspace(0,inf,3)", ["-m"], "first and last must be finite"),
        ("linspace(0,1,nan)", ["-m"], "the number of values from 1 to 10,000"),
        ("logspace(1,400,3)", ["-m"], "exponents of 10, from -300 to 300"),
        ("logspace(-6,-2,9)", [], "several values are a sweep, which needs -m"),
    ],
)
def test_wrong_lists_of_values_are_refused_with_the_word(call: str, options: list[str], message: str) -> None:
    word = f"problem.lambda_={call}"
    with pytest.raises(SettingsError, match=f"{re.escape(word)}.*{message}"):
        translated([word, *options])


def test_the_jobs_of_a_sweep_are_all_combinations() -> None:
    jobs = jobs_of(["algo=sbp,smo", "dataset=adult", "seed=range(2)", "problem.C=choice(1,2.5)"])
    assert jobs == [
        [f"algo={algo}", "dataset=adult", f"seed={seed}", f"problem.C={C}"]
        for algo, seed, C in product(["sbp", "smo"], [0, 1], ["1", "2.5"])
    ]
    assert jobs_of(["dataset.train='a b'", "seed=1,2", "seed=3"]) == [["dataset.train='a b'", "seed=3"]]


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("seed=interval(0,1)", r"^seed=interval\(0,1\): a sweep needs single values, as in seed=1,2$"),
        ("seed=range(0)", r"seed=range\(0\): range\(0\) has no values"),
    ],
)
def test_a_sweep_without_single_values_is_refused(word: str, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        jobs_of(["algo=sbp", word])


@pytest.mark.parametrize(
    ("words", "left"),
    [
        (["algo=a,b", "algo.x=1", "seed=3"], ["algo=a,b", "algo.x=choice(1)", "seed=3"]),
        (["algo=a", "algo.x=1"], ["algo=a", "algo.x=1"]),
        (["kernel=a,b", "kernel.x=[1,2]", "algo.y=2"], ["kernel=a,b", "kernel.x=choice([1,2])", "algo.y=2"]),
        (["dataset=a,b", "dataset.train='x y.svm'"], ["dataset=a,b", "dataset.train=choice('x y.svm')"]),
        (["algo=a,b", "algo.x=1,2", "algo.y="], ["algo=a,b", "algo.x=1,2", "algo.y="]),
        (["algo=a,b", "algo.x=[1", "nonsense"], ["algo=a,b", "algo.x=[1", "nonsense"]),
    ],
)
def test_only_values_of_swept_groups_are_left_to_the_jobs(words: list[str], left: list[str]) -> None:
    assert for_each_job(words) == left


def test_a_fixed_value_in_a_swept_group_is_checked_against_each_job() -> None:
    *words, _ = translated(["algo=asset,asset_online", "dataset=digits", "algo.features=16", "-m"])
    jobs = [settings_of(job) for job in jobs_of(words)]
    assert [(job.algo, job.solver_settings.features) for job in jobs] == [("asset", 16), ("asset_online", 16)]
