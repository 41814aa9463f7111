"""A damaged or foreign folder in a store is named and left out, and the rest goes on."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from store_fuzzer import ESCAPED, SILENT, cases
from store_records import forge, make_curve, record, result_of

from svm_cost_curves import experiments
from svm_cost_curves.experiments.processes.outcome import Outcome, outcomes_in
from svm_cost_curves.experiments.store import Store, StoreError
from svm_cost_curves.experiments.store.cli import main
from svm_cost_curves.experiments.store.run_folder import (
    CURVE_FILE,
    RESULT_FILE,
    SUMS_FILE,
    DamagedRunError,
    read_contents,
    write_run,
)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("written") / "k"
    write_run(folder, {"key": "k", "status": "finished", **result_of()}, make_curve(3))
    return folder


@pytest.mark.parametrize("name", ["../escaped", "/etc/escaped", "a/b", "..", "x\0y"])
def test_a_folder_with_foreign_paths_is_damaged(written: Path, tmp_path: Path, name: str) -> None:
    shutil.copytree(written, tmp_path / "k")
    (tmp_path / "escaped").write_bytes(b"")
    with (tmp_path / "k" / SUMS_FILE).open("a", encoding="utf-8") as file:
        file.write(f"{'0' * 64}  {name}\n")
    with pytest.raises(DamagedRunError):
        read_contents(tmp_path / "k")


def test_random_damage_and_forgery_never_escape_and_are_never_silent(tmp_path: Path) -> None:
    bad = [more for _, what, more in cases(tmp_path / "store", 40, seed=0) if what in (SILENT, ESCAPED)]
    assert bad == []


def put(name: str, content: bytes) -> Callable[[Path], Any]:
    return lambda folder: forge(folder, name, content)


def without(name: str) -> Callable[[Path], Any]:
    result = {"key": "bad", "status": "finished", **result_of()}
    return put(RESULT_FILE, json.dumps({entry: value for entry, value in result.items() if entry != name}).encode())


def with_entry(**entries: Any) -> Callable[[Path], Any]:
    return put(RESULT_FILE, json.dumps({"key": "bad", "status": "finished", **result_of(), **entries}).encode())


def replaced(name: str, make: Callable[[Path], Any]) -> Callable[[Path], Any]:
    def replace(folder: Path) -> None:
        (folder / name).unlink()
        make(folder / name)

    return replace


def curve_with(column: str, values: list[Any]) -> Callable[[Path], Any]:
    def write(folder: Path) -> None:
        make_curve(len(values)).assign(**{column: values}).to_parquet(folder / CURVE_FILE)
        forge(folder, CURVE_FILE, (folder / CURVE_FILE).read_bytes())

    return write


def sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(2**40)


DAMAGES = {
    "result.json: ": [
        *(put(RESULT_FILE, text) for text in (b"{}", b"[]", b"7", b"", b"\xff", b"[" * 100_000)),
        *(without(name) for name in ("final", "seed", "settings", "provenance", "cpu_seconds", "counters")),
        *(with_entry(seed=value) for value in ("0", None, True, 10**30)),
        *(with_entry(cpu_seconds=value) for value in (float("nan"), float("inf"), -1.0, "1")),
        *(with_entry(final=value) for value in ({"test_error": "x"}, [], {"primal": float("nan")})),
        *(with_entry(settings=value) for value in ({}, {"dataset": []}, {"dataset": {}, "problem": 1})),
        with_entry(provenance={"build": {}, "started": "yesterday"}),
        with_entry(deep=json.loads("[" * 50 + "]" * 50)),
    ],
    "result.json is of the ": [with_entry(status="interrupted"), with_entry(key="another")],
    "": [
        *(replaced(name, Path.mkdir) for name in (RESULT_FILE, SUMS_FILE)),
        *(replaced(name, os.mkfifo) for name in (RESULT_FILE, SUMS_FILE)),
        *(replaced(name, lambda path: path.symlink_to("/dev/zero")) for name in (RESULT_FILE, SUMS_FILE)),
        *(replaced(name, lambda path: path.symlink_to("nowhere")) for name in (RESULT_FILE, SUMS_FILE)),
        *(replaced(name, sparse) for name in (RESULT_FILE, SUMS_FILE)),
        *(lambda folder, text=text: (folder / SUMS_FILE).write_bytes(text) for text in (b"", b"x\0y", b"\n" * 9)),
        lambda folder: shutil.rmtree(folder) or folder.write_bytes(b"a file"),
        lambda folder: shutil.rmtree(folder) or folder.mkdir(),
    ],
}


@pytest.mark.parametrize(("why", "damage"), [(why, damage) for why, damages in DAMAGES.items() for damage in damages])
def test_a_damaged_run_is_named_and_the_others_are_listed(
    why: str, damage: Callable[[Path], Any], store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    folder = record(store, "bad").directory
    record(store, "good", seed=1)
    damage(folder)
    again = Store.open(store.root)
    for _ in range(2):
        assert [run.key for run in again.runs()] == ["good"]
        assert list(again.find_all_finished(["bad", "good"])) == ["good"]
    (line,) = caplog.messages  # once, not at each look
    assert line.startswith(f"the run in {folder} is damaged: {why}")
    assert line.endswith("; it counts as missing")
    assert "\n" not in line
    assert len(line) < 400
    if not why.startswith("result.json is of"):
        with pytest.raises(DamagedRunError) as caught:
            read_contents(folder)
        assert caught.value.why.startswith(why)
    assert main(["list", f"store={store.root}"]) == 0
    assert experiments.load(store=store.root)["run"].unique().tolist() == ["good"]


CURVES = [
    put(CURVE_FILE, b""),
    put(CURVE_FILE, b"PAR1" * 5),
    curve_with("test_error", ["0.5", "0.4"]),
    curve_with("test_error", [float("inf"), 0.4]),
    curve_with("iterations", [3, 2]),
    curve_with("iterations", [-3, 2]),
    curve_with("unknown", [1.0, 2.0]),
    replaced(CURVE_FILE, os.mkfifo),
    replaced(CURVE_FILE, sparse),
    replaced(CURVE_FILE, lambda path: None),
]


@pytest.mark.parametrize("damage", CURVES)
def test_a_run_with_a_damaged_curve_is_left_out_of_what_reads_curves(
    damage: Callable[[Path], Any], store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str], caplog: Any
) -> None:
    folder = record(store, "bad").directory
    record(store, "good", seed=1)
    damage(folder)
    # a lookup compares checksums: it does not read a curve, for which it would import pandas
    if (found := Store.open(store.root).find_finished("bad")) is not None:
        with pytest.raises(DamagedRunError, match=rf"{folder} is damaged: {CURVE_FILE}"):
            _ = found.curve
    caplog.clear()
    assert experiments.load(store=store.root)["run"].unique().tolist() == ["good"]
    assert [message.partition(": ")[0] for message in caplog.messages] == [f"the run in {folder} is damaged"]
    path = tmp_path / "runs.csv"
    words = [f"store={store.root}"]
    assert main(["export", str(path), *words]) == 1  # not all
    assert capsys.readouterr().out.endswith(" points of 1 run\n")
    assert pd.read_csv(path)["run"].unique().tolist() == ["good"]
    assert main(["list", *words]) == 0
    assert main(["export", str(path), "seed=0", *words]) == 2
    assert "no curve of these runs can be read" in capsys.readouterr().err
    assert pd.read_csv(path)["run"].unique().tolist() == ["good"]  # an earlier table stays


def test_a_file_of_an_unknown_form_is_not_opened_for_ever(store: Store) -> None:
    """A pipe as a further file, such as a model."""
    folder = record(store, "k").directory
    forge(folder, "model.npz", b"model")
    assert read_contents(folder)["model.npz"] == b"model"
    replaced("model.npz", os.mkfifo)(folder)
    with pytest.raises(DamagedRunError, match=r"model\.npz: Not a plain file"):
        read_contents(folder)
    assert store.find_finished("k") is not None


def notes(folder: Path) -> list[Path]:
    folder.mkdir(parents=True)
    for number in range(3):
        Outcome(f"run {number}", "finished", key=f"k{number}", overrides=("seed=1",)).write(folder, number)
    return sorted(folder.iterdir())


NOTES: dict[str, Callable[[Path], Any]] = {
    "empty": lambda path: path.write_bytes(b""),
    "a changed key": lambda path: path.write_bytes(path.read_bytes().replace(b'"k1"', b'"k2"')),
    "a changed name": lambda path: path.write_bytes(path.read_bytes().replace(b'"sha256"', b'"sha257"')),
    "a list": lambda path: path.write_bytes(b"[]"),
    "deep": lambda path: path.write_bytes(b"[" * 100_000),
    "of a later version": lambda path: path.write_bytes(b'{"label": "x", "status": "finished", "new": 1}'),
    "another status": lambda path: path.write_bytes(b'{"label": "x", "status": "lost"}'),
    "a number as text": lambda path: path.write_bytes(b'{"label": "x", "status": "finished", "seed": "1"}'),
    "not finite": lambda path: path.write_bytes(b'{"label": "x", "status": "finished", "epochs": NaN}'),
    "a pipe": lambda path: path.unlink() or os.mkfifo(path),
    "a folder": lambda path: path.unlink() or path.mkdir(),
    "a dangling link": lambda path: path.unlink() or path.symlink_to("nowhere"),
}


@pytest.mark.parametrize("damage", NOTES)
def test_a_damaged_note_of_a_sweep_is_named_and_the_others_are_read(
    damage: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = notes(tmp_path / "sweep")[1]
    NOTES[damage](path)
    assert [outcome.key for outcome in outcomes_in(path.parent)] == ["k0", "k2"]
    (line,) = caplog.messages
    assert line.startswith(f"{path} is damaged, and its run is left out of the sweep: ")
    assert line.count(str(path)) == 1


def test_a_note_is_read_as_it_was_written(tmp_path: Path) -> None:
    given = Outcome(
        "sbp \udcff \N{GREEK SMALL LETTER NU}", "finished", test_error=float("nan"), overrides=("a=\udcff",)
    )
    given.write(tmp_path, 0)
    (read,) = outcomes_in(tmp_path)
    assert (read.label, read.overrides, read.test_error) == ("sbp ? \N{GREEK SMALL LETTER NU}", ("a=?",), None)


def test_a_note_of_version_2_0_0_has_no_checksum(tmp_path: Path) -> None:
    path = notes(tmp_path / "sweep")[0]
    content = json.loads(path.read_text())
    del content["sha256"]
    path.write_text(json.dumps(content))
    assert [outcome.key for outcome in outcomes_in(path.parent)] == ["k0", "k1", "k2"]


def test_records_of_interruptions_go_when_the_run_has_finished(store: Store) -> None:
    for key in ("k", "other"):
        store.leave_unfinished(key, "interrupted", result_of(), make_curve(3))
        store.leave_unfinished(key, "failed", {"error": "it broke"})
    record(store, "k")
    assert [folder.name.rpartition("-")[2] for folder in store.ended()] == ["k", "other", "other"]
    recorded = store.root / "recorded" / "mlflow.db.txt"
    recorded.parent.mkdir()
    recorded.touch()
    record(store, "other")  # a recorder may be reading the other records
    assert len(store.ended()) == 4
    recorded.write_text("".join(f"{folder.name} 1\n" for folder in store.ended()))
    store.remove_leftovers()
    assert [folder.name for folder in store.ended()] == ["k", "other"]


def test_the_cause_of_an_error_is_the_last_one_of_the_operating_system(store: Store, monkeypatch: Any) -> None:
    """A full disk at ``mkdir(parents=True)`` is raised while a missing parent is handled."""

    def full(self: Path, *_: Any, **__: Any) -> None:
        try:
            raise FileNotFoundError(2, "No such file or directory", str(self))
        except FileNotFoundError:
            raise OSError(28, "No space left on device", str(self))  # noqa: B904

    monkeypatch.setattr(Path, "mkdir", full)
    with pytest.raises(StoreError, match="locks: No space left on device"), store.computing("k", print):
        pass


def test_a_time_zone_that_python_does_not_know_damages_no_run(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "UTC+99")
    time.tzset()
    try:
        record(store, "a")
        assert [run.key for run in store.runs()] == ["a"]
    finally:
        monkeypatch.undo()
        time.tzset()
