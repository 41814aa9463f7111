"""Runs on a small problem with the real core and a real store: found again, interrupted, failed, cut into pieces."""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import fcntl
import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from run_cases import statuses

from svm_cost_curves import datasets, solvers
from svm_cost_curves.datasets import DataError, DatasetConfig
from svm_cost_curves.experiments import plotting
from svm_cost_curves.experiments.configuration.budget import EvaluationSchedule
from svm_cost_curves.experiments.configuration.schema import (
    BudgetConfig,
    GaussianConfig,
    ProblemConfig,
    RunConfig,
    StoreConfig,
    algo_schema,
)
from svm_cost_curves.experiments.configuration.settings import RunSettings, resolve
from svm_cost_curves.experiments.processes.outcome import Outcome
from svm_cost_curves.experiments.run import advance, assembly, runner
from svm_cost_curves.experiments.run.advance import advance_run
from svm_cost_curves.experiments.run.assembly import assemble, row_memory
from svm_cost_curves.experiments.run.console import Display
from svm_cost_curves.experiments.run.curve_builder import CurveBuilder
from svm_cost_curves.experiments.store import Store, StoreError, run_folder
from svm_cost_curves.solvers import Limit, SettingsError
from svm_cost_curves.solvers.evaluation import Evaluator
from svm_cost_curves.solvers.features import sigma2_from_data
from svm_cost_curves.solvers.rows import WORKING_BYTES
from svm_cost_curves.support.files import temporary_folder

SPEC = DatasetConfig(name="toy", kind="synthetic", shape="noisy", n=80, n_test=40, d=4)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("store")


def settings(root: Path, algo: str = "sbp", algo_settings: Any = None, **changes: Any) -> RunSettings:
    config = RunConfig(
        algo=algo_schema(algo, solvers.get(algo).Settings)(**(algo_settings or {})),
        dataset=SPEC,
        kernel=GaussianConfig(1.0),
        problem=ProblemConfig(C=1.0),
        budget=BudgetConfig(epochs=2.0, evaluations=12),
        store=StoreConfig(str(root)),
    )
    return resolve(dataclasses.replace(config, **changes))


def make(run: RunSettings, display: Display | None = None) -> Outcome:
    return runner.run(run, display or Display(), ["run.py", "a test"])


class Spy(Display):
    """Remembers what a run says."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.fractions: list[float] = []

    def header(self, run: Any, facts: Any) -> None:
        self.said.append("header")

    def progress(self, fraction: float, point: Any, latest: Any) -> None:
        self.fractions.append(fraction)

    def finished(self, result: Any, curve: Any, *, recorded: bool) -> None:
        self.said.append("found" if recorded else "finished")
        self.curve = curve()

    def result_path(self, path: Path) -> None:
        self.said.append(str(path))


def test_a_run_is_recorded_and_then_found_without_loading_anything(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run, first, second = settings(root), Spy(), Spy()
    made = make(run, first)
    assert made.status == "finished"
    assert made.exit_code == 0
    assert first.said == ["header", "finished", made.result_path]
    assert first.fractions == sorted(first.fractions)
    assert first.fractions[-1] == 1.0
    result = json.loads(Path(made.result_path or "").read_text())
    assert result["counters"]["presentations"] == 160
    assert result["counters"]["kernel_evaluations"] == 160 * 80
    assert result["counters"]["epochs"] == 2.0
    assert result["final"]["test_error"] == made.test_error
    assert 0.0 <= result["final"]["test_error"] < 0.5
    assert result["settings"]["problem"]["lambda_"] == pytest.approx(1 / 80)
    assert result["settings"]["origins"]["problem.nu"] == "derived from lambda"
    assert result["settings"]["dataset"]["kind"] == "synthetic"
    assert Path(made.result_path or "").with_name("curve.png").read_bytes().startswith(b"\x89PNG")
    assert len(first.curve) <= 12
    assert [row["iterations"] for row in first.curve][-1] == 160

    def refuse(*_: Any, **__: Any) -> Any:
        raise AssertionError("a run that is in the store must not load data")

    monkeypatch.setattr(datasets, "load", refuse)
    again = make(run, second)
    assert again.status == "found"
    assert again.result_path == made.result_path
    assert second.said == ["found", made.result_path]
    assert [row["iterations"] for row in second.curve] == [row["iterations"] for row in first.curve]
    assert all(value is None or value == value for row in second.curve for value in row.values())


def test_a_run_does_not_depend_on_how_it_is_cut(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = settings(root, seed=11)
    data = datasets.load(datasets.spec_of(SPEC), cache_dir=tmp_path)
    problem = assemble(run, data, cache_dir=tmp_path).problem

    def curve(slice_seconds: float) -> list[dict[str, Any]]:
        monkeypatch.setattr(advance, "SLICE_SECONDS", slice_seconds)
        builder = CurveBuilder(Evaluator(problem, data), problem.n, 1.0)
        solver = run.solver(problem, run.solver_settings, 11)
        advance_run(solver, run.budget.limits(80), EvaluationSchedule(12, epoch=80), builder, Display())
        return [{k: v for k, v in row.items() if not k.endswith("_seconds")} for row in builder.rows]

    assert curve(10.0) == curve(1e-9)


def test_a_run_that_was_made_beside_others_is_made_again_alone(root: Path) -> None:
    beside = dataclasses.replace(settings(root, seed=7), jobs=2, picture=False)
    timed = dataclasses.replace(beside, jobs=1, timed=True)
    outcomes = [make(job) for job in (beside, beside, timed, timed, beside)]
    assert [outcome.status for outcome in outcomes] == ["finished", "found", "finished", "found", "found"]
    (run,) = Store.open(root).runs(seed=7)  # one key: how a run is made is no part of it
    assert run.timed
    assert {str(run.result_path)} == {outcome.result_path for outcome in outcomes[2:]}


def test_an_interrupted_run_keeps_its_curve_and_starts_again(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = settings(root, seed=21)
    real = advance._advance
    calls = iter(range(1000))

    def stop(solver: Any, point: Limit) -> bool:
        if next(calls) == 5:
            raise KeyboardInterrupt
        return real(solver, point)

    monkeypatch.setattr(advance, "_advance", stop)
    monkeypatch.setattr(Display, "pause", 0.0)
    display = Spy()
    outcome = make(run, display)
    assert outcome.status == "interrupted"
    assert outcome.exit_code == 130
    result = json.loads(Path(outcome.result_path or "").read_text())
    assert result["status"] == "interrupted"
    assert result["final"]["test_error"] is not None
    assert 0 < result["counters"]["iterations"] < 160
    assert display.said[-1] == outcome.result_path
    assert statuses(root, key=result["key"]) == ["interrupted"]

    monkeypatch.setattr(advance, "_advance", real)
    assert make(run).status == "finished"
    assert statuses(root, key=result["key"]) == ["finished"]


@pytest.mark.parametrize("stopped", [True, False])
def test_a_second_signal_after_the_record_changes_nothing(
    root: Path, stopped: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextlib.contextmanager
    def left_late() -> Iterator[Path]:
        with temporary_folder() as folder:
            yield folder
        signal.raise_signal(signal.SIGINT)

    def stop(*_: Any) -> bool:
        raise KeyboardInterrupt

    if stopped:
        monkeypatch.setattr(advance, "_advance", stop)
    monkeypatch.setattr(runner, "temporary_folder", left_late)
    outcome = make(settings(root, seed=23 + stopped))
    assert outcome.status == ("interrupted" if stopped else "finished")
    result = json.loads(Path(outcome.result_path or "").read_text())
    assert statuses(root, key=result["key"]) == [outcome.status]


def test_a_run_that_is_stopped_before_its_first_iteration_is_recorded(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: Any) -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr(advance, "_advance", stop)
    outcome = make(settings(root, seed=22))
    assert outcome.status == "interrupted"
    result = json.loads(Path(outcome.result_path or "").read_text())
    assert (result["status"], result["counters"]["iterations"], result["final"]) == ("interrupted", 0, {})
    assert statuses(root, key=result["key"]) == ["interrupted"]


def test_a_crash_is_recorded_as_failed(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(*_: Any) -> bool:
        raise ZeroDivisionError("of ours")

    run = settings(root, seed=31)
    monkeypatch.setattr(advance, "_advance", crash)
    with pytest.raises(ZeroDivisionError):
        make(run)
    (folder,) = Store.open(root).ended()[-1:]
    result = json.loads((folder / "result.json").read_text())
    assert (result["status"], result["seed"], result["error"]) == ("failed", 31, "ZeroDivisionError: of ours")


def test_a_run_that_a_full_disk_cannot_record_shows_what_it_has_measured(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device", "/the/store")

    monkeypatch.setattr(run_folder, "write_contents", full)
    spy = Spy()
    with pytest.raises(StoreError, match="cannot be written: /the/store: No space left on device"):
        make(settings(root, seed=51), spy)
    assert spy.said == ["header", "finished"]
    assert [row["iterations"] for row in spy.curve][-1] == 160


def test_a_recorded_run_in_a_store_that_cannot_be_written_is_shown(tmp_path: Path, monkeypatch: Any) -> None:
    made = make(settings(tmp_path, seed=61))

    def read_only(folder: Path) -> None:
        raise OSError(30, "Read-only file system", str(folder))

    monkeypatch.setattr("svm_cost_curves.experiments.store.store.check_writable", read_only)
    assert make(settings(tmp_path, seed=61)) == dataclasses.replace(made, status="found")
    with pytest.raises(StoreError, match=f"{tmp_path} cannot be written: Read-only file system"):
        make(settings(tmp_path, seed=62))
    with pytest.raises(StoreError, match="Read-only file system"):
        make(settings(tmp_path / "none", seed=61))


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS])
def test_a_file_system_without_locks_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    def unsupported(*_: Any) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(fcntl, "flock", unsupported)
    with pytest.raises(StoreError, match=r"cannot be used: .*\.lock: The file system has no locks \(flock\)"):
        make(settings(tmp_path, seed=63))
    assert not Store.open(tmp_path).computes()  # no lock file stays, which a recorder would wait for


def test_a_picture_that_cannot_be_drawn_does_not_cost_the_run(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise ValueError("no such font")

    monkeypatch.setattr(plotting, "curves_picture", refuse)
    with pytest.warns(UserWarning, match="no picture of sbp toy seed=41: ValueError: no such font"):
        outcome = make(settings(root, seed=41))
    assert outcome.status == "finished"
    result = json.loads(Path(outcome.result_path or "").read_text())
    stored = Store.open(root).find_finished(result["key"])
    assert stored is not None
    assert stored.curve["iterations"].iloc[-1] == 160
    assert sorted(path.name for path in stored.directory.iterdir()) == ["SHA256SUMS", "curve.parquet", "result.json"]


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"algo_settings": {"eta": -1.0}}, SettingsError),
        ({"dataset": dataclasses.replace(SPEC, n=1)}, DataError),
        ({"dataset": DatasetConfig(name="x", kind="file", train="/no/such/file.svm")}, DataError),
        ({"problem": ProblemConfig(C=1.0, bias=True), "algo": "pegasos"}, SettingsError),
    ],
)
def test_refused_runs_write_nothing(tmp_path: Path, changes: dict[str, Any], error: type[Exception]) -> None:
    place = tmp_path / "never"
    algo = changes.pop("algo", "sbp")
    with pytest.raises(error):
        make(settings(place, algo, **changes))
    assert not place.exists()


def test_a_derived_nu_is_kept(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = settings(root)
    data = datasets.load(datasets.spec_of(SPEC), cache_dir=tmp_path)
    first = assemble(run, data, cache_dir=tmp_path)
    assert first.problem.nu == first.settings.problem.nu > 0

    def refuse(_: Any) -> float:
        raise AssertionError("must be read from the cache")

    monkeypatch.setattr(assembly.solvers, "derive_nu", refuse)
    assert assemble(run, data, cache_dir=tmp_path).problem.nu == first.problem.nu
    for path in (tmp_path / "nu").iterdir():
        path.write_text("half a fi")
    with pytest.raises(AssertionError, match="read from the cache"):
        assemble(run, data, cache_dir=tmp_path)


def test_lambda_and_c_follow_from_each_other(root: Path, tmp_path: Path) -> None:
    data = datasets.load(datasets.spec_of(SPEC), cache_dir=tmp_path)
    by_c = assemble(settings(root, "smo", problem=ProblemConfig(C=2.0)), data, cache_dir=tmp_path)
    assert by_c.problem.lambda_ == pytest.approx(1 / (2 * 80))
    by_lambda = assemble(settings(root, "smo", problem=ProblemConfig(lambda_=0.01)), data, cache_dir=tmp_path)
    assert by_lambda.settings.identity()["problem"]["C"] == pytest.approx(1 / (0.01 * 80))


@given(st.integers(1, 30), st.integers(1, 5), st.integers(0, 2**32 - 1))
def test_width_from_the_data_is_the_same_for_sparse_and_dense(n: int, d: int, seed: int) -> None:
    X = (np.random.default_rng(seed).normal(size=(n, d)) * 3).astype(np.float32)
    X[X < 0] = 0
    if np.ptp(X) == 0:
        with pytest.raises(SettingsError, match="give kernel"):
            sigma2_from_data(X)
        return
    expected = d * float(np.var(X.astype(np.float64))) / 2
    assert sigma2_from_data(X) == pytest.approx(expected, rel=1e-6)
    assert sigma2_from_data(sp.csr_matrix(X)) == pytest.approx(expected, rel=1e-6)


def test_jobs_share_a_gram_matrix_but_not_their_caches() -> None:
    n = 10_000
    gram = 4 * n * n
    assert row_memory(WORKING_BYTES + gram, 4, n) == WORKING_BYTES + gram
    assert row_memory(WORKING_BYTES + gram - 1, 4, n) == (WORKING_BYTES + gram - 1) // 4
