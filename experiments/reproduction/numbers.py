"""Printed numbers and ours: whether they are equal within limits that do not depend on our runs.

================ =============================== ==================================================================
kind             limit, above and below          why
================ =============================== ==================================================================
test error       1.96 sqrt(p (1 - p) / n)        p is printed, from n test rows: this is the 95 % sampling error of
                                                 one test set, which no repetition of a method removes
ratio of times   a factor of `RATIO`             the machine divides out, but how processor, compiler and
                                                 implementation favour either program does not
any other        `NumberSpec.rounding`           a size, a density, nu at an optimum, a value of a formula: it
                                                 can be computed to the digits printed
================ =============================== ==================================================================

Seconds of another machine and numbers of other data stand side by side and are not judged.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np
from numpy.typing import ArrayLike

from .claim_spec import NumberSpec
from .statistics.interval import LEAST_RUNS, bootstrap_geometric_mean, bootstrap_mean

RATIO: Final = 1.5
"""Times whose ratio is printed are similar within this factor, as in the claim ``asset.2``; a choice of ours."""
TIMES: Final = "times"
"""Unit of a ratio of times."""
_BINARY: Final = 1e-12
"""A decimal difference that is equal to the limit may exceed it in binary by this share of the number."""

NumberOutcome = Literal["agrees", "differs", "too few runs", "not judged"]
"""Outcome of a printed number (`number`)."""


@dataclass(frozen=True)
class Number:
    """A printed number and ours; name, paper and unit are as in the figure's file (`NumberSpec`)."""

    name: str
    paper: float
    measured: float | None
    """Mean of our runs, of ratios of times the geometric mean; None without runs."""
    unit: str = ""
    runs: int = 0
    low: float | None = None
    high: float | None = None
    """Interval of the mean (`statistics`): 95 % bootstrap, below `LEAST_RUNS` runs their range. None without runs."""
    limit: float | None = None
    """Largest difference, in the unit, or factor of a ratio, with which the two agree; None if they are not judged."""
    outcome: NumberOutcome = "not judged"
    note: str = ""
    """Remark on the comparison; may be empty."""

    @property
    def agrees(self) -> bool | None:
        """Whether the two agree; None if that is not known."""
        return {"agrees": True, "differs": False}.get(self.outcome)


def number(
    spec: NumberSpec,
    values: ArrayLike | None,
    note: str = "",
    *,
    test_rows: int | None = None,
    compared: bool = True,
) -> Number:
    """Compare a printed number with our runs.

    ``agrees``: the interval of our mean, widened by the print's rounding, lies within the limit around the printed
    number. ``differs``: it lies outside. ``too few runs``: anything else. With fewer than `LEAST_RUNS` runs the outcome
    is never ``agrees``; it is ``differs`` if all runs lie more than twice the limit away, on one side.

    Parameters
    ----------
    spec : NumberSpec
    values : array_like, (runs,), or float, or None
        In the number's unit; of an array NaN and infinite values are left out. A single number instead of an array is
        one that every run repeats, as neither data nor method are drawn and nothing is timed: it has no interval, and
        agrees or differs by the limit alone.
    note : str
    test_rows : int or None
        Size of the test set if the number is a test error in per cent.
    compared : bool
        False where the data differ from the paper's.

    Returns
    -------
    Number
        In the number's unit.
    """
    finite = np.asarray([] if values is None else values, dtype=np.float64)
    repeated, ratio = finite.ndim == 0, spec.unit == TIMES
    finite = finite[np.isfinite(finite) & ((finite > 0) | (not ratio))]
    if not finite.size:
        return Number(spec.name, spec.paper, None, spec.unit, note=note)
    mean = bootstrap_geometric_mean(np.log(finite)) if ratio else bootstrap_mean(finite)
    ours = Number(spec.name, spec.paper, mean.estimate, spec.unit, finite.size, mean.low, mean.high, note=note)
    if spec.rounding is None or not compared:
        return ours
    few, rounding = not repeated and finite.size < LEAST_RUNS, 0.0 if repeated else spec.rounding
    if ratio:
        distances = [math.log(end / spec.paper) for end in (mean.low, mean.high)]
        limit, reach = RATIO, math.log(RATIO) + _BINARY
    else:
        distances = [end - spec.paper for end in (mean.low, mean.high)]
        limit = spec.rounding if test_rows is None else sampling_error(spec.paper, test_rows)
        reach = limit + _BINARY * abs(spec.paper)
    low, high = distances
    outcome: NumberOutcome = "too few runs"
    if not few and max(-low, high) + rounding <= reach:
        outcome = "agrees"
    elif max(low, -high, 0.0) - rounding > (2 * reach if few else reach):
        outcome = "differs"
    return replace(ours, limit=limit, outcome=outcome)


def sampling_error(error: float, test_rows: int) -> float:
    """Return how far the error of a test set may lie from that of all data, with 95 %; both in per cent."""
    share = error / 100
    return 100 * 1.96 * math.sqrt(share * (1 - share) / test_rows)
