from __future__ import annotations

import math
from itertools import permutations
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.reproduction.spec import ClaimSpec, NumberSpec
from experiments.reproduction.verdict import Claim, Number, Ruling, claim, combined, number, undecided

rulings = st.sampled_from(get_args(Ruling))


@pytest.mark.parametrize(
    ("paper", "measured", "tolerance", "agrees"),
    [
        (14.9, 14.9, 0.1, True),
        (14.9, 15.0, 0.1, True),  # 15.0 - 14.9 is 0.0999...
        (14.9, 14.8, 0.1, True),  # 14.9 - 14.8 is 0.1000...
        (0.44, 0.46, 0.02, True),
        (0.3, 0.1, 0.2, True),
        (1.10e-2, 1.09e-2, 1e-4, True),
        (7.62e-10, 7.57e-10, 5e-12, True),
        (14.9, 15.01, 0.1, False),
        (14.9, 14.79, 0.1, False),
        (0.1, 0.1 + 1e-9, 0.0, False),
        (0.1, 0.1, 0.0, True),
        (-2.0, -1.5, 0.5, True),
        (-2.0, 2.0, 0.5, False),
    ],
)
def test_numbers_agree_within_the_tolerance_in_decimals(
    paper: float, measured: float, tolerance: float, agrees: bool
) -> None:
    assert Number("x", paper, measured, tolerance=tolerance).agrees is agrees
    assert Number("x", measured, paper, tolerance=tolerance).agrees is agrees


@given(st.integers(-10_000, 10_000), st.integers(0, 1000), st.integers(0, 6))
def test_a_difference_of_exactly_the_tolerance_agrees_and_a_digit_more_does_not(
    paper: int, tolerance: int, digits: int
) -> None:
    unit = 10**digits
    for sign in (1, -1):
        edge, beyond = paper + sign * tolerance, paper + sign * (tolerance + 1)
        assert Number("x", paper / unit, edge / unit, tolerance=tolerance / unit).agrees is True
        assert Number("x", paper / unit, beyond / unit, tolerance=tolerance / unit).agrees is False


@pytest.mark.parametrize(
    ("measured", "tolerance"), [(None, 0.1), (14.9, None), (None, None), (math.nan, 0.1), (math.inf, 0.1)]
)
def test_without_run_or_tolerance_there_is_no_agreement(measured: float | None, tolerance: float | None) -> None:
    assert Number("x", 14.9, measured, tolerance=tolerance).agrees is None


@pytest.mark.parametrize(
    ("parts", "verdict"),
    [
        ([], "not_applicable"),
        (["not_applicable"], "not_applicable"),
        (["not_applicable", "not_applicable"], "not_applicable"),
        (["reproduced"], "reproduced"),
        (["reproduced", "reproduced"], "reproduced"),
        (["reproduced", "not_applicable"], "reproduced"),
        (["not_reproduced", "not_applicable"], "not_reproduced"),
        (["not_reproduced", "not_reproduced"], "not_reproduced"),
        (["reproduced", "not_reproduced"], "partly"),
        (["reproduced", "partly"], "partly"),
        (["not_reproduced", "partly"], "partly"),
        (["partly"], "partly"),
        (["partly", "partly", "not_applicable"], "partly"),
        (["reproduced", "partly", "not_reproduced", "not_applicable"], "partly"),
    ],
)
def test_verdict_on_several_cases(parts: list[Ruling], verdict: Ruling) -> None:
    for order in permutations(parts):
        assert combined(order) == verdict


@given(st.lists(rulings, max_size=6), st.lists(rulings, max_size=6))
def test_cases_may_be_combined_in_parts(first: list[Ruling], second: list[Ruling]) -> None:
    assert combined([combined(first), combined(second)]) == combined(first + second)


def test_claims_and_numbers_keep_what_the_paper_says() -> None:
    spec = ClaimSpec("sbp.6", "The derived nu matches.")
    judged = claim(spec, "partly", "2 of 3 do.", {"agreeing": 2}, "Not all do.")
    assert judged == Claim("sbp.6", "The derived nu matches.", "2 of 3 do.", {"agreeing": 2}, "partly", "Not all do.")
    open_ = undecided(spec, "There are no runs.")
    assert open_ == Claim("sbp.6", spec.says, "nothing", {}, "not_applicable", "There are no runs.")
    printed = NumberSpec("error adult", 14.9, "%", 0.1)
    assert number(printed, 15.0, "one seed") == Number("error adult", 14.9, 15.0, "%", 0.1, "one seed")
    assert number(printed, 15.0).agrees is True
    assert number(printed, None).agrees is None
    assert number(NumberSpec("time", 195.0, "s"), 30.0).agrees is None
