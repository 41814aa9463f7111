"""Ctrl-C stops a solver within a CPU second and leaves it valid; other threads continue."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from cases import problem, run, solver
from numpy.typing import NDArray

from svm_cost_curves.solvers import Limit, Linear, LinearSnapshot, Solver
from svm_cost_curves.solvers.fourier import FourierSnapshot


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
    ("name", "bias", "settings", "seconds", "least"),
    [
        ("sbp", True, {}, 0.1, 100),
        ("sdca", False, {}, 0.1, 100),
        ("sgd_m", False, {"eps": 1e-30}, 0.1, 100),
        ("asset", True, {"features": 30}, 0.1, 100),
        ("minibatch_pegasos", False, {"batch_size": 32, "threads": 2}, 0.1, 100),
        ("smo", True, {"tolerance": 0.0}, 0.1, 1),
        ("cpsp", False, {"features": 200, "starts": 20}, 0.3, 1),
        ("fourier", False, {"pairs": 128, "relative_gap": 1e-9, "max_epochs": 1000}, 0.1, 5),
    ],
)
def test_any_solver_stops_and_continues(
    name: str, bias: bool, settings: dict[str, Any], seconds: float, least: int
) -> None:
    """One of each kind of iteration; `cpp/tests/test_resume.cpp` interrupts every method of the core."""
    # Under a linear kernel these data are not separable, so that the Perceptron does not end by itself.
    p = {
        "smo": lambda: problem(800, 5, lambda_=1e-9, flips=0.3, bias=bias),
        "cpsp": lambda: problem(8000, 40, lambda_=1e-6, rows={"provider": "on_the_fly"}),  # searches, and long passes
        "fourier": lambda: problem(1500, 5, lambda_=1e-7, flips=0.3),
    }.get(name, lambda: problem(300, bias=bias, flips=0.2, kernel=Linear()))()
    made = solver(name, p, seed=3, **settings)
    if name == "fourier":  # interrupted while a linear SVM is solved: no frequency is drawn twice, and it is solved on
        made.advance(Limit(iterations=5))
    interrupt(made, seconds)
    done = made.counters.iterations
    assert done >= least
    more = {"smo": 50, "cpsp": 2, "fourier": 1}.get(name, 1000)
    whole = run(name, p, Limit(iterations=done), 3, **settings)
    np.testing.assert_array_equal(predictor(made), predictor(whole))
    for method in (made, whole):
        method.advance(Limit(iterations=done + more))
    assert made.counters == whole.counters
    np.testing.assert_array_equal(predictor(made), predictor(whole))


def predictor(made: Solver) -> NDArray[np.float64]:
    """Return the numbers behind a solver's present predictor."""
    snapshot = made.snapshot()
    if isinstance(snapshot, LinearSnapshot):
        return np.append(snapshot.weights, snapshot.bias)
    if isinstance(snapshot, FourierSnapshot):
        return snapshot.decision_values(made.problem.X[:20])
    return snapshot.coefficients


def test_slow_iterations_stop_too() -> None:
    """Rows computed when they are needed: an iteration takes far longer than one on a Gram matrix."""
    p = problem(4000, 60, rows={"provider": "on_the_fly"})
    made = solver("sbp", p)
    interrupt(made, 0.3)
    assert made.counters.iterations > 0


def test_other_threads_continue() -> None:
    """The interpreter's lock is not held while the core runs: the thread that sends the signal needs it."""
    interrupt(solver("sbp", problem(300)), 0.1, Limit(cpu_seconds=60))
