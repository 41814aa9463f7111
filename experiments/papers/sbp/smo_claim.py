"""Claim 2 about Figure 2: SMO is worst until its critical point, then drops steeply and ends among the best."""

from __future__ import annotations

import numpy as np

from experiments.curve import value_at
from experiments.papers.judging import Part, holds, put_together
from experiments.papers.panels import MEASURE
from experiments.papers.sbp.fig2_cases import COST, METHODS, case, unjudged
from experiments.plotting import STYLES, MeanCurve, mean_curves
from experiments.reproduction.evidence import Evidence, Panel
from experiments.reproduction.spec import ClaimSpec
from experiments.reproduction.statistics import critical_point
from experiments.reproduction.verdict import Claim

NEAR_BEST = 0.001
"""SMO run long is as good as the best if its test error is at most this much higher."""


def smo_profile(evidence: Evidence, spec: ClaimSpec) -> Claim:
    """Judge claim 2: SMO is worst until its critical point, then drops steeply and ends among the best."""
    parts = [part for panel in evidence.panels for part in _smo_parts(panel)]
    rule = (
        "On each data set, from the mean curves. The drop is steep if from the critical point (the last at which SMO's "
        "error is above the middle of its first and its last) until it stays within 10 % of its last it takes fewer "
        "decades of cost than went before. SMO stopped early is worst if the median of its error over the logarithm "
        "of the cost up to there is no lower than that of any other method that has begun. SMO run long is as good as "
        f"the best if its last error is at most {100 * NEAR_BEST:.1f} points above the lowest."
    )
    return put_together(spec, rule, parts)


def _smo_parts(panel: Panel) -> list[Part]:
    curves = mean_curves({name: panel.curves(name) for name in METHODS}, cost=COST, measure=MEASURE)
    if len(curves) < len(METHODS):
        return [unjudged(panel, "profile", METHODS)]
    smo = curves["smo"]
    profile = critical_point(smo.cost, smo.mean)
    assert profile is not None  # a mean curve has a point
    best = min(METHODS, key=lambda name: float(curves[name].mean[-1]))
    excess = float(smo.mean[-1] - curves[best].mean[-1])
    late = case(
        panel,
        "run_long",
        holds(excess <= NEAR_BEST),
        f"run long {100 * smo.mean[-1]:.2f} %, the best is {STYLES[best].name}'s {100 * curves[best].mean[-1]:.2f} %",
        {"final": {name: float(curve.mean[-1]) for name, curve in curves.items()}, "above_best": excess},
    )
    if profile.half is None:
        return [case(panel, "steep", "not_reproduced", "SMO's error does not drop", profile.as_dict()), late]
    assert profile.before is not None
    assert profile.steepness is not None
    steep = case(
        panel,
        "steep",
        holds(profile.steepness < profile.before),
        f"SMO drops at {_power(profile.half)} evaluations, within {profile.steepness:.2f} decades after "
        f"{profile.before:.2f}",
        profile.as_dict(),
    )
    return [steep, _early_part(panel, curves, profile.half), late]


def _early_part(panel: Panel, curves: dict[str, MeanCurve], half: float) -> Part:
    smo = curves["smo"]
    end = float(smo.cost[int(np.searchsorted(smo.cost, half, side="right"))])  # half is not the last: the error drops
    medians: dict[str, dict[str, float]] = {}
    for name, curve in curves.items():
        low = max(float(curve.cost[0]), float(smo.cost[0]))
        if name != "smo" and low < end:
            medians[name] = {
                "smo": median_over_log_cost(smo, low, end),
                "other": median_over_log_cost(curve, low, end),
            }
    if not medians:
        return case(panel, "stopped_early", "not_applicable", note="no other method has begun before SMO drops")
    worst = all(pair["smo"] >= pair["other"] for pair in medians.values())
    others = ", ".join(f"{STYLES[name].name} {100 * pair['other']:.1f}" for name, pair in medians.items())
    typical = float(np.median([pair["smo"] for pair in medians.values()]))
    measured = f"stopped before that {100 * typical:.1f} % ({others})"
    return case(panel, "stopped_early", holds(worst), measured, {"until": end, "medians": medians})


def median_over_log_cost(curve: MeanCurve, low: float, high: float) -> float:
    """Median of a step function over the logarithm of the cost between two limits at which it is known.

    Parameters
    ----------
    curve : MeanCurve
    low, high : float
        0 < low < high; low at or after the curve's first cost.
    """
    edges = np.concatenate([[low], curve.cost[(curve.cost > low) & (curve.cost < high)], [high]])
    values = value_at(curve.cost, curve.mean, edges[:-1])
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(np.diff(np.log(edges))[order])
    return float(values[order[int(np.searchsorted(reached, 0.5 * reached[-1]))]])


def _power(value: float) -> str:
    return f"{value:.1e}".replace("e+0", "e")
