"""Claim 1 about Figure 2: the SBP's curve lies at or below those of Pegasos and SDCA."""

from __future__ import annotations

from experiments.papers.judging import Part, at_most, points, put_together
from experiments.papers.panels import MEASURE
from experiments.papers.sbp.fig2_cases import (
    COST,
    KEPT,
    Curves,
    case,
    method_name,
    one_run_only,
    paired_curves,
    unjudged,
)
from experiments.reproduction.evidence import Evidence, Panel
from experiments.reproduction.spec import ClaimSpec
from experiments.reproduction.statistics import AreaDifference, area_difference
from experiments.reproduction.verdict import Claim

RIVALS = ("pegasos", "sdca")
LATER = 100
"""In multiples of n evaluations: where the second of the two comparisons begins."""


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


def _area_part(panel: Panel, rival: str) -> Part:
    runs = paired_curves(panel, "sbp", rival)
    found = area_difference(*runs, cost=COST, measure=MEASURE) if runs else None
    if found is None:
        return unjudged(panel, rival, ("sbp", rival))
    ruling = at_most(found.interval, 0.0)
    statistic = found.as_dict()
    measured = f"SBP less {method_name(rival)} {points(found.interval)}"
    later = _later(panel, found, *runs) if runs else None
    if later is not None:
        statistic["later"] = later.as_dict()
        measured += f" (from {LATER} n evaluations on {points(later.interval)})"
    if rival.endswith(KEPT):
        return case(panel, rival, "not_applicable", measured, statistic | {"by_itself": ruling})
    return case(panel, rival, ruling, measured, statistic, one_run_only(found))


def _later(panel: Panel, whole: AreaDifference, first: Curves, second: Curves) -> AreaDifference | None:
    """Compare without the beginning: on a logarithmic axis the first few iterations weigh as much as an epoch."""
    low = LATER * (panel.n or 0)
    if not whole.low < low < whole.high:
        return None
    return area_difference(first, second, cost=COST, measure=MEASURE, low=low, high=whole.high)
