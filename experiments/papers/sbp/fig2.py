"""Figure 2: test error against kernel evaluations on three data sets, without bias."""

from __future__ import annotations

from experiments.papers.judging import judged
from experiments.papers.panels import CurveFigure, Row
from experiments.papers.sbp import claims_fig2
from experiments.reproduction.evidence import Evidence
from experiments.reproduction.made import Made

PAPER = {name: name for name in claims_fig2.METHODS}
KEPT = {rival: f"{rival}{claims_fig2.KEPT}" for rival in claims_fig2.RIVALS}
OTHERWISE = PAPER | KEPT | {"perceptron": claims_fig2.AVERAGED}

ROWS = (
    Row("kernel_evaluations", "As in the paper, means over {runs}", bands=False, series=PAPER),
    Row(
        "kernel_evaluations",
        "Pegasos and SDCA charged n for each change of alpha, as if they kept all responses; the Perceptron averaged",
        bands=True,
        series=OTHERWISE,
    ),
    Row("cpu_seconds", "The runs of the first row against time, with bands", bands=True, series=PAPER),
)

JUDGES = {
    "sbp.1": claims_fig2.sbp_against_rivals,
    "sbp.2": claims_fig2.smo_profile,
    "sbp.3": claims_fig2.perceptron_profile,
}


def make(evidence: Evidence) -> Made:
    """Draw the figure and judge the claims."""
    figure = CurveFigure(evidence, ROWS)
    return Made(figure.data, figure.draw, figure.size, claims=judged(evidence, JUDGES))
