"""The sum tree: draws in proportion to weights, sums that do not drift, bad input."""

from __future__ import annotations

import math

import numpy as np
import pytest
from cases import Array
from hypothesis import given
from hypothesis import strategies as st

from svm_cost_curves.solvers import _core

LAST = math.nextafter(1.0, 0.0)
WHOLE = st.lists(st.integers(0, 50), min_size=1, max_size=300)
"""Weights whose sums are exact: the index of a draw is exact."""
UNIFORM = st.floats(0.0, 1.0, exclude_max=True)


def tree_of(weights: Array | list[int] | list[float]) -> _core.SumTree:
    return _core.SumTree(np.asarray(weights, np.float64))


def change(tree: _core.SumTree, place: int, weight: float) -> None:
    tree.set(np.array([place], np.uint32), np.array([weight]))


def drawn(tree: _core.SumTree, *uniforms: float) -> list[int]:
    return [int(place) for place in tree.draw(np.array(uniforms))]


@given(WHOLE, st.lists(st.tuples(st.integers(0, 299), st.integers(0, 50)), max_size=60), st.lists(UNIFORM))
def test_a_changed_tree_is_the_tree_of_the_new_weights(
    weights: list[int], changes: list[tuple[int, int]], uniforms: list[float]
) -> None:
    tree, at_once = tree_of(weights), tree_of(weights)
    places = np.array([place % len(weights) for place, _ in changes], np.uint32)
    values = np.array([value for _, value in changes], np.float64)
    at_once.set(places, values)
    for place, value in zip(places, values, strict=True):
        change(tree, place, value)
        weights[place] = int(value)
    fresh = tree_of(weights)
    for changed in (tree, at_once):
        assert changed.total == fresh.total == sum(weights)
        np.testing.assert_array_equal(changed.values(), weights)
        if any(weights):
            middles = np.arange(sum(weights)) + 0.5
            first_above = np.searchsorted(np.cumsum(weights), middles, side="right")
            np.testing.assert_array_equal(changed.draw(middles / sum(weights)), first_above)
            assert drawn(changed, *uniforms) == drawn(fresh, *uniforms)


@given(
    st.lists(st.floats(0.0, 1e300), min_size=1, max_size=100),
    st.lists(st.tuples(st.integers(0, 99), st.floats(0.0, 1e300)), max_size=100),
    st.lists(UNIFORM, min_size=1),
)
def test_weights_of_any_size(weights: list[float], changes: list[tuple[int, float]], uniforms: list[float]) -> None:
    """The sum of nonnegative numbers is as exact as they are; no index of weight 0 is drawn."""
    tree = tree_of(weights)
    for place, weight in changes:
        weights[place % len(weights)] = weight
        change(tree, place % len(weights), weight)
    assert tree.total == pytest.approx(math.fsum(weights), rel=1e-14, abs=0.0)
    if any(weights):
        assert all(weights[place] > 0.0 for place in drawn(tree, *uniforms, 0.0, LAST))


@pytest.mark.parametrize("blocks", [1, pytest.param(10, marks=pytest.mark.slow)])
def test_millions_of_changes(blocks: int) -> None:
    """The root is the sum of the leaves, to 1e-12, after all changes."""
    generator = np.random.default_rng(0)
    n, block = 4097, 1_000_000
    weights = generator.random(n)
    tree = tree_of(weights)
    for _ in range(blocks):
        places = generator.integers(n, size=block, dtype=np.uint32)
        values = np.exp(generator.normal(scale=4.0, size=block))
        tree.set(places, values)
        weights[places] = values  # numpy, too, keeps the last of several at one place
    np.testing.assert_array_equal(tree.values(), weights)
    exact = math.fsum(weights)
    assert abs(tree.total - exact) <= 1e-12 * exact
    assert tree.total == tree_of(weights).total


def test_a_tree_of_zeros_refuses_to_draw() -> None:
    tree = tree_of(np.ones(257))
    tree.set(np.arange(257, dtype=np.uint32), np.zeros(257))
    assert tree.total == 0.0
    with pytest.raises(ValueError, match="all weights are 0"):
        tree.draw(np.array([0.5]))
    change(tree, 128, 1e-300)
    assert drawn(tree, 0.0, 0.5, LAST) == [128] * 3


def test_wrong_weights_places_and_uniforms_are_refused() -> None:
    for weights in (np.empty(0), np.ones((2, 2))):
        with pytest.raises(ValueError, match="at least one element"):
            tree_of(weights)
    tree = tree_of([1.0, 2.0])
    for bad in (np.nan, np.inf, -1e-300):
        for use in (lambda bad=bad: tree_of([1.0, bad]), lambda bad=bad: change(tree, 0, bad)):
            with pytest.raises(ValueError, match="weight"):
                use()
    for place in (2, 100):
        with pytest.raises(ValueError, match=f"there is no weight {place}"):
            change(tree, place, 1.0)
    with pytest.raises(ValueError, match="one length"):
        tree.set(np.zeros(2, np.uint32), np.ones(3))
    for u in (-0.1, 1.0, np.nan):
        with pytest.raises(ValueError, match=r"\[0, 1\)"):
            tree.draw(np.array([u]))
    assert tree.total == 3.0
