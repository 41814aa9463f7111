from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svm_cost_curves.experiments.reproduction.statistics.interval import (
    FAILS,
    HOLDS,
    TRIVIAL,
    TRIVIAL_SLACK,
    Decision,
    Interval,
    above,
    at_most,
    holds,
    under_bound,
    within,
)

NUMBERS = st.integers(-20, 20).map(float)


@st.composite
def intervals(draw: st.DrawFn) -> Interval:
    low, estimate, high = sorted(draw(st.lists(NUMBERS, min_size=3, max_size=3)))
    return Interval(estimate, low, high, draw(st.integers(1, 30)))


@pytest.mark.parametrize(
    ("low", "high", "expected"), [(1.0, 2.0, HOLDS), (3.5, 4.0, FAILS), (2.0, 3.0, HOLDS), (3.0, 4.0, "unclear")]
)
def test_an_interval_decides_where_the_limit_is_outside(low: float, high: float, expected: Decision | str) -> None:
    decision = at_most(Interval((low + high) / 2, low, high, 9), 3.0)
    assert decision == expected or decision.ruling == expected


@given(intervals(), NUMBERS)
def test_above_is_the_opposite_of_at_most(interval: Interval, limit: float) -> None:
    one, other = above(interval, limit), at_most(interval, limit)
    assert {one.ruling, other.ruling} in ({"holds", "fails"}, {"unclear"})
    assert one.more_runs == other.more_runs
    assert (one.ruling == "unclear") == (interval.low <= limit < interval.high)


@given(intervals(), NUMBERS, NUMBERS)
def test_a_margin_holds_for_all_values_of_the_interval_and_fails_for_none(
    interval: Interval, one: float, other: float
) -> None:
    low, high = min(one, other), max(one, other)
    inside = [low <= value / 2 <= high for value in range(round(2 * interval.low), round(2 * interval.high) + 1)]
    expected = "holds" if all(inside) else "unclear" if any(inside) else "fails"
    assert within(interval, low, high).ruling == expected


def test_a_bound_with_much_slack_holds_trivially() -> None:
    measured = Interval(1.0, 0.9, 1.1, 5)
    assert under_bound(measured, 1000.0) == TRIVIAL
    assert under_bound(measured, 1.2 * TRIVIAL_SLACK) == TRIVIAL
    assert under_bound(measured, TRIVIAL_SLACK) == HOLDS
    assert under_bound(measured, 1.05 * TRIVIAL_SLACK) == HOLDS  # the slack of the upper end is less
    assert under_bound(measured, 0.5) == FAILS
    assert under_bound(measured, 1.0).ruling == "unclear"


def test_a_condition_holds_or_fails() -> None:
    assert (holds(True), holds(False)) == (HOLDS, FAILS)


@given(st.integers(2, 50), st.floats(0.1, 5.0), st.floats(1.01, 4.0))
def test_so_many_more_runs_settle_a_case(runs: int, distance: float, excess: float) -> None:
    """The interval gets narrower with the root of the number of runs."""
    reach = distance * excess
    decision = above(Interval(distance, distance - reach, distance + reach, runs), 0.0)
    assert decision.more_runs is not None
    later = reach * (runs / (runs + decision.more_runs)) ** 0.5
    assert later <= distance * (1 + 1e-9)
    assert runs + decision.more_runs >= 5
    if decision.more_runs > max(1, 5 - runs):
        assert reach * (runs / (runs + decision.more_runs - 1)) ** 0.5 > distance * (1 - 1e-9)


def test_a_margin_needs_so_many_runs_as_the_nearer_of_its_limits() -> None:
    """At the limits -1 and 2 the reach of 4 runs is twice and four times the distance: 16 and 64 runs."""
    assert within(Interval(1.0, -3.0, 5.0, 4), -1.0, 2.0) == Decision("unclear", 60)
    assert within(Interval(1.0, -3.0, 5.0, 4), -1.0, 1.0) == Decision("unclear")
    assert within(Interval(1.0, -3.0, 5.0, 4), -1.0, 9.0) == Decision("unclear", 12)


def test_a_case_that_would_need_more_than_a_thousand_runs_is_not_settled() -> None:
    assert above(Interval(1.0, -8.0, 10.0, 10), 0.0) == Decision("unclear", 800)
    assert above(Interval(1.0, -10.0, 12.0, 10), 0.0) == Decision("unclear")


def test_an_estimate_on_the_limit_or_of_one_run_is_never_settled() -> None:
    assert above(Interval(0.0, -1.0, 1.0, 9), 0.0) == Decision("unclear")
    assert above(Interval(1e-9, -1.0, 1.0, 9), 0.0) == Decision("unclear")
    assert above(Interval(0.5, -1.0, 1.0, 1), 0.0) == Decision("unclear")
