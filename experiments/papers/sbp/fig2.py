"""Figure 2: test error against kernel evaluations on three data sets, without bias."""

from __future__ import annotations

import math

import numpy as np

from svm_cost_curves.experiments.curve import value_at
from svm_cost_curves.experiments.papers.cases import (
    FAILS,
    MISSING,
    Case,
    Choice,
    Findings,
    at_most,
    case_on,
    holds,
    judge_claims,
    points_text,
)
from svm_cost_curves.experiments.papers.panels import MEASURE, CurveFigure, Row
from svm_cost_curves.experiments.papers.sbp import perceptron
from svm_cost_curves.experiments.papers.sbp.comparisons import (
    AVERAGED,
    CHARGES,
    COST,
    KEPT,
    METHODS,
    RIVALS,
    Charge,
    method_name,
    missing_case,
    paired_curves,
)
from svm_cost_curves.experiments.plotting import MeanCurve, mean_curves
from svm_cost_curves.experiments.reproduction.evidence import Evidence, Panel
from svm_cost_curves.experiments.reproduction.figure_result import FigureResult
from svm_cost_curves.experiments.reproduction.statistics import area_difference, critical_point


def sbp_against_rivals(evidence: Evidence, choice: Choice) -> Findings:
    """Judge sbp.1: the SBP's curve lies at or below those of Pegasos and SDCA."""
    charge = CHARGES[choice.option("charge")]
    return Findings(
        [_area_case(panel, rival, charge, choice["start"]) for panel in evidence.panels for rival in RIVALS]
    )


def _area_case(panel: Panel, rival: str, charge: Charge, start: float) -> Case:
    series = rival + charge.suffix
    runs = paired_curves(panel, "sbp", series)
    whole = area_difference(*runs, cost=charge.cost, measure=MEASURE) if runs else None
    low = charge.evaluations(start, panel.n or 0)
    if whole is None or runs is None or low >= whole.high:
        return missing_case(panel, rival, ("sbp", series))
    found = whole
    if low > whole.low:
        found = area_difference(*runs, cost=charge.cost, measure=MEASURE, low=low, high=whole.high) or whole
    measured = f"SBP less {method_name(rival)} {points_text(found.interval)}"
    return case_on(panel, rival, at_most(found.interval, 0.0), measured, found.as_dict())


def smo_profile(evidence: Evidence, choice: Choice) -> Findings:
    """Judge sbp.2: SMO makes little progress until a critical point, after which it converges rapidly."""
    return Findings([_drop_case(panel, choice) for panel in evidence.panels])


def _drop_case(panel: Panel, choice: Choice) -> Case:
    smo = mean_curves({"smo": panel.curves("smo")}, cost=COST, measure=MEASURE).get("smo")
    profile = critical_point(smo.cost, smo.mean, slack=choice["near"]) if smo is not None else None
    if smo is None or profile is None:
        return missing_case(panel, "profile", ["smo"])
    if profile.half is None or profile.steepness is None:
        return case_on(panel, "profile", FAILS, statistic=profile.as_dict(), note="SMO's error does not drop")
    from_iteration = choice.option("begins") == "iteration"
    begin = min(float(smo.cost[0]), float(panel.n or math.inf)) if from_iteration else float(smo.cost[0])
    before = math.log10(profile.half / begin)
    measured = (
        f"SMO drops at {_power(profile.half)} evaluations, within {profile.steepness:.2f} decades after {before:.2f}"
    )
    statistic = profile.as_dict() | {"decades_before": before}
    return case_on(panel, "profile", holds(profile.steepness < before), measured, statistic)


def smo_stopped_early(evidence: Evidence, choice: Choice) -> Findings:
    """Judge sbp.early: a predictor of SMO before its critical point is worse than those of the other methods."""
    charge = CHARGES[choice.option("charge")]
    return Findings([case for panel in evidence.panels for case in _early_cases(panel, charge)])


def _early_cases(panel: Panel, charge: Charge) -> list[Case]:
    others = [name + charge.suffix * (name in RIVALS) for name in METHODS if name != "smo"]
    runs = {name: panel.curves(name) for name in ("smo", *others)}
    curves = mean_curves(runs, cost=charge.cost, measure=MEASURE)
    profile = critical_point(curves["smo"].cost, curves["smo"].mean) if "smo" in curves else None
    if profile is None:
        return [missing_case(panel, name, ("smo", name)) for name in others]
    if profile.half is None:
        return [case_on(panel, name, FAILS, note="SMO's error does not drop") for name in others]
    smo = curves["smo"]
    end = float(smo.cost[int(np.searchsorted(smo.cost, profile.half, side="right"))])  # `half` is not the last cost
    cases = []
    for name in others:
        curve = curves.get(name)
        low = max(float(smo.cost[0]), float(curve.cost[0])) if curve is not None else math.inf
        if curve is None or not low < end:
            note = "" if curve is None else f"{method_name(name)} has not begun before SMO drops"
            cases.append(missing_case(panel, name, [name]) if not note else case_on(panel, name, MISSING, note=note))
            continue
        early, other = (median_over_log_cost(each, low, end) for each in (smo, curve))
        measured = f"{method_name(name)} {100 * other:.1f} % (SMO {100 * early:.1f} %)"
        cases.append(case_on(panel, name, holds(early >= other), measured, {"until": end, "smo": early, name: other}))
    return cases


def median_over_log_cost(curve: MeanCurve, low: float, high: float) -> float:
    """Median of a step function over the logarithm of the cost, for 0 < low < high within the curve's costs."""
    edges = np.concatenate([[low], curve.cost[(curve.cost > low) & (curve.cost < high)], [high]])
    values = value_at(curve.cost, curve.mean, edges[:-1])
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(np.diff(np.log(edges))[order])
    return float(values[order[int(np.searchsorted(reached, 0.5 * reached[-1]))]])


def _power(value: float) -> str:
    return f"{value:.1e}".replace("e+0", "e")


PAPER_SERIES = {name: name for name in METHODS}
OTHER_CHARGES = {name: name + KEPT * (name in RIVALS) for name in METHODS if name != "perceptron"}
ROWS = (
    Row("iterations", "Charged n evaluations for each iteration, means over {runs}", bands=False, series=PAPER_SERIES),
    Row(
        COST,
        "Pegasos and SDCA charged one evaluation per support vector for each response, the Perceptron n per mistake",
        bands=False,
        series=PAPER_SERIES,
    ),
    Row(
        COST,
        "Pegasos and SDCA charged n evaluations for each change of a coefficient; the Perceptron averaged",
        bands=True,
        series=OTHER_CHARGES | {"averaged Perceptron": AVERAGED},
    ),
    Row(
        "cpu_seconds",
        "The runs of the first two rows against time, the Gram matrix's not counted; bands of one standard deviation",
        bands=True,
        series=PAPER_SERIES,
    ),
)

_SERIES = ("perceptron", AVERAGED)
OPTIONS = {
    "sbp.1": {"charge": tuple(CHARGES)},
    "sbp.2": {"begins": ("iteration", "evaluation")},
    "sbp.early": {"charge": tuple(CHARGES)},
    "sbp.3": {"series": _SERIES, "where": ("whole", "end")},
    "sbp.improves": {"than": ("own_epoch", "perceptron_epoch", *_SERIES)},
    "sbp.overfits": {"series": _SERIES, "statistic": ("slope", "ends")},
    "sbp.optimum": {"series": _SERIES},
}
JUDGES = {
    "sbp.1": sbp_against_rivals,
    "sbp.2": smo_profile,
    "sbp.early": smo_stopped_early,
    "sbp.3": perceptron.first_epoch,
    "sbp.improves": perceptron.sbp_improves,
    "sbp.overfits": perceptron.overfitting,
    "sbp.optimum": perceptron.optimum_is_better,
}


def make(evidence: Evidence) -> FigureResult:
    """Draw the figure and judge the claims."""
    figure = CurveFigure(evidence, ROWS)
    return FigureResult(figure.data, figure.draw, figure.size, claims=judge_claims(evidence, JUDGES))
