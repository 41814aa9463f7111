"""``svm-store list|show|compare|export|delete``, and `experiments.load`."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pandas as pd
import pytest
from store_records import make_curve, result_of

from svm_cost_curves import experiments
from svm_cost_curves.experiments.processes.outcome import Outcome
from svm_cost_curves.experiments.store import Store, StoreError, browse
from svm_cost_curves.experiments.store.cli import main


def record(store: Store, key: str, algo: str, seed: int, nu: float, isa: str = "v3") -> None:
    settings = {"algo": {"name": algo}, "problem": {"nu": nu}, "seed": seed, "dataset": {"name": "adult", "d": 9}}
    settings["budget"] = {"checkpoints": 60}
    result = result_of(seed) | {"algo": algo, "settings": {**settings, "origins": {"problem.nu": "command line"}}}
    result["provenance"]["build"]["isa"] = isa
    store.finish(key, result, make_curve(5))


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with four runs."""
    folder = tmp_path_factory.mktemp("browse")
    store = Store.open(folder)
    record(store, "k0", "sbp", 0, 0.01)
    record(store, "k1", "sbp", 1, 0.01)
    record(store, "k2", "sbp", 0, 0.1)
    record(store, "k3", "smo", 0, 0.1)
    (folder / "sweeps" / "monday").mkdir(parents=True)
    for number, key in enumerate(("k0", "k3")):
        Outcome("", "finished", key=key).write(folder / "sweeps" / "monday", number)
    return folder


def command(folder: Path, *words: str) -> int:
    return main([*words, f"store={folder}"])


@pytest.mark.parametrize(
    ("words", "keys"),
    [
        ([], ["k0", "k1", "k2", "k3"]),
        (["algo=sbp"], ["k0", "k1", "k2"]),
        (["algo=sbp", "seed=0,2"], ["k0", "k2"]),
        (["problem.nu=0.010"], ["k0", "k1"]),
        (["key=k2"], ["k2"]),
        (["algo=sbp,smo", "dataset.d=9", "problem.nu=0.1"], ["k2", "k3"]),
        (["budget.evaluations=60", "sweep=monday"], ["k0", "k3"]),
        (["algo=sbp", "algo=smo", "problem.nu=0.1"], ["k2", "k3"]),
    ],
)
def test_filters_choose_runs(
    filled: Path, words: list[str], keys: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert command(filled, "list", *words) == 0
    head, *lines, last = capsys.readouterr().out.splitlines()
    assert sorted(line.split()[0] for line in lines) == keys
    assert last == f"{len(keys)} run{'s' * (len(keys) > 1)} in {filled}"
    assert head.split()[:6] == ["key", "algo", "dataset", "seed", "test", "error"]
    assert any("problem.nu=0.1" in line for line in lines) == ({"k0", "k2"} <= {*keys} or {"k0", "k3"} <= {*keys})


def test_a_word_of_hexadecimal_digits_is_the_beginning_of_a_key(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for seed, key in enumerate(("579f5aeb01", "1234567802", "12e4abcd03")):
        record(Store.open(tmp_path), key, "sbp", seed, 0.01)
    assert command(tmp_path, "compare", "579f5aeb", "12345678") == 0
    assert capsys.readouterr().out.splitlines()[0].split() == ["key", "579f5aeb01", "1234567802"]
    assert command(tmp_path, "show", "12e4") == 0
    assert command(tmp_path, "list", "--wide", "579", "key=12e4") == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("2 runs")


def test_a_folder_in_the_place_of_an_algorithm_is_named(
    filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(filled, "results")
    with pytest.raises(StoreError, match="there are sbp, smo; a folder of records is store='results'"):
        experiments.load("results")


def test_a_line_has_100_characters_and_wide_has_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = Store.open(tmp_path)
    for key, given in (("k0", "abcdefgh"), ("k1", "h")):
        names = {f"setting_{letter}": f"{letter}{key}" * 5 for letter in "abcdefgh"}
        origins = {f"problem.setting_{letter}": "command line" for letter in given}
        store.finish(key, result_of(problem=names, origins=origins), make_curve(3))
    assert command(tmp_path, "list") == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines[:-1])) <= 100
    assert f"10.00 %     problem.setting_h={'hk1' * 5} problem.setting_a=" in lines[2]  # what was given comes first
    assert lines[-1].endswith("--wide or export has what ... cuts")
    assert command(tmp_path, "list", "--wide") == 0
    assert "gk0" * 5 in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["list", "algoo=sbp"], "no run has a setting 'algoo'; did you mean algo"),
        (["list", "nu=0.1"], "no run has a setting 'nu'; did you mean problem.nu"),
        (["list", "algo=pegasos"], "has algo=pegasos; there are sbp, smo"),
        (["list", "algo=smo", "problem.nu=0.01"], "has algo=smo and problem.nu=0.01"),
        (["list", "sweep=tuesday"], "no sweep 'tuesday' in"),
        (["list", "sbp"], "'sbp' is no filter: write NAME=VALUE"),
        (["list", "algo="], "'algo=' is no filter"),
        (["show", "algo=sbp"], "show is for one run, and 3 have these settings:\nkey"),
        (["compare", "key=k1"], "compare shows 2 to 12 runs, and 1 have these settings"),
        (["export", "runs.xlsx"], "runs.xlsx: a table is exported as .csv or .parquet"),
        (["export", "no/folder/runs.csv"], "no/folder/runs.csv cannot be written"),
        (["delete"], "delete needs a filter"),
    ],
)
def test_wrong_commands_are_refused(
    filled: Path, words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command(filled, *words) == 2
    assert message in capsys.readouterr().err


def test_a_folder_without_a_store_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("list", "delete"):
        assert command(tmp_path / "none", name, "algo=sbp") == 2
        assert f"there are no runs in {tmp_path / 'none'}" in capsys.readouterr().err
    assert not (tmp_path / "none").exists()


def test_the_store_is_looked_for_here_and_in_the_checkout(
    filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(browse, "PROJECT_ROOT", tmp_path / "checkout")
    with pytest.raises(StoreError, match="name their folder by store=FOLDER"):
        experiments.load("sbp")
    shutil.copytree(filled, tmp_path / "checkout" / "results")
    assert len(experiments.load("sbp")["run"].unique()) == 3
    record(Store.open("results"), "k9", "sbp", 0, 0.1)
    assert experiments.load("sbp")["run"].unique().tolist() == ["k9"]


def test_all_that_is_recorded_is_shown(filled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command(filled, "show", "key=k1") == 0
    shown = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines())
    assert shown["settings.problem.nu"] == "0.01"
    assert shown["counters.kernel_evaluations"] == "101"
    assert shown["provenance.build.isa"] == "v3"
    assert (Path(shown["files:"]) / "curve.parquet").is_file()


def test_what_differs_stands_side_by_side(filled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command(filled, "compare", "algo=sbp") == 0
    lines = {line.split()[0]: line.split()[1:] for line in capsys.readouterr().out.splitlines()}
    assert lines["problem.nu"] == ["0.01", "0.1", "0.01"]
    assert lines["kernel_evaluations"] == ["100", "100", "101"]
    assert lines["test_error"] == ["0.1", "0.1", "1.1"]
    assert lines["seed"] == ["0", "0", "1"]
    assert not {"build.isa", "presentations"} & set(lines)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_exported_runs_are_read_back(filled: Path, tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"runs.{ending}"
    assert command(filled, "export", str(path), "algo=sbp", "seed=0") == 0
    table = pd.read_csv(path) if ending == "csv" else pd.read_parquet(path)
    expected = experiments.load("sbp", "adult", store=filled, seed=0)
    assert sorted(table["problem.nu"].unique()) == [0.01, 0.1]
    pd.testing.assert_frame_equal(table, expected, check_dtype=False)


def test_an_export_on_a_full_disk_leaves_the_earlier_table(
    filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "runs.csv"
    path.write_text("an earlier table")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert command(filled, "export", str(path)) == 2
    assert capsys.readouterr().err == f"error: {path} cannot be written: No space left on device\n"
    assert path.read_text() == "an earlier table"
    assert [*tmp_path.iterdir()] == [path]


def test_what_follows_from_the_algorithm_or_the_data_set_is_not_listed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = Store.open(tmp_path)
    own = {
        "sbp": {"algo": {"name": "sbp", "eta": 0.5}},
        "smo": {"algo": {"name": "smo", "tolerance": 1e-3}},
    }
    for number, (algo, data, nu) in enumerate(
        [("sbp", "adult", 0.01), ("sbp", "points", 0.1), ("smo", "adult", 0.1), ("smo", "points", 0.2)]
    ):
        dataset = {"name": data, "max_train": 500 if data == "adult" else None, **({"ngrams": 3} if number % 2 else {})}
        settings = {**own[algo], "problem": {"nu": nu}, "dataset": dataset, "kernel": {"sigma2": float(number % 2)}}
        result = result_of() | {"algo": algo, "dataset": data, "settings": {**settings, "origins": {}}}
        if number == 0:
            result["settings"]["origins"] = {"problem.nu": "command line", "dataset.max_train": "command line"}
        result["provenance"]["build"]["code"] = algo * 4
        store.finish(f"k{number}", result, make_curve(2))
    assert command(tmp_path, "list") == 0
    head, first, *_ = capsys.readouterr().out.splitlines()
    assert first.split()[6:] == ["problem.nu=0.01", "dataset.max_train=500"]
    assert command(tmp_path, "list", "--wide") == 0
    head = capsys.readouterr().out.splitlines()[0].split()
    assert head[4:-6] == ["problem.nu", "dataset.max_train", "kernel.sigma2"]
    assert command(tmp_path, "list", "--wide", "algo=sbp,smo") == 0


def test_builds_that_differ_are_a_column(filled: Path, tmp_path: Path) -> None:
    table = experiments.load("sbp", "adult", store=filled, seed=0, **{"problem.nu": 0.1})
    assert not {"problem.nu", "build.isa"} & set(table.columns)
    store = Store.open(tmp_path)
    for key, isa in (("a", "v3"), ("b", "v4")):
        record(store, key, "sbp", 0, 0.1, isa)
    table = experiments.load("sbp", "adult", store=tmp_path)
    assert table.groupby("build.isa")["run"].first().to_dict() == {"v3": "a", "v4": "b"}
    with pytest.raises(StoreError, match="has seed=7; there are 0"):
        experiments.load("sbp", "adult", store=tmp_path, seed=7)


def test_runs_are_deleted_when_it_is_confirmed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = Store.open(tmp_path)
    for seed in range(2):
        record(store, f"k{seed}", "sbp", seed, 0.1)
    assert command(tmp_path, "delete", "seed=1") == 0
    assert "nothing is deleted: add --yes" in capsys.readouterr().out
    assert len(store.runs()) == 2
    assert command(tmp_path, "delete", "seed=1", "--yes") == 0
    assert [run.key for run in store.runs()] == ["k0"]


def test_runs_whose_settings_differ_in_type_are_exported(tmp_path: Path) -> None:
    store = Store.open(tmp_path)
    for key, positive in (("a", [1.0]), ("b", ["yes"]), ("c", "caf\udce9")):
        result = result_of()
        result["settings"]["dataset"] = {"name": "adult", "positive": positive}
        store.finish(key, result, make_curve())
    for name in ("t.parquet", "t.csv"):
        assert browse.export(store, store.runs(), tmp_path / name)[1] == 3
    assert {"[1.0]", "[yes]", "caf\\udce9"} == set(pd.read_parquet(tmp_path / "t.parquet")["dataset.positive"])
