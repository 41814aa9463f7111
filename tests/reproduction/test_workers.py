"""Runs in processes of their own: they finish, die and are stopped without taking the others along."""

from __future__ import annotations

import dataclasses
import multiprocessing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from store_cases import TOY

import solvers
from experiments.composition import settings_of
from experiments.launchers.desk import ATTEMPTS
from experiments.reproduction.workers import make_runs
from experiments.settings import RunSettings
from experiments.store import Store
from experiments.store.database import finished, running

LONG = ["dataset=synthetic", "dataset.n=3000", "budget.iterations=1e9", "dataset.d=50"]

pytestmark = pytest.mark.usefixtures("hydra_context")


def settings(store: Path, *words: str) -> RunSettings:
    return settings_of([*words, f"store.root={store}"], jobs=2)


@pytest.fixture
def dying(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A solver that kills its process when its seed is 1, as often as the fixture is told."""
    file = Path(__file__).parents[1] / "launchers" / "killed_solver.py"
    (tmp_path / "deaths").mkdir()
    with monkeypatch.context() as own:
        own.setenv("SVM_SOLVERS", str(file))
        own.setenv("SVM_TEST_DEATHS", str(tmp_path / "deaths"))
        solvers._registry.cache_clear()

        def told(times: int) -> Any:
            own.setenv("SVM_TEST_KILLED", f"1 {times}")
            return solvers.get("killed")

        yield told
    solvers._registry.cache_clear()


@pytest.mark.parametrize(("times", "status"), [(1, "finished"), (99, "killed")])
def test_a_run_whose_process_dies_begins_again_and_the_others_finish(
    tmp_path: Path, dying: Any, times: int, status: str
) -> None:
    words = ["dataset=synthetic", *TOY, "algo=minibatch_sdca", "algo.batch_size=5"]
    runs = [dataclasses.replace(settings(tmp_path, *words, f"seed={seed}"), solver=dying(times)) for seed in range(3)]
    ends = [event for event in make_runs(runs, 2, ["test"]) if event.outcome is not None]
    assert sorted(event.index for event in ends) == [0, 1, 2]
    assert {event.index: event.outcome.status for event in ends} == {0: "finished", 1: status, 2: "finished"}  # type: ignore[union-attr]
    deaths = len(list((tmp_path / "deaths").glob("died-*")))
    assert deaths == (1 if status == "finished" else ATTEMPTS)
    store = Store.open(tmp_path)
    store.close_dead()
    assert sum(1 for _ in finished(store._place)) == (3 if status == "finished" else 2)
    assert not running(store._place)


def test_ctrl_c_records_what_was_reached(tmp_path: Path) -> None:
    events = make_runs([settings(tmp_path, *LONG)], 1, ["test"])
    begins = next(events)
    assert (begins.index, begins.fraction, begins.outcome) == (0, 0.0, None)
    assert next(event for event in events if event.fraction > 0).outcome is None
    with pytest.raises(KeyboardInterrupt):
        events.throw(KeyboardInterrupt)
    results = list(tmp_path.rglob("result.json"))
    assert len(results) == 1
    assert '"interrupted"' in results[0].read_text()
    assert not multiprocessing.active_children()


def test_a_users_own_solver_runs_in_a_process_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = Path(__file__).parents[1] / "experiments" / "dying_solver.py"
    with monkeypatch.context() as own:
        own.setenv("SVM_SOLVERS", str(file))
        solvers._registry.cache_clear()
        run = settings(tmp_path, "dataset=synthetic", "dataset.n=50", "algo=minibatch_sdca", "algo.batch_size=5")
        *_, event = make_runs([dataclasses.replace(run, solver=solvers.get("dying"))], 1, ["test"])
    solvers._registry.cache_clear()
    assert event.outcome is not None
    assert (event.outcome.status, event.outcome.algo) == ("finished", "dying")


def test_a_refused_run_says_why(tmp_path: Path) -> None:
    wrong = settings(tmp_path, "dataset=file", "dataset.train=nowhere.svm")
    *_, event = make_runs([wrong], 1, ["test"])
    assert event.outcome is not None
    assert event.outcome.status == "refused"
    assert "nowhere.svm" in event.outcome.message
