"""Splits a problem's rows among ranks: each rank gets its rows, and the sizes of the whole problem."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from . import _core
from .all_reduce import AllReduce
from .errors import SettingsError
from .features import Features, read_only
from .kernels import Linear
from .problem import Problem

T = TypeVar("T")


@dataclass(frozen=True)
class _ShardData:
    """What rank 0 sends to a rank: `rows` and `positives` of the rank, and the rest of the whole problem."""

    rows: Features
    positives: int
    n: int
    lambda_: float | None
    nu: float | None
    bias: bool
    rho: float


class ProblemShard(Problem):
    """One rank's rows of a problem with the linear kernel, as a solver sees them.

    Rank r holds the rows i of the problem's ordered points with i % ranks == r. `n` and `d` are those of the whole
    problem, and `largest_norm` is that of all rows; `features` and `positives` are this rank's. The points themselves
    (`X`, `y`, kernel rows) are in the whole problem only.
    """

    def __init__(self, data: _ShardData, whole: Problem | None, all_reduce: AllReduce) -> None:
        self.kernel = Linear()
        self.n, self.d = data.n, data.rows.shape[1]
        self.lambda_, self.nu, self.bias, self.rho = data.lambda_, data.nu, data.bias, data.rho
        self.positives = data.positives
        self.features = _core.FeatureMatrix(self.core_matrix(read_only(data.rows)), data.positives)
        self.all_reduce = all_reduce
        self._whole = whole
        self.largest_norm = all_reduce.broadcast(max(all_reduce.gather(self.features.largest_norm) or [0.0]))
        self.shard = _core.Shard(all_reduce.rank, all_reduce.ranks, self.n, self.largest_norm)

    def compute_on_whole(self, compute: Callable[[Problem], T]) -> T:
        """Return what rank 0 computes from the whole problem. All ranks call this at the same point."""
        return self.all_reduce.broadcast(compute(self._whole) if self._whole is not None else None)


def check_ranks(whole: Problem, ranks: int) -> None:
    """Raise SettingsError for more ranks than a problem has rows."""
    if ranks > whole.n:
        raise SettingsError(f"{ranks} ranks cannot share n = {whole.n:,} rows: start fewer")


def scatter_rows(whole: Problem | None, all_reduce: AllReduce) -> Problem:
    """Give each rank its rows, as a `ProblemShard`. All ranks call this at the same point.

    Rank 0 passes the problem, checked by `check_ranks`, and the others, which never hold all of it, None. With one rank
    the whole problem is returned.
    """
    if whole is not None and all_reduce.ranks == 1:
        return whole
    data = all_reduce.scatter(None if whole is None else _split(whole, all_reduce.ranks))
    return ProblemShard(data, whole, all_reduce)


def _split(whole: Problem, ranks: int) -> Callable[[int], _ShardData]:
    rows = whole.ordered

    def data_of(rank: int) -> _ShardData:
        part = rows[rank::ranks]
        return _ShardData(
            rows=np.ascontiguousarray(part) if isinstance(part, np.ndarray) else part,
            positives=len(range(rank, whole.positives, ranks)),
            n=whole.n,
            lambda_=whole.lambda_,
            nu=whole.nu,
            bias=whole.bias,
            rho=whole.rho,
        )

    return data_of
