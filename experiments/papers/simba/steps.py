"""Section 6's remark on step sizes, and section 4's on the bias: SIMBA in its versions, compared per iteration."""

from __future__ import annotations

from experiments.papers.judging import judged
from experiments.papers.panels import CurveFigure, Row
from experiments.papers.simba import bias_claim, steps_claim
from experiments.reproduction.evidence import Evidence
from experiments.reproduction.made import Made, Table

JUDGES = {"simba.2": steps_claim.judge, "simba.3": bias_claim.judge}


def make(evidence: Evidence) -> Made:
    """Draw the figure and judge the claims."""
    horizons = evidence.spec.members(steps_claim.CONSTANT)
    versions = {"SIMBA anytime": steps_claim.ANYTIME} | {
        f"constant, T = {int(T):,}": name for T, name in horizons.items()
    }
    biases = {"SIMBA anytime": bias_claim.WITHOUT, "anytime, with bias": bias_claim.WITH}
    figure = CurveFigure(
        evidence,
        (
            Row(
                "iterations",
                "Means over {runs}; runs with constant steps end after their T",
                bands=True,
                series=versions,
            ),
            Row(
                "iterations",
                "Value of the saddle problem: the water level of the mean iterate, the higher the better",
                bands=True,
                series=versions,
                measure="water_level",
            ),
            Row("cpu_seconds", "With and without bias, against time", bands=True, series=biases),
        ),
    )
    table = Table(
        ["data set", "T", "of the mean iterate", "anytime", "constant", "difference"],
        steps_claim.table_rows(evidence.panels, horizons),
        [
            "Differences: anytime less constant, means over pairs of runs with their 95 % bootstrap intervals.",
            *bias_claim.sentences(evidence.panels),
        ],
    )
    return Made(figure.data, figure.draw, figure.size, table=table, claims=judged(evidence, JUDGES))
