"""Figure 4: the two basins of a problem with an unregularised bias."""

from __future__ import annotations

from experiments.papers.sbp import water_levels
from experiments.reproduction.evidence import Evidence
from experiments.reproduction.made import Made

RULE = (
    "For the responses of a short run of the SBP and the levels that the solver finds, gamma and b being half their "
    "sum and half their difference: the water above both basins has the volume n nu; sorting both classes and taking "
    "the least of (sum of the k lowest of each + n nu) / 2k gives the same gamma; as many heights of one class as of "
    "the other are covered, ties at the surface counting as either; the distribution with half its mass on each class, "
    "uniform over these, has mass 1, and the most that slack can make of it is gamma. All to a relative 1e-9."
)


def make(evidence: Evidence) -> Made:
    """Draw the figure and judge the claim."""
    return water_levels.make(evidence, RULE)
