"""Estimates that are corrected by finished runs."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from experiments import provenance
from experiments.configuration.budget import Budget
from experiments.configuration.composition import settings_of
from experiments.configuration.settings import RunSettings
from experiments.reproduction.calibration import NEAREST, Calibration
from experiments.reproduction.cost import RANKS_SECONDS, estimate, estimated_seconds, expected_seconds
from solvers import Limit


def settings(*words: str) -> RunSettings:
    return settings_of(["algo=pegasos", "dataset=adult", "kernel=linear", *words], jobs=1)


class Durations:
    """A store that has only finished runs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.found: dict[tuple[str, str], list[tuple[Path, float]]] = {}

    def durations(self, cpu: str) -> dict[tuple[str, str], list[tuple[Path, float]]]:
        return self.found if cpu == provenance.cpu_model() else {}

    def add(self, run: RunSettings, elapsed: float, *, n: int = 32_561, **changes: Any) -> None:
        recorded = {**run.identity(), "dataset": {}, "origins": {}}
        counts = {"counts": {"train": {"n": n}}}
        result = {"settings": recorded, "kernel": "linear", "cpu_seconds": 1.0, "wall_seconds": 1.0}
        files = self.found.setdefault((run.algo, run.dataset.name), [])
        path = self.folder / f"{len(files)}.json"
        path.write_text(json.dumps(result | {"provenance": {"data": counts}} | changes))
        files.append((path, elapsed))

    def seconds(self, run: RunSettings) -> float:
        return Calibration(self).seconds(run)  # type: ignore[arg-type]


@pytest.fixture
def store(tmp_path: Path) -> Durations:
    return Durations(tmp_path)


def test_without_runs_it_is_the_estimate(store: Durations) -> None:
    run = settings("problem.lambda_=1e-4")
    assert store.seconds(run) == estimate(run).seconds == estimated_seconds(run)


def test_other_seeds_of_the_same_run_give_their_mean(store: Durations) -> None:
    run = settings("problem.lambda_=1e-4")
    for seed, elapsed in ((1, 50.0), (2, 70.0)):
        store.add(dataclasses.replace(run, seed=seed), elapsed)
    store.add(settings("problem.lambda_=1e-3"), 1.0)
    assert store.seconds(run) == pytest.approx(60.0)
    calibration = Calibration(store)  # type: ignore[arg-type]
    assert expected_seconds([run] * 4, 2, calibration.seconds) == pytest.approx(120.0)


def test_the_start_of_ranks_comes_before_the_record_and_is_added(store: Durations) -> None:
    run = dataclasses.replace(settings(), engine="mpi", ranks=2)
    assert estimate(run).start == RANKS_SECONDS
    store.add(run, 60.0)
    store.add(settings(), 1000.0)
    assert store.seconds(run) == pytest.approx(60.0 + RANKS_SECONDS)


def test_time_in_which_others_had_the_core_does_not_count(store: Durations) -> None:
    run = settings()
    store.add(run, 40.0, cpu_seconds=10.0, wall_seconds=20.0)
    assert store.seconds(run) == pytest.approx(20.0)


def test_runs_with_the_nearest_estimates_give_their_factor(store: Durations) -> None:
    run = settings("budget.epochs=1000")
    for epochs in (800, 1200):
        near = settings(f"budget.epochs={epochs}")
        for seed in range(NEAREST // 2):
            store.add(dataclasses.replace(near, seed=seed), 3 * estimate(near).seconds)
    further = settings("budget.epochs=1500")
    store.add(further, 900 * estimate(further).seconds)
    assert store.seconds(run) == pytest.approx(3 * estimate(run).seconds)


def test_runs_that_are_not_alike_count_for_nothing(store: Durations) -> None:
    run = settings("budget.epochs=1000")
    store.add(settings("budget.epochs=100000"), 1e6)  # other parts of it take the time
    store.add(run, 1e6, n=1000)
    store.add(run, 1e6, kernel="gaussian")
    store.add(run, 1e6, settings={**run.identity(), "engine": {"name": "mpi", "ranks": 2}})
    store.add(run, 1e6, settings={**run.identity(), "algo": {"name": "pegasos", "unknown": 1}})
    store.add(run, 1e6, provenance={})
    store.add(settings("algo=dcd"), 1e6)
    damaged, _ = store.found["pegasos", "adult"][0]
    damaged.write_text("{")
    assert store.seconds(run) == estimate(run).seconds


def test_a_budget_is_read_back_from_its_identity() -> None:
    limit = Limit(iterations=5, kernel_evaluations=7, inner_products=8, feature_accesses=9, cpu_seconds=1.5)
    for budget in (Budget(2.0, limit, 30, every=0.5, tail=1.0), Budget(None, Limit(iterations=3), 4)):
        assert Budget.of_identity(json.loads(json.dumps(budget.identity()))) == budget
