"""The claims about Figure 2, judged from curves of test error against kernel evaluations."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from experiments.curve import column, cost_to_reach, value_at
from experiments.papers.judging import Part, above, at_most, between, holds, points, put_together, scaled
from experiments.papers.panels import MEASURE, name_of
from experiments.plotting import STYLES, MeanCurve, mean_curves
from experiments.reproduction.evidence import Evidence, Panel
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

COST = "kernel_evaluations"
RIVALS = ("pegasos", "sdca")
KEPT = "_kept"
"""Series of the same rival, charged as if it kept all responses up to date."""
AVERAGED = "averaged"
"""Series of the Perceptron whose predictor is the mean of its iterates."""
METHODS = ("sbp", "pegasos", "sdca", "smo", "perceptron")
LATER = 100
"""In multiples of n evaluations: where the second of the two comparisons begins."""
OVERFITS = "adult"
"""Data set on which the Perceptron is said to overfit."""

NEAR_BEST = 0.001
"""SMO run long is as good as the best if its test error is at most this much higher."""
SIMILAR = 0.10
"""The Perceptron is about as good as the SBP if its mean error is at most this much higher, relative to the SBP's."""


def sbp_against_rivals(evidence: Evidence, spec: ClaimSpec) -> Claim:
    """Judge claim 1: the SBP's curve lies at or below those of Pegasos and SDCA."""
    kept = [rival + KEPT for rival in RIVALS]
    parts = [
        _area_part(panel, rival)
        for panel in evidence.panels
        for rival in (*RIVALS, *(name for name in kept if panel.runs.get(name)))
    ]
    rule = (
        "For each data set and rival: differences of the two methods' mean test errors over the logarithm of the "
        "kernel evaluations, from where both are known to where the first ends, paired by seed. Reproduced where the "
        "95 % interval of their mean (SBP less rival) ends at or below 0, not reproduced where it begins above 0, else "
        "partly. What counts is the convention that favours the rivals: one evaluation per support vector for each "
        "response. Measured beside it: the other convention, n for each change of alpha, and the same from "
        f"{LATER} n evaluations on, which leaves out the SBP's first {LATER} iterations."
    )
    return put_together(spec, rule, parts)


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


def perceptron_profile(evidence: Evidence, spec: ClaimSpec) -> Claim:
    """Judge claim 3: the Perceptron is near the SBP in its first epoch, worse after it, and overfits on Adult."""
    parts = [part for panel in evidence.panels for part in _perceptron_parts(panel, "perceptron")]
    for panel in evidence.panels:
        if panel.runs.get(AVERAGED):
            parts += [_beside(part) for part in _perceptron_parts(panel, AVERAGED)]
    rule = (
        "On each data set, with 95 % intervals over seeds: in the Perceptron's first epoch its mean test error over "
        f"the logarithm of the kernel evaluations is at most {100 * SIMILAR:.0f} % (relative) above the SBP's; at the "
        "end of both runs it is higher; on Adult its slope over the logarithm of the epochs after the first is "
        "positive. Reproduced where the whole interval says so, not reproduced where it says the opposite, else "
        "partly. What counts is the last iterate; the mean of all iterates, to which the paper's guarantee applies, is "
        "measured beside it."
    )
    return put_together(spec, rule, parts)


def _area_part(panel: Panel, rival: str) -> Part:
    runs = _pairs(panel, "sbp", rival)
    found = area_difference(*runs, cost=COST, measure=MEASURE) if runs else None
    if found is None:
        return _missing(panel, rival, ("sbp", rival))
    ruling = at_most(found.interval, 0.0)
    statistic = found.as_dict()
    measured = f"SBP less {_named(rival)} {points(found.interval)}"
    later = _later(panel, found, *runs) if runs else None
    if later is not None:
        statistic["later"] = later.as_dict()
        measured += f" (from {LATER} n evaluations on {points(later.interval)})"
    if rival.endswith(KEPT):
        return _part(panel, rival, "not_applicable", measured, statistic | {"by_itself": ruling})
    return _part(panel, rival, ruling, measured, statistic, _one_pair(found))


def _later(panel: Panel, whole: AreaDifference, first: Curves, second: Curves) -> AreaDifference | None:
    """Compare without the beginning: on a logarithmic axis the first few iterations weigh as much as an epoch."""
    low = LATER * (panel.n or 0)
    if not whole.low < low < whole.high:
        return None
    return area_difference(first, second, cost=COST, measure=MEASURE, low=low, high=whole.high)


def _smo_parts(panel: Panel) -> list[Part]:
    curves = mean_curves({name: panel.curves(name) for name in METHODS}, cost=COST, measure=MEASURE)
    if len(curves) < len(METHODS):
        return [_missing(panel, "profile", METHODS)]
    smo = curves["smo"]
    profile = critical_point(smo.cost, smo.mean)
    assert profile is not None  # a mean curve has a point
    best = min(METHODS, key=lambda name: float(curves[name].mean[-1]))
    excess = float(smo.mean[-1] - curves[best].mean[-1])
    late = _part(
        panel,
        "run_long",
        holds(excess <= NEAR_BEST),
        f"run long {100 * smo.mean[-1]:.2f} %, the best is {STYLES[best].name}'s {100 * curves[best].mean[-1]:.2f} %",
        {"final": {name: float(curve.mean[-1]) for name, curve in curves.items()}, "above_best": excess},
    )
    if profile.half is None:
        return [_part(panel, "steep", "not_reproduced", "SMO's error does not drop", profile.as_dict()), late]
    assert profile.before is not None
    assert profile.steepness is not None
    steep = _part(
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
        return _part(panel, "stopped_early", "not_applicable", note="no other method has begun before SMO drops")
    worst = all(pair["smo"] >= pair["other"] for pair in medians.values())
    others = ", ".join(f"{STYLES[name].name} {100 * pair['other']:.1f}" for name, pair in medians.items())
    typical = float(np.median([pair["smo"] for pair in medians.values()]))
    measured = f"stopped before that {100 * typical:.1f} % ({others})"
    return _part(panel, "stopped_early", holds(worst), measured, {"until": end, "medians": medians})


def _perceptron_parts(panel: Panel, series: str) -> list[Part]:
    runs = _pairs(panel, series, "sbp")
    if not runs:
        return [_missing(panel, "first_epoch", (series, "sbp"))]
    parts = [_first_epoch_part(panel, *runs), _end_part(panel, *runs)]
    if panel.asked == OVERFITS:
        parts.append(_overfitting_part(panel, series))
    return parts


def _beside(part: Part) -> Part:
    """Measured, but not counted: the same case of the averaged Perceptron."""
    measured = part.measured.replace("in the Perceptron's", "averaged, in the Perceptron's")
    statistic = {**part.statistic, "by_itself": part.ruling}
    place = (part.place[0], f"{AVERAGED}_{part.place[1]}")
    return replace(part, place=place, ruling="not_applicable", measured=measured, statistic=statistic, note="")


def _first_epoch_part(panel: Panel, perceptron: Curves, sbp: Curves) -> Part:
    ends = [cost_to_reach(column(run, COST), -column(run, "epochs"), -1.0) for run in perceptron]
    high = min((end for end in ends if end is not None), default=None)
    found = area_difference(perceptron, sbp, cost=COST, measure=MEASURE, high=high)
    if found is None or found.second <= 0:
        note = "the Perceptron's first epoch and the SBP's curve share no range of cost"
        return _part(panel, "first_epoch", "not_applicable", note=note)
    relative = scaled(found.interval, 1 / found.second)
    measured = (
        f"in the Perceptron's first epoch its error is {between(scaled(relative, 100), '+.1f', ' %')} off the SBP's"
    )
    statistic = {**found.as_dict(), "relative": relative.as_dict()}
    return _part(panel, "first_epoch", at_most(relative, SIMILAR), measured, statistic, _one_pair(found))


def _end_part(panel: Panel, perceptron: Curves, sbp: Curves) -> Part:
    finals = [np.array([_last(run) for run in runs]) for runs in (perceptron, sbp)]
    differences = finals[0] - finals[1]
    differences = differences[np.isfinite(differences)]
    if not len(differences):
        return _missing(panel, "end", ("perceptron", "sbp"))
    interval = bootstrap_mean(differences)
    statistic = {"differences": differences.tolist(), "interval": interval.as_dict()}
    return _part(panel, "end", above(interval, 0.0), f"at the end {points(interval)}", statistic)


def _overfitting_part(panel: Panel, series: str) -> Part:
    interval = overfitting_slope(panel.curves(series), measure=MEASURE)
    if interval is None:
        note = "the Perceptron has not gone beyond its first epoch"
        return _part(panel, "overfitting", "not_applicable", note=note)
    measured = f"with tenfold further epochs {points(interval)}"
    return _part(panel, "overfitting", above(interval, 0.0), measured, {"slope": interval.as_dict()})


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


def _part(
    panel: Panel,
    what: str,
    ruling: Ruling,
    measured: str = "",
    statistic: Mapping[str, Any] | None = None,
    note: str = "",
) -> Part:
    """One case on one data set; a stand-in is measured, but says nothing about the paper's data."""
    if panel.stand_in and ruling != "not_applicable":
        ruling, note = "not_applicable", ", ".join(filter(None, [note, "measured, not counted"]))
    return Part((panel.asked, what), name_of(panel), ruling, measured, statistic or {}, note)


def _missing(panel: Panel, what: str, names: Sequence[str]) -> Part:
    lacking = [_named(name) for name in names if not panel.runs.get(name)]
    why = f"no finished runs of {', '.join(lacking)}" if lacking else "the curves share no range of cost"
    return _part(panel, what, "not_applicable", note=why)


def _named(series: str) -> str:
    if series == AVERAGED:
        return "averaged Perceptron"
    kept = " with responses kept" if series.endswith(KEPT) else ""
    return STYLES[series.removesuffix(KEPT)].name + kept


def _pairs(panel: Panel, first: str, second: str) -> tuple[Curves, Curves] | None:
    """Curves of two series paired by seed; None where there is no pair."""
    sides = [dict(zip(panel.seeds(name), panel.curves(name), strict=True)) for name in (first, second)]
    pairs = paired(sides[0], sides[1]) if all(sides) else ((), ())
    return pairs if all(pairs) else None


def _one_pair(found: AreaDifference) -> str:
    return "one run only, so that an interval is a point" if len(found.differences) == 1 else ""


def _power(value: float) -> str:
    return f"{value:.1e}".replace("e+0", "e")


def _last(frame: pd.DataFrame) -> float:
    values = column(frame, MEASURE)
    known = values[np.isfinite(values)]
    return float(known[-1]) if len(known) else math.nan
