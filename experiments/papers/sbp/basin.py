"""Water levels of the responses of a run: filled basins, and checks that the distribution is minimax optimal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

if TYPE_CHECKING:
    from svm_cost_curves.experiments.configuration.settings import RunSettings


ROUNDING = 1e-9
"""Tolerance relative to the largest response (levels) or to the volume (volumes)."""
POINTS = 1500
"""Largest number of points shown of each basin's covered and uncovered part."""


@dataclass(frozen=True)
class Responses:
    """The responses of a predictor of the slack-constrained form.

    Attributes
    ----------
    values : (n,) float64
        c_i = y_i <w, Phi(x_i)>, the positive examples first.
    positives : int
        Number of positive examples.
    volume : float
        n nu.
    bias : bool
        Whether the problem has an unregularised bias.
    """

    values: NDArray[np.float64]
    positives: int
    volume: float
    bias: bool


@dataclass(frozen=True)
class Basin:
    """One basin, filled.

    Attributes
    ----------
    name : str
        ``all``, or the class: ``negative``, ``positive``.
    heights : (n,) float64
        By rising value; with bias c_i + y_i b.
    covered : int
        Number of heights, the lowest, that carry probability.
    p : float
        Probability of each of these.
    """

    name: str
    heights: NDArray[np.float64]
    covered: int
    p: float


@dataclass(frozen=True)
class Filling:
    """Basins under one surface.

    Attributes
    ----------
    basins : tuple of Basin
        One; with bias the negative and the positive examples'.
    level : float
        gamma, the height of the surface.
    bias : float
        b; 0 without bias.
    given : float
        n nu, the volume that was poured in.
    covers : tuple of (int, int)
        For each basin the numbers of heights below the surface, and at or below it, within rounding.
    """

    basins: tuple[Basin, ...]
    level: float
    bias: float
    given: float
    covers: tuple[tuple[int, int], ...]

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
        """Largest absolute height."""
        return max(float(np.abs(basin.heights[[0, -1]]).max()) for basin in self.basins)

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

    def tests(self, tolerance: float = ROUNDING) -> dict[str, bool]:
        """Return which of the claim's checks pass, to a relative tolerance; with a bias there is one more."""
        absolute = tolerance * self.scale
        low, high = max(below for below, _ in self.covers), min(covered for _, covered in self.covers)
        found = {
            "volume": abs(self.volume - self.given) <= tolerance * self.given + len(self.covers) * absolute,
            "level": abs(self.level - self.level_by_sorting()) <= absolute,
            "mass": abs(self.mass - 1.0) <= tolerance,
            "minimax": abs(self.minimax - self.level) <= absolute,
        }
        return found | ({"equal_numbers": low <= high} if len(self.basins) > 1 else {})

    def numbers(self) -> dict[str, dict[str, Any]]:
        """Return the numbers behind each of the `tests`."""
        names = [basin.name for basin in self.basins]
        return {
            "volume": {"volume": self.volume, "n_nu": self.given},
            "level": {"level": self.level, "by_sorting": self.level_by_sorting(), "bias": self.bias},
            "mass": {"mass": self.mass, "covered": {basin.name: basin.covered for basin in self.basins}},
            "minimax": {"value": self.minimax, "level": self.level},
            "equal_numbers": {
                "below_and_at_the_surface": dict(zip(names, map(list, self.covers), strict=True)),
            },
        }


def run_responses(settings: RunSettings) -> Responses:
    """Run the SBP for its budget, without a record, and return the responses of its average iterate."""
    from svm_cost_curves import datasets, solvers
    from svm_cost_curves.experiments.run.assembly import assemble
    from svm_cost_curves.solvers import _core, blas

    cache = datasets.default_cache_dir()
    problem = assemble(settings, datasets.load(settings.dataset, cache_dir=cache), cache_dir=cache).problem
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
    from svm_cost_curves.solvers import _core

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
