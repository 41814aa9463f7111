from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike

from svm_cost_curves.experiments.reproduction.statistics.critical import CriticalPoint, critical_point


def drop(cost: ArrayLike, error: ArrayLike, **slack: float) -> CriticalPoint:
    point = critical_point(cost, error, **slack)
    assert point is not None
    return point


def test_the_drop_of_a_synthetic_curve() -> None:
    cost = [1, 10, 100, 1000, 2000, 4000, 100_000]
    error = [0.24, 0.5, 0.3, 0.25, 0.18, 0.15, 0.14]
    point = drop(cost, error)
    assert (point.start, point.final) == (0.24, 0.14)
    assert point.settled == 4000  # 0.15 <= 0.154 < 0.18
    assert point.half == 1000  # 0.25 > 0.19 >= 0.18
    assert point.before == pytest.approx(3)
    assert point.steepness == pytest.approx(math.log10(4))
    # 0.24 over one decade, 0.25 over log10(2), 0.3 and 0.5 over one decade each: half of 3.3 decades are below 0.3
    assert point.plateau == 0.3
    assert json.loads(json.dumps(point.as_dict()))["settled"] == 4000


@pytest.mark.parametrize(
    ("cost", "error", "half", "settled"),
    [
        ([1, 10, 100, 1000], [0.5, 0.5, 0.1, 0.1], 10, 100),  # between two evaluations: it has their distance
        ([1, 10, 100, 1000, 10_000], [0.5, 0.1, 0.4, 0.1, 0.1], 100, 1000),  # after it has come up again
        ([1, 10, 100], [0.2, 0.1, 0.0], 1, 100),  # to zero
    ],
)
def test_places_of_drops(cost: list[float], error: list[float], half: float, settled: float) -> None:
    point = drop(cost, error)
    assert (point.half, point.settled) == (half, settled)
    assert point.steepness == pytest.approx(math.log10(settled / half))


@pytest.mark.parametrize(
    ("error", "settled"),
    [
        ([0.3, 0.3, 0.3], 1),  # never moves
        ([0.3, 0.5, 0.3], 100),  # goes up and comes back
        ([0.2, 0.3, 0.7], 1),  # ends worse than it began
        ([0.33, 0.31, 0.3], 1),  # within the slack
        ([0.35, 0.31, 0.3], 10),  # settles, but its middle lies within the slack
    ],
)
def test_no_drop(error: list[float], settled: float) -> None:
    point = drop([1, 10, 100], error)
    assert point.settled == settled
    assert (point.half, point.plateau, point.before, point.steepness) == (None, None, None, None)


def test_slack_says_when_a_curve_has_settled() -> None:
    cost, error = [1, 10, 100, 1000], [1.0, 0.3, 0.2, 0.1]
    settled = {slack: point.settled for slack in (0.0, 1.0, 2.0) if (point := critical_point(cost, error, slack=slack))}
    assert settled == {0.0: 1000, 1.0: 100, 2.0: 10}


def test_missing_rows_cost_0_and_equal_costs() -> None:
    point = drop([0, 1, 10, 10, 100, 1000], [0.9, 0.5, 0.8, 0.4, math.nan, 0.1])
    assert (point.start, point.half, point.settled) == (0.5, 10, 1000)
    assert point.plateau == 0.4
    twice = drop([1, 1, 10], [0.9, 0.3, 0.1])
    assert twice.start == 0.3
    assert critical_point([], []) is None
    assert critical_point([0], [0.5]) is None
    assert critical_point([1], [math.nan]) is None
    alone = drop([7], [0.5])
    assert (alone.settled, alone.half) == (7, None)


def test_of_two_plateaus_of_equal_length_the_lower_one_counts() -> None:
    for factor in (1.0, 2.0, 3.0):
        point = drop(factor * 2.0 ** np.array([18, 20, 23, 24]), [0.5, 0.25, 0.5, 0.25], slack=0.0)
        assert point.plateau == 0.25


@given(
    st.lists(st.integers(0, 40), min_size=1, max_size=12, unique=True).map(sorted),
    st.data(),
    st.sampled_from([0.0, 0.1, 0.5]),
)
def test_a_drop_matches_its_definition(powers: list[int], data: st.DataObject, slack: float) -> None:
    error = np.array(data.draw(st.lists(st.integers(1, 64), min_size=len(powers), max_size=len(powers)))) / 64
    cost = 2.0 ** np.array(powers)
    point = drop(cost, error, slack=slack)
    limit = point.final * (1 + slack)
    assert (error[cost >= point.settled] <= limit).all()
    assert point.settled == cost[0] or error[cost < point.settled][-1] > limit
    wider = drop(2 * cost, 4 * error, slack=slack)
    assert wider.settled == 2 * point.settled
    if point.half is None:
        assert wider.half is None
        return
    assert point.half < point.settled
    middle = (point.start + point.final) / 2
    assert error[cost == point.half][0] > middle
    assert (error[cost > point.half] <= middle).all()
    assert wider.half == 2 * point.half
    assert wider.before == pytest.approx(point.before)
    assert wider.steepness == pytest.approx(point.steepness)
    assert wider.plateau == pytest.approx(4 * point.plateau)  # type: ignore[operator]
