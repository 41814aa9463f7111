"""Section 4.1: the value of the slack-constrained problem after equal numbers of iterations of the SBP and SIMBA."""

from __future__ import annotations

from svm_cost_curves.experiments.papers.cases import Case, Choice, Findings, above, case_on, interval_text, judge_claims
from svm_cost_curves.experiments.papers.panels import CurveFigure, Row
from svm_cost_curves.experiments.papers.sbp.comparisons import last, missing_case, paired_curves
from svm_cost_curves.experiments.papers.sbp.perceptron import Differences, differences
from svm_cost_curves.experiments.reproduction.evidence import Evidence, Panel
from svm_cost_curves.experiments.reproduction.figure_result import FigureResult
from svm_cost_curves.experiments.reproduction.statistics import AreaDifference, area_difference

VALUE = "water_level"
ROWS = (Row("iterations", "Means over {runs}", bands=True, measure=VALUE, compared=False),)


OPTIONS = {"sbp.simba": {"where": ("all", "end")}}


def make(evidence: Evidence) -> FigureResult:
    """Draw the figure and judge the claim."""
    figure = CurveFigure(evidence, ROWS)
    claims = judge_claims(evidence, {"sbp.simba": sbp_against_simba})
    return FigureResult(figure.data, figure.draw, figure.size, claims=claims)


def sbp_against_simba(evidence: Evidence, choice: Choice) -> Findings:
    """Judge sbp.simba: after equally many iterations the SBP's value is higher."""
    start = None if choice.option("where") == "end" else choice["start"]
    return Findings([_case(panel, start) for panel in evidence.panels])


def _case(panel: Panel, start: float | None) -> Case:
    runs = paired_curves(panel, "sbp", "simba")
    if not runs:
        return missing_case(panel, VALUE, ("sbp", "simba"))
    found: Differences | AreaDifference | None
    if start is None:
        found = differences(*([last(frame, VALUE) for frame in side] for side in runs))
    else:
        found = area_difference(*runs, cost="iterations", measure=VALUE, low=start)
    if found is None:
        return missing_case(panel, VALUE, ("sbp", "simba"))
    measured = f"SBP less SIMBA {interval_text(found.interval, '+.2e')} (SIMBA {found.second:.3g})"
    return case_on(panel, VALUE, above(found.interval, 0.0), measured, found.as_dict())
