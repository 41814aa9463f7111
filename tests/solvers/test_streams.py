"""Training sets that are streams: the same run as on rows in memory, made one block at a time, and refusals."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from cases import Array, points

from svm_cost_curves.datasets import Dataset, Stream
from svm_cost_curves.solvers import Gaussian, Limit, Linear, Problem, SettingsError, Status, get, names
from svm_cost_curves.solvers.asset_online import _StreamSolver
from svm_cost_curves.solvers.evaluation import Evaluator

N, D = 700, 5
ONLINE = ("asset_online", "asset_star_online")


class Asked:
    """Rows in memory that act as a stream; records which were read, and whether a solver's clocks ran."""

    def __init__(self, X: Array) -> None:
        self._X = X
        self.asked: list[Array] = []
        self.timed: list[bool] = []
        self.solver: Any = None

    @property
    def shape(self) -> tuple[int, int]:
        return self._X.shape[0], self._X.shape[1]

    def __getitem__(self, rows: Array) -> Array:
        self.asked.append(rows)
        self.timed.append(self.solver._began is not None)
        return np.ascontiguousarray(self._X[rows])


def data(n: int = N) -> tuple[Array, Array]:
    """Features in [0, 1], which a problem does not shift."""
    X, y = points(n, D)
    X = (X - X.min()) / (X.max() - X.min())
    return X.astype(np.float32), y


def problem(X: Any, y: Array, **own: Any) -> Problem:
    return Problem(X, y, own.pop("kernel", Gaussian(0.5)), **{"lambda_": 1.0 / y.size, **own})


def started(name: str, p: Problem, **own: Any) -> Any:
    kind = get(name)
    return kind(p, kind.Settings(**own), 3)


@pytest.mark.parametrize("name", ONLINE)
@pytest.mark.parametrize("stops", [(N,), (1, 255, 256, 300, N)], ids=["at once", "in pieces"])
def test_a_stream_gives_the_bits_of_rows_in_memory(name: str, stops: tuple[int, ...]) -> None:
    X, y = data()
    stream = Asked(X)
    held = started(name, problem(X, y), features=33)
    run = started(name, problem(stream, y), features=33)
    assert isinstance(run, _StreamSolver)
    stream.solver = run
    for stop in stops:
        held.advance(Limit(iterations=stop))
        assert run.advance(Limit(iterations=stop)) is Status.ITERATIONS
        assert run.snapshot().weights.tobytes() == held.snapshot().weights.tobytes()
        assert run.counters == held.counters
    assert run.advance(Limit()) is Status.CONVERGED
    # each row once, a block of them at a time, while the clocks rest
    assert sorted(np.concatenate(stream.asked).tolist()) == list(range(N))
    assert [len(rows) for rows in stream.asked] == [256, 256, 188]
    assert not any(stream.timed)


def test_examples_are_in_the_problem_s_order() -> None:
    X, y = data(50)
    stream = Asked(X)
    p = problem(stream, y)
    which = np.array([49, 0, 7])
    np.testing.assert_array_equal(problem(X, y).examples(which), X[p.order[which]])
    stream.solver = started("asset_online", p)
    np.testing.assert_array_equal(p.examples(which), X[p.order[which]])
    assert (p.n, p.d, p.positives) == (50, D, int((y > 0).sum()))


@pytest.mark.parametrize("name", [name for name in names() if name not in ONLINE])
def test_every_other_method_refuses_a_stream_with_advice(name: str) -> None:
    X, y = data()
    kind = get(name)
    kernel = Gaussian(0.5) if "gaussian" in kind.kernels else Linear()
    p = problem(Asked(X), y, kernel=kernel, nu=0.1, bias=min(kind.biases))
    with pytest.raises(SettingsError, match=r"the 700 training rows are made when they are needed.*max_train") as error:
        kind(p, kind.Settings(), 0).advance(Limit(iterations=3))
    assert "\n" not in str(error.value)


def test_a_stream_of_the_wrong_shape_is_refused() -> None:
    X, y = data(40)
    with pytest.raises(SettingsError, match=r"X is \(n, d\) and y \(n,\), got \(39, 5\) and \(40,\)"):
        problem(Asked(X[:39]), y)


def test_measures_over_all_training_rows_are_omitted() -> None:
    X, y = data()
    held = Dataset("t", X, y, X[:100], y[:100], {}, "0")
    streamed = replace(held, points=Stream(lambda numbers: X[numbers], np.arange(N, dtype=np.uint32), D))
    first, second = (
        Evaluator(p, d).evaluate([started("asset_online", p, features=33).snapshot() for _ in range(2)])
        for d, p in ((d, problem(d.points, y)) for d in (held, streamed))
    )
    means = {"train_error", "primal", "hinge"}
    for measures, others in zip(first, second, strict=True):
        assert {name for name, value in measures.items() if value is not None and others[name] is None} == means
        assert all(others[name] == measures[name] for name in set(measures) - means)
