"""Solvers in several threads, threads that the system refuses, and failures in the middle of a row.

`cpp/tests/test_threads.cpp` has many solvers on one Gram matrix or row cache, `test_minibatch.cpp` forked processes.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from cases import Python, core_of, linear, points, problem, solver

from svm_cost_curves.solvers import _core

LIMITED = """
import ctypes
import numpy as np
from svm_cost_curves import solvers
from svm_cost_curves.solvers import Gaussian, Limit, Linear, Problem, RowPolicy, _core, blas

def no_more_threads():
    libc, attributes = ctypes.CDLL(None), ctypes.create_string_buffer(256)
    assert libc.pthread_attr_init(attributes) == 0
    assert libc.pthread_attr_setstacksize(attributes, ctypes.c_size_t(1 << 46)) == 0  # more than there is, for each
    assert libc.pthread_setattr_default_np(attributes) == 0

rng = np.random.default_rng(0)
X = rng.normal(size=(1300, 5)).astype(np.float32)
y = np.where(X[:, 0] > 0, 1, -1)
"""


class Inside:
    """A solver that advances in a thread until the end of the block."""

    def __init__(self, core: Any) -> None:
        self._core = core
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        while not self._stop.is_set():
            self._core.advance(cpu_seconds=self._core.cpu_seconds + 0.05)

    def __enter__(self) -> None:
        self._thread.start()
        while self._core.counters.iterations == 0:
            pass

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()


def refused(call: Callable[[], Any], words: str) -> bool:
    """Whether one of many calls is refused: between two slices the solver is free until its thread has the GIL."""
    for _ in range(2000):
        try:
            call()
        except RuntimeError as error:
            return words in str(error)
        time.sleep(0.001)  # gives the GIL away
    return False


def test_a_row_cache_serves_one_thread_at_a_time() -> None:
    cached = problem(200, rows={"provider": "cache"})
    first, second = core_of(solver("sdca", cached)), core_of(solver("perceptron", cached))
    counted = cached.counted_rows()
    with Inside(first):
        assert refused(
            lambda: second.advance(iterations=second.counters.iterations + 1), "in use by a solver in another"
        )
        assert refused(lambda: counted.row(3), "in use by a solver in another thread")
        assert refused(lambda: cached.rows.source.row(3), "give each thread its own problem")
        assert counted.diagonal(3) == 1.0
    before = counted.counters.kernel_evaluations
    counted.row(3)
    assert counted.counters.kernel_evaluations == before + 200


def test_after_an_all_reduce_that_raises_the_solver_refuses_to_advance() -> None:
    def exchange(_: Any) -> None:
        raise KeyboardInterrupt

    features = _core.FeatureMatrix(_core.Matrix(points(40)[0]), 20)
    core = _core.MiniBatchPegasos(features, lambda_=0.01, batch_size=8, seed=0, all_reduce=exchange)
    with pytest.raises(KeyboardInterrupt):
        core.advance(iterations=100)
    for call in (core.state, core.weights, lambda: core.advance(iterations=100)):
        with pytest.raises(RuntimeError, match="ended with an error in the middle of an iteration: make the solver an"):
            call()


def test_the_work_is_done_without_threads_that_cannot_be_started(python: Python) -> None:
    code = """
features = _core.FeatureMatrix(_core.Matrix(X), int((y > 0).sum()))
make = lambda threads: _core.MiniBatchPegasos(features, lambda_=1e-3, batch_size=512, threads=threads, seed=0)
whole = Problem(X, y, Gaussian(2.0), rows=RowPolicy("gram", threads=3))
expected = make(1)
expected.advance(iterations=20)
with blas.connected():
    import scipy.linalg  # starts the threads of its own library
no_more_threads()
core = make(64)
assert core.threads == 1, core.threads
core.advance(iterations=20)
assert (core.weights() == expected.weights()).all()
assert "; 2 of 3 threads could not be started (a limit of processes or of memory)" in whole.rows.description
kind = solvers.get("minibatch_sdca")
made = kind(Problem(X, y, Linear(), lambda_=1e-3), kind.Settings(threads=4), 0)
assert any("3 of 4 threads could not be started" in remark for remark in made.remarks), made.remarks
kind = solvers.get("asset")
made = kind(Problem(X, y, Gaussian(2.0), lambda_=1e-3, rows=RowPolicy(threads=3)), kind.Settings(features=20), 0)
made.advance(Limit(iterations=5))
assert any("2 of 3 threads could not be started" in remark for remark in made.remarks), made.remarks
assert (whole.rows.source.row(5)[5], whole.rows.source.row(1299).shape) == (1.0, (1300,))
"""
    answer = python(LIMITED + code)
    assert answer.returncode == 0, answer.stderr


def test_a_gram_matrix_is_built_by_as_many_threads_as_have_memory(python: Python) -> None:
    # OpenBLAS asks for a buffer in each thread, and where there is none it asks for ever
    code = """
import resource
from pathlib import Path
points = np.ascontiguousarray(np.random.default_rng(0).random((3000, 20)), dtype=np.float32)
matrix, kernel = _core.Matrix(points), Gaussian(2.0).core()
whole, out = np.zeros((3000, 3000), dtype=np.float32), np.zeros((3000, 3000), dtype=np.float32)
with blas.connected():
    used = 4096 * int(Path("/proc/self/statm").read_text().split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (used + (400 << 20),) * 2)
    missing = _core.fill_gram(kernel, matrix, out, 64)
assert 0 < missing < 21, missing  # of 21 tiles
assert out[5, 5] == 1.0 and (out == out.T).all()
"""
    answer = python(LIMITED + code)
    assert answer.returncode == 0, answer.stderr


@pytest.mark.parametrize("name", ["sdca", "lasvm", "pegasos"])
def test_a_solver_is_used_by_one_thread_at_a_time(name: str) -> None:
    # LASVM is still busy after a minute: C is 5,000,000
    changes: dict[str, Any] = {"lambda_": 1e-9} if name == "lasvm" else {}
    settings: dict[str, Any] = {"tolerance": 0.0, "passes": 0} if name == "lasvm" else {}
    core = core_of(solver(name, linear(200, d=5, **changes), **settings))
    reading = core.weights if name == "pegasos" else core.coefficients
    with Inside(core):
        for call in (
            core.state,
            reading,
            lambda: core.bias,
            lambda: core.restore({}),
            lambda: core.advance(iterations=0),
        ):
            assert refused(call, "give each thread its own solver")
        assert core.counters.iterations > 0
        assert core.cpu_seconds >= 0.0
    assert reading().shape == (5 if name == "pegasos" else 200,)
    assert core.state()
