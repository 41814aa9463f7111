"""Ratios of costs to a target, and other products of their powers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from .interval import UNCLEAR, Decision, Interval, above, at_most, bootstrap_medians, more_runs
from .target import Effort

Bound = Literal["", "at least", "at most"]


@dataclass(frozen=True)
class Ratio:
    """Ratio of two methods' costs, or another product of powers of costs."""

    sample: Interval
    """Ratio of the medians over the runs of both. A run that misses its target has the cost of the longest run."""
    down: float = 1.0
    up: float = 1.0
    """Widths of the evaluation grids: the ratio lies between ``estimate / down`` and ``estimate * up``."""
    bound: Bound = ""
    """``at least`` if most runs of the first method miss the target, ``at most`` if those of the second do, or
    empty."""
    open_low: bool = False
    open_high: bool = False
    """Whether an end of the interval depends on runs that miss the target: then it may lie anywhere beyond."""

    @cached_property
    def interval(self) -> Interval:
        """The sample's interval, widened by the evaluation grids."""
        return self.sample.widened(self.down, self.up)

    @property
    def possible(self) -> Interval:
        """The interval with its open ends: 0 and infinity where runs miss the target."""
        low = 0.0 if self.open_low or self.bound == "at most" else self.interval.low
        high = math.inf if self.open_high or self.bound == "at least" else self.interval.high
        return replace(self.interval, low=low, high=high)

    def above(self, limit: float) -> Decision:
        """Decide whether the ratio is above a limit; a bound decides in its own direction only (else unclear)."""
        return self._with_more_runs(above(self.possible, limit), limit)

    def at_most(self, limit: float) -> Decision:
        """Decide whether the ratio is at most a limit; a bound decides in its own direction only (else unclear)."""
        return self._with_more_runs(at_most(self.possible, limit), limit)

    def _with_more_runs(self, decision: Decision, limit: float) -> Decision:
        """Add the runs that would settle a decision; they narrow the interval of the sample, not the grid."""
        if decision.ruling != "unclear" or self.possible != self.interval:
            return Decision(decision.ruling)
        estimate = self.sample.estimate
        for nearest, decidable in (
            (limit * self.down, estimate / self.down > limit),
            (limit / self.up, estimate * self.up < limit),
        ):
            if decidable:
                return Decision("unclear", more_runs(self.sample, nearest))
        return UNCLEAR

    def as_dict(self) -> dict[str, Any]:
        """JSON-able form."""
        open_sides = {name: getattr(self, name) for name in ("open_low", "open_high") if getattr(self, name)}
        return self.interval.as_dict() | {"bound": self.bound} | open_sides

    def text(self) -> str:
        """Write the estimate and its interval; ``<`` and ``>`` stand before ends that are open."""
        interval = self.interval

        def written(value: float) -> str:
            mark = "<" if self.open_low and value == interval.low else ""
            return mark + (">" if self.open_high and value == interval.high else "") + multiple_text(value)

        return f"{self.bound} {interval.text(written)}".strip()


def ratio_of(first: Effort, second: Effort) -> Ratio | None:
    """Return the ratio of two medians; None if neither is known."""
    return product((first, second), (1.0, -1.0))


def product(efforts: Sequence[Effort], exponents: Sequence[float]) -> Ratio | None:
    """Return the product of powers of medians, with its interval from resampled runs.

    An end is open where it depends on runs that miss their target: if these, taken as infinitely costly, make the
    interval of a method's median cost infinite. None if it is bounded neither from below nor from above, because a
    target is missed on both sides.

    Parameters
    ----------
    efforts : sequence of Effort
        One or more, with positive costs.
    exponents : sequence of float
        Not 0.
    """
    return _product(tuple(efforts), tuple(exponents))


@lru_cache(maxsize=4096)  # the readings of a claim compare the same runs
def _product(efforts: tuple[Effort, ...], exponents: tuple[float, ...]) -> Ratio | None:
    missed = {exponent > 0 for effort, exponent in zip(efforts, exponents, strict=True) if not effort.mostly_reached}
    if len(missed) == 2:
        return None
    powers = np.array(exponents)

    def statistic(medians: NDArray[np.float64]) -> NDArray[np.float64]:
        # one quotient, so that equal costs have the ratio 1 exactly
        above, below = (
            np.power(medians[:, chosen], np.abs(powers[chosen])).prod(axis=1) for chosen in (powers > 0, powers < 0)
        )
        ratio: NDArray[np.float64] = above / below
        return ratio

    steps = [(effort.step ** abs(exponent), exponent > 0) for effort, exponent in zip(efforts, exponents, strict=True)]
    down, up = (math.prod(step for step, upper in steps if upper is side) for side in (True, False))
    bound: Bound = "" if not missed else "at least" if missed == {True} else "at most"
    opened = {exponent > 0 for effort, exponent in zip(efforts, exponents, strict=True) if _is_open(effort)}
    return Ratio(
        bootstrap_medians(statistic, [effort.costs for effort in efforts]),
        down,
        up,
        bound,
        open_low=False in opened and bound != "at most",
        open_high=True in opened and bound != "at least",
    )


def _is_open(effort: Effort) -> bool:
    """Whether the interval of the median cost has no finite end: of five runs or more, if that of resamples has none.

    So one missed run of ten leaves it finite, and two do not; below five runs one missed run is enough.
    """
    if all(effort.reached):
        return False
    return math.isinf(bootstrap_medians(lambda medians: medians[:, 0], [effort.or_infinite]).high)


def multiple_text(multiple: float) -> str:
    """Write a ratio with three digits: ``0.251``, ``12.3``, ``1,234``."""
    return f"{multiple:,.0f}" if multiple >= 999.5 else f"{multiple:.3g}"
