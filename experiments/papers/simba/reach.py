"""How many feature accesses two methods take to the error that one of them has at its best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from experiments.papers.simba.sweep import Runs
from experiments.reproduction.statistics import Interval, bootstrap_groups

TOLERANCE: Final = 0.02
"""Relative: the error asked for is this much above the lowest, which a curve may meet at one lucky checkpoint only."""
RESAMPLES: Final = 2000

Chosen: TypeAlias = tuple[int, ...] | None
"""Runs of a resample; None: all as they are."""


@dataclass(frozen=True)
class Reach:
    """Costs to one error.

    Attributes
    ----------
    target : float
        The error asked for.
    pegasos : float
        Cost at which Pegasos's mean error is at or below it for the first time.
    simba : float or None
        SIMBA's; None: not within its budget.
    budget : float
        What SIMBA's runs cost in all.
    ratio : Interval
        Pegasos's cost over SIMBA's, resampling the runs of both; 0 stands for an error that SIMBA does not reach.
    """

    target: float
    pegasos: float
    simba: float | None
    budget: float
    ratio: Interval

    def as_dict(self) -> dict[str, Any]:
        """JSON-able form."""
        return asdict(self)


def reach(pegasos: Runs, simba: Runs, columns: tuple[str, str], tolerance: float = TOLERANCE) -> Reach:
    """Compare what both pay for Pegasos's lowest mean error, made larger by a relative tolerance.

    Parameters
    ----------
    pegasos, simba : Runs
    columns : (str, str)
        What Pegasos is charged, and what SIMBA: columns of `Runs.costs`.
    tolerance : float
    """

    @cache  # the same runs of one come with any of the other's
    def asked(theirs: Chosen) -> tuple[float, float]:
        mean = pegasos.mean(theirs)
        # all that is at its lowest counts, whatever the last bits of a mean say
        target = float(mean.min()) * (1 + tolerance) + 1e-12
        own = _first(mean, target)
        assert own is not None  # it has this error at its lowest
        return target, pegasos.cost(columns[0], own, theirs)

    means = cache(simba.mean)

    def costs(theirs: Chosen, ours: Chosen) -> tuple[float, float, float | None]:
        target, own = asked(theirs)
        other = _first(means(ours), target)
        return target, own, None if other is None else simba.cost(columns[1], other, ours)

    def ratio(theirs: Sequence[int], ours: Sequence[int]) -> float:
        _, own, other = costs(tuple(theirs), tuple(ours))
        return 0.0 if other is None else own / other

    interval = bootstrap_groups(ratio, (pegasos.count, simba.count), resamples=RESAMPLES)
    assert interval is not None  # there are runs, and every resample has a ratio
    target, own, other = costs(None, None)
    return Reach(target, own, other, simba.cost(columns[1], -1), interval)


def excess(pegasos: Runs, simba: Runs) -> Interval:
    """SIMBA's lowest mean error less Pegasos's, resampling the runs of both."""

    def difference(theirs: Sequence[int], ours: Sequence[int]) -> float:
        return float(simba.mean(ours).min() - pegasos.mean(theirs).min())

    interval = bootstrap_groups(difference, (pegasos.count, simba.count), resamples=RESAMPLES)
    assert interval is not None
    return interval


def _first(errors: NDArray[np.float64], target: float) -> int | None:
    reached = np.flatnonzero(errors <= target)
    return int(reached[0]) if len(reached) else None
