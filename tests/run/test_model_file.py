"""`model=`: the final predictor of a run, in a file and in the run's record."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from run_cases import DATA, Heard

from svm_cost_curves import datasets
from svm_cost_curves.experiments.configuration.composition import settings_of
from svm_cost_curves.experiments.prediction import read_examples, read_model
from svm_cost_curves.experiments.run import active_run, runner
from svm_cost_curves.experiments.run.active_run import MODEL_FILE
from svm_cost_curves.experiments.store import Store
from svm_cost_curves.solvers import FunctionSnapshot, SettingsError
from svm_cost_curves.solvers.asset_online import CosineSnapshot
from svm_cost_curves.solvers.models import Model

RUN = [*DATA, "budget.epochs=1", "budget.evaluations=3", "threads=1", "picture=false"]


def made(place: Path, *words: str) -> tuple[Any, Heard, Any]:
    settings, display = settings_of([*RUN, *words, f"store.root={place / 'results'}"]), Heard()
    return runner.run(settings, display, ["a test"]), display, settings


@pytest.mark.parametrize("algo", ["sbp", "simba", "asset_online"])
def test_the_model_has_the_test_error_of_the_last_evaluation(fresh: Path, algo: str) -> None:
    path = fresh / "model.npz"
    _, _, settings = made(fresh, f"algo={algo}", f"model={path}")
    (run,) = Store.open(settings.store_root).runs()
    data = datasets.load(settings.dataset, cache_dir=fresh)
    model = Model.load(path)
    assert np.mean(model.predict(data.X_test) != data.y_test) == pytest.approx(run.result["final"]["test_error"])
    assert path.read_bytes() == (run.directory / MODEL_FILE).read_bytes()
    assert model.about["algo"] == algo
    assert model.about["settings"]["seed"] == 0


def test_a_recorded_run_gives_its_model_and_one_without_is_made_again(fresh: Path) -> None:
    path = fresh / "model.npz"
    first, _, settings = made(fresh, "algo=pegasos")
    assert not path.exists()
    second, display, _ = made(fresh, "algo=pegasos", f"model={path}")
    assert [first.status, second.status] == ["finished", "finished"]
    assert display.warnings == ["this run is recorded without its model: it is made again"]
    content = path.read_bytes()
    path.unlink()
    third, display, _ = made(fresh, "algo=pegasos", f"model={path}")
    assert (third.status, display.warnings) == ("found", [])
    assert path.read_bytes() == content
    (run,) = Store.open(settings.store_root).runs()  # one key: the setting is no part of it
    (run.directory / MODEL_FILE).write_bytes(content[:-1])
    path.unlink()
    fourth, _, _ = made(fresh, "algo=pegasos", f"model={path}")
    assert fourth.status == "finished"
    assert path.read_bytes() == content


def test_a_predictor_that_cannot_be_saved_costs_no_run(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CosineSnapshot, "predictor", FunctionSnapshot.predictor)
    outcome, display, _ = made(fresh, "algo=asset_online", f"model={fresh / 'model.npz'}")
    assert outcome.status == "finished"
    assert display.warnings == ["no model: CosineSnapshot has no method `predictor`: it cannot be saved as a model"]
    assert not (fresh / "model.npz").exists()


def test_a_full_disk_costs_no_run(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    path = fresh / "model.npz"
    monkeypatch.setattr(active_run, "write_output", full)
    for _ in range(2):  # the run is made, then found
        with pytest.raises(SettingsError, match=r"^model=.*model\.npz cannot be written: No space left .* is recorded"):
            made(fresh, "algo=pegasos", f"model={path}")
    monkeypatch.undo()
    outcome, display, _ = made(fresh, "algo=pegasos", f"model={path}")
    assert (outcome.status, display.warnings) == ("found", [])
    assert path.exists()


def test_ctrl_c_while_a_pipe_has_no_reader_keeps_the_run(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """First of a run that has just ended, then of the recorded run."""
    path = fresh / "model.npz"

    def wait(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as nobody_reads:
        nobody_reads.setattr(active_run, "write_output", wait)
        stopped = [made(fresh, "algo=pegasos", f"model={path}")[0] for _ in range(2)]
    assert {(outcome.status, outcome.message) for outcome in stopped} == {
        ("interrupted", "the run is recorded; the same command writes its model")
    }
    again, _, _ = made(fresh, "algo=pegasos", f"model={path}")
    assert (again.status, path.exists()) == ("found", True)


def test_a_path_that_cannot_be_written_is_refused_before_the_run(fresh: Path) -> None:
    for value, message in (
        (fresh / "model.pickle", "must be the path of a file that ends in .npz"),
        (fresh / "nowhere" / "model.npz", "its folder must exist"),
    ):
        with pytest.raises(SettingsError, match=message):
            settings_of([*RUN, "algo=sbp", f"model={value}"])


def test_a_model_has_the_columns_of_its_training_file(fresh: Path) -> None:
    rows = "".join(f"{k % 2},9,{k % 2 + k / 50},{k % 3}\n" for k in range(20))
    (fresh / "d.csv").write_text(f"class,id,a,b\n{rows}")
    words = ["label_column=class", "drop_columns=[1]", f"train={fresh / 'd.csv'}"]
    command = ["algo=pegasos", "budget.epochs=1", "dataset=file", *(f"dataset.{word}" for word in words)]
    path = fresh / "model.npz"
    store = f"store.root={fresh / 'results'}"
    runner.run(settings_of([*command, "picture=false", f"model={path}", store]), Heard(), ["a test"])
    about = Model.load(path).about
    assert (about["label_column"], about["drop_columns"]) == ("class", [1])
    assert about["columns"] == ["2 ('a')", "3 ('b')"]
    assert read_examples(fresh / "d.csv", read_model(str(path))).X.shape == (20, 2)
