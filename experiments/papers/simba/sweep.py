"""A method's parameter, swept over a grid and chosen: on test error, as the paper did, or on held-out training rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from experiments.papers.panels import MEASURE
from experiments.reproduction.evidence import Panel
from experiments.reproduction.spec import FigureSpec
from experiments.reproduction.statistics.steps import known_points, shared_costs, values_on

METHODS: Final = ("simba", "pegasos")
HELD: Final = "_held"
"""Ending of the series that is trained on a part of the training set and tested on the rest of it."""
NONZEROS: Final = "feature_accesses"
DENSE: Final = "feature_accesses_dense"


@dataclass(frozen=True)
class Runs:
    """Test errors of some runs at the same numbers of accesses to nonzeros: those of the checkpoints of all.

    Attributes
    ----------
    costs : mapping of str to (runs, m) float64
        `NONZEROS`, the same for all runs and rising, and `DENSE`.
    errors : (runs, m) float64
        Fractions.
    """

    costs: Mapping[str, NDArray[np.float64]]
    errors: NDArray[np.float64]

    @property
    def count(self) -> int:
        """Number of runs."""
        return len(self.errors)

    def mean(self, runs: Sequence[int] | None = None) -> NDArray[np.float64]:
        """Mean error over some runs, which may be repeated, or over all; (m,)."""
        chosen = self.errors if runs is None else self.errors[list(runs)]
        mean: NDArray[np.float64] = chosen.mean(axis=0)
        return mean

    def cost(self, column: str, index: int, runs: Sequence[int] | None = None) -> float:
        """Mean cost over some runs, or over all, at one of the m places."""
        at = self.costs[column][:, index]
        return float((at if runs is None else at[list(runs)]).mean())

    @property
    def best(self) -> float:
        """Lowest mean error over all runs."""
        return float(self.mean().min())

    @property
    def spread(self) -> float:
        """Standard deviation over the runs where the mean error is lowest; 0 for a single run."""
        at_best = self.errors[:, int(np.argmin(self.mean()))]
        return float(at_best.std(ddof=1)) if self.count > 1 else 0.0


def tabulate(frames: Sequence[pd.DataFrame]) -> Runs | None:
    """Put curves on one grid; None where none has a known point."""
    usable = [frame for frame in frames if len(known_points(frame, NONZEROS, MEASURE)[0])]
    if not usable:
        return None
    grid = shared_costs([known_points(frame, NONZEROS, MEASURE) for frame in usable])
    errors, nonzeros, dense = (
        values_on([known_points(frame, NONZEROS, name) for frame in usable], grid)
        for name in (MEASURE, NONZEROS, DENSE)
    )
    return Runs({NONZEROS: nonzeros, DENSE: dense}, errors)


@dataclass(frozen=True)
class Member:
    """One value of a method's parameter on one data set.

    Attributes
    ----------
    value : float
    series : str
        Name of its series.
    runs : Runs
        Tested on the test set.
    held : Runs or None
        Trained on a part of the training set and tested on the rest; None where there are no such runs.
    """

    value: float
    series: str
    runs: Runs
    held: Runs | None


def sweep(panel: Panel, spec: FigureSpec, method: str) -> list[Member]:
    """Return the values of a method's parameter that have runs on a data set, in the figure's order."""
    held = spec.members(method + HELD)
    found: list[Member] = []
    for value, series in spec.members(method).items():
        runs = tabulate(panel.curves(series))
        if runs is not None:
            found.append(Member(value, series, runs, tabulate(panel.curves(held[value])) if value in held else None))
    return found


def chosen_on_test(members: Sequence[Member]) -> Member | None:
    """Return the value with the lowest mean test error along its curve; None where there is none."""
    return min(members, key=lambda member: member.runs.best, default=None)


def chosen_on_held_out(members: Sequence[Member]) -> Member | None:
    """Return the value with the lowest mean error along its curve on what was held out; None where there is none."""
    known = [(member.held.best, k) for k, member in enumerate(members) if member.held is not None]
    return members[min(known)[1]] if known else None
