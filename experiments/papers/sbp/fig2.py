"""Figure 2: test error against kernel evaluations on three data sets, without bias."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from experiments.curve import column, cost_to_reach, value_at
from experiments.papers.cases import (
    Case,
    above,
    at_most,
    claim_from_cases,
    holds,
    interval_text,
    judge_claims,
    points_text,
    scaled,
)
from experiments.papers.panels import MEASURE, CurveFigure, Row, name_of
from experiments.plotting import STYLES, MeanCurve, mean_curves
from experiments.reproduction.evidence import Evidence, Panel
from experiments.reproduction.figure_result import FigureResult
from experiments.reproduction.spec import ClaimSpec
from experiments.reproduction.statistics import (
    AreaDifference,
    area_difference,
    bootstrap_mean,
    critical_point,
    overfitting_slope,
    paired,
)
from experiments.reproduction.verdict import Claim, Ruling

Curves: TypeAlias = tuple[pd.DataFrame, ...]
"""Curves of one series' runs."""

COST = "kernel_evaluations"
METHODS = ("sbp", "pegasos", "sdca", "smo", "perceptron")
"""Series of the paper's methods."""
KEPT = "_kept"
"""Suffix of a rival's series that is charged for updating all responses."""
AVERAGED = "averaged"
"""Series of the Perceptron whose predictor is the mean of its iterates."""


def panel_case(
    panel: Panel,
    what: str,
    ruling: Ruling,
    measured: str = "",
    statistic: Mapping[str, Any] | None = None,
    note: str = "",
) -> Case:
    """Return one case on one data set; a stand-in is measured and not judged."""
    if panel.stand_in and ruling != "not_applicable":
        ruling, note = "not_applicable", ", ".join(filter(None, [note, "measured, not judged"]))
    return Case((panel.paper_dataset, what), name_of(panel), ruling, measured, statistic or {}, note)


def missing_case(panel: Panel, what: str, names: Sequence[str]) -> Case:
    """Return a case that cannot be judged, with the series that lack runs."""
    lacking = [method_name(name) for name in names if not panel.runs.get(name)]
    why = f"no finished runs of {', '.join(lacking)}" if lacking else "the curves share no range of cost"
    return panel_case(panel, what, "not_applicable", note=why)


def method_name(series: str) -> str:
    """Name of a series in sentences."""
    if series == AVERAGED:
        return "averaged Perceptron"
    kept = " with responses kept" if series.endswith(KEPT) else ""
    return STYLES[series.removesuffix(KEPT)].name + kept


def paired_curves(panel: Panel, first: str, second: str) -> tuple[Curves, Curves] | None:
    """Curves of two series paired by seed; None without a pair."""
    sides = [dict(zip(panel.seeds(name), panel.curves(name), strict=True)) for name in (first, second)]
    pairs = paired(sides[0], sides[1]) if all(sides) else ((), ())
    return pairs if all(pairs) else None


def one_run_only(found: AreaDifference) -> str:
    """Note on a difference of a single pair of runs; empty for more."""
    return "one run only, so the interval is a point" if len(found.differences) == 1 else ""


RIVALS = ("pegasos", "sdca")
LATER = 100
"""The second comparison begins after this many times n kernel evaluations."""


def sbp_against_rivals(evidence: Evidence, spec: ClaimSpec) -> Claim:
    """Judge claim 1: the SBP's curve lies at or below those of Pegasos and SDCA."""
    kept = [rival + KEPT for rival in RIVALS]
    cases = [
        _area_case(panel, rival)
        for panel in evidence.panels
        for rival in (*RIVALS, *(name for name in kept if panel.runs.get(name)))
    ]
    rule = (
        "For each data set and rival: differences of the two methods' mean test errors over the logarithm of the "
        "kernel evaluations, from where both are known to where the first ends, paired by seed. Reproduced where the "
        "95 % interval of their mean (SBP less rival) ends at or below 0, not reproduced where it begins above 0, else "
        "partly. Judged is the convention that favours the rivals: one evaluation per support vector for each "
        "response. Also measured, not judged: the other convention, n for each change of alpha, and the same from "
        f"{LATER} n evaluations on, which leaves out the SBP's first {LATER} iterations."
    )
    return claim_from_cases(spec, rule, cases)


def _area_case(panel: Panel, rival: str) -> Case:
    runs = paired_curves(panel, "sbp", rival)
    found = area_difference(*runs, cost=COST, measure=MEASURE) if runs else None
    if found is None:
        return missing_case(panel, rival, ("sbp", rival))
    ruling = at_most(found.interval, 0.0)
    statistic = found.as_dict()
    measured = f"SBP less {method_name(rival)} {points_text(found.interval)}"
    later = _later(panel, found, *runs) if runs else None
    if later is not None:
        statistic["later"] = later.as_dict()
        measured += f" (from {LATER} n evaluations on {points_text(later.interval)})"
    if rival.endswith(KEPT):
        return panel_case(panel, rival, "not_applicable", measured, statistic | {"by_itself": ruling})
    return panel_case(panel, rival, ruling, measured, statistic, one_run_only(found))


def _later(panel: Panel, whole: AreaDifference, first: Curves, second: Curves) -> AreaDifference | None:
    """Compare without the first iterations, which weigh much on a logarithmic axis."""
    low = LATER * (panel.n or 0)
    if not whole.low < low < whole.high:
        return None
    return area_difference(first, second, cost=COST, measure=MEASURE, low=low, high=whole.high)


NEAR_BEST = 0.001
"""Largest difference at which SMO's final test error counts as best."""


def smo_profile(evidence: Evidence, spec: ClaimSpec) -> Claim:
    """Judge claim 2: SMO is worst until its critical point, then drops steeply and ends among the best."""
    cases = [case for panel in evidence.panels for case in _smo_cases(panel)]
    rule = (
        "On each data set, from the mean curves. The drop is steep if from the critical point (the last at which SMO's "
        "error is above the middle of its first and its last) until it stays within 10 % of its last it takes fewer "
        "decades of cost than went before. SMO stopped early is worst if the median of its error over the logarithm "
        "of the cost up to there is no lower than that of any other method that has begun. SMO run long is as good as "
        f"the best if its last error is at most {100 * NEAR_BEST:.1f} points above the lowest."
    )
    return claim_from_cases(spec, rule, cases)


def _smo_cases(panel: Panel) -> list[Case]:
    curves = mean_curves({name: panel.curves(name) for name in METHODS}, cost=COST, measure=MEASURE)
    if len(curves) < len(METHODS):
        return [missing_case(panel, "profile", METHODS)]
    smo = curves["smo"]
    profile = critical_point(smo.cost, smo.mean)
    assert profile is not None  # a mean curve has at least one point
    best = min(METHODS, key=lambda name: float(curves[name].mean[-1]))
    excess = float(smo.mean[-1] - curves[best].mean[-1])
    late = panel_case(
        panel,
        "run_long",
        holds(excess <= NEAR_BEST),
        f"run long {100 * smo.mean[-1]:.2f} %, the best is {STYLES[best].name}'s {100 * curves[best].mean[-1]:.2f} %",
        {"final": {name: float(curve.mean[-1]) for name, curve in curves.items()}, "above_best": excess},
    )
    if profile.half is None:
        return [panel_case(panel, "steep", "not_reproduced", "SMO's error does not drop", profile.as_dict()), late]
    assert profile.before is not None
    assert profile.steepness is not None
    steep = panel_case(
        panel,
        "steep",
        holds(profile.steepness < profile.before),
        f"SMO drops at {_power(profile.half)} evaluations, within {profile.steepness:.2f} decades after "
        f"{profile.before:.2f}",
        profile.as_dict(),
    )
    return [steep, _early_case(panel, curves, profile.half), late]


def _early_case(panel: Panel, curves: dict[str, MeanCurve], half: float) -> Case:
    smo = curves["smo"]
    end = float(smo.cost[int(np.searchsorted(smo.cost, half, side="right"))])  # `half` is not the last cost
    medians: dict[str, dict[str, float]] = {}
    for name, curve in curves.items():
        low = max(float(curve.cost[0]), float(smo.cost[0]))
        if name != "smo" and low < end:
            medians[name] = {"smo": median_over_log_cost(smo, low, end), "other": median_over_log_cost(curve, low, end)}
    if not medians:
        return panel_case(panel, "stopped_early", "not_applicable", note="no other method has begun before SMO drops")
    worst = all(pair["smo"] >= pair["other"] for pair in medians.values())
    others = ", ".join(f"{STYLES[name].name} {100 * pair['other']:.1f}" for name, pair in medians.items())
    typical = float(np.median([pair["smo"] for pair in medians.values()]))
    measured = f"stopped before that {100 * typical:.1f} % ({others})"
    return panel_case(panel, "stopped_early", holds(worst), measured, {"until": end, "medians": medians})


def median_over_log_cost(curve: MeanCurve, low: float, high: float) -> float:
    """Median of a step function over the logarithm of the cost, for 0 < low < high within the curve's costs."""
    edges = np.concatenate([[low], curve.cost[(curve.cost > low) & (curve.cost < high)], [high]])
    values = value_at(curve.cost, curve.mean, edges[:-1])
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(np.diff(np.log(edges))[order])
    return float(values[order[int(np.searchsorted(reached, 0.5 * reached[-1]))]])


def _power(value: float) -> str:
    return f"{value:.1e}".replace("e+0", "e")


OVERFITS = "adult"
"""Data set on which the Perceptron is said to overfit."""
SIMILAR = 0.10
"""The Perceptron counts as similar if its mean error is at most this much higher, relative to the SBP's."""


def perceptron_profile(evidence: Evidence, spec: ClaimSpec) -> Claim:
    """Judge claim 3: the Perceptron is near the SBP in its first epoch, worse after it, and overfits on Adult."""
    cases = [case for panel in evidence.panels for case in _perceptron_cases(panel, "perceptron")]
    for panel in evidence.panels:
        if panel.runs.get(AVERAGED):
            cases += [_not_judged(case) for case in _perceptron_cases(panel, AVERAGED)]
    rule = (
        "On each data set, with 95 % intervals over seeds: in the Perceptron's first epoch its mean test error over "
        f"the logarithm of the kernel evaluations is at most {100 * SIMILAR:.0f} % (relative) above the SBP's; at the "
        "end of both runs it is higher; on Adult its slope over the logarithm of the epochs after the first is "
        "positive. Reproduced where the whole interval says so, not reproduced where it says the opposite, else "
        "partly. Judged is the last iterate; the mean of all iterates, to which the paper's guarantee applies, is "
        "measured and not judged."
    )
    return claim_from_cases(spec, rule, cases)


def _perceptron_cases(panel: Panel, series: str) -> list[Case]:
    runs = paired_curves(panel, series, "sbp")
    if not runs:
        return [missing_case(panel, "first_epoch", (series, "sbp"))]
    cases = [_first_epoch_case(panel, *runs), _end_case(panel, *runs)]
    if panel.paper_dataset == OVERFITS:
        cases.append(_overfitting_case(panel, series))
    return cases


def _not_judged(case: Case) -> Case:
    """Return the same case of the averaged Perceptron, measured and not judged."""
    measured = case.measured.replace("in the Perceptron's", "averaged, in the Perceptron's")
    statistic = {**case.statistic, "by_itself": case.ruling}
    place = (case.place[0], f"{AVERAGED}_{case.place[1]}")
    return replace(case, place=place, ruling="not_applicable", measured=measured, statistic=statistic, note="")


def _first_epoch_case(panel: Panel, perceptron: Curves, sbp: Curves) -> Case:
    ends = [cost_to_reach(column(run, COST), -column(run, "epochs"), -1.0) for run in perceptron]
    high = min((end for end in ends if end is not None), default=None)
    found = area_difference(perceptron, sbp, cost=COST, measure=MEASURE, high=high)
    if found is None or found.second <= 0:
        note = "the Perceptron's first epoch and the SBP's curve share no range of cost"
        return panel_case(panel, "first_epoch", "not_applicable", note=note)
    relative = scaled(found.interval, 1 / found.second)
    off = interval_text(scaled(relative, 100), "+.1f", " %")
    measured = f"in the Perceptron's first epoch its error is {off} off the SBP's"
    statistic = {**found.as_dict(), "relative": relative.as_dict()}
    return panel_case(panel, "first_epoch", at_most(relative, SIMILAR), measured, statistic, one_run_only(found))


def _end_case(panel: Panel, perceptron: Curves, sbp: Curves) -> Case:
    finals = [np.array([_last(run) for run in runs]) for runs in (perceptron, sbp)]
    differences = finals[0] - finals[1]
    differences = differences[np.isfinite(differences)]
    if not len(differences):
        return missing_case(panel, "end", ("perceptron", "sbp"))
    interval = bootstrap_mean(differences)
    statistic = {"differences": differences.tolist(), "interval": interval.as_dict()}
    return panel_case(panel, "end", above(interval, 0.0), f"at the end {points_text(interval)}", statistic)


def _overfitting_case(panel: Panel, series: str) -> Case:
    interval = overfitting_slope(panel.curves(series), measure=MEASURE)
    if interval is None:
        note = "the Perceptron has not gone beyond its first epoch"
        return panel_case(panel, "overfitting", "not_applicable", note=note)
    measured = f"with tenfold further epochs {points_text(interval)}"
    return panel_case(panel, "overfitting", above(interval, 0.0), measured, {"slope": interval.as_dict()})


def _last(frame: pd.DataFrame) -> float:
    values = column(frame, MEASURE)
    known = values[np.isfinite(values)]
    return float(known[-1]) if len(known) else math.nan


PAPER_SERIES = {name: name for name in METHODS}
OTHER_CHARGES = PAPER_SERIES | {rival: f"{rival}{KEPT}" for rival in RIVALS} | {"perceptron": AVERAGED}

ROWS = (
    Row("kernel_evaluations", "As in the paper, means over {runs}", bands=False, series=PAPER_SERIES),
    Row(
        "kernel_evaluations",
        "Pegasos and SDCA charged n for each change of alpha, as if they kept all responses; the Perceptron averaged",
        bands=True,
        series=OTHER_CHARGES,
    ),
    Row("cpu_seconds", "The runs of the first row against time, with bands", bands=True, series=PAPER_SERIES),
)

JUDGES = {"sbp.1": sbp_against_rivals, "sbp.2": smo_profile, "sbp.3": perceptron_profile}


def make(evidence: Evidence) -> FigureResult:
    """Draw the figure and judge the claims."""
    figure = CurveFigure(evidence, ROWS)
    return FigureResult(figure.data, figure.draw, figure.size, claims=judge_claims(evidence, JUDGES))
