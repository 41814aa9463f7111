"""Interruptions do not change a run's bits; a run stops at its limits; a state of another object is refused."""

from __future__ import annotations

import io
from functools import cache
from typing import Any

import numpy as np
import pytest
from cases import core_of, problem, run, solver
from core_arguments import changed
from hypothesis import given, settings
from hypothesis import strategies as st

from svm_cost_curves.solvers import (
    Limit,
    Linear,
    LinearSnapshot,
    Problem,
    SettingsError,
    Solver,
    Status,
    _core,
    get,
    names,
)
from svm_cost_curves.solvers._core import InvalidArgument as CoreError
from svm_cost_curves.solvers.accounting import Accounting
from svm_cost_curves.solvers.asset_online import CosineSnapshot
from svm_cost_curves.solvers.base import State
from svm_cost_curves.solvers.cpsp import BasisSnapshot
from svm_cost_curves.solvers.fourier import FourierSnapshot
from svm_cost_curves.solvers.linear import Variant as SgdQnVariant
from svm_cost_curves.solvers.minibatch import Averaging
from svm_cost_curves.solvers.precision import FeaturesPrecision, Precision
from svm_cost_curves.solvers.sbp import Draws
from svm_cost_curves.solvers.simba import LearningRate

Variant = tuple[str, bool, dict[str, Any]]
VARIANTS: dict[str, Variant] = {
    "sbp": ("sbp", False, {}),
    "sbp, long steps": ("sbp", False, {"eta": 3.0}),
    "sbp, pairs": ("sbp", True, {}),
    "sbp, pairs, long steps": ("sbp", True, {"eta": 3.0}),
    "sbp, single": ("sbp", True, {"draws": Draws.single}),
    "pegasos": ("pegasos", False, {}),
    "pegasos, kept, projected": ("pegasos", False, {"accounting": Accounting.kept, "project": True}),
    "sdca": ("sdca", False, {}),
    "smo": ("smo", False, {"tolerance": 0.0}),
    "smo, bias": ("smo", True, {"tolerance": 0.0}),
    "svmlight": ("svmlight", False, {"tolerance": 0.0, "working_set": 4, "shrink_after": 5}),
    "svmlight, bias": ("svmlight", True, {"tolerance": 0.0, "working_set": 4, "shrink_after": 5}),
    "lasvm": ("lasvm", False, {"tolerance": 0.0, "passes": 0}),
    "lasvm, bias": ("lasvm", True, {"tolerance": 0.0, "passes": 2}),
    "lasvm, bias, repeated": ("lasvm", True, {"tolerance": 0.0, "passes": 0, "delta_max": 0.5, "drop_below": 0.1}),
    "perceptron": ("perceptron", False, {}),
    "averaged_perceptron": ("averaged_perceptron", False, {}),
    "sgd_r": ("sgd_r", False, {}),
    "sgd_s": ("sgd_s", False, {"eps": 0.1, "check_factor": 1e9}),
    "sgd_m, float32": ("sgd_m", False, {"eps": 1e-9, "check_factor": 1e9, "precision": Precision.float32}),
    "dcd": ("dcd", False, {"eps": 1e-9}),
    "asset": ("asset", True, {"features": 12}),
    "asset, bfloat16": ("asset", True, {"features": 12, "features_precision": FeaturesPrecision.bfloat16}),
    "asset_star": ("asset_star", False, {"features": 12, "window": 20}),
    "asset_star, float16": ("asset_star", False, {"features": 12, "features_precision": FeaturesPrecision.float16}),
    "cpny": ("cpny", False, {"features": 12, "eps": 1e-12}),
    "cpny, no safeguards": (
        "cpny",
        False,
        {"features": 12, "eps": 1e-12, "qp_precision": 0.5, "idle_cuts": None, "eigenvalue_threshold": 0.0},
    ),
    "cpsp": ("cpsp", False, {"features": 12, "eps": 1e-12}),
    "minibatch_pegasos": ("minibatch_pegasos", False, {"batch_size": 5, "average": Averaging.tail}),
    "minibatch_sdca": ("minibatch_sdca", False, {"batch_size": 5, "average": Averaging.decaying}),
    "simba": ("simba", False, {}),
    "simba, bias, constant steps": ("simba", True, {"horizon": 500}),
    "simba, printed, no clipping": ("simba", False, {"learning_rate": LearningRate.printed, "clip": False}),
    "pegasos, linear": ("pegasos", False, {"project": True}),
    "ocas": ("ocas", False, {"eps": 1e-12}),
    "svmperf": ("svmperf", False, {"eps": 1e-12}),
    "mpu": ("mpu", False, {"eps": 1e-9}),
    "svmsgd": ("svmsgd", False, {}),
    "sgdqn, float32": ("sgdqn", False, {"precision": Precision.float32, "skip": 3}),
    "sgdqn, original": ("sgdqn", False, {"variant": SgdQnVariant.original, "skip": 3, "permutation": False}),
    "asset_online": ("asset_online", True, {"features": 9}),
    "asset_star_online": ("asset_star_online", False, {"features": 9, "window": 7}),
    "fourier": ("fourier", False, {"pairs": 16}),
}
"""Name, bias and settings of runs that use all parts of each method."""


RANDOM = [name for name in VARIANTS if not name.startswith(("smo", "svmlight", "ocas", "svmperf"))]
STEADY = [name for name in VARIANTS if not name.startswith(("asset", "cp", "fourier", "ocas", "svmperf"))]
"""Methods that cost nothing before their first iteration, and do not end before the limits of the test."""
CORE = [name for name in VARIANTS if not name.startswith(("averaged", "cpny", "asset", "fourier"))]
"""Variants whose state is that of one object of the core."""
UNITS = ("iterations", "presentations", "kernel_evaluations", "inner_products", "feature_accesses")
CLOCKS = {"cpu_seconds", "wall_seconds"}
EVERY = pytest.mark.parametrize("variant", VARIANTS)


@cache
def shared(bias: bool, linear: bool, n: int = 77) -> Problem:
    return problem(n, bias=bias, flips=0.15, **({"kernel": Linear()} if linear else {}))


def make(variant: str, seed: int = 1, n: int = 77) -> Solver:
    name, bias, own = VARIANTS[variant]
    linear = variant == "pegasos, linear" or get(name).kernels == {"linear"}
    return solver(name, shared(bias, linear, n), seed, **own)


def state(made: Solver) -> tuple[Any, ...]:
    """All that is visible of a run, to the bit."""
    snapshot = made.snapshot()
    if isinstance(snapshot, LinearSnapshot):
        return made.counters, snapshot.weights.tobytes(), snapshot.lower_bound
    if isinstance(snapshot, BasisSnapshot):
        points = snapshot.basis.points[: len(snapshot.coefficients)]
        return made.counters, snapshot.coefficients.tobytes(), np.asarray(points).tobytes()
    if isinstance(snapshot, CosineSnapshot):
        return made.counters, snapshot.weights.tobytes(), snapshot.bias
    if isinstance(snapshot, FourierSnapshot):
        return made.counters, snapshot.decision_values(made.problem.X).tobytes()
    responses = None if snapshot.responses is None else snapshot.responses.tobytes()
    return made.counters, snapshot.coefficients.tobytes(), snapshot.bias, responses


@EVERY
def test_two_advances_of_k_equal_one_of_2k(variant: str) -> None:
    """A snapshot and the counters between them cost nothing and change nothing."""
    for k in (1, 7, 400):
        once, twice = make(variant), make(variant)
        once.advance(Limit(iterations=2 * k))
        twice.advance(Limit(iterations=k))
        twice.snapshot()
        twice.advance(Limit(iterations=2 * k))
        assert state(once) == state(twice)


@EVERY
@given(cuts=st.lists(st.tuples(st.sampled_from(UNITS), st.integers(0, 600)), max_size=8))
@settings(max_examples=20)
def test_any_limits_in_any_counters(variant: str, cuts: list[tuple[str, int]]) -> None:
    whole, cut = make(variant), make(variant)
    whole.advance(Limit(iterations=600))
    for unit, where in cuts:
        cut.advance(Limit(**{"iterations": 600, unit: where * (1 if unit in UNITS[:2] else 50)}))
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
    for each in made:
        each.advance(Limit(iterations=300))
    assert state(made[0]) == state(made[1])


def reread(made: Solver) -> State:
    """A solver's state from a file."""
    file = io.BytesIO()
    taken = made.state()
    np.savez(file, allow_pickle=False, **taken)
    file.seek(0)
    with np.load(file, allow_pickle=False) as arrays:
        return dict(arrays)


def same_members(mine: Solver, theirs: Solver) -> None:
    """The states of both runs have the same bits, except for times."""
    a, b = mine.state(), theirs.state()
    assert a.keys() == b.keys()
    for name, values in a.items():
        if not name.endswith("_seconds"):
            assert values.dtype == b[name].dtype
            assert values.tobytes() == b[name].tobytes(), name


@EVERY
@given(places=st.lists(st.integers(0, 250), min_size=1, max_size=3), seed=st.integers(0, 3))
@settings(max_examples=6)
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


def test_numbers_beyond_2_to_the_53_survive() -> None:
    made = make("perceptron")
    large = 2**63 + 1
    taken = reread(made) | {"rows.counters.kernel_evaluations": np.array([large], np.uint64)}
    made.restore(taken)
    assert made.counters.kernel_evaluations == large
    assert reread(made)["rows.counters.kernel_evaluations"].item() == large


@given(st.lists(st.sampled_from(["bits", "below", "normal", "shuffle"]), max_size=70))
def test_a_stream_of_random_numbers_continues(draws: list[str]) -> None:
    stream, other = (_core.Random(5, _core.Purpose.sampling) for _ in range(2))
    take = {
        "bits": lambda random: random.bits64(),
        "below": lambda random: random.below(3),
        "normal": lambda random: random.normal(1)[0],
        "shuffle": lambda random: tuple(random.permutation(5)),
    }
    for draw in draws:
        take[draw](stream)
    other.restore(stream.state())
    for draw in [*draws, *take] * 3:
        assert take[draw](stream) == take[draw](other)


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


def test_simba_without_slack_resumes_on_separable_data() -> None:
    """Its importance weights shrink for ever and are scaled many times; the slack's level is above all of them."""
    X = np.array([[1.0, 0.1], [0.9, -0.1], [-1.0, 0.1], [-0.9, -0.2]], np.float32)
    p = Problem(X, np.array([1, 1, -1, -1], np.int8), Linear(), nu=0.0)
    whole = run("simba", p, Limit(iterations=30_000))
    other = solver("simba", p)
    other.restore(reread(whole))
    for made in (whole, other):
        made.advance(Limit(iterations=31_000))
    assert state(other) == state(whole)
    same_members(other, whole)


# States of other objects


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
    begun, mine, untouched = (solver("fourier", problem(30), 1, pairs=8) for _ in range(3))
    begun.advance(Limit(iterations=2))
    taken = begun.state() or {}
    svm = begun._make_svm(4)
    svm.advance(presentations=10)
    taken |= {f"svm.{name}": values for name, values in svm.state().items()}
    with pytest.raises(SettingsError, match="algo=fourier: "):
        mine.restore(taken | wrong)
    assert mine.counters == untouched.counters
    for made in (mine, untouched):
        made.advance(Limit(iterations=3))
    assert state(mine) == state(untouched)
    mine.restore(taken)
    assert mine.counters == begun.counters


def test_the_average_of_asset_reads_only_rows_that_there_are() -> None:
    features = _core.FeatureMatrix(_core.Matrix(np.eye(9, 4, dtype=np.float32)), 5)

    def fresh() -> _core.Asset:
        return _core.Asset(features, lambda_=0.1, window=5, samples=3, seed=1)

    begun = fresh()
    begun.advance(iterations=20)
    taken = begun.state()
    for member, value in {"places": 9, "sizes": 10**9, "place": 10**6, "left_in_block": 3, "next": 9}.items():
        values = taken[member].copy()
        values[-1] = value
        with pytest.raises(CoreError, match="the state is not one of this solver"):
            fresh().restore(taken | {member: values})
    with pytest.raises(CoreError, match="places are not as many as the log has steps"):
        fresh().restore(taken | {"steps": taken["steps"] + 512})


def test_a_state_of_another_shape_is_refused_by_the_views() -> None:
    """Solvers written in Python have the views' states: these name their problem, too."""
    matrix = [_core.Matrix(np.eye(n, 4, dtype=np.float32)) for n in (8, 9)]
    few, many = (_core.CountedFeatures(_core.FeatureMatrix(one, 3)) for one in matrix)
    with pytest.raises(CoreError, match="another problem: n = 9, here it is 8"):
        few.restore(many.state())
