"""Single precision: SVMSGD, SGD-QN and SGD-m with weights of 32 bits."""

from __future__ import annotations

from experiments.papers.sgdr import single_claim
from experiments.papers.sgdr.times import make_times
from experiments.reproduction.evidence import Evidence
from experiments.reproduction.made import Made

JUDGES = {"sgdr.5": single_claim.judge}


def make(evidence: Evidence) -> Made:
    """Draw the table and judge the claim."""
    return make_times(evidence, JUDGES)
