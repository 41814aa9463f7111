from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from svm_cost_curves.experiments.reproduction.claim_spec import NumberSpec
from svm_cost_curves.experiments.reproduction.numbers import RATIO, TIMES, number, sampling_error
from svm_cost_curves.experiments.reproduction.statistics.interval import LEAST_RUNS

ERROR = NumberSpec("error", 15.0, "%", rounding=0.05)
SLOWER = NumberSpec("ratio", 8.0, TIMES, rounding=0.01)
ROWS = 8000


@pytest.mark.parametrize(
    ("paper", "ours", "rounding", "outcome"),
    [
        (14.9, 15.0, 0.1, "agrees"),  # 15.0 - 14.9 is 0.0999...
        (14.9, 14.8, 0.1, "agrees"),  # 14.9 - 14.8 is 0.1000...
        (0.44, 0.46, 0.02, "agrees"),
        (7.62e-10, 7.57e-10, 5e-12, "agrees"),
        (14.9, 15.01, 0.1, "differs"),
        (0.1, 0.1 + 1e-9, 0.0, "differs"),
        (0.3, 0.1 + 0.2, 0.0, "agrees"),
        (-2.0, -1.5, 0.5, "agrees"),
        (-2.0, 2.0, 0.5, "differs"),
    ],
)
def test_a_number_that_is_computed_agrees_within_the_rounding(
    paper: float, ours: float, rounding: float, outcome: str
) -> None:
    judged = number(NumberSpec("x", paper, rounding=rounding), ours)
    assert (judged.outcome, judged.limit) == (outcome, rounding)
    assert number(NumberSpec("x", paper, rounding=rounding), [ours]).outcome != "agrees"  # one run of many


@pytest.mark.parametrize(("error", "rows"), [(0.46, 10_000), (15.06, 8141), (1.08, 14_169)])
def test_the_limit_of_an_error_is_what_a_test_set_of_this_size_tells(error: float, rows: int) -> None:
    low, high = stats.binom.interval(0.95, rows, error / 100)
    assert sampling_error(error, rows) == pytest.approx(100 * (high - low) / 2 / rows, abs=100 / rows)


def test_two_test_images_are_no_difference_and_fifty_are() -> None:
    """46 of 10,000 images, and five runs that all make 44 errors."""
    spec = NumberSpec("error", 0.46, "%", rounding=0.005)
    assert number(spec, 5 * [0.44], test_rows=10_000).outcome == "agrees"
    assert number(spec, 5 * [0.96], test_rows=10_000).outcome == "differs"


def test_an_error_of_another_test_set_rarely_differs() -> None:
    """The printed one is that of one test set, ours are those of ten; all methods err on 15 % of all data."""
    generator = np.random.default_rng(0)
    outcomes = []
    for _ in range(400):
        printed, *ours = 100 * generator.binomial(ROWS, 0.15, size=11) / ROWS
        outcomes.append(number(NumberSpec("error", printed, "%", rounding=0.005), ours, test_rows=ROWS).outcome)
    assert outcomes.count("differs") < 20
    assert outcomes.count("agrees") > 200


some_errors = st.lists(st.floats(5.0, 25.0), min_size=1, max_size=12)


@given(some_errors)
def test_only_enough_runs_agree_and_few_differ_only_far_away(errors: Sequence[float]) -> None:
    judged = number(ERROR, errors, test_rows=ROWS)
    assert judged.limit is not None
    assert judged.measured is not None
    distance = abs(judged.measured - ERROR.paper)
    if len(errors) < LEAST_RUNS:
        far = all(error > 15.05 + 2 * judged.limit for error in errors)
        far |= all(error < 14.95 - 2 * judged.limit for error in errors)
        assert judged.outcome == ("differs" if far else "too few runs")
    elif judged.outcome == "agrees":
        assert distance <= judged.limit - 0.05 + 1e-9
    elif judged.outcome == "differs":
        assert distance > judged.limit


@given(some_errors)
def test_fewer_printed_digits_never_decide_more_numbers(errors: Sequence[float]) -> None:
    rough = number(NumberSpec("error", 15.0, "%", rounding=0.5), errors, test_rows=ROWS).outcome
    assert rough in {"too few runs", number(ERROR, errors, test_rows=ROWS).outcome}


@given(st.lists(st.floats(2.0, 32.0), min_size=1, max_size=12))
def test_a_ratio_and_its_inverse_have_one_outcome(ratios: Sequence[float]) -> None:
    inverse = NumberSpec("ratio", 1 / SLOWER.paper, TIMES, rounding=SLOWER.rounding)
    one, other = number(SLOWER, ratios), number(inverse, [1 / ratio for ratio in ratios])
    assert one.outcome == other.outcome
    assert one.measured == pytest.approx(stats.gmean(ratios))
    assert other.measured == pytest.approx(1 / stats.gmean(ratios))


def test_the_limit_of_a_ratio_is_a_factor() -> None:
    for factor, outcome in ((0.98 * RATIO, "agrees"), (1.02 * RATIO, "differs")):
        for ratio in (SLOWER.paper * factor, SLOWER.paper / factor):
            assert number(SLOWER, LEAST_RUNS * [ratio]).outcome == outcome
    assert number(SLOWER, 2 * [1.02 * RATIO * SLOWER.paper]).outcome == "too few runs"
    assert number(SLOWER, 2 * [1.02 * RATIO**2 * SLOWER.paper]).outcome == "differs"


@pytest.mark.parametrize("values", [None, [], [math.nan], [math.inf], math.nan])
def test_without_runs_nothing_is_compared(values: list[float] | float | None) -> None:
    judged = number(NumberSpec("x", 1.0, rounding=0.1), values, "no runs")
    assert (judged.measured, judged.outcome, judged.limit, judged.note) == (None, "not judged", None, "no runs")


def test_other_data_and_seconds_stand_side_by_side() -> None:
    assert number(NumberSpec("x", 1.0, rounding=0.1), 1.0, compared=False).agrees is None
    judged = number(NumberSpec("time", 195.0, "s"), [30.0, 40.0])
    assert (judged.measured, judged.outcome, judged.runs) == (35.0, "not judged", 2)
