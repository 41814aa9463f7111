"""The cost to a target: on curves made by hand, against a search over all costs, and the same wherever it is said."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from comparison_cases import race_panel
from hypothesis import given
from hypothesis import strategies as st

from svm_cost_curves.experiments.arena.comparison import Comparison
from svm_cost_curves.experiments.arena.options import FIRST, STAYS, read_targets
from svm_cost_curves.experiments.command_line.sweep_figures import sentence
from svm_cost_curves.experiments.curve import ROUNDING, Points, cost_to_stay, from_rows
from svm_cost_curves.experiments.demo import command, main

COSTS = st.lists(st.integers(0, 40), min_size=1, max_size=6).map(sorted)
ERRORS = st.sampled_from([0.1, 0.15, 0.2, 0.25, 0.3])


@st.composite
def run(draw: st.DrawFn) -> Points:
    costs = draw(COSTS)
    values = draw(st.lists(ERRORS, min_size=len(costs), max_size=len(costs)))
    return np.array(costs, dtype=np.float64), np.array(values)


def points(*pairs: tuple[float, float]) -> Points:
    costs, values = zip(*pairs, strict=True)
    return np.array(costs, dtype=np.float64), np.array(values)


@pytest.mark.parametrize(
    ("runs", "cost"),
    [
        ([points((1, 0.3), (2, 0.2), (3, 0.1))], 2),
        ([points((1, 0.2), (2, 0.3), (3, 0.2))], 3),  # it touches the target, and leaves it
        ([points((1, 0.1), (2, 0.3))], None),
        ([points((1, 0.1))], 1),
        # neither run stays there before 4, but their mean does from 2 on
        ([points((1, 0.3), (2, 0.1), (3, 0.25), (4, 0.1)), points((1, 0.3), (2, 0.25), (3, 0.1), (4, 0.1))], 2),
        # a run that has ended keeps its last value
        ([points((1, 0.3), (2, 0.3), (3, 0.3)), points((1, 0.05), (2, 0.05), (3, 0.05))], 1),
        ([points((1, 0.3), (2, np.nan), (3, 0.1))], 3),
        ([points((0, 0.1), (2, 0.1))], 2),  # at no cost there is no curve
        ([points((1, np.nan))], None),
        ([], None),
    ],
)
def test_curves_made_by_hand(runs: list[Points], cost: float | None) -> None:
    assert cost_to_stay(runs, 0.2) == cost


@given(st.lists(run(), min_size=1, max_size=3), ERRORS)
def test_no_cost_before_it_has_all_later_means_at_the_target(runs: list[Points], target: float) -> None:
    """All costs from where all runs have begun are tried; the runs are evaluated at different costs."""
    begin, end = max(1, *(int(costs[0]) for costs, _ in runs)), int(max(costs[-1] for costs, _ in runs))
    means = {
        cost: np.mean([values[costs <= cost][-1] for costs, values in runs])
        for cost in range(begin, end + 1)
        if any(cost in costs for costs, _ in runs)
    }
    stays = [
        cost for cost in means if all(later < cost or mean <= target * (1 + ROUNDING) for later, mean in means.items())
    ]
    assert cost_to_stay(runs, target) == min(stays, default=None)


@given(st.lists(run(), min_size=1, max_size=3), ERRORS)
def test_the_mean_is_there_once_all_runs_are(runs: list[Points], target: float) -> None:
    single = [cost_to_stay([points], target) for points in runs]
    begin = [costs[costs > 0] for costs, _ in runs]
    if all(cost is not None for cost in single) and all(costs.size for costs in begin):
        together = cost_to_stay(runs, target)
        assert together is not None
        assert together <= max(cost for cost in single if cost is not None)


def rows(errors: list[float]) -> list[dict[str, float]]:
    return [
        {
            "iterations": k,
            "kernel_evaluations": 1000 * k,
            "epochs": k / 10,
            "cpu_seconds": k / 1000,
            "wall_seconds": k / 1000,
            "primal": 1.0,
            "test_error": error,
        }
        for k, error in enumerate(errors, start=1)
    ]


SOLVERS = {"sbp": [[0.3, 0.1, 0.1], [0.2, 0.1, 0.1]], "sdca": [[0.1, 0.3, 0.1], [0.1, 0.2, 0.1]]}
"""By seed. SDCA is at the target first, and leaves it."""


def test_the_demonstration_and_the_arena_say_the_same(tmp_path: Path) -> None:
    curves = {name: [from_rows(rows(errors)) for errors in runs] for name, runs in SOLVERS.items()}
    said = sentence(curves)
    assert said.startswith("By the mean over the runs SBP stays at or below 11.0 % test error,")
    assert said.endswith("after 2,000 kernel evaluations; SDCA needs 1.5 times as many.")
    panel = race_panel(tmp_path, {name: [rows(errors) for errors in runs] for name, runs in SOLVERS.items()})
    stays, first = (Comparison(panel, read_targets("error:0.11", reach)) for reach in (STAYS, FIRST))
    spent = {name: stays.effort(name, "kernel_evaluations", 0.11, of_mean=True) for name in SOLVERS}
    assert {name: effort.median for name, effort in spent.items() if effort} == {"sbp": 2000, "sdca": 3000}
    touched = first.effort("sdca", "kernel_evaluations", 0.11)
    assert touched is not None
    assert touched.median == 1000


def curve(*points: tuple[int, float]) -> pd.DataFrame:
    return from_rows(
        [
            {"iterations": k, "kernel_evaluations": cost, "test_error": error, "cpu_seconds": 0.0, "wall_seconds": 0.0}
            for k, (cost, error) in enumerate(points)
        ]
    )


def test_the_sentence_compares_the_costs_after_which_errors_stay_near_the_least() -> None:
    quick, slow = curve((1000, 0.3), (2000, 0.2), (8000, 0.19)), curve((1000, 0.6), (5000, 0.5), (9000, 0.2))
    never, touching = curve((1000, 0.4), (9000, 0.3)), curve((1000, 0.2), (3000, 0.25), (4000, 0.2))
    assert sentence({"smo": [slow], "sbp": [quick], "sdca": [touching], "perceptron": [never]}) == (
        "By the mean over the runs SBP stays at or below 20.9 % test error, a tenth above the least, after 2,000 "
        "kernel evaluations; SDCA needs 2.0 times as many, SMO 4.5; Perceptron does not get there."
    )


def test_seeds_are_averaged_and_a_single_solver_is_compared_with_none() -> None:
    said = sentence({"sbp": [curve((1000, 0.4), (3000, 0.2)), curve((1000, 0.2), (3000, 0.2))]})
    assert said == (
        "By the mean over the runs SBP stays at or below 22.0 % test error, a tenth above the least, after 3,000 "
        "kernel evaluations."
    )
    assert "after 1.23\N{MULTIPLICATION SIGN}10⁷ kernel" in sentence({"sbp": [curve((12_300_000, 0.2))]})
    assert sentence({}) == ""


def test_the_demonstration_is_a_sweep(capsys: pytest.CaptureFixture[str]) -> None:
    words = command(3, ["budget.epochs=1"])
    assert words[:3] == ["python3", "run.py", "-m"]
    assert words[4:] == ["dataset=adult", "seed=range(3)", "highlight=sbp", "budget.epochs=1"]
    assert main(["--help"]) == 0
    assert capsys.readouterr().out.startswith("``python -m svm_cost_curves.experiments.demo``: Figure 2")
