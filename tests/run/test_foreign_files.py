"""Files of the user beside those of the program stay, whatever is written there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from run_cases import DATA
from store_records import make_curve

from svm_cost_curves.datasets import FileData, load
from svm_cost_curves.experiments import prediction
from svm_cost_curves.experiments.configuration.composition import settings_of
from svm_cost_curves.experiments.plotting import curves_picture
from svm_cost_curves.experiments.processes.outcome import Outcome
from svm_cost_curves.experiments.reproduction import publish
from svm_cost_curves.experiments.reproduction.report.figures import OWN
from svm_cost_curves.experiments.reproduction.report.pages import write_scorecards
from svm_cost_curves.experiments.run import runner
from svm_cost_curves.experiments.run.checkpointer import Checkpointer
from svm_cost_curves.experiments.run.console import Display
from svm_cost_curves.experiments.store import Store
from svm_cost_curves.solvers import gram_store
from svm_cost_curves.solvers.gram_store import GramStore
from svm_cost_curves.solvers.models import Model
from svm_cost_curves.solvers.predictors import LinearPredictor
from svm_cost_curves.support.disk_cache import cached_bytes
from svm_cost_curves.support.files import new_folder

NAMES = ("movie.mkv.part", ".hidden.part", ".part", "poetry.lock", "uv.lock", "Cargo.lock", "x.f32", ".f32", "a.old")
FOLDERS = ("disc.part", ".disc.1234.part", ".disc.1234.old")


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder of the user, with folders where the program has some: all files are there afterwards."""
    root = tmp_path / "user"
    below = [root, root / "locks", root / "checkpoints", root / "sweeps" / "1", root / "prepared", root / "known"]
    below += [root / "spectra", root / "fig" / "demo", root / "fig"]
    mine = [place / name for place in below for name in NAMES]
    mine += [place / name / "precious" for place in below for name in FOLDERS]
    for path in mine:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("precious")
    yield root
    assert [path for path in mine if not path.is_file() or path.read_text() != "precious"] == []


def a_run_and_a_sweep(folder: Path) -> None:
    words = [*DATA, "algo=sbp", "budget.epochs=1", "budget.evaluations=3", f"store.root={folder}"]
    runner.run(settings_of([*words, f"model={folder / 'model.npz'}"]), Display(), ["a test"])
    store = Store.open(folder)
    store.remove_leftovers()
    store.remove_leftovers_of_sweeps()
    assert (folder / "model.npz").exists()


def gram_matrices(folder: Path) -> None:
    with pytest.MonkeyPatch.context() as small:
        small.setattr(gram_store, "folder_limit", lambda _: 700)
        for key in "abc":
            GramStore(folder).get(key * 32, 10, lambda out, _: out.fill(1.0), lambda _: None)
    assert len(list(folder.glob("c*.f32"))) == 1


def a_model_and_its_predictions(folder: Path) -> None:
    model = Model(LinearPredictor(np.ones(2)), 0.0, (0.0, 1.0), 2)
    model.save(folder / "model.npz")
    (folder / "data.svm").write_text("1 1:2\n")
    assert prediction.main([str(folder / "model.npz"), str(folder / "data.svm"), "--out", str(folder / "labels")]) == 0


def data(folder: Path) -> None:
    (folder / "data.svm").write_text("1 1:2\n-1 2:2\n1 1:3\n")
    load(FileData(train=str(folder / "data.svm")), cache_dir=folder)
    cached_bytes(folder, b"key", lambda: b"value")
    assert len(list((folder / "prepared").glob("libsvm-*"))) == 1


def a_figure(folder: Path) -> None:
    (folder / "fig" / "demo" / "figure.png").write_text("of an earlier command")
    (folder / "fig" / "demo" / "backup").mkdir()
    (folder / "fig" / "demo" / "backup" / "figure.png").write_text("mine")
    with new_folder(folder / "fig" / "demo", OWN) as draft:
        (draft / "data.csv").write_text("new")
    assert not (folder / "fig" / "demo" / "figure.png").exists()
    assert (folder / "fig" / "demo" / "backup" / "figure.png").read_text() == "mine"
    assert (folder / "fig" / "demo" / "data.csv").read_text() == "new"


def a_report(folder: Path) -> None:
    write_scorecards(folder / "none", folder)


def a_sweep(folder: Path) -> None:
    Outcome("label", "finished").write(folder, 0)
    curves_picture({"sbp": [make_curve(3)]}, title="t", small_print="s").save(folder / "curves.png")


def a_checkpoint(folder: Path) -> None:
    path = folder / "checkpoints" / "run.state"
    Checkpointer(path, 1.0)._write(memoryview(b"content"))


def evidence(folder: Path) -> None:
    publish.write_tables(folder, "sbp", "figure", [], {})
    publish.write_json(folder / "figure.json", {})


@pytest.mark.parametrize(
    "write",
    [
        a_run_and_a_sweep,
        gram_matrices,
        a_model_and_its_predictions,
        data,
        a_figure,
        a_report,
        a_sweep,
        a_checkpoint,
        evidence,
    ],
)
def test_files_of_the_user_stay(write: Callable[[Path], None], folder: Path) -> None:
    write(folder)
