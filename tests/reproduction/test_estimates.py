"""Expected seconds are those of the most similar finished run; memory counts a shared Gram matrix once."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from svm_cost_curves.experiments import provenance
from svm_cost_curves.experiments.configuration.composition import settings_of
from svm_cost_curves.experiments.configuration.settings import RunSettings
from svm_cost_curves.experiments.reproduction.estimates import (
    DEFAULT_SECONDS,
    START_SECONDS,
    Durations,
    expected_seconds,
    gram_bytes,
    gram_seconds,
    peak_memory,
    process_bytes,
)
from svm_cost_curves.experiments.reproduction.published import EVIDENCE, figure_runs


def settings(*words: str) -> RunSettings:
    return settings_of(["algo=pegasos", "dataset=adult", "kernel=linear", *words], jobs=1)


class FinishedRuns:
    """A store that has only finished runs, beside a folder without evidence."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.finished: dict[tuple[str, str], list[tuple[Path, float]]] = {}

    def durations(self, cpu: str) -> dict[tuple[str, str], list[tuple[Path, float]]]:
        return self.finished if cpu == provenance.cpu_model() else {}

    def add(self, run: RunSettings, seconds: float, *, n: int = 32_561, **changes: Any) -> Path:
        result = {"settings": run.identity(), "provenance": {"data": {"counts": {"train": {"n": n}}}}}
        files = self.finished.setdefault((run.algo, run.dataset.name), [])
        path = self.folder / f"{run.algo}-{run.dataset.name}-{len(files)}.json"
        path.write_text(json.dumps(result | changes))
        files.append((path, seconds))
        return path

    def seconds(self, run: RunSettings) -> float:
        return Durations(self, self.folder).seconds(run)  # type: ignore[arg-type]


@pytest.fixture
def store(tmp_path: Path) -> FinishedRuns:
    return FinishedRuns(tmp_path)


def test_another_seed_of_the_same_run_counts_before_other_settings_and_other_solvers_never(store: FinishedRuns) -> None:
    run = settings("problem.lambda_=1e-4")
    store.add(settings("algo=dcd"), 1e6)
    assert store.seconds(run) == DEFAULT_SECONDS
    store.add(settings("problem.lambda_=1e-3"), 1.0)
    store.add(dataclasses.replace(run, seed=1), 50.0)
    assert store.seconds(run) == 50.0


def test_the_nearest_run_is_scaled_by_budget_and_examples(store: FinishedRuns) -> None:
    store.add(settings("budget.epochs=1000"), 60.0)
    store.add(settings("budget.epochs=10", "problem.lambda_=1e-4"), 7.0)
    assert store.seconds(settings("budget.epochs=800")) == pytest.approx(48.0)
    assert store.seconds(settings("budget.epochs=2000", "dataset.max_train=3000")) == pytest.approx(120 * 3000 / 32_561)
    assert store.seconds(settings("budget.epochs=5", "problem.lambda_=1e-4")) == pytest.approx(3.5)


def test_runs_on_other_data_count_where_there_are_none_on_the_same(store: FinishedRuns) -> None:
    store.add(settings("dataset=web"), 30.0, n=50_000)
    assert store.seconds(settings()) == pytest.approx(30.0 * 32_561 / 50_000)
    store.add(settings(), 9.0)
    assert store.seconds(settings()) == 9.0


def test_what_cannot_be_read_is_left_out(store: FinishedRuns) -> None:
    run = settings()
    store.add(run, 1e6, provenance={})
    store.add(run, 1e6, settings=None)
    store.add(run, 1e6).write_text("{")
    store.add(run, 1e6).unlink()
    (store.folder / "sbp_fig2.parquet").write_bytes(b"damaged")
    assert store.seconds(run) == DEFAULT_SECONDS
    store.add(run, 5.0)
    assert store.seconds(run) == 5.0


def test_published_runs_are_known_without_a_store(store: FinishedRuns) -> None:
    run = settings_of(["algo=sbp", "dataset=adult"], jobs=1)
    published = [finished.result for finished in figure_runs(EVIDENCE, "sbp_fig2").values()]
    taken = [
        result["wall_seconds"] + START_SECONDS
        for result in published
        if (result["algo"], result["dataset"], result["settings"]["problem"]["bias"]) == ("sbp", "adult", False)
    ]
    assert min(taken) <= Durations().seconds(run) <= max(taken)
    store.add(run, 77.0)
    assert Durations(store).seconds(run) == 77.0  # type: ignore[arg-type]


def large(algo: str, dataset: str = "mnist", *words: str) -> RunSettings:
    return settings_of([f"algo={algo}", f"dataset={dataset}", "memory=16GiB", *words], jobs=2)


def test_seconds_of_several_runs_grow_with_them_fall_with_jobs_and_count_a_gram_matrix_once() -> None:
    sbp, fourier = large("sbp"), large("fourier")
    assert gram_seconds(sbp) > 1
    assert gram_seconds(fourier) == 0
    for runs in ([sbp, fourier], [fourier, sbp, sbp]):
        assert expected_seconds(runs, 1, lambda _: 10.0) == pytest.approx(gram_seconds(sbp) + 10 * len(runs))
    assert expected_seconds([fourier] * 4, 2, lambda _: 10.0) == 20
    assert expected_seconds([fourier], 2, lambda _: 10.0) == 10
    assert expected_seconds([], 1, lambda _: 10.0) == 0


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
