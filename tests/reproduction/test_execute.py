"""Order and outcomes of runs, and estimates of time and memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from experiments.configuration.composition import settings_of
from experiments.configuration.settings import RunSettings
from experiments.processes.outcome import Outcome
from experiments.processes.pool import Event
from experiments.reproduction import execute
from experiments.reproduction.cost import (
    estimate,
    expected_seconds,
    gram_bytes,
    gram_seconds,
    peak_memory,
    working_memory,
)
from experiments.reproduction.plan import PlannedRun
from solvers.gram_store import GramStore


def settings(*words: str) -> RunSettings:
    return settings_of([*words, "memory=16GiB"], jobs=2)


def planned(key: str, *words: str) -> PlannedRun:
    return PlannedRun("y", settings(*words), key, None)


def test_batches_are_ordered_by_data_set_gram_matrix_and_length() -> None:
    runs = [
        planned("fourier", "algo=fourier", "dataset=mnist"),
        planned("pegasos", "algo=pegasos", "dataset=mnist"),
        planned("sbp", "algo=sbp", "dataset=mnist"),
        planned("adult", "algo=sbp", "dataset=adult"),
        planned("sbp", "algo=sbp", "dataset=mnist"),  # another figure's, the same run
    ]
    made = [[run.key for run in batch.runs] for batch in execute.batches(runs)]
    assert made == [["sbp", "pegasos"], ["fourier"], ["adult"]]
    assert execute.batches([]) == []


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
    outcomes = execute.execute([*fourier, *exact, exact[0]], 2, ["reproduce.py"], meter, make_runs)

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

    execute.execute([planned("e", "algo=sbp", "dataset=mnist", "seed=3")], 1, [], Texts(), make_runs)
    assert texts == [
        "0 of 1 runs; now sbp mnist seed=3: Gram matrix: 35%",
        "0 of 1 runs; now sbp mnist seed=3",
        "1 of 1 runs",
    ]


def test_without_missing_runs_nothing_is_made() -> None:
    assert execute.execute([], 2, [], FakeMeter(), lambda *_: pytest.fail("made something")) == {}


def test_explicit_weights_take_time_by_feature_accesses_and_no_kernel_rows() -> None:
    words = ["dataset=newsgroups_binary", "budget.feature_accesses=1e9"]
    simba, pegasos = settings("algo=simba", *words), settings("algo=pegasos", *words)
    assert gram_bytes(simba) == gram_bytes(pegasos) == 0
    assert gram_bytes(settings("algo=sdca", *words)) > 0
    assert estimate(simba).seconds > 5 * estimate(pegasos).seconds
    assert estimate(simba).memory < 2 * 2**30  # dense, the points alone would take 100 GiB


def test_an_iteration_of_a_mini_batch_method_presents_the_batch() -> None:
    words, presentations = ["dataset=rcv1_ccat_subset", "problem.C=1"], 8000 * 1600
    for algo in ("algo=minibatch_pegasos", "algo=minibatch_sdca"):
        batches = settings(algo, *words, "algo.batch_size=64", f"budget.iterations={presentations // 64}")
        singles = settings(algo, *words, "algo.batch_size=1", f"budget.iterations={presentations}")
        epochs = settings(algo, *words, "algo.batch_size=64", "budget.epochs=1600")
        assert estimate(batches) == estimate(singles) == estimate(epochs)


def test_memory_counts_a_shared_gram_matrix_once() -> None:
    mnist = settings("algo=sbp", "dataset=mnist")
    assert gram_bytes(mnist) == 4 * 60_000**2
    assert gram_bytes(settings("algo=sbp", "dataset=mnist", "rows.provider=cache")) == 0
    assert gram_bytes(settings("algo=sbp", "dataset=covtype_subset")) == 0  # 28 GB do not fit 16 GiB
    assert gram_bytes(settings("algo=fourier", "dataset=mnist")) == 0
    one, two = (peak_memory([mnist] * 2, jobs) for jobs in (1, 2))
    assert two - one == pytest.approx(estimate(mnist).memory)
    fourier = settings("algo=fourier", "algo.pairs=4096", "dataset=mnist")
    apart = max(peak_memory([mnist] * 2, 2), peak_memory([fourier] * 2, 2))
    assert peak_memory([mnist, fourier, mnist, fourier], 2) == apart
    assert peak_memory([], 2) == 0


def test_the_order_of_runs_does_not_change_what_is_expected() -> None:
    sbp, fourier = settings("algo=sbp", "dataset=mnist"), settings("algo=fourier", "dataset=mnist")
    assert gram_seconds(sbp) > 1
    assert gram_seconds(fourier) == 0
    both = [expected_seconds(runs, 2) for runs in ([sbp, fourier], [fourier, sbp])]
    assert both[0] == pytest.approx(both[1])
    assert both[0] >= gram_seconds(sbp) + max(estimate(run).seconds for run in (sbp, fourier))


def test_longer_runs_are_expected_to_take_longer() -> None:
    sbp = estimate(settings("algo=sbp", "dataset=mnist")).seconds
    assert estimate(settings("algo=pegasos", "dataset=mnist")).seconds < sbp
    assert estimate(settings("algo=sbp", "dataset=mnist", "budget.epochs=1")).seconds < sbp
    assert estimate(settings("algo=sbp", "dataset=mnist", "problem.bias=true")).seconds > sbp
    timed = estimate(settings("algo=sbp", "dataset=mnist", "budget.seconds=5", "rows.provider=cache")).seconds
    assert 5 < timed < sbp
