"""A file that was cut or in which a bit has flipped gives what was written, or is found to be damaged."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from evidence_cases import finished_run, put_evidence
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import sparse
from store_records import make_curve, result_of

from svm_cost_curves.datasets import fetch
from svm_cost_curves.datasets.source import PreparedCache
from svm_cost_curves.datasets.spec import FileSpec
from svm_cost_curves.datasets.types import Table
from svm_cost_curves.experiments import prediction
from svm_cost_curves.experiments.reproduction.published import SUMS, EvidenceError, figure_runs
from svm_cost_curves.experiments.run.checkpointer import Checkpointer
from svm_cost_curves.experiments.store.run_folder import (
    CURVE_FILE,
    RESULT_FILE,
    SUMS_FILE,
    DamagedRunError,
    read_contents,
    read_run,
    write_run,
)
from svm_cost_curves.solvers import models
from svm_cost_curves.solvers.gram_store import GramStore
from svm_cost_curves.solvers.kernels import Gaussian
from svm_cost_curves.solvers.models import Model, ModelError
from svm_cost_curves.solvers.predictors import KernelPredictor
from svm_cost_curves.support.disk_cache import cached_bytes


@dataclass
class Case:
    """A file, and how it is read: the value as text, or "damaged"."""

    path: Path
    read: Callable[[], str]


def prepared(folder: Path) -> Case:
    X = sparse.csr_matrix(np.arange(12, dtype=np.float32).reshape(4, 3))
    cache = PreparedCache(folder)
    cache.put("0" * 64, "libsvm", Table(X, np.arange(4.0), ("ham", "spam"), from_zero=True))

    def read() -> str:
        table = cache.get("0" * 64, "libsvm")
        return "damaged" if table is None else repr((table.X.toarray(), table.y, table.classes, table.from_zero))

    return Case(cache.path("0" * 64, "libsvm"), read)


def model(folder: Path) -> Case:
    path, X = folder / "model.npz", np.arange(6, dtype=np.float32).reshape(2, 3)
    Model(KernelPredictor(Gaussian(2.0), X, np.ones(2)), 0.5, (0.0, 1.0), 3, about={"seed": 1}).save(path)

    def read() -> str:
        try:
            loaded = Model.load(path)
        except ModelError:
            return "damaged"
        return repr((loaded.decision_values(X), loaded.classes, loaded.about))

    return Case(path, read)


def gram(folder: Path) -> Case:
    n, store, built = 9, GramStore(folder), []
    fill = np.random.default_rng(0).normal(size=(n, n)).astype(np.float32)

    def build(out: np.ndarray, _: Any) -> None:
        built.append(1)
        out[:] = fill

    def read() -> str:
        built.clear()
        text = repr(store.get("a" * 32, n, build, lambda _: None).tobytes())
        return "damaged" if built else text

    read()
    return Case(folder / f"{'a' * 32}.f32", read)


class Solver:
    """The members of a solver, and of a builder, that `Checkpointer` reads."""

    wall_seconds = 1.0
    counters = type("Counters", (), {"iterations": 3})
    pending = ()
    evaluated = ({"test_error": 0.25},)

    def state(self) -> dict[str, np.ndarray]:
        """Two arrays."""
        return {"alpha": np.arange(4.0), "order": np.arange(4)}


def checkpoint(folder: Path) -> Case:
    checkpointer = Checkpointer(folder / "run.state", 0.0, {"key": "k"})
    checkpointer.save_if_due(Solver(), Solver())
    return Case(folder / "run.state", lambda: str(checkpointer.read() or "damaged"))


def known(folder: Path) -> Case:
    (folder / "data").write_bytes(b"data")
    file = FileSpec("train", "data")
    fetch.fetch(file, folder, [])
    (note,) = (folder / "known").iterdir()
    return Case(note, lambda: fetch.known_checksum(file, folder, []) or "damaged")


def cached(folder: Path) -> Case:
    cached_bytes(folder, b"key", lambda: b"a value")
    (path,) = folder.iterdir()
    return Case(path, lambda: cached_bytes(folder, b"key", lambda: b"damaged").decode())


def run(name: str, folder: Path) -> Case:
    """A file of a finished run."""
    write_run(folder / "k", {"key": "k", "status": "finished", **result_of()}, make_curve(3))

    def read() -> str:
        whole, errors = [], []
        for reader in (read_run, read_contents):
            try:
                whole.append(reader(folder / "k"))
            except DamagedRunError as error:
                errors.append(str(error))
        assert len(whole) != 1, "a command that lists runs and one that reads their files find the same damage"
        assert all(str(folder / "k") in error for error in errors)
        return repr(whole) if whole else "damaged"

    return Case(folder / "k" / name, read)


def evidence(name: str, folder: Path) -> Case:
    """A file of published evidence."""
    put_evidence(folder, "sbp_x", [finished_run(rows=[{"iterations": 1, "test_error": 0.5}])])

    def read() -> str:
        try:
            return repr({key: (one.result, one.curve.to_dict()) for key, one in figure_runs(folder, "sbp_x").items()})
        except EvidenceError:
            return "damaged"

    return Case(folder / name, read)


CASES: dict[str, Callable[[Path], Case]] = {
    **{make.__name__: make for make in (prepared, model, gram, checkpoint, known, cached)},
    **{name: partial(run, name) for name in (RESULT_FILE, CURVE_FILE, SUMS_FILE)},
    **{f"evidence {name}": partial(evidence, name) for name in ("sbp_x.json", "sbp/points.parquet", SUMS)},
}


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Case]:
    logging.disable()  # a warning for each damage
    yield CASES[request.param](tmp_path)
    logging.disable(logging.NOTSET)


fast = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])


@fast
@given(place=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7))
def test_a_flipped_bit(case: Case, place: float, bit: int) -> None:
    whole = case.path.read_bytes()
    expected = case.read()
    assert expected != "damaged"
    content = bytearray(whole)
    content[int(place * len(content))] ^= 1 << bit
    case.path.write_bytes(content)
    assert case.read() in (expected, "damaged")
    case.path.write_bytes(whole)


@fast
@given(part=st.floats(0, 1, exclude_max=True))
def test_an_early_end(case: Case, part: float) -> None:
    whole = case.path.read_bytes()
    end = int(part * len(whole))
    case.path.write_bytes(whole[:end])
    assert case.read() == "damaged" or whole[end:] == b"\n"
    case.path.write_bytes(whole)


@pytest.mark.parametrize("content", [b"", b"[" * 100_000, b"{}", b"7", b"\xff", b"0" * 64])
def test_a_foreign_file(case: Case, content: bytes) -> None:
    case.path.write_bytes(content + b"\n")
    assert case.read() == "damaged"


@pytest.mark.parametrize("bit", range(8))
def test_each_bit_of_the_flags_of_a_models_archive(tmp_path: Path, bit: int) -> None:
    """The directory of the zip is in no checksum of the zip."""
    case = model(tmp_path)
    whole, expected = case.path.read_bytes(), case.read()
    for start in range(whole.find(b"PK\x01\x02"), len(whole)):
        content = bytearray(whole)
        content[start] ^= 1 << bit
        case.path.write_bytes(content)
        assert case.read() in (expected, "damaged")


@pytest.mark.parametrize("text", [b"[" * 100_000, b"{}", b"[]", b"\xff", b'{"format": 1}'])
def test_a_model_with_a_foreign_header(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "model.npz"
    np.savez(path, header=np.frombuffer(text, np.uint8))
    with pytest.raises(ModelError):
        Model.load(path)


ABOUT = {
    "labels": {"positive": [1.0], "negative": [0.0], "classes": ["ham", "spam"]},
    "from_zero": False,
    "transforms": {"divide_by": 2.0, "scaling": "none", "row_norm": "none"},
}


@pytest.mark.parametrize(
    ("entry", "value"),
    [
        *(("classes", value) for value in (None, [], [1], [1, [2]], "ab", [float("nan"), 1], [10**400, 1])),
        *(("d", value) for value in (0, -1, "3", 2.5, 10**12)),
        *((name, value) for name in ("bias", "rho") for value in (None, "0", float("inf"))),
        *(("about", value) for value in (None, [], {"labels": 1}, {"labels": {}}, {"transforms": []})),
        ("about", {"transforms": {"divide_by": 0.0}}),
        ("about", {"labels": {**ABOUT["labels"], "positive": [5.0]}}),
        ("predictor", "LinearPredictor"),
        *(("fields", value) for value in (None, {}, {"kernel": {"name": "gaussian", "sigma2": "x"}})),
        *(("coefficients", value) for value in (np.ones(3), np.ones((2, 1)), np.ones(2, int), np.array(1.0))),
        *(("points", value) for value in (np.ones((2, 4), np.float32), np.ones((2, 3), bool), np.full((2, 3), np.nan))),
        *(("shift", value) for value in (np.ones(1, np.float32), np.array(["a", "b", "c"]))),
        ("extra", np.ones(2)),
    ],
)
def test_a_forged_model_with_its_right_checksum_is_one_sentence(
    tmp_path: Path, entry: str, value: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    path, X = tmp_path / "model.npz", np.arange(6, dtype=np.float32).reshape(2, 3)
    (tmp_path / "data.csv").write_text("1,2,3,ham\n0,1,0,spam\n" * 2)
    words = [str(path), str(tmp_path / "data.csv")]
    Model(KernelPredictor(Gaussian(2.0), X, np.ones(2)), 0.5, ("ham", "spam"), 3, about=ABOUT).save(path)
    assert prediction.main(words) == 0
    with np.load(path) as archive:
        arrays = {name: archive[name] for name in archive.files}
    header = json.loads(arrays.pop("header").tobytes())
    header.pop("sha256")
    (arrays if isinstance(value, np.ndarray) else header)[entry] = value
    header["sha256"] = models._checksum(header, arrays)
    np.savez(path, header=np.frombuffer(json.dumps(header).encode(), np.uint8), **arrays)
    capsys.readouterr()
    assert prediction.main(words) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"error: {path} is damaged: ")
    assert said.count("\n") == 1


def test_a_pipe_is_no_model_and_no_checkpoint(tmp_path: Path) -> None:
    for case in (checkpoint(tmp_path), model(tmp_path), cached(tmp_path / "cache")):
        case.path.unlink()
        os.mkfifo(case.path)
        assert case.read() == "damaged"


@pytest.mark.parametrize("place", ["absent/labels", "full"])
def test_the_message_on_an_output_names_the_path_that_was_given(
    tmp_path: Path, place: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "data.csv").write_text("1,2,3,ham\n0,1,0,spam\n" * 2)
    model(tmp_path)
    if place == "full":

        def full(_: int) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "fsync", full)
    words = [str(tmp_path / "model.npz"), str(tmp_path / "data.csv"), "--out", str(tmp_path / place)]
    assert prediction.main(words) == 2
    why = "No space left on device" if place == "full" else "No such file or directory"
    assert capsys.readouterr().err == f"error: {tmp_path / place}: {why}\n"


@pytest.mark.parametrize("rest", [b"[" * 100_000, b"{}", b"7", b"\xff", json.dumps({"iterations": 1}).encode()])
def test_a_checkpoint_with_a_right_checksum_and_foreign_content(tmp_path: Path, rest: bytes) -> None:
    import io

    case, content = checkpoint(tmp_path), io.BytesIO()
    np.savez(content, rest=np.frombuffer(rest, np.uint8))
    Checkpointer(case.path, None, {"key": "k"})._write(content.getbuffer())
    assert case.read() == "damaged"
