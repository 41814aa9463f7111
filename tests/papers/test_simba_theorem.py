from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from evidence_cases import evidence, finished_run, panel, rows_of, with_data
from hypothesis import given
from hypothesis import strategies as st
from pictures import drawn_with_table
from readings import claims_of

from svm_cost_curves import datasets, solvers
from svm_cost_curves.experiments.configuration.composition import settings_of
from svm_cost_curves.experiments.configuration.settings import RunSettings
from svm_cost_curves.experiments.papers.simba import rates as rate_module
from svm_cost_curves.experiments.papers.simba import theorem
from svm_cost_curves.experiments.papers.simba.rates import Rate, rate_along, rate_of_ends
from svm_cost_curves.experiments.papers.simba.saddle_point import optimum
from svm_cost_curves.experiments.papers.simba.theorem import make
from svm_cost_curves.experiments.reproduction.evidence import Panel
from svm_cost_curves.experiments.reproduction.figure_result import FigureResult
from svm_cost_curves.experiments.reproduction.spec import FigureSpec, read_figure
from svm_cost_curves.experiments.reproduction.statistics import at_most
from svm_cost_curves.experiments.reproduction.verdict import Claim
from svm_cost_curves.experiments.run.assembly import assemble
from svm_cost_curves.solvers.evaluation import Evaluator

SPEC = read_figure("simba_theorem")
WORDS = ["algo=simba", "problem.nu=0.1", "dataset.shape=noisy", "dataset.n=60", "dataset.d=3", "dataset.n_test=10"]
UNIT = 2.0
"""Divisor of the data that makes all norms smaller than 1."""


def settings(*words: str) -> RunSettings:
    return settings_of(["dataset=synthetic", *WORDS, *words])


@pytest.fixture(scope="module")
def problems() -> dict[bool, RunSettings]:
    """Settings without and with the bias, for data in the unit ball."""
    return {bias: settings(f"dataset.divide_by={UNIT}", f"problem.bias={str(bias).lower()}") for bias in (False, True)}


@pytest.fixture(scope="module")
def optima(problems: dict[bool, RunSettings]) -> dict[bool, float]:
    data = datasets.load(problems[False].dataset, cache_dir=datasets.default_cache_dir())
    return {bias: optimum(data.X, data.y, 0.1, bias=bias).upper for bias in (False, True)}


def runs(
    name: str,
    ends: Sequence[float],
    best: float,
    power: float,
    factor: float,
    longer: float = 1.0,
) -> list[Any]:
    """Runs whose value is the optimum less factor T^power, a little different for each seed."""
    return [
        finished_run(
            name=name,
            algo="simba",
            dataset="synthetic",
            seed=seed,
            # of unit norm and with all slack used, so that both bounds of Lemma 2.1 hold with equality
            rows=rows_of(iterations=ends, water_level=level, norm=longer / level, hinge=longer * 0.1 / level),
        )
        for seed in range(4)
        for level in [best - factor * np.power(ends, power) * (1 + 0.01 * (seed - 1.5))]
    ]


def measured(
    problems: dict[bool, RunSettings],
    optima: dict[bool, float],
    *,
    power: float = -0.5,
    factor: float = 0.5,
    spec: FigureSpec = SPEC,
    longer: float = 1.0,
    **fields: Any,
) -> Panel:
    """All series, with the same rate for each; norms are `longer` times those that Lemma 2.1 allows."""
    found: dict[str, list[Any]] = {}
    given_settings: dict[str, RunSettings] = {}
    for curve in spec.curves:
        bias = curve.name.startswith("biased")
        ends = [float(curve.name.partition("=")[2] or 0)] if "=" in curve.name else [1e3, 1e4, 1e5, 1e6]
        found[curve.name] = runs(curve.name, ends, optima[bias], power, factor, longer=longer)
        given_settings[curve.name] = problems[bias]
    return panel("synthetic", found, settings=given_settings, **fields)


def judge(*panels: Panel) -> dict[str, Claim]:
    return claims_of(make(with_data(evidence(SPEC, panels))))


def exponent(claim: Claim, reading: int = 0) -> float:
    return float(claim.readings[reading].statistic["synthetic"]["a"]["exponent"]["estimate"])


def outcomes(claim: Claim) -> list[str]:
    return [reading.outcome for reading in claim.readings]


def test_the_rate_of_the_theorem(problems: dict[bool, RunSettings], optima: dict[bool, float]) -> None:
    claims = judge(measured(problems, optima))
    assert outcomes(claims["simba.theorem"]) == ["trivial"] * 3
    assert outcomes(claims["simba.rate"]) == ["reproduced"] * 3
    for reading in range(3):
        assert exponent(claims["simba.rate"], reading) == pytest.approx(2.0, abs=1e-3)
    # 0.5 / sqrt(T) where 100 sqrt(log n / T) are promised
    part = claims["simba.theorem"].nearest.statistic["synthetic"]["T = 1000"]
    assert 1 / part["share"]["estimate"] == pytest.approx((100 / 0.5) ** 2 * math.log(60), rel=0.05)
    assert claims["simba.lemma21"].nearest.text == "holds on our own data (6 of 6)"


def test_a_faster_rate_holds_and_a_slower_one_does_not(
    problems: dict[bool, RunSettings], optima: dict[bool, float]
) -> None:
    fast = judge(measured(problems, optima, power=-1.0, factor=10.0))["simba.rate"]
    assert fast.verdict == "reproduced"
    assert exponent(fast) == pytest.approx(1.0, abs=1e-2)
    slow = judge(measured(problems, optima, power=-0.25, factor=0.1))
    assert slow["simba.rate"].verdict == "contradicted"
    assert exponent(slow["simba.rate"]) == pytest.approx(4.0, abs=1e-2)
    assert slow["simba.theorem"].verdict == "trivial"  # T ~ epsilon^-4, but still within the theorem's number


def test_an_uncertain_rate_is_unclear() -> None:
    first = np.array([0.1, 0.12, 0.08, 0.11, 0.09])
    gaps = (first, np.array([0.03, 0.036, 0.027, 0.035, 0.033]), first / 10)
    found = Rate(np.array([1e3, 1e4, 1e5]), gaps, together=False).exponent
    assert found is not None
    assert found.estimate == pytest.approx(2.0)  # the middle one of three equally spaced T does not turn the line
    # a is 2 over the decades between the first and the last median; a median is 0.11 or more in 32 % of the resamples
    assert 2 / math.log10(0.12 / 0.008) <= found.low <= 2 / math.log10(0.11 / 0.009)
    assert 2 / math.log10(0.09 / 0.011) <= found.high <= 2 / math.log10(0.08 / 0.012)
    assert at_most(found, 2.0).ruling == "unclear"


def test_more_iterations_than_the_theorem_s(
    problems: dict[bool, RunSettings], optima: dict[bool, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    # with a constant of 0.1 in place of 100 half over the root of T is too far away; with 10 it is not
    panel = measured(problems, optima)
    monkeypatch.setattr(rate_module, "CONSTANT", 0.1)
    assert judge(panel)["simba.theorem"].verdict == "contradicted"
    monkeypatch.setattr(rate_module, "CONSTANT", 1.0)
    assert judge(panel)["simba.theorem"].verdict == "reproduced"


def test_a_solution_beyond_the_lemma_s_bounds(problems: dict[bool, RunSettings], optima: dict[bool, float]) -> None:
    claim = judge(measured(problems, optima, longer=1.01))["simba.lemma21"]
    assert claim.verdict == "contradicted"
    assert claim.nearest.statistic["synthetic"]["constant norm"]["share"] == pytest.approx(1.01, abs=1e-4)


def test_iterates_no_better_than_zero_are_left_out(
    problems: dict[bool, RunSettings], optima: dict[bool, float]
) -> None:
    trivial = optima[False] - 0.1  # of w = 0, whose value is nu
    # at T = 1,000 exactly as far away as w = 0, and nearer from then on
    claim = judge(measured(problems, optima, factor=1.1 * trivial * math.sqrt(1e3)))["simba.theorem"]
    assert next(iter(claim.nearest.statistic["synthetic"])) == "T = 3000"
    far = judge(measured(problems, optima, factor=1e6))
    assert {claim.verdict for claim in far.values()} == {"not_testable"}


def test_data_outside_the_unit_ball_are_divided_by_the_largest_norm(optima: dict[bool, float]) -> None:
    # in coordinates twice as large, nu and all values are twice as large as well
    words = [f"problem.nu={0.1 * UNIT}"]
    doubled = {bias: settings(*words, f"problem.bias={str(bias).lower()}") for bias in (False, True)}
    data = datasets.load(doubled[False].dataset, cache_dir=datasets.default_cache_dir())
    longest = float(np.linalg.norm(data.X.astype(float), axis=1).max())
    assert longest > 1
    twice = measured(doubled, {bias: UNIT * value for bias, value in optima.items()}, factor=0.5 * UNIT)
    found = theorem.measure(twice, SPEC, theorem.solve(twice, SPEC))
    # the solver's problem is the one in the ball, whose optimum is 1 / longest of the data's own
    assert found.optima["constant"]["upper"] == pytest.approx(UNIT * optima[False] / longest, abs=1e-6)
    assert found.rates["constant"].medians[0] == pytest.approx(0.5 * UNIT / longest / math.sqrt(1e3), rel=1e-3)


def test_a_real_run_comes_near_the_optimum_and_not_beyond(
    problems: dict[bool, RunSettings], optima: dict[bool, float], tmp_path: Path
) -> None:
    for bias, run in problems.items():
        data = datasets.load(run.dataset, cache_dir=tmp_path)
        problem = assemble(run, data, cache_dir=tmp_path).problem
        solver = run.solver(problem, run.solver_settings, 0)
        evaluator = Evaluator(problem, data)
        gaps = []
        for iterations in (100, 20_000):
            solver.advance(solvers.Limit(iterations=iterations))
            (measures,) = evaluator.evaluate([solver.snapshot()])
            level = measures["water_level"]
            assert level is not None
            gaps.append(optima[bias] - level)
        assert -1e-6 <= gaps[1] < 0.2 * gaps[0]


@given(st.floats(0.1, 0.9), st.floats(1e-3, 0.3))
def test_the_exponent_of_a_power_law(power: float, factor: float) -> None:
    iterations = np.array([1e3, 1e4, 1e5])
    gaps = tuple(np.full(3, factor * T**-power) for T in iterations)
    for together in (False, True):
        found = Rate(iterations, gaps, together).exponent
        assert found is not None
        assert found.estimate == pytest.approx(1 / power)
        assert found.low == pytest.approx(found.high)


def single_runs(*gaps: float) -> Rate:
    return Rate(10.0 ** np.arange(3, 3 + len(gaps)), tuple(np.array([gap]) for gap in gaps), together=False)


def test_two_points_or_a_zero_gap_have_no_exponent() -> None:
    assert single_runs(0.1).exponent is None
    assert single_runs(0.1, 0.01).exponent is None
    assert single_runs(0.1, 0.01, 0.0).exponent is None
    falling, rising = single_runs(0.1, 0.01, 0.001).exponent, single_runs(0.1, 0.2, 0.3).exponent
    assert falling is not None
    assert falling.estimate == pytest.approx(1.0)
    assert rising is not None
    assert math.isinf(rising.estimate)


def curve(levels: dict[int, float]) -> pd.DataFrame:
    return pd.DataFrame({"iterations": list(levels), "water_level": list(levels.values())}, dtype=float)


def test_only_common_evaluations_count() -> None:
    problem = {"optimum": 0.5, "nu": 0.1, "unit": 2.0}
    frames = [curve({10: 0.4, 100: 0.8, 1000: 0.96}), curve({10: 0.2, 50: 0.3, 100: 0.9, 1000: math.nan})]
    along = rate_along(frames, **problem)
    assert along is not None
    assert along.iterations.tolist() == [10, 100]
    assert np.stack(along.gaps) == pytest.approx(np.array([[0.3, 0.4], [0.1, 0.05]]))
    ends = rate_of_ends({100: frames, 1000: frames[:1], 10_000: frames}, **problem)
    assert ends is not None
    assert ends.iterations.tolist() == [100, 1000]
    assert ends.medians == pytest.approx([0.075, 0.02])
    assert rate_along([], **problem) is None
    assert rate_of_ends({}, **problem) is None


def rendered(*panels: Panel) -> FigureResult:
    return drawn_with_table(make(with_data(evidence(SPEC, panels))))


def test_picture_and_table(problems: dict[bool, RunSettings], optima: dict[bool, float]) -> None:
    made = rendered(measured(problems, optima))
    assert set(made.data["series"]) == {"constant", "biased", "simba"}
    row = made.data[(made.data["series"] == "constant") & (made.data["iterations"] == 1e4)].iloc[0]
    assert row["epsilon"] == pytest.approx(0.005, rel=1e-3)
    assert (row["low"], row["high"]) == pytest.approx((0.005 * 0.985, 0.005 * 1.015), rel=1e-3)
    assert row["theorem"] == pytest.approx(100**2 * math.log(60) / 0.005**2, rel=1e-2)


def test_some_series_alone(problems: dict[bool, RunSettings], optima: dict[bool, float]) -> None:
    whole = measured(problems, optima)
    anytime = replace(whole, runs={name: found if name == "simba" else () for name, found in whole.runs.items()})
    assert outcomes(judge(anytime)["simba.rate"]) == ["not_testable", "not_testable", "reproduced"]
    rendered(anytime)


def without_constant(whole: Panel, *left: float) -> dict[str, Claim]:
    """Claims without the runs of constant steps, but for those with some T."""
    gone = [name for horizon, name in SPEC.members("constant").items() if horizon not in left]
    return judge(replace(whole, runs={**whole.runs, **dict.fromkeys(gone, ())}))


def test_a_series_without_runs_is_missing(problems: dict[bool, RunSettings], optima: dict[bool, float]) -> None:
    whole = measured(problems, optima)
    planned = sorted(SPEC.members("constant"))
    none = without_constant(whole)
    for name, others in (("simba.theorem", "trivial"), ("simba.rate", "reproduced")):
        assert outcomes(none[name]) == ["not_testable", others, others]
    bound = none["simba.theorem"].readings[0]
    assert bound.exceptions() == [f"T = {T:,.0f}: not run, no runs" for T in planned]
    # with one T missing neither claim holds in all cases
    one = without_constant(whole, *planned[1:])
    bound, rate = (one[name].readings[0] for name in ("simba.theorem", "simba.rate"))
    assert (bound.exceptions(), bound.held) == ([f"T = {planned[0]:,.0f}: not run, no runs"], len(planned) - 1)
    assert rate.exceptions() == [f"Synthetic: not run, no runs at T = {planned[0]:,.0f}"]
    assert (rate.outcome, rate.held, rate.cases) == ("not_testable", 0, 1)


def test_the_figure_s_own_data_lie_in_the_unit_ball() -> None:
    (paper_dataset,) = SPEC.datasets
    for series in SPEC.curves:
        run = settings_of([f"dataset={paper_dataset}", *series.overrides])
        data = datasets.load(run.dataset, cache_dir=datasets.default_cache_dir())
        assert np.linalg.norm(data.X.astype(float), axis=1).max() <= 1
