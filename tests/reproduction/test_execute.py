"""In which order runs are made, and what memory they are expected to need."""

from __future__ import annotations

import dataclasses

import pytest

from experiments.composition import settings_of
from experiments.reproduction.cost import estimate, expected_seconds, gram_bytes, gram_seconds, peak_memory, size_of
from experiments.reproduction.execute import batches
from experiments.reproduction.plan import PlannedRun
from experiments.settings import RunSettings

pytestmark = pytest.mark.usefixtures("hydra_context")


def settings(*words: str) -> RunSettings:
    return settings_of([*words, "memory=16GiB"], jobs=2)


def planned(key: str, *words: str) -> PlannedRun:
    return PlannedRun("y", settings(*words), key, None)


def test_batches_go_by_data_set_with_gram_matrices_first_and_the_longest_first() -> None:
    runs = [
        planned("fourier", "algo=fourier", "dataset=mnist"),
        planned("pegasos", "algo=pegasos", "dataset=mnist"),
        planned("sbp", "algo=sbp", "dataset=mnist"),
        planned("adult", "algo=sbp", "dataset=adult"),
        planned("sbp", "algo=sbp", "dataset=mnist"),  # another figure's, the same run
    ]
    made = [[run.key for run in batch.runs] for batch in batches(runs)]
    assert made == [["sbp", "pegasos"], ["fourier"], ["adult"]]
    assert batches([]) == []


def test_sizes_are_those_after_split_and_sampling() -> None:
    assert dataclasses.astuple(size_of(settings("dataset=mnist").dataset)) == (60_000, 10_000, 784)
    assert dataclasses.astuple(size_of(settings("dataset=covtype_subset").dataset)) == (83_666, 9_296, 54)
    sample = settings("dataset=adult", "dataset.max_train=1000", "dataset.max_test=99999").dataset
    assert dataclasses.astuple(size_of(sample)) == (1000, 16_281, 123)


def test_a_gram_matrix_is_counted_once_and_only_where_there_is_one() -> None:
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
