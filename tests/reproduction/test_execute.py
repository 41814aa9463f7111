"""Order and outcomes of runs, and estimates of memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from svm_cost_curves.experiments.configuration.composition import settings_of
from svm_cost_curves.experiments.configuration.settings import RunSettings
from svm_cost_curves.experiments.processes.outcome import Outcome
from svm_cost_curves.experiments.processes.pool import Event
from svm_cost_curves.experiments.reproduction import execute
from svm_cost_curves.experiments.reproduction.memory import gram_bytes, peak_memory, process_bytes, working_memory
from svm_cost_curves.experiments.reproduction.plan import PlannedRun
from svm_cost_curves.solvers.gram_store import GramStore


def settings(*words: str) -> RunSettings:
    return settings_of([*words, "memory=16GiB"], jobs=2)


def planned(key: str, *words: str) -> PlannedRun:
    return PlannedRun("y", settings(*words), key, None)


def seconds(run: RunSettings) -> float:
    return 9.0 if run.algo == "sbp" else 1.0


def test_batches_are_ordered_by_data_set_gram_matrix_and_length() -> None:
    runs = [
        planned("fourier", "algo=fourier", "dataset=mnist"),
        planned("pegasos", "algo=pegasos", "dataset=mnist"),
        planned("sbp", "algo=sbp", "dataset=mnist"),
        planned("adult", "algo=sbp", "dataset=adult"),
        planned("sbp", "algo=sbp", "dataset=mnist"),  # another figure's, the same run
    ]
    made = [[run.key for run in batch.runs] for batch in execute.batches(runs, seconds)]
    assert made == [["sbp", "pegasos"], ["fourier"], ["adult"]]
    assert execute.batches([], seconds) == []


class FakeMeter:
    """A meter that remembers."""

    def __init__(self) -> None:
        self.fractions: list[float] = []
        self.text = ""

    def update(self, fraction: float, text: str) -> None:
        self.fractions.append(fraction)
        self.text = text

    def close(self) -> None:
        raise AssertionError("who opened it closes it")


def test_outcomes_are_keyed_and_runs_without_gram_matrix_free_memory_first(monkeypatch: pytest.MonkeyPatch) -> None:
    log: list[Any] = []

    def make_runs(runs: Sequence[RunSettings], jobs: int, command: Sequence[str]) -> Iterator[Event]:
        assert (jobs, command) == (2, ["reproduce.py"])
        log.append([run.label() for run in runs])
        yield from (Event(index, 0.0) for index in range(len(runs)))
        for index in reversed(range(len(runs))):  # the last one ends first
            yield Event(index, 0.5)
            yield Event(index, 1.0, Outcome(runs[index].label(), "failed" if index else "finished"))

    def make_room(store: GramStore, size: int) -> None:
        log.append((store.limit_bytes, size))

    monkeypatch.setattr(GramStore, "make_room_in_memory", make_room)
    fourier = [planned(f"f{seed}", "algo=fourier", "dataset=mnist", f"seed={seed}") for seed in range(3)]
    exact = [planned(f"e{seed}", "algo=sbp", "dataset=mnist", f"seed={seed}") for seed in range(2)]
    meter = FakeMeter()
    outcomes = execute.execute([*fourier, *exact, exact[0]], 2, ["reproduce.py"], meter, make_runs, seconds)

    assert {key: outcome.label for key, outcome in outcomes.items()} == {
        run.key: run.settings.label() for run in (*fourier, *exact)
    }
    assert {key for key, outcome in outcomes.items() if outcome.status == "finished"} == {"f0", "e0"}
    assert log == [
        [run.settings.label() for run in exact],
        (2**34, int(working_memory([run.settings for run in fourier], 2))),
        [run.settings.label() for run in fourier],
    ]
    assert meter.fractions == sorted(meter.fractions)
    assert meter.fractions[0] == 0.0
    assert meter.fractions[-1] == pytest.approx(1.0)
    assert meter.text == "5 of 5 runs, 3 went wrong"


def test_the_progress_line_shows_what_a_run_does_before_its_solver() -> None:
    texts: list[str] = []

    class Texts(FakeMeter):
        def update(self, fraction: float, text: str) -> None:
            del fraction
            texts.append(text)

    def make_runs(runs: Sequence[RunSettings], jobs: int, command: Sequence[str]) -> Iterator[Event]:
        del jobs, command
        yield Event(0, 0.0, note="Gram matrix: 35%")
        yield Event(0, 0.5)
        yield Event(0, 1.0, Outcome(runs[0].label(), "finished"))

    execute.execute([planned("e", "algo=sbp", "dataset=mnist", "seed=3")], 1, [], Texts(), make_runs, seconds)
    assert texts == [
        "0 of 1 runs; now sbp mnist seed=3: Gram matrix: 35%",
        "0 of 1 runs; now sbp mnist seed=3",
        "1 of 1 runs",
    ]


def test_without_missing_runs_nothing_is_made() -> None:
    assert execute.execute([], 2, [], FakeMeter(), lambda *_: pytest.fail("made something"), seconds) == {}


def test_explicit_weights_need_no_kernel_rows() -> None:
    simba, pegasos = (settings(f"algo={algo}", "dataset=newsgroups_binary") for algo in ("simba", "pegasos"))
    assert gram_bytes(simba) == gram_bytes(pegasos) == 0
    assert gram_bytes(settings("algo=sdca", "dataset=newsgroups_binary")) > 0
    assert process_bytes(simba) < 2 * 2**30  # dense, the points alone would take 100 GiB


def test_memory_counts_a_shared_gram_matrix_once() -> None:
    mnist = settings("algo=sbp", "dataset=mnist")
    assert gram_bytes(mnist) == 4 * 60_000**2
    assert gram_bytes(settings("algo=sbp", "dataset=mnist", "rows.provider=cache")) == 0
    assert gram_bytes(settings("algo=sbp", "dataset=covtype_subset")) == 0  # 28 GB do not fit 16 GiB
    assert gram_bytes(settings("algo=fourier", "dataset=mnist")) == 0
    one, two = (peak_memory([mnist] * 2, jobs) for jobs in (1, 2))
    assert two - one == pytest.approx(process_bytes(mnist))
    fourier = settings("algo=fourier", "algo.pairs=4096", "dataset=mnist")
    apart = max(peak_memory([mnist] * 2, 2), peak_memory([fourier] * 2, 2))
    assert peak_memory([mnist, fourier, mnist, fourier], 2) == apart
    assert peak_memory([], 2) == 0
