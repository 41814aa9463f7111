"""The data set of a run, as the command line has it: settings without effect, and names."""

from __future__ import annotations

from pathlib import Path

import pytest

from svm_cost_curves import datasets
from svm_cost_curves.experiments.command_line.sweep_groups import groups
from svm_cost_curves.experiments.command_line.sweep_results import table
from svm_cost_curves.experiments.configuration.composition import settings_of
from svm_cost_curves.experiments.processes.outcome import Outcome
from svm_cost_curves.experiments.run.identity import run_key
from svm_cost_curves.solvers import SettingsError


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


def test_a_name_reaches_the_label_and_not_the_key(tmp_path: Path) -> None:
    path = tmp_path / "mine.svm"
    path.write_text("".join(f"{k % 2} 1:{k}\n" for k in range(10)))
    plain = settings_of(["dataset=file", f"dataset.train={path}"])
    other = settings_of(["dataset=file", f"dataset.train={path}", "dataset.name=theirs"])
    assert (plain.label(), other.label()) == ("sbp mine seed=0", "sbp theirs seed=0")
    keys = {run_key(run.identity(), datasets.fingerprint(run.dataset), "build", "v3", "c") for run in (plain, other)}
    assert len(keys) == 1


def test_a_name_leaves_the_preset_of_a_data_set_as_it_is() -> None:
    plain, other = (settings_of(["dataset=adult", *words]) for words in ([], ["dataset.name=a9a"]))
    assert plain.problem.nu is not None
    assert plain.identity() == other.identity()


def run_on(path: str, name: str, algo: str = "sbp") -> Outcome:
    words = ("dataset=file", f"dataset.train={path}", f"algo={algo}")
    return Outcome("", "finished", algo=algo, dataset=name, seed=0, test_error=0.1, overrides=words)


def test_two_files_of_a_sweep_are_two_data_sets() -> None:
    runs = [run_on(path, name, algo) for path, name in (("a.svm", "a"), ("b.svm", "b")) for algo in ("sbp", "smo")]
    assert [(group.dataset, group.name) for group in groups(runs)] == [
        ("a", "sbp"),
        ("a", "smo"),
        ("b", "sbp"),
        ("b", "smo"),
    ]
    assert len(table(runs).rows) == 4


def test_files_of_one_name_are_told_apart_by_their_paths() -> None:
    found = groups([run_on("x/a.svm", "a"), run_on("y/a.svm", "a"), run_on("b.svm", "b")])
    assert [group.dataset for group in found] == ["a (x/a.svm)", "a (y/a.svm)", "b"]
