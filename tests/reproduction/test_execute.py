"""Order, outcomes and progress of runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from svm_cost_curves.experiments.configuration.composition import settings_of
from svm_cost_curves.experiments.configuration.settings import RunSettings
from svm_cost_curves.experiments.processes.outcome import Outcome
from svm_cost_curves.experiments.processes.pool import Event
from svm_cost_curves.experiments.reproduction import execute
from svm_cost_curves.experiments.reproduction.estimates import working_memory
from svm_cost_curves.experiments.reproduction.plan import PlannedRun
from svm_cost_curves.solvers.gram_store import GramStore


def planned(key: str, algo: str, *words: str) -> PlannedRun:
    settings = settings_of([f"algo={algo}", "dataset=mnist", "memory=16GiB", *words], jobs=2)
    return PlannedRun("y", settings, key, None)


def test_batches_are_ordered_by_data_set_and_gram_matrix() -> None:
    runs = [
        planned("fourier", "fourier"),
        planned("pegasos", "pegasos"),
        planned("sbp", "sbp"),
        planned("adult", "sbp", "dataset=adult"),
        planned("sbp", "sbp"),  # another figure's, the same run
    ]
    made = [[run.key for run in batch] for batch in execute.batches(runs)]
    assert made == [["pegasos", "sbp"], ["fourier"], ["adult"]]


def test_runs_go_by_their_seeds() -> None:
    names = [(algo, seed) for algo in ("pegasos", "sbp") for seed in (0, 1)]
    runs = [planned(f"{algo} {seed}", algo, f"seed={seed}") for algo, seed in names]
    assert [run.key for run in execute.batches(runs)[0]] == ["pegasos 0", "sbp 0", "pegasos 1", "sbp 1"]


class FakeMeter:
    """A meter that remembers."""

    def __init__(self) -> None:
        self.fractions: list[float] = []
        self.texts: list[str] = []
        self.measured: list[bool] = []

    def update(self, fraction: float, text: str, *, is_measured: bool) -> None:
        self.measured.append(is_measured)
        self.fractions.append(fraction)
        self.texts.append(text)

    def close(self) -> None:
        raise AssertionError("who opened it closes it")


def test_outcomes_are_keyed_and_runs_without_gram_matrix_free_memory_first(monkeypatch: pytest.MonkeyPatch) -> None:
    log: list[Any] = []

    def make_runs(runs: Sequence[RunSettings], *given: Any) -> Iterator[Event]:
        assert given == (2, ["reproduce.py"], None)
        log.append([run.label() for run in runs])
        yield from (Event(index, 0.0) for index in range(len(runs)))
        for index in reversed(range(len(runs))):  # the last one ends first
            yield Event(index, 0.5)
            yield Event(index, 1.0, Outcome(runs[index].label(), "failed" if index else "finished"))

    def make_room(store: GramStore, size: int) -> None:
        log.append(size)

    monkeypatch.setattr(execute, "make_runs", make_runs)
    monkeypatch.setattr(GramStore, "make_room_in_memory", make_room)
    fourier = [planned(f"f{seed}", "fourier", f"seed={seed}") for seed in range(3)]
    exact = [planned(f"e{seed}", "sbp", f"seed={seed}") for seed in range(2)]
    meter = FakeMeter()
    outcomes = execute.execute([*fourier, *exact, exact[0]], 2, ["reproduce.py"], meter)

    assert {key: outcome.label for key, outcome in outcomes.items()} == {
        run.key: run.settings.label() for run in (*fourier, *exact)
    }
    assert {key for key, outcome in outcomes.items() if outcome.status == "finished"} == {"f0", "e0"}
    assert log == [
        [run.settings.label() for run in exact],
        int(working_memory([run.settings for run in fourier], 2)),
        [run.settings.label() for run in fourier],
    ]
    assert meter.fractions == sorted(meter.fractions)
    assert meter.fractions[0] == 0.0
    assert meter.fractions[-1] == pytest.approx(1.0)
    assert meter.texts[-1] == "5 of 5 runs, 3 went wrong"
    assert execute.execute([], 2, [], FakeMeter()) == {}
    assert len(log) == 3


def test_the_progress_line_shows_what_a_run_does_before_its_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    def make_runs(runs: Sequence[RunSettings], *_: Any) -> Iterator[Event]:
        yield Event(0, 0.0, note="Gram matrix: 35%")
        yield Event(0, 0.5)
        yield Event(0, 1.0, Outcome(runs[0].label(), "finished"))

    monkeypatch.setattr(execute, "make_runs", make_runs)
    meter = FakeMeter()
    execute.execute([planned("e", "sbp", "seed=3")], 1, [], meter)
    assert meter.texts == [
        "0 of 1 run; now sbp mnist seed=3: Gram matrix: 35%",
        "0 of 1 run; now sbp mnist seed=3",
        "1 of 1 run",
    ]
    assert meter.fractions == [0.0, 0.5, 1.0]
    assert meter.measured == [False, False, True]  # the time left is known once a run has ended
