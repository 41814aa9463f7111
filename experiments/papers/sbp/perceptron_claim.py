"""Claim 3 about Figure 2: the Perceptron is near the SBP in its first epoch, worse after it, and overfits on Adult."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd

from experiments.curve import column, cost_to_reach
from experiments.papers.judging import Part, above, at_most, between, points, put_together, scaled
from experiments.papers.panels import MEASURE
from experiments.papers.sbp.fig2_cases import AVERAGED, COST, Curves, case, one_run_only, paired_curves, unjudged
from experiments.reproduction.evidence import Evidence, Panel
from experiments.reproduction.spec import ClaimSpec
from experiments.reproduction.statistics import area_difference, bootstrap_mean, overfitting_slope
from experiments.reproduction.verdict import Claim

OVERFITS = "adult"
"""Data set on which the Perceptron is said to overfit."""
SIMILAR = 0.10
"""The Perceptron is about as good as the SBP if its mean error is at most this much higher, relative to the SBP's."""


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


def _perceptron_parts(panel: Panel, series: str) -> list[Part]:
    runs = paired_curves(panel, series, "sbp")
    if not runs:
        return [unjudged(panel, "first_epoch", (series, "sbp"))]
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
        return case(panel, "first_epoch", "not_applicable", note=note)
    relative = scaled(found.interval, 1 / found.second)
    measured = (
        f"in the Perceptron's first epoch its error is {between(scaled(relative, 100), '+.1f', ' %')} off the SBP's"
    )
    statistic = {**found.as_dict(), "relative": relative.as_dict()}
    return case(panel, "first_epoch", at_most(relative, SIMILAR), measured, statistic, one_run_only(found))


def _end_part(panel: Panel, perceptron: Curves, sbp: Curves) -> Part:
    finals = [np.array([_last(run) for run in runs]) for runs in (perceptron, sbp)]
    differences = finals[0] - finals[1]
    differences = differences[np.isfinite(differences)]
    if not len(differences):
        return unjudged(panel, "end", ("perceptron", "sbp"))
    interval = bootstrap_mean(differences)
    statistic = {"differences": differences.tolist(), "interval": interval.as_dict()}
    return case(panel, "end", above(interval, 0.0), f"at the end {points(interval)}", statistic)


def _overfitting_part(panel: Panel, series: str) -> Part:
    interval = overfitting_slope(panel.curves(series), measure=MEASURE)
    if interval is None:
        note = "the Perceptron has not gone beyond its first epoch"
        return case(panel, "overfitting", "not_applicable", note=note)
    measured = f"with tenfold further epochs {points(interval)}"
    return case(panel, "overfitting", above(interval, 0.0), measured, {"slope": interval.as_dict()})


def _last(frame: pd.DataFrame) -> float:
    values = column(frame, MEASURE)
    known = values[np.isfinite(values)]
    return float(known[-1]) if len(known) else math.nan
