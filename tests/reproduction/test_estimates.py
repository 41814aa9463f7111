"""Memory of runs counts a shared Gram matrix once."""

from __future__ import annotations

import pytest

from svm_cost_curves.experiments.configuration.composition import settings_of
from svm_cost_curves.experiments.configuration.settings import RunSettings
from svm_cost_curves.experiments.reproduction.estimates import gram_bytes, peak_memory, process_bytes


def large(algo: str, dataset: str = "mnist", *words: str) -> RunSettings:
    return settings_of([f"algo={algo}", f"dataset={dataset}", "memory=16GiB", *words], jobs=2)


def test_explicit_weights_need_no_kernel_rows() -> None:
    simba, pegasos = (large(algo, "newsgroups_binary") for algo in ("simba", "pegasos"))
    assert gram_bytes(simba) == gram_bytes(pegasos) == 0
    assert gram_bytes(large("sdca", "newsgroups_binary")) > 0
    assert process_bytes(simba) < 2 * 2**30  # dense, the points alone would take 100 GiB


def test_memory_counts_a_shared_gram_matrix_once() -> None:
    mnist, fourier = large("sbp"), large("fourier", "mnist", "algo.pairs=4096")
    assert gram_bytes(mnist) == 4 * 60_000**2
    assert gram_bytes(large("sbp", "mnist", "rows.provider=cache")) == gram_bytes(fourier) == 0
    assert gram_bytes(large("sbp", "covtype_subset")) == 0  # 28 GB do not fit 16 GiB
    one, two = (peak_memory([mnist] * 2, jobs) for jobs in (1, 2))
    assert two - one == pytest.approx(process_bytes(mnist))
    apart = max(peak_memory([mnist] * 2, 2), peak_memory([fourier] * 2, 2))
    assert peak_memory([mnist, fourier, mnist, fourier], 2) == apart
    assert peak_memory([], 2) == 0
