"""Ctrl-C stops a solver within a CPU second and leaves it valid; other threads continue."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator

import numpy as np
import pytest
from cases import problem, run, solver
from numpy.typing import NDArray

from svm_cost_curves.solvers import KernelSnapshot, Limit, Linear, LinearSnapshot, Solver


@pytest.fixture(autouse=True)
def keyboard() -> Iterator[None]:
    """Python's own handler, whatever started the tests (a shell's background job ignores SIGINT)."""
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, handler)


def interrupt(made: Solver, seconds: float, limit: Limit = Limit()) -> None:  # noqa: B008 (immutable)
    """Send SIGINT after some CPU seconds of the solver; it must raise KeyboardInterrupt within one more.

    All of it is inside one `try`: the signal must not reach the tests' runner.
    """
    begin = time.process_time()
    sent: list[float] = []

    def send() -> None:
        while time.process_time() - begin < seconds:
            time.sleep(0.01)
        sent.append(time.process_time())
        os.kill(os.getpid(), signal.SIGINT)

    sender = threading.Thread(target=send)
    finished = False
    try:
        sender.start()
        made.advance(limit)
        finished = True
        while True:
            time.process_time()
    except KeyboardInterrupt:
        caught = time.process_time()
    sender.join()
    assert not finished, "the run ended before it could be interrupted"
    assert caught - sent[0] < 1.0


@pytest.mark.parametrize(
    ("name", "bias", "settings"),
    [
        ("sbp", False, {}),
        ("sbp", True, {}),
        ("pegasos", False, {}),
        ("sdca", False, {}),
        ("perceptron", False, {}),
        ("simba", True, {}),
        ("sgd_r", False, {}),
        ("sgd_m", False, {"eps": 1e-300}),
        ("dcd", False, {"eps": 1e-300}),
        ("asset", True, {"features": 30}),
        ("asset_star", False, {"features": 30}),
        ("minibatch_pegasos", False, {"batch_size": 32, "threads": 2}),
        ("minibatch_sdca", False, {"batch_size": 32}),
    ],
)
def test_any_solver_stops_and_continues(name: str, bias: bool, settings: dict[str, float]) -> None:
    # Under a linear kernel these data are not separable, so that the Perceptron does not end by itself.
    p = problem(300, bias=bias, flips=0.2, kernel=Linear())
    made = solver(name, p, seed=3, **settings)
    interrupt(made, 0.1)
    done = made.counters.iterations
    assert done is not None
    assert done > 100
    whole = run(name, p, Limit(iterations=done), 3, **settings)
    np.testing.assert_array_equal(predictor(made), predictor(whole))
    for each in (made, whole):
        each.advance(Limit(iterations=done + 1000))
    assert made.counters == whole.counters
    np.testing.assert_array_equal(predictor(made), predictor(whole))


def predictor(made: Solver) -> NDArray[np.float64]:
    """Return the numbers behind a solver's present predictor."""
    snapshot = made.snapshot()
    if isinstance(snapshot, LinearSnapshot):
        return np.append(snapshot.weights, snapshot.bias)
    assert isinstance(snapshot, KernelSnapshot)
    return snapshot.coefficients


def test_slow_iterations_stop_too() -> None:
    """Rows computed when they are needed: an iteration takes far longer than one on a Gram matrix."""
    p = problem(4000, 60, rows={"provider": "on_the_fly"})
    made = solver("sbp", p)
    interrupt(made, 0.3)
    assert (made.counters.iterations or 0) > 0


def test_smo_stops_and_continues() -> None:
    for bias in (False, True):
        made = solver("smo", problem(800, 5, lambda_=1e-9, flips=0.3, bias=bias), tolerance=0.0)
        interrupt(made, 0.1)
        done = made.counters.iterations
        assert done is not None
        made.advance(Limit(iterations=done + 50))
        whole = run("smo", made.problem, Limit(iterations=done + 50), tolerance=0.0)
        np.testing.assert_array_equal(made.snapshot().coefficients, whole.snapshot().coefficients)


def test_fourier_stops_and_continues() -> None:
    """Interrupted while a linear SVM is solved: its frequencies are not drawn a second time, and it is solved on."""
    p = problem(1500, 5, lambda_=1e-7, flips=0.3)
    settings = {"pairs": 128, "relative_gap": 1e-9, "max_epochs": 1000}
    made = solver("fourier", p, **settings)
    made.advance(Limit(iterations=5))
    interrupt(made, 0.1)
    done = made.counters.iterations
    assert done is not None
    made.advance(Limit(iterations=done + 1))
    whole = run("fourier", p, Limit(iterations=done + 1), **settings)
    points = np.random.default_rng(0).normal(size=(20, 5)).astype(np.float32)
    np.testing.assert_array_equal(made.snapshot().decision_values(points), whole.snapshot().decision_values(points))


def test_other_threads_continue() -> None:
    """The interpreter's lock is not held while the core runs: the thread that sends the signal needs it."""
    interrupt(solver("sbp", problem(300)), 0.1, Limit(cpu_seconds=60))


def test_cpsp_stops_and_continues() -> None:
    """An iteration is a search among thousands of examples, and then some passes over all."""
    p = problem(8000, 40, lambda_=1e-6, rows={"provider": "on_the_fly"})
    settings = {"features": 200, "starts": 20}
    made = solver("cpsp", p, seed=3, **settings)
    interrupt(made, 0.3)
    done = made.counters.iterations
    assert done
    made.advance(Limit(iterations=done + 2))
    whole = run("cpsp", p, Limit(iterations=done + 2), 3, **settings)
    assert made.counters == whole.counters
    np.testing.assert_array_equal(made.snapshot().coefficients, whole.snapshot().coefficients)
