"""Benchmark 8: the time of an iteration of SIMBA on data of news20's size, and what it does not depend on."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from threadpoolctl import threadpool_limits

from experiments.bench import sparse as sparse_data
from experiments.bench.measure import Row, alternate, median_ratio
from solvers import Limit, Linear, Problem, Solver, get

N, D, STORED = 8_000, 1_360_000, 455
NUS = 0.01, 0.1
"""A value that predicts well on text, and a larger one: more examples have importance, and longer columns are drawn."""
ITERATIONS = 20_000
BAR_SECONDS = 25e-6


def rows(repetitions: int) -> list[Row]:
    """Return CPU times of an iteration: against the bar; with d doubled; with bias; with slack for one example."""
    name = f"points like texts, n = {N:,}, d = {D:,}, {STORED} a row"
    X, y = sparse_data.text(N, D, STORED)
    with threadpool_limits(1):
        made = [_against_the_bar(name, X, y, nu, repetitions) for nu in NUS]
        real = sparse_data.real("newsgroups_binary")
        if real is not None:
            made += [_against_the_bar("newsgroups_binary", *real, nu, repetitions) for nu in NUS]
        return made + _changes(name, X, y, repetitions)


def _against_the_bar(name: str, X: sparse.csr_matrix, y: NDArray[np.int8], nu: float, repetitions: int) -> Row:
    simba = _started(X, y, nu=nu)
    pairs = alternate(partial(_iteration, simba), lambda: BAR_SECONDS, repetitions)
    ours, theirs, ratio, spread = median_ratio(pairs)
    iterations, accesses = simba.counters.iterations, simba.counters.feature_accesses
    assert iterations is not None
    assert accesses is not None
    what = f"SIMBA iteration, {name}, nu = {nu:g}, {accesses / iterations:.0f} feature accesses on average / 25 us"
    return Row(what, f"{1e6 * ours:.1f} us", f"{1e6 * theirs:.0f} us", ratio, 1.0, spread=spread)


def _changes(name: str, X: sparse.csr_matrix, y: NDArray[np.int8], repetitions: int) -> list[Row]:
    # The same draws, steps and accesses: only names of columns differ, and every second column is empty.
    wide = sparse.csr_matrix((X.data, 2 * X.indices, X.indptr), shape=(X.shape[0], 2 * X.shape[1]))
    longer = sparse.csr_matrix((X.data, X.indices, X.indptr), shape=wide.shape)
    # A slack too small to change a step: what is left is the selection itself, at its cheapest.
    none, least = _started(X, y, nu=0.0), _started(X, y, nu=1e-12)
    usual = _started(X, y)
    made = []
    for what, changed, base, bar in (
        ("d doubled by an empty column after each", _started(wide, y), usual, 1.1),
        ("d doubled by empty columns at the end", _started(longer, y), usual, 1.1),
        ("with bias", _started(X, y, bias=True), usual, None),
        ("nu = 1e-12 instead of 0: slack is selected, and changes nothing", least, none, None),
    ):
        pairs = alternate(partial(_iteration, changed), partial(_iteration, base), repetitions)
        ours, theirs, ratio, spread = median_ratio(pairs)
        text = f"SIMBA iteration, {what} / without that; {name}, nu = {NUS[-1]:g} where not said"
        made.append(Row(text, f"{1e6 * ours:.1f} us", f"{1e6 * theirs:.1f} us", ratio, bar, spread=spread))
    return made


def _started(X: sparse.csr_matrix, y: NDArray[np.int8], *, nu: float = NUS[-1], bias: bool = False) -> Solver:
    kind = get("simba")
    simba = kind(Problem(X, y, Linear(), nu=nu, bias=bias), kind.Settings(), seed=0)
    simba.advance(Limit(iterations=ITERATIONS))  # past the first iterations, when most weights are equal
    return simba


def _iteration(simba: Solver) -> float:
    """Return the CPU seconds of an iteration: other processes disturb them less than wall time."""
    iterations = simba.counters.iterations
    assert iterations is not None
    before = simba.cpu_seconds
    simba.advance(Limit(iterations=iterations + ITERATIONS))
    return (simba.cpu_seconds - before) / ITERATIONS
