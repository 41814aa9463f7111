"""Water levels of the responses of a run: filled basins, and checks that the distribution is minimax optimal."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...curve import ROUNDING
from ..problem import load_problem

if TYPE_CHECKING:
    from ...configuration.settings import RunSettings

POINTS: Final = 1500
"""Largest number of points shown of each basin's covered and uncovered part."""
Check = Literal["volume", "level", "mass", "minimax", "equal_numbers", "supergradient"]


@dataclass(frozen=True)
class Responses:
    """The responses of a predictor of the slack-constrained form."""

    values: NDArray[np.float64]
    """(n,): c_i = y_i <w, Phi(x_i)>, the positive examples first."""
    positives: int
    """Number of positive examples."""
    volume: float
    """n nu."""
    bias: bool
    """Whether the problem has an unregularised bias."""


@dataclass(frozen=True)
class Basin:
    """One basin, filled."""

    name: str
    """``all``, or the class: ``negative``, ``positive``."""
    heights: NDArray[np.float64]
    """(n,): by rising value; with bias c_i + y_i b."""
    covered: int
    """Number of heights, the lowest, that carry probability."""
    p: float
    """Probability of each of these."""


@dataclass(frozen=True)
class Filling:
    """Basins under one surface."""

    basins: tuple[Basin, ...]
    """One; with bias the negative and the positive examples'."""
    level: float
    """gamma, the height of the surface."""
    bias: float
    """b; 0 without bias."""
    given: float
    """n nu, the volume that was poured in."""
    covers: tuple[tuple[int, int], ...]
    """For each basin the numbers of heights below the surface, and at or below it, within rounding."""

    @property
    def volume(self) -> float:
        """Volume of the water above all heights."""
        return sum(float(np.maximum(0.0, self.level - basin.heights).sum()) for basin in self.basins)

    @property
    def mass(self) -> float:
        """All probability."""
        return sum(basin.covered * basin.p for basin in self.basins)

    @property
    def minimax(self) -> float:
        """Most that the slack can make of p: max over xi >= 0 of sum n nu of p (c + xi).

        By weak duality no p (with a bias: with half its mass on each class) has a value below the water level; a p
        with this value is optimal.
        """
        means = sum(basin.p * float(basin.heights[: basin.covered].sum()) for basin in self.basins)
        return means + self.given * max(basin.p for basin in self.basins)

    @property
    def scale(self) -> float:
        """Largest absolute height, or the level if it is larger."""
        return max(abs(self.level), *(float(np.abs(basin.heights[[0, -1]]).max()) for basin in self.basins))

    def level_by_sorting(self) -> float:
        """Return the water level computed by sorting: the least over k of (sum of the k lowest + volume) / k.

        With bias it is the k lowest of each class.
        """
        sums = [np.cumsum(basin.heights) for basin in self.basins]
        longest = min(len(part) for part in sums)
        total = np.sum([part[:longest] for part in sums], axis=0)
        return float(np.min((total + self.given) / (len(sums) * np.arange(1, longest + 1))))

    def table(self) -> pd.DataFrame:
        """Heights, water columns and probabilities by rank, thinned evenly in the covered and the uncovered part."""
        tables = []
        for basin in self.basins:
            ranks = np.concatenate(
                [_evenly(0, basin.covered, POINTS), _evenly(basin.covered, len(basin.heights), POINTS)]
            )
            heights = basin.heights[ranks]
            columns = {
                "basin": basin.name,
                "rank": ranks + 1,
                "height": heights,
                "water": np.maximum(0.0, self.level - heights),
                "p": np.where(ranks < basin.covered, basin.p, 0.0),
            }
            tables.append(pd.DataFrame(columns))
        return pd.concat(tables, ignore_index=True)

    def check(self, name: Check, tolerance: float = ROUNDING) -> tuple[bool, str, dict[str, Any]]:
        """Return whether a check passes, to a relative tolerance, what was measured, and the numbers behind it.

        ``volume``: the water has the volume n nu. ``level``: sorting gives the same level. ``mass``: the distribution
        has mass 1. ``minimax``: the most that the slack can make of it is the level. ``equal_numbers``: as many heights
        of one class as of the other are covered. ``supergradient``: no change of the responses raises the level by
        more than the distribution says.
        """
        absolute = tolerance * self.scale
        covered = {basin.name: basin.covered for basin in self.basins}
        match name:
            case "volume":
                passed = abs(self.volume - self.given) <= tolerance * self.given + len(self.basins) * absolute
                text = f"water of volume {self.volume:.10g}, n nu = {self.given:.10g}"
                return passed, text, {"volume": self.volume, "n_nu": self.given}
            case "level":
                sorting = self.level_by_sorting()
                text = f"gamma = {self.level:.10g}, by sorting {sorting:.10g}"
                text += f"; b = {self.bias:.6g}" if len(self.basins) > 1 else ""
                numbers = {"level": self.level, "by_sorting": sorting, "bias": self.bias}
                return abs(self.level - sorting) <= absolute, text, numbers
            case "mass":
                parts = [f"{basin.covered:,} of {len(basin.heights):,} ({basin.name})" for basin in self.basins]
                text = f"p of mass {self.mass:.10g} on {' and '.join(parts)}"
                return abs(self.mass - 1.0) <= tolerance, text, {"mass": self.mass, "covered": covered}
            case "minimax":
                passed = abs(self.minimax - self.level) <= absolute
                return passed, f"p has the value {self.minimax:.10g}", {"value": self.minimax, "level": self.level}
            case "equal_numbers":
                below, at_surface = zip(*self.covers, strict=True)
                pairs = {name: list(cover) for name, cover in zip(covered, self.covers, strict=True)}
                text = f"{' and '.join(map(str, covered.values()))} heights"
                return max(below) <= min(at_surface), text, {"below_and_at_the_surface": pairs}
            case "supergradient":
                excess = largest_excess(self)
                text = f"largest excess {excess:.2g} over {DIRECTIONS} random changes"
                return excess <= tolerance, text, {"excess": excess, "changes": DIRECTIONS}


DIRECTIONS: Final = 50
"""Random changes of the responses for which Lemma 3.1 is checked."""


def largest_excess(filling: Filling) -> float:
    """Return the largest f(c + v) - f(c) - <p, v> over random v, relative to the largest response or the level."""
    (basin,) = filling.basins
    generator = np.random.Generator(np.random.Philox(0))
    excesses = []
    for size in np.geomspace(1e-3, 10.0, DIRECTIONS) * filling.scale:
        change = size * generator.standard_normal(len(basin.heights))
        moved = replace(filling, basins=(replace(basin, heights=np.sort(basin.heights + change)),))
        expected = filling.level + basin.p * float(change[: basin.covered].sum())
        excesses.append((moved.level_by_sorting() - expected) / filling.scale)
    return max(excesses)


def run_responses(settings: RunSettings) -> Responses:
    """Run the SBP for its budget, without a record, and return the responses of its average iterate."""
    from .... import solvers
    from ....solvers import _core, blas

    problem = load_problem(settings)
    solver = settings.solver(problem, settings.solver_settings, settings.seed)
    limits: dict[str, Any] = settings.budget.limits(problem.n).given()
    solver.advance(solvers.Limit(**limits))
    snapshot = solver.snapshot()
    support = np.flatnonzero(snapshot.coefficients)
    weights = np.ascontiguousarray(snapshot.coefficients[support, np.newaxis])
    with blas.connected():
        sides = problem.core_matrix(problem.X[support]), problem.matrix
        values = _core.expand(problem.kernel.core(), *sides, weights, problem.policy.threads)[:, 0]
    return Responses(values * problem.y, problem.positives, float(snapshot.volume), problem.bias)


def levels_of(responses: Responses) -> tuple[float, float]:
    """Return the water levels of the positive and of the negative examples, as the core computes them."""
    from ....solvers import _core

    return _core.water_levels(responses.values, responses.positives, responses.volume, responses.bias)


def fill(responses: Responses, levels: tuple[float, float] | None = None) -> Filling:
    """Fill the basins of some responses with the volume, up to `levels`; by default `levels_of`."""
    up, down = levels_of(responses) if levels is None else levels
    level, bias = (up + down) / 2, (down - up) / 2
    if responses.bias:
        positive, negative = np.split(responses.values, [responses.positives])
        heights = {"negative": np.sort(negative - bias), "positive": np.sort(positive + bias)}
    else:
        heights = {"all": np.sort(responses.values)}
    rounding = ROUNDING * max(float(np.abs(values).max()) for values in heights.values())
    covers = tuple(
        (int(np.searchsorted(values, level - rounding)), int(np.searchsorted(values, level + rounding, side="right")))
        for values in heights.values()
    )
    # heights at the surface may carry probability: equally many of either class are chosen
    covered = [min(pair[1] for pair in covers)] * len(covers)
    basins = tuple(
        Basin(name, values, count, 1.0 / (len(covers) * count))
        for (name, values), count in zip(heights.items(), covered, strict=True)
    )
    return Filling(basins, level, bias, responses.volume, covers)


def _evenly(first: int, end: int, limit: int) -> NDArray[np.int64]:
    """At most `limit` of the numbers first, ..., end - 1, with the ends."""
    return np.unique(np.linspace(first, end - 1, min(limit, end - first)).round().astype(np.int64))
