"""One rank's part of a problem: its rows, and what all ranks know of the whole."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from solvers import _core
from solvers.errors import SettingsError
from solvers.exchange import Exchange
from solvers.features import Features
from solvers.kernels import Linear
from solvers.problem import Problem

T = TypeVar("T")


@dataclass(frozen=True)
class _Piece:
    """What a rank is sent."""

    rows: Features
    positives: int
    n: int
    lambda_: float | None
    nu: float | None
    bias: bool
    rho: float


class Share(Problem):
    """What a solver whose rows are shared among ranks sees of a problem with the linear kernel.

    Rank r holds the rows i of the problem's ordered points with i % ranks == r. `n` and `d` are those of the whole;
    `features` and `positives` are this rank's. Points as such (`X`, `y`, kernel rows) are with the whole problem only.

    Attributes
    ----------
    exchange : Exchange
    largest_norm : float
        Largest Euclidean norm of a row, over all ranks.
    """

    def __init__(self, piece: _Piece, whole: Problem | None, exchange: Exchange) -> None:
        self.kernel = Linear()
        self.n, self.d = piece.n, piece.rows.shape[1]
        self.lambda_, self.nu, self.bias, self.rho = piece.lambda_, piece.nu, piece.bias, piece.rho
        self.positives = piece.positives
        self.features = _core.FeatureMatrix(self.core_matrix(piece.rows), piece.positives)
        self.exchange = exchange
        self._whole = whole
        self.largest_norm = exchange.broadcast(max(exchange.gather(self.features.largest_norm) or [0.0]))
        self.shard = _core.Shard(exchange.rank, exchange.ranks, self.n, self.largest_norm)

    def of_whole(self, compute: Callable[[Problem], T]) -> T:
        """Return what rank 0 computes of the whole problem. All ranks call this together."""
        return self.exchange.broadcast(compute(self._whole) if self._whole is not None else None)


def check_ranks(whole: Problem, ranks: int) -> None:
    """Refuse more ranks than a problem has rows for.

    Raises
    ------
    SettingsError
        There are fewer rows than ranks.
    """
    if ranks > whole.n:
        raise SettingsError(f"{ranks} ranks cannot share n = {whole.n:,} rows: start fewer")


def deal(whole: Problem | None, exchange: Exchange) -> Problem:
    """Hand each rank its rows. All ranks call this together.

    Parameters
    ----------
    whole : Problem or None
        The problem, on rank 0, checked by `check_ranks`; None on the others, which never hold all of it.
    exchange : Exchange

    Returns
    -------
    Problem
        A `Share`; where there is one rank only, the whole.
    """
    if whole is not None and exchange.ranks == 1:
        return whole
    return Share(exchange.scatter(None if whole is None else _cut(whole, exchange.ranks)), whole, exchange)


def _cut(whole: Problem, ranks: int) -> Callable[[int], _Piece]:
    rows = whole.ordered

    def piece(rank: int) -> _Piece:
        part = rows[rank::ranks]
        return _Piece(
            rows=np.ascontiguousarray(part) if isinstance(part, np.ndarray) else part,
            positives=len(range(rank, whole.positives, ranks)),
            n=whole.n,
            lambda_=whole.lambda_,
            nu=whole.nu,
            bias=whole.bias,
            rho=whole.rho,
        )

    return piece
