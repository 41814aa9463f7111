"""Users' solvers are charged for what their views count."""

from __future__ import annotations

import itertools
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
import user_solvers
from hypothesis import given
from hypothesis import strategies as st

from svm_cost_curves import solvers
from svm_cost_curves.solvers import Counters, Limit, Problem, SettingsError, plugins, registry

N = 40


def problem(tmp_path: Path | None = None) -> Problem:
    generator = np.random.default_rng(0)
    X = generator.normal(size=(N, 3)).astype(np.float32)
    rows = solvers.RowPolicy(provider="on_the_fly", gram_dir=tmp_path)
    return Problem(X, np.where(X[:, 0] > 0, 1, -1), solvers.Gaussian(2.0), lambda_=1 / N, rows=rows)


def fresh(kind: type[Any], tmp_path: Path | None = None) -> Any:
    return plugins.make(kind, problem(tmp_path), user_solvers.NoSettings(), 3)


def test_our_solvers_are_made_unchanged() -> None:
    kind = solvers.get("averaged_perceptron")
    assert not registry.is_plugin(kind)
    assert type(plugins.make(kind, problem(), kind.Settings(), 0)) is kind


def test_a_core_solver_from_elsewhere_is_counted_by_the_core() -> None:
    kind = type("Mine", (solvers.get("sdca"),), {"__module__": "svm_solver_mine", "name": "mine"})
    assert registry.is_plugin(kind)
    assert type(plugins.make(kind, problem(), kind.Settings(), 0)) is kind
    lying = type("Lying", (kind,), {"__module__": "svm_solver_mine", "counters": property(lambda _: Counters())})
    assert isinstance(plugins.make(lying, problem(), kind.Settings(), 0), plugins.AuditedSolver)


@pytest.fixture
def ticking(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that goes on whenever it is read: the machine's may be too coarse."""
    ticks = itertools.count()
    clock = SimpleNamespace(thread_time=lambda: float(next(ticks)), monotonic=lambda: float(next(ticks)))
    monkeypatch.setattr(plugins, "time", clock)


@pytest.mark.usefixtures("ticking")
def test_correct_counters_are_used() -> None:
    solver = fresh(user_solvers.Correct)
    solver.advance(Limit(iterations=100))
    assert solver.counters == solver._solver.counters
    assert solver.counters.kernel_evaluations == N * solver._alpha.sum() > 0
    assert solver.cpu_seconds > 0
    assert solver.wall_seconds > 0


@pytest.mark.usefixtures("ticking")
def test_false_counters_are_replaced_by_those_of_the_views() -> None:
    solver, correct = fresh(user_solvers.FalseCounters), fresh(user_solvers.Correct)
    # it says that it has done one iteration, so that it has to be stopped by something else
    solver.advance(Limit(presentations=100))
    correct.advance(Limit(presentations=100))
    assert solver._solver.counters.kernel_evaluations == 0
    assert solver.counters == correct.counters
    assert solver.cpu_seconds > 0


def test_direct_reads_make_costs_uncounted() -> None:
    solver = fresh(user_solvers.DirectReads)
    solver.advance(Limit(iterations=5))
    counters = solver.counters
    assert counters.iterations == 5
    assert (counters.kernel_evaluations, counters.inner_products) == (None, None)
    assert (counters.feature_accesses, counters.feature_accesses_dense) == (None, None)


def test_a_solver_without_views_counts_nothing() -> None:
    watched: Any = plugins.WatchedProblem(problem())
    audited = watched.audited(Counters(iterations=3, presentations=None, kernel_evaluations=9))
    assert audited == Counters(3, 0, None, None, None, None)
    watched.counted_features().row(0)
    assert watched.audited(Counters()).kernel_evaluations is None
    assert watched.audited(Counters()).feature_accesses == 3


@given(
    reads=st.lists(st.integers(0, N - 1), max_size=20),
    claims=st.lists(st.none() | st.integers(0, 10**6), min_size=6, max_size=6),
)
def test_claimed_counters_do_not_change_the_views(reads: list[int], claims: list[int | None]) -> None:
    watched: Any = plugins.WatchedProblem(problem())
    one, other = watched.counted_rows(), watched.counted_rows()
    for place, i in enumerate(reads):
        (one if place % 2 else other).row(i)
        one.present()
    audited = watched.audited(Counters(*claims))
    assert audited.kernel_evaluations == audited.inner_products == N * len(reads)
    assert audited.iterations == max(claims[0] or 0, len(reads))
    assert audited.presentations == max(claims[1] or 0, len(reads))


@pytest.mark.usefixtures("ticking")
@pytest.mark.parametrize("kind", [user_solvers.LosesCounters, user_solvers.KeepsCounters])
def test_a_resumed_solver_is_charged_for_both_parts(kind: type[Any]) -> None:
    whole, first, second = fresh(kind), fresh(kind), fresh(kind)
    whole.advance(Limit(presentations=90))
    first.advance(Limit(presentations=40))
    state = first.state()
    second.restore(state)
    assert second.counters == first.counters
    assert second.cpu_seconds == first.cpu_seconds > 0
    second.advance(Limit(presentations=90 if kind is user_solvers.KeepsCounters else 50))
    assert second.counters == whole.counters
    assert second.cpu_seconds > first.cpu_seconds
    np.testing.assert_array_equal(second.snapshot().coefficients, whole.snapshot().coefficients)
    for name in state:
        with pytest.raises(SettingsError):
            fresh(kind).restore({other: values for other, values in state.items() if other != name})


def test_direct_reads_before_a_break_stay_uncounted() -> None:
    first: Any = plugins.WatchedProblem(problem())
    assert first.X.shape == (N, 3)
    second: Any = plugins.WatchedProblem(problem())
    second.restore(first.state())
    second.counted_rows().row(0)
    assert second.audited(Counters()).kernel_evaluations is None


def test_a_solver_that_does_not_advance_is_an_error() -> None:
    with pytest.raises(SettingsError, match=r"algo=idle came back from advance\(\) without an iteration"):
        fresh(user_solvers.Idle).advance(Limit(iterations=5))


def test_a_changed_file_is_another_solver(tmp_path: Path) -> None:
    digest = registry.source_of(user_solvers.Correct)
    assert len(digest) == 64
    assert digest == registry.source_of(user_solvers.FalseCounters)
    assert digest != registry.source_of(solvers.get("sbp"))


def test_a_changed_compiled_module_is_another_solver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    digests = [registry.source_of(user_solvers.Correct)]
    file = tmp_path / f"loop{EXTENSION_SUFFIXES[0]}"
    loop = ModuleType("loop")
    loop.__file__ = str(file)
    monkeypatch.setitem(sys.modules, "loop", loop)
    monkeypatch.setattr(user_solvers, "loop", loop, raising=False)
    for content in (b"first", b"second"):
        file.write_bytes(content)
        digests.append(registry.source_of(user_solvers.Correct))
    assert len(set(digests)) == 3
