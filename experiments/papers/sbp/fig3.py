"""Figure 3: test error against inner products, the SBP and random Fourier features."""

from __future__ import annotations

import math

from experiments.papers.cases import Case, above, claim_from_cases, interval_text, judge_claims
from experiments.papers.panels import MEASURE, CurveFigure, Row, name_of
from experiments.plotting import STYLES
from experiments.reproduction.evidence import Evidence, Panel
from experiments.reproduction.figure_result import FigureResult
from experiments.reproduction.spec import ClaimSpec
from experiments.reproduction.statistics import cost_ratio
from experiments.reproduction.verdict import Claim

COST = "inner_products"
CLAIMED = ("reuters_money_fx", "mnist")
"""Data sets of the paper's claim; it makes none on the third."""

ROWS = (
    Row(COST, "As in the paper, means over {runs}; features are charged k n, their linear SVM nothing", bands=False),
    Row("cpu_seconds", "The same runs against all of their time, with bands of one standard deviation", bands=True),
)


def make(evidence: Evidence) -> FigureResult:
    """Draw the figure and judge the claim."""
    figure = CurveFigure(evidence, ROWS)
    return FigureResult(
        figure.data, figure.draw, figure.size, claims=judge_claims(evidence, {"sbp.5": sbp_against_features})
    )


def sbp_against_features(evidence: Evidence, spec: ClaimSpec) -> Claim:
    """Judge claim 5: at equal errors the SBP is cheaper."""
    rule = (
        "At each of 50 test errors that both mean curves reach, below the error of a constant prediction, the inner "
        "products that the Fourier features take over those that the SBP takes; their geometric mean, with its 95 % "
        "interval over seeds. Reproduced where the interval begins above 1, not reproduced where it ends below 1, else "
        "partly."
    )
    return claim_from_cases(spec, rule, [_case(panel) for panel in evidence.panels])


def _case(panel: Panel) -> Case:
    place = (panel.paper_dataset, "fourier_over_sbp")
    below = math.inf if panel.trivial_error is None else panel.trivial_error
    found = cost_ratio(panel.curves("sbp"), panel.curves("fourier"), cost=COST, measure=MEASURE, below=below)
    if found is None:
        lacking = [STYLES[name].name for name in ("sbp", "fourier") if not panel.runs.get(name)]
        note = f"no finished runs of {', '.join(lacking)}" if lacking else "the two reach no error in common"
        return Case(place, name_of(panel), "not_applicable", note=note)
    measured = (
        f"features cost {interval_text(found.ratio, '.2g')} times as much as the SBP at errors from "
        f"{100 * found.low_error:.2f} % (there {found.at_best:.2g} times) to {100 * found.high_error:.2f} %"
    )
    ruling = above(found.ratio, 1.0)
    notes = ["one run only, so the interval is a point"] if len(panel.runs["sbp"]) == 1 else []
    if panel.stand_in:
        notes.append("measured, not judged")
    elif panel.paper_dataset not in CLAIMED:
        notes.append("measured, though the paper claims nothing there")
    if panel.stand_in or panel.paper_dataset not in CLAIMED:
        ruling = "not_applicable"
    return Case(place, name_of(panel), ruling, measured, found.as_dict(), ", ".join(notes))
