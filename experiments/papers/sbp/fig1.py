"""Figure 1: how the water level of a response vector gives its minimax optimal distribution, without bias."""

from __future__ import annotations

from experiments.papers.sbp import water_levels
from experiments.reproduction.evidence import Evidence
from experiments.reproduction.made import Made

RULE = (
    "For the responses of a short run of the SBP and the level that the solver finds: the water above them has the "
    "volume n nu; sorting the responses and taking the least of (sum of the k lowest + n nu) / k gives the same level; "
    "the distribution that is uniform over the covered examples has mass 1, and the most that slack can make of it is "
    "the level, below which no distribution gets. All to a relative 1e-9."
)


def make(evidence: Evidence) -> Made:
    """Draw the figure and judge the claim."""
    return water_levels.make(evidence, RULE)
