"""Mini-batch SDCA: the compiled solver, and one with numpy for rho computed several times (the other does it once)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ...reproduction.evidence import Evidence
from ..problem import load_problem
from .data import panels_with_runs, spectrum_of

if TYPE_CHECKING:
    from ....solvers import Problem
    from ...configuration.settings import RunSettings

Vector = NDArray[np.float64]
GAMMA: Final = 0.95
"""Weight of the past in beta, as printed."""


@dataclass(frozen=True)
class Rows:
    """Examples and lambda of a problem, with no row longer than 1."""

    signed: Any
    """(n, d), dense or CSR: y_i x_i."""
    lambda_: float

    @property
    def n(self) -> int:
        """Number of examples."""
        return int(self.signed.shape[0])

    @cached_property
    def squared_norms(self) -> Vector:
        """||x_i||^2, (n,)."""
        squares: Any = sp.csr_array(self.signed) ** 2
        return np.asarray(squares.sum(axis=1), dtype=np.float64).ravel()

    def weights(self, alpha: Vector) -> Vector:
        """Return w(alpha), equation (4)."""
        w: Vector = self.signed.T @ alpha / (self.lambda_ * self.n)
        return w

    def primal(self, w: Vector) -> float:
        """Return P(w)."""
        return float(self.lambda_ / 2 * (w @ w) + np.maximum(0.0, 1.0 - self.signed @ w).mean())

    def gap(self, alpha: Vector) -> float:
        """Return P(w(alpha)) - D(alpha)."""
        w = self.weights(alpha)
        return self.primal(w) - float(alpha.mean() - self.lambda_ / 2 * (w @ w))

    def steps(self, alpha: Vector, responses: Vector, beta: float) -> Vector:
        """Return the steps of equation (15) for some examples, from their dual variables and y_i <w, x_i>."""
        free = self.lambda_ * self.n * (1.0 - responses) / beta
        return np.clip(alpha + free, 0.0, 1.0) - alpha


def rows_of(problem: Problem) -> Rows:
    """Return the examples of a problem; rows longer than 1 are divided by the largest norm, lambda by its square."""
    unit = max(1.0, problem.features.largest_norm)
    y, X = problem.y / unit, problem.X
    signed: Any = sp.diags_array(y) @ X.astype(np.float64) if sp.issparse(X) else y[:, None] * X
    return Rows(signed, problem.require_lambda() / unit**2)


@dataclass
class AggressiveSdca:
    """Algorithm 2, with rho and the steps computed from each other several times."""

    rows: Rows
    b: int
    largest: float
    """beta_b, or an upper bound on it."""
    rounds: int = 1
    """How often rho is computed; 1: Algorithm 2 as printed."""
    seed: int = 0
    alpha: Vector = field(init=False)
    mean: Vector = field(init=False)
    """(n,): decaying mean of alpha: its weights are the decaying mean of the weights."""

    def __post_init__(self) -> None:
        from ....solvers import RandomSubsets

        self.alpha, self.mean = np.zeros(self.rows.n), np.zeros(self.rows.n)
        self._w = np.zeros(self.rows.signed.shape[1])
        self._beta = self.largest
        self._subsets = RandomSubsets(self.rows.n, self.b, self.seed)

    def step(self) -> None:
        """Make one iteration."""
        chosen = self._subsets.next().astype(np.intp)
        batch, alpha = self.rows.signed[chosen], self.alpha[chosen]
        responses = batch @ self._w
        change = self.rows.steps(alpha, responses, self._beta)
        if change.any():
            for _ in range(self.rounds):
                total = batch.T @ change
                rho = float(np.clip(total @ total / (change @ change), 1.0, self.largest)) if change.any() else 1.0
                change = self.rows.steps(alpha, responses, rho)
            self._beta = self._beta**GAMMA * rho ** (1 - GAMMA)
            total, lambda_n = batch.T @ change, self.rows.lambda_ * self.rows.n
            if lambda_n * change @ (1.0 - responses) - total @ total / 2 > 0:  # D rises
                self.alpha[chosen] += change
                self._w += total / lambda_n
        self.mean += 0.1 * (self.alpha - self.mean)


def compiled_sdca(problem: Problem, variant: str, batch_size: int, seed: int = 0) -> Any:
    """Return the compiled mini-batch SDCA at alpha = 0; ``advance(iterations=...)`` runs it."""
    from .... import solvers

    solver = solvers.get("minibatch_sdca")
    settings = solver.Settings(batch_size=batch_size)
    settings.variant = type(settings.variant)[variant]
    made: Any = solver(problem, settings, seed)
    return made.make()


def cached_on(run: RunSettings, depends_on: object, source: str, compute: Callable[[Problem], Any]) -> Any:
    """Return what `compute` makes from the problem of a run, as JSON; it is computed once for each data set.

    It is computed again if `depends_on`, the file `source` or this file changes. Raises DataError without data.
    """
    from .... import datasets
    from ....support.disk_cache import cached_bytes, default_cache_dir
    from ...run.console import note

    code = [hashlib.sha256(Path(name).read_bytes()).hexdigest() for name in (source, __file__)]
    key = repr((datasets.fingerprint(run.dataset, note=note), run.problem, repr(depends_on), code))
    folder = default_cache_dir() / "minibatch"
    return json.loads(cached_bytes(folder, key.encode(), lambda: json.dumps(compute(load_problem(run))).encode()))


def computed_on_each(evidence: Evidence, name: str, source: str, compute: Callable[..., Any]) -> dict[str, Any]:
    """Return what `compute` makes from problem and spectrum of each data set with runs, by data set (`cached_on`)."""
    return {
        panel.paper_dataset: cached_on(run, name, source, partial(compute, spectrum=spectrum_of(run)))
        for panel, run in panels_with_runs(evidence)
    }
