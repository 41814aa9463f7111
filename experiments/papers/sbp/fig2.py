"""Figure 2: test error against kernel evaluations on three data sets, without bias."""

from __future__ import annotations

from experiments.papers.judging import judged
from experiments.papers.panels import CurveFigure, Row
from experiments.papers.sbp.fig2_cases import AVERAGED, KEPT, METHODS
from experiments.papers.sbp.perceptron_claim import perceptron_profile
from experiments.papers.sbp.rivals_claim import RIVALS, sbp_against_rivals
from experiments.papers.sbp.smo_claim import smo_profile
from experiments.reproduction.evidence import Evidence
from experiments.reproduction.made import Made

PAPER = {name: name for name in METHODS}
OTHERWISE = PAPER | {rival: f"{rival}{KEPT}" for rival in RIVALS} | {"perceptron": AVERAGED}

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
    "sbp.1": sbp_against_rivals,
    "sbp.2": smo_profile,
    "sbp.3": perceptron_profile,
}


def make(evidence: Evidence) -> Made:
    """Draw the figure and judge the claims."""
    figure = CurveFigure(evidence, ROWS)
    return Made(figure.data, figure.draw, figure.size, claims=judged(evidence, JUDGES))
