"""A state of another object, or a damaged one, is refused and changes nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cases import core_of, problem, solver
from core_arguments import changed
from variants import CORE, VARIANTS, make, reread, same_members, state

from svm_cost_curves.solvers import Limit, SettingsError, _core
from svm_cost_curves.solvers._core import InvalidArgument as CoreError

CLOCKS = {"cpu_seconds", "wall_seconds"}


def test_a_state_that_is_not_this_solvers_is_refused() -> None:
    made = make("sbp")
    made.advance(Limit(iterations=30))
    taken = reread(made)
    with pytest.raises(SettingsError, match="already begun"):
        made.restore(taken)
    with pytest.raises(SettingsError, match="algo=sdca: the state is not one of this solver"):
        make("sdca").restore(taken)
    wrong = {
        "an array of a type that no state has": {"v": taken["v"].astype("S1")},
        "not one of this solver: v": {"v": taken["v"][1:]},
        "more than this one knows of": {"further": np.zeros(3)},
        "v is not an array": {"v": "no array"},
    }
    for text, changes in wrong.items():
        with pytest.raises(SettingsError, match=text):
            make("sbp").restore(taken | changes)


@pytest.mark.parametrize("variant", [name for name in VARIANTS if name != "fourier"])
def test_a_state_of_a_problem_with_more_rows_is_refused(variant: str) -> None:
    other, mine, untouched = make(variant, n=90), make(variant), make(variant)
    other.advance(Limit(iterations=7))
    with pytest.raises(SettingsError, match=r"the state is one of another problem: (n|length) = 90, here it is 77"):
        mine.restore(other.state())
    for made in (mine, untouched):
        made.advance(Limit(iterations=60))
    assert state(mine) == state(untouched)
    same_members(mine, untouched)


@pytest.mark.parametrize("variant", CORE)
def test_every_member_is_needed_and_none_is_changed_by_a_refusal(variant: str) -> None:
    """Members are read in some order: the last of them missing, those before it have been read already."""
    begun = make(variant)
    begun.advance(Limit(iterations=40))
    taken = begun.state()
    core = core_of(make(variant))
    before = core.state()
    for name in taken:
        with pytest.raises(CoreError, match=r"the state is not one of this solver: .* is missing"):
            core.restore({other: values for other, values in taken.items() if other != name})
        assert set(changed(before, core.state())) <= CLOCKS
    core.restore(taken)
    assert set(changed(taken, core.state())) <= CLOCKS


WRONG = {
    ("pegasos, linear", "next"): 10**9,
    ("sgd_r", "next"): 77,
    ("simba", "next"): 77,
    ("sgd_s", "order.position"): 77,
    ("sgd_s", "order.random.used"): 65,
    ("sgd_s", "order.order"): 2**31,
    ("perceptron", "order.order"): 77,
    ("perceptron", "order.position"): 77,
    ("dcd", "active"): 77,
    ("dcd", "position"): 77,
    ("smo", "chosen"): 2**40,
    ("smo, bias", "chosen"): 77,
    ("svmlight", "active.members"): 77,
    ("svmlight", "working"): 77,
    ("svmlight", "recovered"): 78,
    ("lasvm", "expansion.members"): 77,
    ("lasvm", "top"): 77,
    ("lasvm, bias", "outside_top.example"): 77,
    ("ocas", "master.qp.free"): 10**6,
    ("svmperf", "cuts.points"): None,
    ("cpsp", "basis.points"): None,
    ("cpsp", "master.qp.factor.columns"): float("inf"),
    ("minibatch_pegasos", "subsets.next"): 10**6,
    ("minibatch_sdca", "subsets.drawn"): 77,
    ("minibatch_sdca", "subsets.prepared"): 77,
    ("sbp", "v"): float("nan"),
    ("sbp", "tracker.positive.below_sum"): float("nan"),
    ("sbp", "tracker.negative.window.low"): float("inf"),
    ("sbp", "scale"): 0.0,
    ("simba", "q.values"): -1.0,
    ("simba", "u.sums"): float("inf"),
    ("mpu", "q"): 0,
    ("svmsgd", "wall_seconds"): float("nan"),
    ("sgdqn, float32", "rule.left"): 2**50,
}


@pytest.mark.parametrize(("variant", "member"), WRONG)
def test_wrong_members_are_refused_by_name(variant: str, member: str) -> None:
    begun = make(variant)
    begun.advance(Limit(iterations=40))
    taken = dict(begun.state() or {})
    values = taken[member].copy()
    if WRONG[variant, member] is None:
        values = values[1:]
    else:
        values[-1] = WRONG[variant, member]
    taken[member] = values
    with pytest.raises(SettingsError, match=f"the state is not one of this solver: {member.split('.')[0]}"):
        make(variant).restore(taken)


@pytest.mark.parametrize(
    "wrong",
    [
        {"iterations": np.array(-3)},
        {"iterations": np.array(2**36)},
        {"iterations": np.array(2.0)},
        {"iterations": np.array([1, 2])},
        {"weights": np.zeros(3)},
        {"weights": np.zeros(4, complex)},
        {"cpu_seconds": np.array([])},
        {"svm.wall_seconds": np.array([float("nan")])},
    ],
    ids=str,
)
def test_a_wrong_state_of_random_fourier_features_is_refused_and_changes_nothing(wrong: dict[str, Any]) -> None:
    begun, mine = (solver("fourier", problem(30), 1, pairs=8) for _ in range(2))
    before = mine.counters
    begun.advance(Limit(iterations=2))
    taken = begun.state() or {}
    svm = begun._make_svm(4)
    svm.advance(presentations=10)
    taken |= {f"svm.{name}": values for name, values in svm.state().items()}
    with pytest.raises(SettingsError, match="algo=fourier: "):
        mine.restore(taken | wrong)
    assert mine.counters == before
    mine.restore(taken)
    assert mine.counters == begun.counters


def test_the_average_of_asset_reads_only_rows_that_there_are() -> None:
    features = _core.FeatureMatrix(_core.Matrix(np.eye(9, 4, dtype=np.float32)), 5)

    def fresh() -> _core.Asset:
        return _core.Asset(features, lambda_=0.1, window=5, samples=3, seed=1)

    begun = fresh()
    begun.advance(iterations=20)
    taken = begun.state()
    for member in ("places", "next"):
        values = taken[member].copy()
        values[-1] = 9
        with pytest.raises(CoreError, match="the state is not one of this solver"):
            fresh().restore(taken | {member: values})
    steps = "features.counters.iterations"
    with pytest.raises(CoreError, match="places are not as many as the log has steps"):
        fresh().restore(taken | {steps: taken[steps] + 512})


def test_a_state_of_another_shape_is_refused_by_the_views() -> None:
    """Solvers written in Python have the views' states: these name their problem, too."""
    matrix = [_core.Matrix(np.eye(n, 4, dtype=np.float32)) for n in (8, 9)]
    few, many = (_core.CountedFeatures(_core.FeatureMatrix(one, 3)) for one in matrix)
    with pytest.raises(CoreError, match="another problem: n = 9, here it is 8"):
        few.restore(many.state())
