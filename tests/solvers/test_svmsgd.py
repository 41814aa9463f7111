"""SVMSGD and SGD-QN: replays in numpy, the choice of t0, the regulariser's period, any scale."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import astuple
from typing import Any

import numpy as np
import pytest
from cases import Array, folded, linear, points, primal, solver, stored, weights

from svm_cost_curves.solvers import Limit, Linear, Problem, _core
from svm_cost_curves.solvers.linear import Variant
from svm_cost_curves.solvers.precision import Precision

N = 60
VARIANT = pytest.mark.parametrize("variant", list(Variant), ids=[variant.value for variant in Variant])
SPARSENESS = pytest.mark.parametrize("zeros", [0.0, 0.7], ids=["dense", "sparse"])


class SvmSgd:
    """w <- (1 - lambda eta) w, plus eta y x on a margin error; eta = 1 / (lambda (t + t0))."""

    def __init__(self, Z: Array, lambda_: float, t0: float) -> None:
        self.Z, self.lambda_, self.t0, self.t = Z, lambda_, t0, 0
        self.w = np.zeros(Z.shape[1])
        self.inner_products = 0

    def end_epoch(self) -> None:
        pass

    def step(self, i: int) -> None:
        self.t += 1
        self.inner_products += 1
        eta = 1.0 / (self.lambda_ * (self.t + self.t0))
        violated = self.Z[i] @ self.w < 1.0
        self.w = (1.0 - self.lambda_ * eta) * self.w + eta * violated * self.Z[i]


class SgdQn:
    """Both variants, with the whole gradients written out; `period` steps between two of the regulariser.

    original: Algorithm 2 of the paper. corrected: `H`, the sum of the curvatures, takes the place of (t + t0) / B.
    """

    def __init__(
        self, Z: Array, lambda_: float, t0: float, period: int, variant: Variant, *, restart: bool = True
    ) -> None:
        self.Z, self.lambda_, self.t0, self.period, self.t, self.r = Z, lambda_, t0, period, 0, 2
        self.variant, self.restart = variant, restart and variant is Variant.corrected
        self.count = 0
        self.w = np.zeros(Z.shape[1])
        self.B = np.full(Z.shape[1], 1.0 / lambda_)
        self.H = np.full(Z.shape[1], lambda_ * t0)
        self.added = 0
        self.before: Array | None = None
        self.inner_products = 0

    def end_epoch(self) -> None:
        if self.restart:
            self.count, self.before = 0, None

    def loss_gradient(self, w: Array, i: int) -> Array:
        self.inner_products += 1
        return -float(self.Z[i] @ w < 1.0) * self.Z[i]

    def step(self, i: int) -> None:
        self.t += 1
        loss = self.loss_gradient(self.w, i)
        if self.before is not None:
            moved, change = self.w - self.before, loss - self.loss_gradient(self.before, i)
            if self.variant is Variant.original:
                self.average(moved, self.lambda_ * moved + change)
            elif change.any():
                self.add(moved, change)
            self.before = None
        gain = self.B / (self.t + self.t0) if self.variant is Variant.original else 1.0 / self.H
        self.count += 1
        if self.count == self.period:
            self.count = 0
            self.before = self.w
            self.w = self.w - self.period * self.lambda_ * gain * self.w
        self.w = self.w - gain * loss

    def average(self, moved: Array, change: Array) -> None:
        with np.errstate(divide="ignore", invalid="ignore"):
            # where neither has changed, what would have been left is the regulariser
            ratio = np.where((moved == 0.0) & (change == 0.0), 1.0 / self.lambda_, moved / change)
        self.B = np.clip(self.B + 2.0 / self.r * (ratio - self.B), 0.01 / self.lambda_, 1.0 / self.lambda_)
        self.r += 1

    def add(self, moved: Array, change: Array) -> None:
        """change: of the loss's gradient alone."""
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.clip(1.0 + change / moved / self.lambda_, 0.1, 100.0)
        curvature = self.lambda_ * np.where(change == 0.0, 1.0, np.where(moved == 0.0, 101.0, ratio))
        self.H, self.added = self.H + (self.t - self.added) * curvature, self.t


Reference = SvmSgd | SgdQn


def order(n: int, seed: int) -> Iterator[int]:
    """Examples in fresh permutations, each a shuffle of the one before."""
    stream, items = _core.Random(seed, _core.Purpose.order), np.arange(n)
    while True:
        items = items[stream.permutation(n)]
        yield from map(int, items)


def chosen_offset(
    Z: Array,
    lambda_: float,
    seed: int,
    make: Callable[[float], Reference],
    *,
    passes: int = 1,
    least: float | None = None,
) -> tuple[float, list[int], int]:
    """Return t0, the examples of the sample, and the number of trials, from a table of costs.

    passes: over the sample, in a trial. least: with it the sample is larger, and t0 a power of ten that is not smaller.
    """
    n = len(Z)
    stream = _core.Random(seed, _core.Purpose.sampling)
    largest = 1000 if least is None else min(max(n // 10, 1000), 10_000)
    sample = [stream.below(n) for _ in range(min(n, largest))]
    tried: dict[int, float] = {}

    def cost(power: int) -> float:
        if power not in tried:
            run = make(offset(power))
            for _ in range(passes):
                for i in sample:
                    run.step(i)
                run.end_epoch()
            losses = np.maximum(0.0, 1.0 - Z[sample] @ run.w)
            tried[power] = float(0.5 * lambda_ * run.w @ run.w + losses.mean())
        return tried[power]

    def offset(power: int) -> float:
        eta = min(1.0 / float((Z[sample] ** 2).sum(axis=1).mean()), 1.0 / lambda_)
        if least is None:
            return 1.0 / (lambda_ * eta * 2.0**power)
        nearest = max(round(np.log10(1.0 / (lambda_ * eta))), int(np.ceil(np.log10(least))))
        return float(10.0 ** (nearest - power))

    best = 0
    for step in (1, -1):
        while offset(best + step) >= (least or 1.0) and cost(best + step) < cost(best):
            best += step
        if best:
            break
    return offset(best), sample, len(tried)


def period(Z: Array, skip: int, zeros: float) -> int:
    return round(skip * Z.size / np.count_nonzero(Z)) if zeros else skip


@SPARSENESS
@pytest.mark.parametrize("lambda_", [0.001, 0.02, 2.0])
@pytest.mark.parametrize(
    ("name", "t0", "settings"),
    [
        *(("svmsgd", t0, {}) for t0 in (1e-3, 1.0, 500.0)),
        *(("sgdqn", t0, {"variant": Variant.original, "skip": skip}) for t0, skip in ((10.0, 1), (500.0, 16))),
        *(
            ("sgdqn", t0, {"variant": Variant.corrected, "skip": skip, "restart": restart})
            for t0, skip in ((60.0, 1), (500.0, 16))
            for restart in (True, False)
        ),
    ],
    ids=str,
)
def test_replay(name: str, t0: float, settings: dict[str, Any], lambda_: float, zeros: float) -> None:
    """With skip = 16 and sparse rows the regulariser acts once in an epoch at most."""
    p = linear(lambda_=lambda_, zeros=zeros)
    Z, sizes = folded(p), stored(p)
    every = period(Z, settings.get("skip", 1), zeros)
    plain: Reference = SvmSgd(Z, lambda_, t0)
    if name == "sgdqn":
        plain = SgdQn(Z, lambda_, t0, every, settings["variant"], restart=settings.get("restart", True))
    run = solver(name, p, 4, t0=t0, **settings)
    accesses = 0
    for t, i in zip(range(1, 361), order(N, 4), strict=False):
        plain.step(i)
        if t % N == 0:
            plain.end_epoch()
        accesses += int(sizes[i])
        run.advance(Limit(iterations=t))
        largest = np.abs(plain.w).max(initial=1e-300)
        np.testing.assert_allclose(weights(run), plain.w, rtol=0, atol=1e-9 * largest, err_msg=f"iteration {t}")
        compared = (t - 1) // every
        if name == "sgdqn" and plain.restart:
            compared = (t - 1) // N * ((N - 1) // every) + (t - 1) % N // every
        products = t if name == "svmsgd" else t + compared
        assert plain.inner_products == products
        assert astuple(run.counters) == (t, t, None, products, accesses, t * 8)
    if name == "sgdqn" and lambda_ == 0.02 and settings["skip"] == 1:  # more than plain steps: some gains have changed
        gains = plain.B if settings["variant"] is Variant.original else 1.0 / plain.H
        assert gains.max() > gains.min()
    single, double = (
        solver(name, p, 4, t0=t0, precision=kind, **settings) for kind in (Precision.float32, Precision.float64)
    )
    for made in (single, double):
        made.advance(Limit(iterations=100))
    np.testing.assert_allclose(weights(single), weights(double), rtol=0, atol=1e-3 * np.abs(weights(double)).max())


@VARIANT
def test_one_order_for_all_epochs(variant: Variant) -> None:
    p = linear(lambda_=0.02)
    plain = SgdQn(folded(p), 0.02, 60.0, 16, variant)
    run, fresh = (solver("sgdqn", p, 4, t0=60.0, variant=variant, permutation=order) for order in (False, True))
    first = list(itertools.islice(order(N, 4), N))
    for _ in range(5):
        for i in first:
            plain.step(i)
        plain.end_epoch()
    for made in (run, fresh):
        made.advance(Limit(iterations=5 * N))
    np.testing.assert_allclose(weights(run), plain.w, rtol=0, atol=1e-9 * np.abs(plain.w).max())
    assert np.abs(weights(fresh) - plain.w).max() > 1e-3 * np.abs(plain.w).max()


@pytest.mark.parametrize("skip", [1, 16, 2**62])
def test_period(skip: int) -> None:
    """Of the regulariser; with `restart` one longer than an epoch never acts, and t0 may be 1 then."""
    solver("sgdqn", linear(lambda_=0.5), 4, t0=1.0, skip=N + 1)
    for zeros in (0.0, 0.7):
        p = linear(lambda_=0.1, zeros=zeros)
        made = _core.SgdQn(p.features, lambda_=0.1, skip=skip, seed=0)
        assert made.period == min(period(folded(p), skip, zeros), 2**62)


@pytest.mark.parametrize(
    ("name", "variant", "n", "lambda_"),
    [
        ("svmsgd", None, N, 0.02),
        ("svmsgd", None, N, 1e-3),
        ("svmsgd", None, 1500, 0.1),
        *(("sgdqn", variant, n, 0.002) for variant in Variant for n in (N, 12_000)),
    ],
)
def test_the_first_step_chooses_t0_and_is_charged_for_it(
    name: str, variant: Variant | None, n: int, lambda_: float
) -> None:
    """Then the run is that with this t0."""
    p = linear(n, lambda_=lambda_, zeros=0.7)
    Z, corrected = folded(p), variant is Variant.corrected
    every, passes = period(Z, 16, 0.7), 3 if corrected else 1
    settings = {} if variant is None else {"variant": variant, "tuning_passes": 3}

    def plain(t0: float) -> Reference:
        return SvmSgd(Z, lambda_, t0) if variant is None else SgdQn(Z, lambda_, t0, every, variant)

    least = (every if every <= n else 1.0) if corrected else None
    t0, sample, trials = chosen_offset(Z, lambda_, 3, plain, passes=passes, least=least)
    assert len(sample) == min(n, 1200 if corrected else 1000)
    assert corrected or trials >= 3
    run, given = solver(name, p, 3, **settings), solver(name, p, 3, t0=t0, **settings)
    np.testing.assert_array_equal(weights(run), np.zeros(8))
    for t in (1, 500):
        run.advance(Limit(iterations=t))
        given.advance(Limit(iterations=t))
        np.testing.assert_allclose(weights(run), weights(given), rtol=1e-9)
    looks, counters, after = (passes + 1) * len(sample) * trials, run.counters, given.counters
    compared = 0 if variant is None else trials * passes * ((len(sample) - 1) // every)
    assert counters.iterations == after.iterations == 500
    assert counters.presentations == looks + 500
    assert counters.inner_products == looks + compared + after.inner_products
    if variant is None:
        assert counters.feature_accesses == 2 * trials * stored(p)[sample].sum() + after.feature_accesses


METHODS = pytest.mark.parametrize(
    ("name", "settings"),
    [("svmsgd", {}), ("sgdqn", {}), ("sgdqn", {"variant": Variant.original})],
    ids=["svmsgd", "sgdqn", "sgdqn, original"],
)


@METHODS
@pytest.mark.parametrize("precision", list(Precision))
@pytest.mark.parametrize("lambda_", [1e-12, 0.1, 1e12])
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_any_scale(name: str, settings: dict[str, Variant], precision: Precision, lambda_: float, scale: float) -> None:
    """Rows of any length, rows of zeros, twins of different labels, n = 2: nothing overflows, J stays below 10 J(0)."""
    X, y = points(30, 4)
    X[3:6] = 0.0
    X[6:10], y[6:10] = X[6], [1, -1, 1, -1]
    for problem in (
        Problem(X * np.float32(scale), y, Linear(), lambda_=lambda_),
        Problem(X[:2] * np.float32(scale), y[:2], Linear(), lambda_=lambda_),
        Problem(0.0 * X, y, Linear(), lambda_=lambda_),
    ):
        run = solver(name, problem, precision=precision, **settings)
        run.advance(Limit(iterations=3000))
        assert primal(problem, weights(run)) < 10.0
