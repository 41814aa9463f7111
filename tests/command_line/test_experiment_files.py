"""``+experiment=NAME``: a file of settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from svm_cost_curves.experiments.command_line.experiment_files import with_experiment
from svm_cost_curves.experiments.command_line.words import config_folders, jobs_of, translated
from svm_cost_curves.experiments.configuration.choices import CONF, CONFIG_DIR
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
    monkeypatch.setenv(CONFIG_DIR, str(tmp_path))
    (tmp_path / "experiment").mkdir()
    (tmp_path / "experiment" / "mine.yaml").write_text(FILE)
    (tmp_path / "experiment" / "words.yaml").write_text("just words")
    (tmp_path / "experiment" / "hydra.yaml").write_text("defaults:\n  - override /algo: smo\n")
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_the_settings_of_a_file_take_the_place_of_its_name() -> None:
    own = ["algo=sbp", "dataset.train=a folder/x.csv", "dataset.positive=[1,b]", "problem.bias=true", "problem.nu=null"]
    assert with_experiment(["-m", "+experiment=mine", "seed=3"]) == ["-m", *own, "seed=3"]
    assert with_experiment(["experiment=mine", "x=1"]) == [*own, "seed=range(2)", "x=1"]
    assert with_experiment(["algo=smo"]) == ["algo=smo"]


@pytest.mark.usefixtures("folder")
def test_what_is_no_file_of_settings_is_refused() -> None:
    with pytest.raises(SettingsError, match="unknown experiment 'mein'; did you mean mine"):
        with_experiment(["+experiment=mein"])
    with pytest.raises(SettingsError, match=r"words\.yaml: it must have lines NAME: VALUE"):
        with_experiment(["+experiment=words"])
    with pytest.raises(SettingsError, match=r"hydra\.yaml: an experiment has no defaults list: write algo: smo"):
        with_experiment(["+experiment=hydra"])
    with pytest.raises(SettingsError, match="one at a time"):
        with_experiment(["+experiment=a", "+experiment=b"])


def test_a_folder_of_the_user_has_options_of_every_group(folder: Path) -> None:
    (folder / "dataset").mkdir()
    text = (CONF / "dataset" / "digits.yaml").read_text().replace("name: digits", "name: heart")
    (folder / "dataset" / "heart.yaml").write_text(text)
    assert settings_of(["dataset=heart"]).dataset.name == "heart"
    for form in (["--config-dir", "a"], ["--config-dir=a"], ["-cd", "a"]):
        assert config_folders(["-m", *form, "dataset=heart"]) == ["a"]


@pytest.mark.parametrize("path", sorted((CONF / "experiment").glob("*.yaml")), ids=lambda path: path.stem)
def test_each_file_of_the_project_is_understood(path: Path) -> None:
    words = [word for word in translated(["-m", f"+experiment={path.stem}"]) if word != "-m"]
    jobs = [settings_of(job, jobs=2) for job in jobs_of(words)]
    assert jobs
    assert {job.origins["algo"] for job in jobs} == {"command line"}


def test_options_may_stand_between_settings() -> None:
    assert translated(["algo=sbp", "-cd", "D", "-m", "seed=0,1"]) == ["algo=sbp", "seed=0,1", "-cd", "D", "-m"]
    assert translated(["--info", "algo=sbp", "--config-dir=D"]) == ["algo=sbp", "--info", "--config-dir=D"]


def test_a_sweep_over_no_value_is_refused() -> None:
    with pytest.raises(SettingsError, match=r"seed=range\(0\): range\(0\) has no values"):
        jobs_of(["algo=sbp", "seed=range(0)"])
