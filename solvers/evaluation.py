"""Measures of a run's snapshots: errors, objectives, gaps. Nothing here is charged to any counter."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from . import _core, blas
from .features import Features
from .problem import Problem, Stream
from .snapshots import DeferredResponses, FunctionSnapshot, KernelSnapshot, LinearSnapshot, Snapshot

Measures = dict[str, float | None]
"""By the names of `experiments.columns.MEASURES`; None where a method does not have one."""


class Data(Protocol):
    """What is evaluated: the training examples of a problem as they were given, and a test set, which may be empty."""

    @property
    def points(self) -> Features | Stream:
        """Training points, (n, d)."""

    @property
    def X_test(self) -> Features:  # noqa: N802 (the field's name)
        """Test points, (m, d)."""

    @property
    def y_test(self) -> NDArray[np.int8]:
        """Test labels, (m,), -1 or +1."""


@dataclass(frozen=True)
class _Predictor:
    """What the measures need of one predictor, for any kind of snapshot."""

    train: NDArray[np.float64] | None  # (n,) f(x_i), bias included, in the problem's order; None: of a stream
    test: NDArray[np.float64]  # (m,)
    norm: float
    bias: float
    support_vectors: int | None
    dual: float | None
    water_level: float | None


class Evaluator:
    """Evaluates a solver's snapshots on the training set and on the test set."""

    def __init__(self, problem: Problem, dataset: Data) -> None:
        self._problem = problem
        self._dataset = dataset
        self._X_test = problem.points(dataset.X_test)
        self._y_test = dataset.y_test.astype(np.float64)
        self._y = problem.y.astype(np.float64)
        self._last: tuple[Snapshot, str | None] | None = None

    def of_variant(self, problem: Problem) -> Evaluator:
        """Return the evaluator of a `Problem.variant` of this one's problem; the two share all points."""
        variant = copy.copy(self)
        variant._problem = problem
        return variant

    def evaluate(self, snapshots: Sequence[Snapshot]) -> list[Measures]:
        """Return the measures of each snapshot; snapshots of one kind are evaluated in one matrix product.

        Errors are fractions of examples without y f(x) > 0. Objectives are those of the lambda form (papers' P and D).
        If the training set is a stream, measures that are a mean over all of it are None; so is the test error without
        test points.
        """
        kinds: tuple[tuple[type[Any], Callable[[list[Any]], Iterable[_Predictor]]], ...] = (
            (KernelSnapshot, self._expand),
            (LinearSnapshot, self._project),
            (FunctionSnapshot, self._call),
        )
        made: dict[int, Measures] = {}
        self._last = None
        # One thread: results must not depend on threads, and a sum by several waits for the last on a busy machine.
        with blas.connected():
            for kind, predictors_of in kinds:
                if places := [k for k, snapshot in enumerate(snapshots) if isinstance(snapshot, kind)]:
                    predictors = predictors_of([snapshots[k] for k in places])
                    for k, predictor in zip(places, predictors, strict=True):
                        made[k] = self._measures(predictor)
                        if k == len(snapshots) - 1:
                            self._last = snapshots[k], self._defect_of(predictor)
        return [made[k] for k in range(len(snapshots))]

    def defect(self, snapshot: Snapshot) -> str | None:
        """Return a sentence about a predictor that does not tell the points apart, such as w = 0; None for others.

        It costs nothing for the last of the snapshots that were evaluated last.
        """
        if self._last is None or self._last[0] is not snapshot:
            self.evaluate([snapshot])
        assert self._last is not None
        return self._last[1]

    def _defect_of(self, predictor: _Predictor) -> str | None:
        """Return the sentence: of the test points, or of the training points if not both classes are among those."""
        name, values = "test", predictor.test
        if predictor.train is not None and len(np.unique(self._y_test)) < 2:
            name, values = "training", predictor.train
        return defect_of(values, f"all {len(values):,} {name} points", is_zero=predictor.norm == 0.0)

    def _expand(self, snapshots: list[KernelSnapshot]) -> Iterator[_Predictor]:
        problem = self._problem
        support = np.flatnonzero(np.logical_or.reduce([snapshot.coefficients != 0.0 for snapshot in snapshots]))
        weights = np.stack([snapshot.coefficients[support] for snapshot in snapshots], axis=1)  # (s, k)
        # in the order in which they were first used: the zeros before that are not multiplied
        order = np.argsort((weights != 0.0).argmax(axis=1), kind="stable")
        support, weights = support[order], weights[order]
        X = problem.X[support]
        sides = problem.core_matrix(X), problem.core_matrix(self._X_test)
        test = np.ascontiguousarray(_core.expand(problem.kernel.core(), *sides, weights, problem.policy.threads).T)
        train = np.empty((len(snapshots), problem.n))
        if deferred := [snapshot.deferred for snapshot in snapshots if snapshot.deferred is not None]:
            places = [k for k, snapshot in enumerate(snapshots) if snapshot.deferred is not None]
            train[places] = DeferredResponses.batched_values(deferred).T
        if missing := [k for k, each in enumerate(snapshots) if each.responses is None and each.deferred is None]:
            train[missing] = expanded(problem, support, np.ascontiguousarray(weights[:, missing])).T
        for k, snapshot in enumerate(snapshots):
            if snapshot.responses is not None:
                train[k] = snapshot.responses * self._y
        for k, snapshot in enumerate(snapshots):
            norm2, dual = float(snapshot.coefficients @ train[k]), None
            if snapshot.dual_feasible and problem.lambda_ is not None:
                dual = (float(np.abs(snapshot.coefficients).sum()) - 0.5 * norm2) / (problem.C * problem.n)
            support_vectors = int(np.count_nonzero(snapshot.coefficients))
            yield self._completed(snapshot, train[k], test[k], math.sqrt(max(norm2, 0.0)), dual, support_vectors)

    def _completed(
        self,
        snapshot: KernelSnapshot | LinearSnapshot,
        train: NDArray[np.float64],
        test: NDArray[np.float64],
        norm: float,
        dual: float | None,
        support_vectors: int | None = None,
    ) -> _Predictor:
        scale, bias, level = completion(self._problem, snapshot, train)
        train, test = scale * (train + bias), scale * (test + bias)
        return _Predictor(train, test, scale * norm, scale * bias, support_vectors, dual, level)

    def _project(self, snapshots: list[LinearSnapshot]) -> Iterator[_Predictor]:
        train, test = (_products(points, snapshots) for points in self._ordered)
        for k, snapshot in enumerate(snapshots):
            norm = float(np.linalg.norm(snapshot.weights))
            yield self._completed(snapshot, train[k], test[k], norm, snapshot.lower_bound)

    @cached_property
    def _ordered(self) -> tuple[Features, Features]:
        """Training and test points with features in the order of the weights: computed once for all snapshots."""
        return _exact(self._problem.ordered), _exact(self._problem.in_feature_order(self._X_test))

    def _call(self, snapshots: list[FunctionSnapshot]) -> Iterator[_Predictor]:
        """Yield the predictors; neighbours that can share a computation are evaluated in one call."""
        points = self._dataset.points
        held = isinstance(points, np.ndarray) or sparse.issparse(points)
        X = points[self._problem.order] if held else None
        first = 0
        while first < len(snapshots):
            leader, end = snapshots[first], first + 1
            while end < len(snapshots) and leader.same_basis(snapshots[end]):
                end += 1
            group, first = snapshots[first:end], end
            train = None if X is None else leader.batched_values(group, X)
            test = leader.batched_values(group, self._dataset.X_test)
            for k, snapshot in enumerate(group):
                of_training = None if train is None else train[:, k]
                norm, bias, count = snapshot.norm, snapshot.bias, snapshot.support_vectors
                yield _Predictor(of_training, test[:, k], norm, bias, count, dual=None, water_level=None)

    def _measures(self, predictor: _Predictor) -> Measures:
        responses = None if predictor.train is None else self._y * predictor.train
        hinge = None if responses is None else float(np.maximum(0.0, 1.0 - responses).mean())
        lambda_ = self._problem.lambda_
        primal = None if lambda_ is None or hinge is None else 0.5 * lambda_ * predictor.norm**2 + hinge
        gap = None if primal is None or predictor.dual is None else primal - predictor.dual
        return {
            # not "<= 0": a NaN prediction is an error
            "test_error": float(np.mean(~(self._y_test * predictor.test > 0.0))) if len(self._y_test) else None,
            "train_error": None if responses is None else float(np.mean(~(responses > 0.0))),
            "primal": primal,
            "dual": predictor.dual,
            "gap": gap,
            "relative_gap": None if gap is None or primal is None else gap / primal,
            "hinge": hinge,
            "norm": predictor.norm,
            "nu": hinge / predictor.norm if hinge is not None and predictor.norm > 0.0 else None,
            "water_level": predictor.water_level,
            "bias": predictor.bias,
            "support_vectors": predictor.support_vectors,
        }


def defect_of(values: NDArray[np.float64], points: str, *, is_zero: bool = False) -> str | None:
    """Return a warning if the values, (m,), of a predictor are constant or give all points one class; else None."""
    positive = int(np.count_nonzero(values > 0.0))
    if 0 < positive < len(values) or not len(values):
        return None
    if np.ptp(values) == 0.0:
        return f"the final predictor is constant, f(x) = {values[0]:.4g} at {points}{': w = 0' if is_zero else ''}"
    return f"the final predictor gives {points} one class: f(x) {'>' if positive else '<='} 0"


def expanded(problem: Problem, support: NDArray[np.intp], coefficients: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the values of k kernel expansions at all training points, (n, k) float64.

    They are in the training points with the numbers `support`, (s,) intp in the problem's order, with coefficients (s,
    k).
    """
    # the problem has rows only if the solver has read some; a library such as LIBSVM computes its own
    source = problem.rows.source if "rows" in vars(problem) else None
    with blas.connected():
        if isinstance(source, _core.GramRows):
            return source.expand(support.astype(np.uint32), coefficients, problem.policy.threads)
        sides = problem.core_matrix(problem.X[support]), problem.matrix
        return _core.expand(problem.kernel.core(), *sides, coefficients, problem.policy.threads)


def completion(
    problem: Problem, snapshot: KernelSnapshot | LinearSnapshot, train: NDArray[np.float64]
) -> tuple[float, float, float | None]:
    """Return scale, bias and water level: with f the snapshot without bias, the predictor is scale (f(x) + bias).

    `train` has f(x_i), (n,) float64 in the problem's order; it is used only if the snapshot has a volume.
    """
    bias, level = snapshot.bias, None
    if snapshot.volume is not None:
        if isinstance(snapshot, KernelSnapshot):
            up, down = _core.water_levels(train * problem.y, problem.positives, snapshot.volume, problem.bias)
            bias = 0.5 * (down - up)
        else:  # it has its bias, so both classes have the same level
            responses = (train + bias) * problem.y
            up, down = _core.water_levels(responses, problem.positives, snapshot.volume, False)
        level = 0.5 * (up + down)
    # before the first covered margin the level is not positive: the predictor is not scaled, its signs are right
    return 1.0 / level if level is not None and level > 0.0 else 1.0, bias, level


def _exact(points: Features) -> Features:
    """Return sparse points in float64: otherwise each product would convert them."""
    return points if isinstance(points, np.ndarray) else points.astype(np.float64)


def _products(points: Features, snapshots: Sequence[LinearSnapshot]) -> Sequence[NDArray[np.float64]]:
    """Return the inner products of all points with the weights of each snapshot."""
    if isinstance(points, np.ndarray):
        weights = np.stack([snapshot.weights for snapshot in snapshots], axis=1)  # (d, k)
        return list(np.asarray(points @ weights, dtype=np.float64).T)
    return [points @ snapshot.weights for snapshot in snapshots]  # stacking long weights would copy them
