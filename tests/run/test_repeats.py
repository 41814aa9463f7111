"""Repeats of short runs that are made for their times."""

from __future__ import annotations

import dataclasses
import itertools
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from run_cases import DATA

from svm_cost_curves.experiments.columns import COLUMNS
from svm_cost_curves.experiments.configuration.composition import settings_of
from svm_cost_curves.experiments.provenance import SHORT, is_timed
from svm_cost_curves.experiments.run import repeats, runner
from svm_cost_curves.experiments.run.console import Display
from svm_cost_curves.experiments.run.repeats import TIMES

RUNS = [
    ("algo=sbp", "problem.nu=0.1", "budget.epochs=2"),
    ("algo=svmlight", "problem.C=1", "rows.provider=cache", "budget.epochs=50"),  # ends by itself
    ("algo=pegasos", "kernel=linear", "problem.C=1", "budget.epochs=3"),
    ("algo=liblinear", "kernel=linear", "problem.C=1", "budget.iterations=5"),  # begins anew for each evaluation
]


def made(place: Path, *words: str, timed: bool) -> tuple[dict[str, Any], pd.DataFrame]:
    run = settings_of([*words, *DATA, "budget.evaluations=5", f"store.root={place}", "picture=false"])
    outcome = runner.run(dataclasses.replace(run, timed=timed), Display(), ["run.py", "a test"])
    path = Path(str(outcome.result_path))
    return json.loads(path.read_text()), pd.read_parquet(path.with_name("curve.parquet"))


@pytest.mark.parametrize("words", RUNS, ids=lambda words: words[0].removeprefix("algo="))
def test_a_short_timed_run_is_repeated_and_all_but_its_times_stay(tmp_path: Path, words: tuple[str, ...]) -> None:
    once, curve = made(tmp_path / "once", *words, timed=False)
    many, timed_curve = made(tmp_path / "many", *words, timed=True)
    assert once["cpu_seconds"] < SHORT
    assert "repeats" not in once
    assert not is_timed(once)
    assert many["repeats"] > 1
    assert many["repeats"] * many["cpu_seconds"] >= SHORT * (1 - 1e-9)
    assert is_timed(many)
    kept = [name for name in COLUMNS if name not in TIMES]
    pd.testing.assert_frame_equal(timed_curve[kept], curve[kept], check_exact=True)
    assert many["counters"] == once["counters"]
    for name in TIMES:
        assert timed_curve[name].is_monotonic_increasing
        assert timed_curve[name].iloc[-1] <= many[name] * (1 + 1e-9)


def test_the_times_are_means_over_the_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Solvers with a clock of their own: the k-th of them takes k seconds for an iteration."""
    make, made_solvers = runner.LocalEngine.make_solver, itertools.count(1)

    def clocked(self: runner.LocalEngine, run: Any, problem: Any) -> Any:
        solver, number = make(self, run, problem), next(made_solvers)
        kind = type(solver)
        seconds = property(lambda self: number * float(self.counters.iterations))
        solver.__class__ = type(kind.__name__, (kind,), {"cpu_seconds": seconds, "wall_seconds": seconds})
        return solver

    monkeypatch.setattr(runner.LocalEngine, "make_solver", clocked)
    monkeypatch.setattr(repeats, "SHORT", 6 * 20.0)  # 1 + 2 + 3 seconds for each of 20 iterations
    result, curve = made(tmp_path, "algo=sbp", "problem.nu=0.1", "budget.iterations=20", timed=True)
    assert (result["repeats"], result["cpu_seconds"], result["wall_seconds"]) == (3, 40.0, 40.0)
    assert (curve["cpu_seconds"] == 2 * curve["iterations"]).all()


def test_a_repeat_that_takes_another_way_is_not_averaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A solver with another seed ends after another number of iterations."""
    make, seeds = runner.LocalEngine.make_solver, itertools.count()

    def unlike(self: runner.LocalEngine, run: Any, problem: Any) -> Any:
        return make(self, dataclasses.replace(run, seed=next(seeds)), problem)

    monkeypatch.setattr(runner.LocalEngine, "make_solver", unlike)
    result, _ = made(tmp_path, "algo=dcd", "kernel=linear", "problem.C=1", "budget.epochs=1000", timed=True)
    assert result["repeats"] == 1


def test_a_repeat_begins_with_an_empty_cache_of_kernel_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    emptied, seen = repeats._with_empty_cache, []

    def watched(problem: Any) -> Any:
        seen.append((problem, emptied(problem)))
        return seen[-1][1]

    monkeypatch.setattr(repeats, "_with_empty_cache", watched)
    made(tmp_path, *RUNS[1], timed=True)
    assert seen
    assert all(fresh.rows is not first.rows for first, fresh in seen)
    seen.clear()
    made(tmp_path, *RUNS[0], timed=True)
    assert seen
    assert all(fresh is first for first, fresh in seen), "a Gram matrix is the same for all"
