from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from evidence_cases import evidence, with_data
from hypothesis import given, settings
from hypothesis import strategies as st
from pictures import render
from readings import claims_of
from scipy.optimize import linprog

from svm_cost_curves import datasets, solvers
from svm_cost_curves.experiments.configuration.composition import settings_of
from svm_cost_curves.experiments.papers.sbp import basin, water_levels
from svm_cost_curves.experiments.papers.sbp.basin import POINTS, Basin, Check, Filling, Responses, fill, largest_excess
from svm_cost_curves.experiments.reproduction.evidence import Panel
from svm_cost_curves.experiments.reproduction.spec import SCALES, read_figure
from svm_cost_curves.experiments.run.assembly import assemble
from svm_cost_curves.solvers.evaluation import Evaluator

FIGURES = ("sbp_fig1", "sbp_fig4")
BIASED: tuple[Check, ...] = ("volume", "level", "mass", "minimax", "equal_numbers")
"""Checks of Figure 4; those of Figure 1 are all but the last."""

values = st.lists(st.floats(-10, 10) | st.integers(-2, 2).map(float), min_size=2, max_size=12)


def responses(low: list[float], high: list[float], volume: float, bias: bool) -> Responses:
    return Responses(np.array([*low, *high]), len(low), volume, bias)


@pytest.fixture(scope="module")
def panels() -> dict[str, Panel]:
    by_figure = {}
    for name in FIGURES:
        words = read_figure(name).series[0].overrides
        run = settings_of(["dataset=digits", *words, "problem.nu=0.02", "budget.iterations=40"])
        by_figure[name] = Panel("digits", "adult", "no Adult here", {"sbp": ()}, {"sbp": run})
    return by_figure


def test_three_responses_by_hand() -> None:
    # 3 units of water on heights 0, 1, 5: 1 fills up to 1, the other 2 raise both columns to 2
    filling = fill(responses([1.0], [0.0, 5.0], 3.0, bias=False))
    (pool,) = filling.basins
    assert filling.level == pytest.approx(2.0)
    assert (pool.covered, pool.p) == (2, 0.5)
    assert filling.volume == pytest.approx(3.0)
    assert filling.minimax == pytest.approx(2.0)
    assert filling.level_by_sorting() == pytest.approx(2.0)


def test_two_basins_by_hand() -> None:
    # one point of each class under water: g+ + g- = (3 + 0) + 1, so that gamma = 2; the levels' difference is free
    # within what leaves the second points dry
    filling = fill(responses([3.0, 9.0], [0.0, 7.0], 1.0, bias=True))
    assert filling.level == pytest.approx(2.0)
    assert [pool.name for pool in filling.basins] == ["negative", "positive"]
    assert [pool.covered for pool in filling.basins] == [1, 1]
    assert [pool.p for pool in filling.basins] == [0.5, 0.5]
    negative, positive = (pool.heights for pool in filling.basins)
    assert negative == pytest.approx(np.array([0.0, 7.0]) - filling.bias)
    assert positive == pytest.approx(np.array([3.0, 9.0]) + filling.bias)
    assert filling.volume == pytest.approx(1.0)


@given(values, values, st.floats(0.01, 50), st.booleans())
def test_every_check_holds_for_any_responses(low: list[float], high: list[float], volume: float, bias: bool) -> None:
    filling = fill(responses(low, high, volume, bias))
    assert all(filling.check(name)[0] for name in BIASED if bias or name != "equal_numbers")


@given(values, values, st.floats(0.01, 20), st.booleans())
def test_the_sorted_level_is_the_linear_program_s(
    low: list[float], high: list[float], volume: float, bias: bool
) -> None:
    filling = fill(responses(low, high, volume, bias))
    c, y = np.array([*low, *high]), np.array([1.0] * len(low) + [-1.0] * len(high))
    n = len(c)
    # maximise gamma over gamma, b, xi >= 0 with c_i + y_i b + xi_i >= gamma and sum of xi <= volume
    rows = np.hstack([np.ones((n, 1)), -y[:, np.newaxis] * bias, -np.eye(n)])
    total = np.concatenate([[0.0, 0.0], np.ones(n)])
    bounds = [(None, None), (None, None) if bias else (0, 0), *[(0, None)] * n]
    solved = linprog([-1.0, 0.0, *[0.0] * n], np.vstack([rows, total]), [*c, volume], bounds=bounds)
    assert filling.level_by_sorting() == pytest.approx(solved.x[0], abs=1e-7)


def test_a_wrong_filling_fails_the_checks() -> None:
    right = fill(responses([1.0, 4.0], [0.0, 5.0, 2.0], 3.5, bias=False))
    (pool,) = right.basins
    wrong: dict[Check, Filling] = {
        "level": Filling(right.basins, right.level + 1e-6, 0.0, right.given, right.covers),
        "volume": Filling(right.basins, right.level, 0.0, right.given + 1e-6, right.covers),
        "mass": Filling((Basin("all", pool.heights, pool.covered - 1, pool.p),), right.level, 0.0, 3.5, right.covers),
        "minimax": Filling(
            (Basin("all", pool.heights, pool.covered - 1, 1 / (pool.covered - 1)),), right.level, 0.0, 3.5, right.covers
        ),
        "equal_numbers": Filling((pool, replace(pool, name="other")), right.level, 0.0, 3.5, ((3, 3), (2, 2))),
    }
    for name, filling in wrong.items():
        assert right.check(name)[0]
        assert not filling.check(name)[0]


@settings(max_examples=30)
@given(values, values, st.floats(0.01, 50))
def test_no_change_of_the_responses_beats_the_supergradient(low: list[float], high: list[float], volume: float) -> None:
    assert largest_excess(fill(responses(low, high, volume, bias=False))) <= 1e-9


def test_another_distribution_is_no_supergradient() -> None:
    right = fill(responses([1.0, 4.0], [0.0, 5.0, 2.0], 3.5, bias=False))
    (pool,) = right.basins
    wrong = Filling((Basin("all", pool.heights, 5, 1 / 5),), right.level, 0.0, 3.5, right.covers)
    assert largest_excess(wrong) > 1e-3


def test_without_volume_the_lowest_response_is_the_level() -> None:
    filling = fill(responses([2.0, 1.0], [4.0], 0.0, bias=False))
    assert filling.level == 1.0
    assert filling.basins[0].covered == 1
    assert all(filling.check(name)[0] for name in BIASED)


def test_the_table_is_thin_and_keeps_the_ends() -> None:
    rng = np.random.default_rng(0)
    drawn = rng.normal(size=20_000)
    filling = fill(Responses(drawn, 6000, 4000.0, bias=True))
    table = filling.table()
    for pool in filling.basins:
        part = table[table["basin"] == pool.name]
        assert len(part) <= 2 * POINTS
        assert {1, pool.covered, pool.covered + 1, len(pool.heights)} <= set(part["rank"])
        assert part["rank"].is_monotonic_increasing
        assert part["height"].to_numpy() == pytest.approx(pool.heights[part["rank"] - 1])
        assert set(part.loc[part["p"] > 0, "rank"]) == set(part.loc[part["rank"] <= pool.covered, "rank"])
    few = fill(responses([1.0, 2.0], [3.0], 0.5, bias=False)).table()
    assert list(few["rank"]) == [1, 2, 3]
    assert few["water"].sum() == pytest.approx(0.5)


@pytest.mark.parametrize("name", FIGURES)
def test_a_real_run_is_judged(name: str, panels: dict[str, Panel]) -> None:
    spec = read_figure(name)
    made = water_levels.make(with_data(evidence(spec, [panels[name]])))
    claims = claims_of(made)
    assert list(claims) == [claim.id for claim in spec.claims]
    assert {claim.verdict for claim in claims.values()} == {"reproduced"}
    first = claims[spec.claims[0].id].nearest
    assert first.text == f"holds on surrogate data ({first.cases} of {first.cases})"
    assert "level: gamma = " in first.measured
    assert first.statistic["adult"]["volume"]["n_nu"] == pytest.approx(0.02 * 1258)
    assert list(made.data.columns) == list(water_levels.COLUMNS)
    assert set(made.data["dataset"]) == {"digits"}
    assert len(set(made.data["basin"])) == (2 if name == "sbp_fig4" else 1)
    assert (made.data["p"] > 0).any()


@pytest.mark.parametrize("name", FIGURES)
def test_responses_are_those_of_the_recorded_predictor(name: str, panels: dict[str, Panel]) -> None:
    run = panels[name].settings["sbp"]
    run_responses = basin.run_responses(run)
    cache = datasets.default_cache_dir()
    data = datasets.load(run.dataset, cache_dir=cache)
    problem = assemble(run, data, cache_dir=cache).problem
    solver = run.solver(problem, run.solver_settings, run.seed)
    solver.advance(solvers.Limit(iterations=40))
    (measures,) = Evaluator(problem, data).evaluate([solver.snapshot()])
    filling = fill(run_responses)
    assert filling.level == pytest.approx(measures["water_level"], rel=1e-12)
    assert measures["bias"] == pytest.approx(filling.bias / filling.level, rel=1e-9)
    wrong = run_responses.values + np.where(np.arange(problem.n) < problem.positives, filling.bias, -filling.bias) <= 0
    assert measures["train_error"] == pytest.approx(float(np.mean(wrong)))


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("volume", [0.0, 1e-6, 50.0, 1e6])
def test_degenerate_basins_are_drawn(monkeypatch: pytest.MonkeyPatch, bias: bool, volume: float) -> None:
    rng = np.random.default_rng(1)
    drawn = Responses(np.concatenate([rng.normal(size=30), 5 + rng.normal(size=3000)]), 30, volume, bias)
    monkeypatch.setattr(water_levels, "run_responses", lambda settings: drawn)
    spec = read_figure("sbp_fig4" if bias else "sbp_fig1")
    panel = Panel("adult", "adult", runs={"sbp": ()}, settings={"sbp": None})
    made = water_levels.make(with_data(evidence(spec, [panel])))
    assert made.claims[0].verdict == "reproduced"
    render(made)


@pytest.mark.parametrize("name", FIGURES)
def test_no_runs_are_planned_and_larger_scales_run_longer(name: str) -> None:
    spec = read_figure(name)
    assert {scale.seeds for scale in spec.scales.values()} == {0}
    lengths = [
        settings_of([*spec.series[0].overrides, *spec.scale(scale).overrides]).budget.limit.iterations or math.inf
        for scale in SCALES
    ]
    assert all(first < second for first, second in pairwise(lengths))


@pytest.mark.parametrize("name", FIGURES)
def test_a_wrong_water_level_fails(monkeypatch: pytest.MonkeyPatch, name: str, panels: dict[str, Panel]) -> None:
    def too_few(drawn: Responses, levels: tuple[float, float]) -> Filling:
        right = fill(drawn, levels)
        parts = [
            replace(part, covered=part.covered // 2, p=part.p * part.covered / (part.covered // 2))
            for part in right.basins
        ]
        return replace(right, basins=tuple(parts), level=right.level - 0.1 * right.scale)

    monkeypatch.setattr(water_levels, "fill", too_few)
    made = water_levels.make(with_data(evidence(read_figure(name), [panels[name]])))
    first, *others = made.claims
    assert first.verdict == "mixed"  # the mass is right
    assert {"level", "minimax"} <= {case.about for case in first.nearest.rulings if case.ruling == "fails"}
    assert [claim.verdict for claim in others] == ["contradicted"] * (name == "sbp_fig1")
