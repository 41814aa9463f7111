"""The random stream: this project's golden values, and statistics; `cpp/tests/test_random.cpp` has those of Philox."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from itertools import count

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from svm_cost_curves.solvers import _core

Purpose = _core.Purpose


def test_the_stream_is_the_documented_counter() -> None:
    """Block b of a stream is Philox at (low b, high b, purpose, 0) under the seed as key, low words first."""
    seed = 0x0123456789ABCDEF
    stream = _core.Random(seed, Purpose.features)
    for block in range(100):
        words = _core.philox4x32([block, 0, 3, 0], [seed & 0xFFFFFFFF, seed >> 32])
        assert stream.bits64() == words[0] | words[1] << 32
        assert stream.bits64() == words[2] | words[3] << 32


@pytest.mark.parametrize("bound", [2**63 + 1, 3 * 2**61, 2**64 - 2**62])
def test_below_rejects_the_short_intervals(bound: int) -> None:
    """Up to half of all words are rejected at these bounds."""
    ours, raw = _core.Random(1, Purpose.sampling), _core.Random(1, Purpose.sampling)
    rejected = 0
    for _ in range(500):
        while (product := raw.bits64() * bound) % 2**64 < 2**64 % bound:
            rejected += 1
        assert ours.below(bound) == product >> 64
    assert rejected > 50


def words(seed: int, purpose: int) -> Iterator[int]:
    """The stream's 32-bit words."""
    for block in count():
        yield from _core.philox4x32([block & 0xFFFFFFFF, block >> 32, purpose, 0], [seed & 0xFFFFFFFF, seed >> 32])


def shuffled(size: int, seed: int) -> list[int]:
    """Fisher-Yates from the end, each place by Lemire's method on 32-bit words."""
    items, stream = list(range(size)), words(seed, 2)
    for last in range(size, 1, -1):
        while (product := next(stream) * last) % 2**32 < 2**32 % last:
            pass
        other = product >> 32
        items[last - 1], items[other] = items[other], items[last - 1]
    return items


@given(st.integers(0, 2**64 - 1), st.integers(0, 200))
def test_permutations_are_fisher_yates_on_32_bit_words(seed: int, size: int) -> None:
    assert _core.Random(seed, Purpose.order).permutation(size).tolist() == shuffled(size, seed)


# Golden values: they may never change, or a seed would mean another run than the one on record.
GOLDEN_BELOW = [126, 711, 991, 225, 122, 339, 680, 31]


GOLDEN_UNIFORM = [0.1262498542224193, 0.7116127377916281, 0.9914873587267705, 0.2256887573994779]
GOLDEN_PERMUTATION = [10, 0, 1, 2, 3, 7, 8, 9, 6, 11, 5, 4]
GOLDEN_NORMAL = [-1.1847471258334412, 2.138573463022918, -0.4875666954217973]
GOLDEN_NORMAL += [-0.31867572241558567, 0.8305668064637256, 0.2502637376461758]
GOLDEN_DIGEST = "ae87b73a7fd1a8b7"
GOLDEN_ORDER_DIGEST = "eb181b5516a84bea"


def test_golden_values() -> None:
    stream = _core.Random(42, Purpose.sampling)
    assert [stream.below(1000) for _ in range(8)] == GOLDEN_BELOW
    stream = _core.Random(42, Purpose.sampling)
    assert [stream.uniform() for _ in range(4)] == GOLDEN_UNIFORM
    assert _core.Random(42, Purpose.order).permutation(12).tolist() == GOLDEN_PERMUTATION
    np.testing.assert_allclose(_core.Random(42, Purpose.features).normal(6), GOLDEN_NORMAL, rtol=1e-14)


def test_golden_long_streams() -> None:
    stream = _core.Random(2**63 - 1, Purpose.sampling)
    values = np.array([stream.below(k) for k in range(1, 5001)], dtype="<u8")
    assert hashlib.sha256(values.tobytes()).hexdigest()[:16] == GOLDEN_DIGEST
    order = _core.Random(7, Purpose.order).permutation(10_000).astype("<u4")
    assert hashlib.sha256(order.tobytes()).hexdigest()[:16] == GOLDEN_ORDER_DIGEST


def test_uniform_and_normal_have_their_distributions() -> None:
    stream = _core.Random(1, Purpose.data)
    uniform = np.array([stream.uniform() for _ in range(50_000)])
    assert uniform.min() >= 0.0
    assert uniform.max() < 1.0
    assert stats.kstest(uniform, "uniform").pvalue > 1e-4
    normal = _core.Random(1, Purpose.features).normal(400_000)
    assert stats.kstest(normal, "norm").pvalue > 1e-4
    for power, moment in ((1, 0.0), (2, 1.0), (3, 0.0), (4, 3.0)):
        spread = np.std(normal**power) / np.sqrt(normal.size)
        assert np.mean(normal**power) == pytest.approx(moment, abs=5.0 * spread)
    assert abs(np.corrcoef(normal[:-1], normal[1:])[0, 1]) < 0.01


def test_a_normal_stream_does_not_depend_on_how_it_is_cut() -> None:
    whole = _core.Random(5, Purpose.features).normal(9)
    stream = _core.Random(5, Purpose.features)
    np.testing.assert_array_equal(np.concatenate([stream.normal(k) for k in (1, 3, 0, 5)]), whole)
