"""Figure 3: test error against inner products, the SBP and random Fourier features."""

from __future__ import annotations

import math
from functools import partial

from svm_cost_curves.experiments.papers.cases import Case, Choice, Findings, above, case_on, judge_claims
from svm_cost_curves.experiments.papers.effort import Ratio, multiple_text
from svm_cost_curves.experiments.papers.panels import MEASURE, CurveFigure, Row
from svm_cost_curves.experiments.papers.sbp.comparisons import missing_case
from svm_cost_curves.experiments.reproduction.evidence import Evidence, Panel
from svm_cost_curves.experiments.reproduction.figure_result import FigureResult
from svm_cost_curves.experiments.reproduction.statistics import cost_ratio

COST = "inner_products"
ROWS = (
    Row(COST, "As in the paper, means over {runs}; features are charged k n, their linear SVM nothing", bands=False),
    # the features begin late: a range from there on would cut them off
    Row(
        "cpu_seconds",
        "The same runs against time, that of the SBP's Gram matrix not counted; bands of one standard deviation",
        True,
        compared=False,
    ),
)


OPTIONS = {"sbp.5": {"cost": (COST, "cpu_seconds"), "up_to": math.inf}}


def make(evidence: Evidence) -> FigureResult:
    """Draw the figure and judge the claim."""
    figure = CurveFigure(evidence, ROWS)
    claims = judge_claims(evidence, {"sbp.5": sbp_against_features})
    return FigureResult(figure.data, figure.draw, figure.size, claims=claims)


def sbp_against_features(evidence: Evidence, choice: Choice) -> Findings:
    """Judge sbp.5: at equal errors the SBP is cheaper than Fourier features."""
    return Findings([_case(panel, choice) for panel in evidence.panels])


def _case(panel: Panel, choice: Choice) -> Case:
    below = math.inf if panel.trivial_error is None else panel.trivial_error
    ratio = partial(cost_ratio, panel.curves("sbp"), panel.curves("fourier"), cost=choice.option("cost"))
    found = ratio(measure=MEASURE, below=below)
    if found is not None:
        found = ratio(measure=MEASURE, below=min(below, choice.option("up_to") * found.low_error))
    if found is None:
        return missing_case(panel, "fourier_over_sbp", ("sbp", "fourier"), "the two reach no error in common")
    measured = (
        f"features cost {Ratio(found.ratio).text()} times as much as the SBP at errors from "
        f"{100 * found.low_error:.2f} % (there {multiple_text(found.at_best)} times) to {100 * found.high_error:.2f} %"
    )
    return case_on(panel, "fourier_over_sbp", above(found.ratio, 1.0), measured, found.as_dict())
