"""Runs in processes of their own: they finish, die and are stopped without taking the others along."""

from __future__ import annotations

import dataclasses
import multiprocessing
from pathlib import Path

import psutil
import pytest
from store_cases import TOY

import solvers
from experiments.composition import settings_of
from experiments.reproduction.workers import Event, make_runs
from experiments.settings import RunSettings
from experiments.store import Store
from experiments.store.database import finished

LONG = ["dataset=synthetic", "dataset.n=3000", "budget.iterations=1e9", "dataset.d=50"]

pytestmark = pytest.mark.usefixtures("hydra_context")


def settings(store: Path, *words: str) -> RunSettings:
    return settings_of([*words, f"store.root={store}"], jobs=2)


def test_one_run_dies_and_the_others_finish(tmp_path: Path) -> None:
    toys = [settings(tmp_path, "dataset=synthetic", *TOY, f"seed={seed}") for seed in range(2)]
    ends: dict[int, Event] = {}
    for event in make_runs([settings(tmp_path, *LONG), *toys], 2, ["test"]):
        if event.outcome is not None:
            ends[event.index] = event
        elif len(ends) == 2 and event.index == 0:
            children = psutil.Process().children()
            max(children, key=lambda child: child.cpu_times().user).kill()  # the one with the long run
    assert ends.keys() == {0, 1, 2}
    assert ends[0].outcome is not None
    assert ends[0].outcome.status == "killed"
    assert [ends[index].outcome.status for index in (1, 2)] == ["finished", "finished"]  # type: ignore[union-attr]
    assert sum(1 for _ in finished(Store.open(tmp_path)._place)) == 2


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
