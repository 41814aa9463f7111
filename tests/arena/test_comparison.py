"""Costs to targets, on runs with known excess, and performance profiles."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from comparison_cases import OPTIMUM, STEPS, gaps, race_panel, rows
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from svm_cost_curves.experiments.arena.comparison import Comparison, costs_of, profiles
from svm_cost_curves.experiments.arena.options import read_targets

COSTS = st.one_of(st.just(np.inf), st.floats(1e-6, 1e12))
TABLES = st.integers(1, 6).flatmap(
    lambda problems: st.lists(st.lists(COSTS, min_size=problems, max_size=problems), min_size=1, max_size=4)
)


def comparison(tmp_path: Path, target: str = "gap:0.1,0.01") -> Comparison:
    """A halves its excess at each evaluation; b is slow in one of its runs; c counts no kernel evaluations."""
    runs = {
        "a": [rows(gaps(0.5)), rows(gaps(0.5), unit=2000)],
        "b": [rows(gaps(0.5)), rows(gaps(0.99))],
        "c": [rows(gaps(0.25), counted=False)] * 2,
    }
    return Comparison(race_panel(tmp_path, runs), read_targets(target))


def test_the_cost_of_a_run(tmp_path: Path) -> None:
    made = comparison(tmp_path)
    run = made.runs["a"][0]
    # 10 * 2^-k <= 0.1 from k = 7 on
    assert run.reach("kernel_evaluations", 0.1) == 7000
    assert run.reach("iterations", 0.1) == 7
    assert run.reach("cpu_seconds", 0.1) == pytest.approx(7e-3)
    assert run.reach("kernel_evaluations", 1e-9) == math.inf


def test_efforts(tmp_path: Path) -> None:
    made = comparison(tmp_path)
    both = made.effort("a", "kernel_evaluations", 0.1)
    assert both.costs == (7000, 14000)
    half = made.effort("b", "kernel_evaluations", 0.1)
    assert (half.reached, half.mostly_reached) == ((True, False), False)
    assert half.costs[1] == (STEPS - 1) * 1000


def test_uncounted_costs_are_not_zero(tmp_path: Path) -> None:
    made = comparison(tmp_path)
    assert made.effort("c", "kernel_evaluations", 0.1) is None
    assert made.band("c", "kernel_evaluations") is None
    assert not made.counted("c", "kernel_evaluations")
    assert made.effort("c", "iterations", 0.1) is not None
    assert set(costs_of([made], "kernel_evaluations", 2)) == {"a", "b"}
    assert set(costs_of([made], "iterations", 2)) == {"a", "b", "c"}


def test_problems_are_pairs_of_level_and_seed(tmp_path: Path) -> None:
    costs = costs_of([comparison(tmp_path)], "kernel_evaluations", 3)
    np.testing.assert_array_equal(costs["a"], [7000, 14000, np.inf, 10000, 20000, np.inf])
    np.testing.assert_array_equal(costs["b"], [7000, np.inf, np.inf, 10000, np.inf, np.inf])


def test_a_solver_left_out_on_a_data_set_solves_no_problem_there(tmp_path: Path) -> None:
    first = comparison(tmp_path)
    second = Comparison(race_panel(tmp_path, {"a": [rows(gaps(0.5))] * 2}, "ijcnn1"), first.targets)
    costs = costs_of([first, second], "kernel_evaluations", 2)
    assert np.isfinite(costs["a"][4:]).all()
    assert np.isinf(costs["b"][4:]).all()


def test_a_gap_below_the_optimums_uncertainty_is_not_judged(tmp_path: Path) -> None:
    assert comparison(tmp_path, "gap:0.1,3e-7,1e-7").judged == (0.1, 3e-7)  # it is known to 1e-7
    unknown = comparison(tmp_path / "unknown")
    unknown = replace(unknown, panel=replace(unknown.panel, runs={**unknown.panel.runs, "optimum": ()}))
    assert unknown.judged == ()
    assert unknown.optimum is None
    assert unknown.band("a", "iterations") is None


def test_errors(tmp_path: Path) -> None:
    # 0.1 + 2^-k <= 0.15 from k = 5 on
    assert comparison(tmp_path, "error:0.15").runs["a"][0].reach("iterations", 0.15) == 5
    best = comparison(tmp_path / "best", "best:0.5")
    # the least median error of any is 0.1: c's
    assert best.least_error == pytest.approx(0.1)
    assert best.threshold(0.5) == pytest.approx(0.15)


def test_a_cost_of_zero_counts_as_one_unit(tmp_path: Path) -> None:
    free = [{"iterations": 1, "kernel_evaluations": 0, "cpu_seconds": 0.0, "epochs": 0.0, "primal": OPTIMUM}]
    (run,) = Comparison(race_panel(tmp_path, {"free": [free]}), read_targets("gap")).runs["free"]
    assert run.reach("kernel_evaluations", 0.1) == 1
    assert run.reach("cpu_seconds", 0.1) == 1e-6


def test_a_nan_objective_reaches_no_target(tmp_path: Path) -> None:
    lost = race_panel(tmp_path, {"lost": [rows(gaps(0.5), primal=math.nan)]})
    (run,) = Comparison(lost, read_targets("gap")).runs["lost"]
    assert run.reach("iterations", 0.1) == math.inf


def named(table: list[list[float]]) -> dict[str, NDArray[np.float64]]:
    return {f"solver {k}": np.array(costs) for k, costs in enumerate(table)}


def test_a_case_worked_out_by_hand() -> None:
    # the first is best on two problems, twice and never on the others; the fourth problem is solved by nobody
    curves = profiles({"a": np.array([1.0, 3.0, 8.0, np.inf]), "b": np.array([5.0, 3.0, 4.0, np.inf])})
    np.testing.assert_array_equal(curves["a"].factor, [1.0, 2.0])
    np.testing.assert_array_equal(curves["a"].share, [0.5, 0.75])
    np.testing.assert_array_equal(curves["b"].factor, [1.0, 5.0])
    np.testing.assert_array_equal(curves["b"].share, [0.5, 0.75])


def test_a_solver_without_solved_problems_has_a_profile_of_zero() -> None:
    curves = profiles({"a": np.array([1.0]), "b": np.array([np.inf])})
    assert curves["b"].solved == 0.0
    np.testing.assert_array_equal(curves["b"].factor, [1.0])
    assert profiles({"a": np.array([np.inf])})["a"].solved == 0.0


def test_no_problems_no_profiles() -> None:
    assert profiles({}) == {}
    assert profiles({"a": np.array([])}) == {}


@given(TABLES)
def test_properties_of_all_profiles(table: list[list[float]]) -> None:
    costs = named(table)
    curves = profiles(costs)
    solved = np.isfinite(list(costs.values())).any(axis=0).mean()
    for name, profile in curves.items():
        assert profile.factor[0] == 1.0
        assert (np.diff(profile.factor) > 0).all()
        assert (np.diff(profile.share) > 0).all()
        assert 0 <= profile.share[0] <= profile.solved <= 1
        assert np.isclose(profile.solved, np.isfinite(costs[name]).mean())
    # somebody is best on each problem that is solved at all
    assert sum(profile.share[0] for profile in curves.values()) >= solved - 1e-12


@given(TABLES, st.floats(1e-3, 1e3))
def test_the_unit_does_not_matter(table: list[list[float]], unit: float) -> None:
    one, other = profiles(named(table)), profiles({name: costs * unit for name, costs in named(table).items()})
    for name, profile in one.items():
        assert np.isclose(profile.solved, other[name].solved)
        assert np.isclose(profile.factor[-1], other[name].factor[-1])
