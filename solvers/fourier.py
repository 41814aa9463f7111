"""Exact linear SVMs on random Fourier features (Rahimi, Recht 2007; Cotter et al. 2012, Figure 3)."""

from __future__ import annotations

import math
import operator
import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from . import _core
from .base import Counters, Limit, State, Status
from .cosines import angles_of
from .errors import SettingsError, check_setting
from .features import Features
from .kernels import Gaussian
from .predictors import CosinePredictor
from .problem import Problem
from .python_solver import PythonSolver, prefixed, select
from .snapshots import FunctionSnapshot

_BLOCK = 4096  # features are computed for so many points at a time when predicting


@dataclass
class FourierSettings:
    """Settings of `Fourier`."""

    pairs: int = 1024
    """Largest number k of (cos, sin) pairs; iterations have k = 1, 2, 4, ..."""
    relative_gap: float = 1e-4
    """Relative duality gap to which each linear SVM is solved."""
    max_epochs: int = 2000
    """A linear SVM gets at most this many passes of dual coordinate descent, whatever its gap."""


class FourierSnapshot(FunctionSnapshot):
    """f(x) = <w, P(x)> for the feature map P of k pairs."""

    def __init__(self, problem: Problem, frequencies: NDArray[np.float32], weights: NDArray[np.float64]) -> None:
        self._problem = problem
        self._frequencies = frequencies
        self._weights = weights
        self.norm = float(np.linalg.norm(weights))

    def decision_values(self, X: Features) -> NDArray[np.float64]:
        """Return <w, P(x)>, (m,) float64, for (m, d) features."""
        points = self._problem.points(X)
        if not len(self._weights) or not points.shape[0]:
            return np.zeros(points.shape[0])
        values = [
            fourier_features(points[first : first + _BLOCK], self._frequencies) @ self._weights
            for first in range(0, points.shape[0], _BLOCK)
        ]
        return np.concatenate(values)

    def predictor(self) -> CosinePredictor:
        """Return the function with pairs as cosines: sin(t) = cos(t - pi/2), and 1/sqrt(k) = sqrt(2/(2k))."""
        k = len(self._frequencies)
        phases = np.repeat(np.array([0.0, -0.5 * math.pi], dtype=np.float32), k)
        return CosinePredictor(np.concatenate([self._frequencies, self._frequencies]), phases, self._weights)


def fourier_features(X: Features, frequencies: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return cos and sin of the projections of points, (m, d), divided by sqrt(k): (m, 2k) float32.

    <P(x), P(z)> tends to K(x, z) as k grows (Rahimi, Recht 2007, Claim 1). The frequencies, (k, d), are v / sigma with
    v ~ N(0, I).
    """
    k = frequencies.shape[0]
    angles = angles_of(X, frequencies)
    features = np.empty((angles.shape[0], 2 * k), dtype=np.float32)
    np.cos(angles, out=features[:, :k])
    np.sin(angles, out=features[:, k:])
    features *= np.float32(1.0 / math.sqrt(k))
    return features


class Fourier(PythonSolver):
    """One iteration solves the linear SVM on the next k = 1, 2, 4, ... pairs to its optimum.

    As in the paper, only the features are charged: k n inner products in all, because the first k of 2k frequencies are
    those of the iteration before. Optimising the linear SVM is not charged. `cpu_seconds` is the CPU time of the whole
    process: the features are matrix products on several threads.
    """

    name = "fourier"
    summary = "Random Fourier features and the exact linear SVM on them (Rahimi, Recht 2007)"
    Settings = FourierSettings
    needs = frozenset({"lambda"})
    kernels = frozenset({"gaussian"})
    cost = "inner_products"
    uncounted = frozenset({"presentations", "kernel_evaluations"})
    resumes = True

    def __init__(self, problem: Problem, settings: FourierSettings, seed: int) -> None:
        super().__init__(problem, settings, seed)
        if settings.pairs < 1:
            raise SettingsError(f"algo.pairs = {settings.pairs}: it must be at least 1")
        check_setting("algo.relative_gap", settings.relative_gap)
        if settings.max_epochs < 1:
            raise SettingsError(f"algo.max_epochs = {settings.max_epochs}: it must be at least 1")
        self._random = _core.Random(seed, _core.Purpose.features)
        assert isinstance(problem.kernel, Gaussian)  # as `kernels` says
        self._sigma = math.sqrt(problem.kernel.sigma2)
        self._drawn = np.empty((0, problem.d), dtype=np.float32)
        self._frequencies = self._drawn
        self._weights = np.zeros(0)
        self._iterations = 0
        self._svm: _core.Dcd | None = None  # the SVM that is being solved; `advance` may return before it is

    def cpu_clock(self) -> float:  # noqa: D102 (inherited)
        return time.process_time()  # with the threads of libraries

    def advance(self, limit: Limit) -> Status:  # noqa: D102 (inherited)
        with self.clocks():
            while not (reached := self.reached(limit)):
                pairs = 2**self._iterations
                if pairs > self.settings.pairs:
                    return Status.CONVERGED
                self._svm = self._svm or self._make_svm(pairs)
                if self._solve(self._svm, limit):
                    self._frequencies = self._draw(pairs)
                    self._weights = self._svm.weights()
                    self._iterations += 1
                    self._svm = None
        return reached

    def _make_svm(self, pairs: int) -> _core.Dcd:
        problem = self.problem
        features = fourier_features(problem.X, self._draw(pairs))
        matrix = _core.FeatureMatrix(_core.Matrix(features), problem.positives)
        return _core.Dcd(matrix, C=problem.C, eps=self.settings.relative_gap, seed=self.seed)

    def _draw(self, k: int) -> NDArray[np.float32]:
        while len(self._drawn) < k:
            more = max(len(self._drawn), 1)
            self.problem.require_memory(
                24 * more * self.problem.d,  # twice in float64, twice in float32
                f"{2 * more} pairs of {self.problem.d:,} frequencies each",
                "lower algo.pairs, or",
            )
            normals = self._random.normal(more * self.problem.d).reshape(more, self.problem.d)
            self._drawn = np.concatenate([self._drawn, (normals / self._sigma).astype(np.float32)])
        return self._drawn[:k]

    def _solve(self, svm: _core.Dcd, limit: Limit) -> bool:
        """Solve for as long as the time allows; return whether the SVM is solved."""
        most = self.settings.max_epochs * self.problem.n
        seconds = limit.cpu_seconds
        time_left = math.inf
        if seconds is not None:
            # a call whose time the features have used up makes a step, too: so every call gets on
            least = math.nextafter(svm.cpu_seconds, math.inf)
            time_left = max(svm.cpu_seconds + seconds - self.cpu_seconds, least)
        status = svm.advance(presentations=most, cpu_seconds=time_left)
        return status == _core.Status.converged or svm.counters.presentations >= most

    def state(self) -> State:
        """Return the last optimum and the state of the next SVM; `restore` draws the frequencies again."""
        return self.clock_state() | {
            "iterations": np.array(self._iterations),
            "weights": self._weights,
            **({} if self._svm is None else prefixed("svm", self._svm.state())),
        }

    def restore(self, state: State | None) -> None:  # noqa: D102 (inherited)
        with self.restoring():
            assert state is not None  # one process makes the run
            iterations, svm = operator.index(state["iterations"]), None
            last = self.settings.pairs.bit_length()
            if not 0 <= iterations <= last:
                raise ValueError(f"iterations = {iterations} of a state: it must lie between 0 and {last}")
            frequencies = self._draw(2**iterations // 2)
            weights = state["weights"].astype(np.float64, casting="safe")
            if weights.shape != (2 * len(frequencies),):
                raise ValueError(f"weights of a state have the shape {weights.shape}, not ({2 * len(frequencies)},)")
            if begun := select("svm", state):
                svm = self._make_svm(2**iterations)
                svm.restore(begun)
            self.set_clocks(state)
            self._iterations, self._weights, self._frequencies, self._svm = iterations, weights, frequencies, svm

    @property
    def counters(self) -> Counters:  # noqa: D102 (inherited)
        k, n, d = len(self._frequencies), self.problem.n, self.problem.d
        return Counters(
            iterations=self._iterations,
            inner_products=k * n,
            feature_accesses=k * self.problem.matrix.stored,
            feature_accesses_dense=k * n * d,
        ).without(self.uncounted)

    def snapshot(self) -> FourierSnapshot:  # noqa: D102 (inherited)
        return FourierSnapshot(self.problem, self._frequencies, self._weights)
