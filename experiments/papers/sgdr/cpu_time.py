"""The time tables: CPU time to an accuracy of 0.01, all methods side by side."""

from __future__ import annotations

from experiments.papers.sgdr import medium_claim, order_claim, stop_claim
from experiments.papers.sgdr.times import make_times
from experiments.reproduction.evidence import Evidence
from experiments.reproduction.made import Made

JUDGES = {"sgdr.2": stop_claim.judge, "sgdr.3": order_claim.judge, "sgdr.4": medium_claim.judge}


def make(evidence: Evidence) -> Made:
    """Draw the tables and judge the claims."""
    return make_times(evidence, JUDGES)
