"""Performance profiles."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from svm_cost_curves.experiments.arena.profile import profiles

COSTS = st.one_of(st.just(np.inf), st.floats(1e-6, 1e12))
TABLES = st.integers(1, 6).flatmap(
    lambda problems: st.lists(st.lists(COSTS, min_size=problems, max_size=problems), min_size=1, max_size=4)
)


def named(table: list[list[float]]) -> dict[str, NDArray[np.float64]]:
    return {f"solver {k}": np.array(costs) for k, costs in enumerate(table)}


def test_a_case_worked_out_by_hand() -> None:
    # the first is best on two problems, twice and never on the others; the fourth problem is solved by nobody
    found = profiles({"a": np.array([1.0, 3.0, 8.0, np.inf]), "b": np.array([5.0, 3.0, 4.0, np.inf])})
    np.testing.assert_array_equal(found["a"].factor, [1.0, 2.0])
    np.testing.assert_array_equal(found["a"].share, [0.5, 0.75])
    np.testing.assert_array_equal(found["b"].factor, [1.0, 5.0])
    np.testing.assert_array_equal(found["b"].share, [0.5, 0.75])


def test_a_solver_without_solved_problems_has_a_profile_of_zero() -> None:
    found = profiles({"a": np.array([1.0]), "b": np.array([np.inf])})
    assert found["b"].solved == 0.0
    np.testing.assert_array_equal(found["b"].factor, [1.0])
    assert profiles({"a": np.array([np.inf])})["a"].solved == 0.0


def test_no_problems_no_profiles() -> None:
    assert profiles({}) == {}
    assert profiles({"a": np.array([])}) == {}


@given(TABLES)
def test_properties_of_all_profiles(table: list[list[float]]) -> None:
    costs = named(table)
    found = profiles(costs)
    solved = np.isfinite(list(costs.values())).any(axis=0).mean()
    for name, profile in found.items():
        assert profile.factor[0] == 1.0
        assert (np.diff(profile.factor) > 0).all()
        assert (np.diff(profile.share) > 0).all()
        assert 0 <= profile.share[0] <= profile.solved <= 1
        assert np.isclose(profile.solved, np.isfinite(costs[name]).mean())
    # somebody is best on each problem that is solved at all
    assert sum(profile.share[0] for profile in found.values()) >= solved - 1e-12


@given(TABLES, st.floats(1e-3, 1e3))
def test_the_unit_does_not_matter(table: list[list[float]], unit: float) -> None:
    one, other = profiles(named(table)), profiles({name: costs * unit for name, costs in named(table).items()})
    for name, profile in one.items():
        assert np.isclose(profile.solved, other[name].solved)
        assert np.isclose(profile.factor[-1], other[name].factor[-1])
