"""Interruptions do not change a run's bits; a run stops at its limits."""

from __future__ import annotations

import numpy as np
import pytest
from cases import run, solver
from hypothesis import given, settings
from hypothesis import strategies as st
from variants import RANDOM, STEADY, VARIANTS, make, reread, same_members, shared, state

from svm_cost_curves.solvers import Limit, Status, get, names

UNITS = ("iterations", "presentations", "kernel_evaluations", "inner_products", "feature_accesses")
EVERY = pytest.mark.parametrize("variant", VARIANTS)


@EVERY
@given(cuts=st.lists(st.tuples(st.sampled_from(UNITS), st.integers(0, 600)), max_size=8))
@settings(max_examples=8)
def test_any_limits_in_any_counters(variant: str, cuts: list[tuple[str, int]]) -> None:
    """A snapshot and the counters between them cost nothing and change nothing."""
    whole, cut = make(variant), make(variant)
    whole.advance(Limit(iterations=600))
    for unit, where in cuts:
        cut.advance(Limit(**{"iterations": 600, unit: where * (1 if unit in UNITS[:2] else 50)}))
        cut.snapshot()
    cut.advance(Limit(iterations=600))
    assert state(whole) == state(cut)


@pytest.mark.parametrize("variant", STEADY)
@pytest.mark.parametrize("unit", UNITS)
def test_stops_at_the_end_of_the_first_iteration_that_reaches_a_limit(variant: str, unit: str) -> None:
    stepped, limited = make(variant), make(variant)
    if getattr(limited.counters, unit) is None:
        assert unit in limited.not_counted("linear"), "explicit weights ask for no kernel values"
        return
    # 14 rows, which methods that pay by whole rows reach exactly.
    target = 38 if unit in UNITS[:2] else 14 * limited.problem.n
    assert limited.advance(Limit(**{unit: target})) is Status(unit)
    steps = 0
    while getattr(stepped.counters, unit) < target:
        steps += 1
        stepped.advance(Limit(iterations=steps))
    assert state(stepped) == state(limited)
    assert limited.advance(Limit(**{unit: target})) is Status(unit)
    assert limited.advance(Limit(iterations=0)) is Status.ITERATIONS
    assert state(stepped) == state(limited), "a limit that has been reached already does nothing"


@pytest.mark.parametrize("variant", RANDOM)
def test_seeds(variant: str) -> None:
    states = []
    for seed in (1, 1, 2, 2**40 + 1):
        made = make(variant, seed)
        made.advance(Limit(iterations=300))
        states.append(state(made))
    assert states[0] == states[1]
    assert len({s[1] for s in states}) == 3, "other seeds, other runs"


@pytest.mark.parametrize("variant", ["smo", "smo, bias", "svmlight", "svmlight, bias"])
def test_greedy_methods_use_no_randomness(variant: str) -> None:
    made = [make(variant, seed) for seed in (1, 2)]
    for method in made:
        method.advance(Limit(iterations=300))
    assert state(made[0]) == state(made[1])


@EVERY
@given(places=st.lists(st.integers(0, 250), min_size=1, max_size=3), seed=st.integers(0, 3))
@settings(max_examples=4)
def test_another_object_continues_from_a_state_with_the_same_bits(variant: str, places: list[int], seed: int) -> None:
    whole, other = make(variant, seed), make(variant, seed)
    place = 0
    for step in places:
        place += step
        whole.advance(Limit(iterations=place))
        other.advance(Limit(iterations=place))
        taken, before = reread(other), other
        other = make(variant, seed)
        other.restore(taken)
        assert (other.cpu_seconds, other.wall_seconds) == (before.cpu_seconds, before.wall_seconds)
        same_members(other, whole)
        assert state(other) == state(whole)
    for step in (1, 2, 40, 300):
        limit = Limit(iterations=place + step)
        assert whole.advance(limit) is other.advance(limit)
        assert state(other) == state(whole)
        same_members(other, whole)


def test_numbers_beyond_2_to_the_53_survive() -> None:
    made = make("perceptron")
    large = 2**63 + 1
    taken = reread(made) | {"rows.counters.kernel_evaluations": np.array([large], np.uint64)}
    made.restore(taken)
    assert made.counters.kernel_evaluations == large
    assert reread(made)["rows.counters.kernel_evaluations"].item() == large


@pytest.mark.parametrize("name", ["libsvm", "liblinear", "sklearn_sgd", "sklearn_nystroem"])
def test_libraries_cannot_be_checkpointed(name: str) -> None:
    kind = get(name)
    assert not kind.resumes
    with pytest.raises(NotImplementedError, match=f"algo={name} cannot be checkpointed"):
        kind.state(object.__new__(kind))


def test_every_other_solver_can_be_checkpointed() -> None:
    tested = {name for name, _, _ in VARIANTS.values()}
    assert {name for name in names() if get(name).resumes} == tested


def test_cpu_time_limits() -> None:
    sbp = make("sbp")
    assert sbp.advance(Limit(cpu_seconds=0.1)) is Status.CPU_SECONDS
    assert 0.1 <= sbp.cpu_seconds < 0.4
    assert sbp.wall_seconds >= 0.9 * sbp.cpu_seconds
    iterations = sbp.counters.iterations
    sbp.advance(Limit(cpu_seconds=0.2))
    assert sbp.counters.iterations > (iterations or 0)
    assert 0.2 <= sbp.cpu_seconds < 0.5


@EVERY
def test_cpu_time_that_is_spent_makes_no_iteration(variant: str) -> None:
    made = make(variant)
    made.advance(Limit(iterations=5))
    before = state(made)
    for seconds in (made.cpu_seconds, 0.0, -1.0):
        assert made.advance(Limit(cpu_seconds=seconds)) is Status.CPU_SECONDS
    assert state(made) == before
    other = make(variant)
    assert other.advance(Limit(iterations=0, cpu_seconds=0.0)) is Status.ITERATIONS, "the first in order"


@pytest.mark.parametrize("variant", ["sbp", "smo", "svmlight", "minibatch_sdca", "dcd"])
def test_the_least_cpu_time_that_is_left_is_enough_for_an_iteration(variant: str) -> None:
    """A caller that advances in slices of time gets on, however short they are."""
    made = make(variant)
    for _ in range(20):
        before = made.counters.iterations or 0
        made.advance(Limit(cpu_seconds=np.nextafter(made.cpu_seconds, np.inf)))
        assert made.counters.iterations > before


def test_fourier_gets_to_its_end_in_slices_of_cpu_time() -> None:
    """Also where making the features of an iteration takes longer than a slice."""
    p = shared(False, False)
    whole, sliced = run("fourier", p, pairs=64), solver("fourier", p, pairs=64)
    for _ in range(100_000):
        if sliced.advance(Limit(cpu_seconds=sliced.cpu_seconds + 1e-4)) is Status.CONVERGED:
            break
    assert state(sliced) == state(whole)
