"""Whether measured growth is ordered as the bounds of Table 1 are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from experiments.papers.judging import Part, between, put_together
from experiments.papers.panels import name_of
from experiments.papers.sbp.growth import (
    BOUNDS,
    COST,
    DELTAS,
    KEPT,
    Growth,
    Used,
    difference,
    exponent,
    grow,
    never_dearer,
)
from experiments.plotting import STYLES
from experiments.reproduction.evidence import Panel
from experiments.reproduction.spec import ClaimSpec
from experiments.reproduction.statistics import Interval
from experiments.reproduction.statistics.steps import known_points
from experiments.reproduction.verdict import Claim, Ruling

FAST, SLOW, DUAL = "sbp", "pegasos", "smo"
"""The series that stand for the rows of Table 1: SBP, SGD, dual decomposition."""
RULE = (
    "An error counts as reached where the mean over the runs goes to it and stays. For each data set, and for Pegasos "
    "charged in either way, two things are asked: whether the SBP takes fewer evaluations at every error that both "
    "reach, and whether its exponent, fitted over the same δ, is not larger: the 95 % bootstrap interval of the "
    "difference does not lie above 0. Reproduced: both; partly: one of them. SMO's exponent decides nothing: the bound "
    "is proved for another choice of the working set (Hush et al. 2006), and what SMO takes is what it takes to its "
    "critical point, whatever error is wanted."
)


@dataclass(frozen=True)
class PanelGrowth:
    """What the methods' runs on one data set say.

    Attributes
    ----------
    panel : Panel
    best, best_by : float, str
        E*, the lowest final test error (mean over runs) of any method, and whose it is.
    trivial : float
        Test error of one answer for every example.
    hinge : float or None
        L: mean hinge loss on the training set of SMO's last predictor, the optimum of the lambda form.
    growths : dict of str to Growth
        By series, those with runs.
    """

    panel: Panel
    best: float
    best_by: str
    trivial: float
    hinge: float | None
    growths: dict[str, Growth] = field(default_factory=dict)

    def bounds(self, series: str, *, per_example: bool = False) -> list[float] | None:
        """Return a series' bound at each delta, whole or over n; None where there is no bound or no L."""
        bound = BOUNDS.get(series.removesuffix(KEPT))
        if bound is None or self.hinge is None:
            return None
        value = bound.per_example if per_example else bound.at
        values: list[float] = value(self.hinge, np.array(DELTAS) * self.best).tolist()
        return values

    def bound_exponent(self, series: str, used: Used, *, per_example: bool = False) -> float | None:
        """Return the growth of a series' bound over some deltas; None as in `bounds`, or with too few deltas."""
        bounds = self.bounds(series, per_example=per_example)
        return None if bounds is None else exponent(np.array(DELTAS)[used], np.array(bounds)[used])


def measure(panel: Panel) -> PanelGrowth | None:
    """Growth of every series on one data set; None where there is no run, or no error above 0 to take shares of."""
    finals = {name: _final_error(panel.curves(name)) for name in panel.runs}
    known = {name: error for name, error in finals.items() if error is not None}
    if not known or min(known.values()) == 0.0:
        return None
    best_by = min(known, key=lambda name: known[name])
    best, trivial = known[best_by], panel.trivial_error
    assert trivial is not None  # there is a run
    targets = [(1 + delta) * best for delta in DELTAS]
    fair = np.array([target < trivial for target in targets])
    growths = {name: growth for name in known if (growth := grow(panel.curves(name), targets, fair)) is not None}
    return PanelGrowth(panel, best, best_by, trivial, _hinge(panel), growths)


def judge(spec: ClaimSpec, panels: Sequence[PanelGrowth]) -> Claim:
    """Judge the claim on all data sets."""
    parts: list[Part] = []
    for measured in panels:
        kept = [SLOW + KEPT] if SLOW + KEPT in measured.growths else []
        parts += [_compare(measured, rival) for rival in (SLOW, *kept)]
        parts += [_beside(measured, name) for name in (FAST, DUAL) if name in measured.growths]
    return put_together(spec, RULE, parts)


def series_name(series: str) -> str:
    """Name of a method, with how it is charged where that is not the usual way."""
    own = series.removesuffix(KEPT)
    name = STYLES[own].name if own in STYLES else own
    return f"{name}, responses kept" if series.endswith(KEPT) else name


def _compare(measured: PanelGrowth, rival: str) -> Part:
    place, about = (measured.panel.asked, rival), name_of(measured.panel)
    first, second = measured.growths.get(FAST), measured.growths.get(rival)
    if first is None or second is None:
        return Part(place, about, "not_applicable", note=f"no run of {series_name(FAST if first is None else rival)}")
    both = first.used & second.used
    gap = difference(first, second, both)
    if gap is None:
        return Part(place, about, "not_applicable", note=f"SBP and {series_name(rival)} reach too few errors both")
    deltas = np.array(DELTAS)[both]
    exponents = [exponent(deltas, growth.costs[both]) for growth in (first, second)]
    bounds = [measured.bound_exponent(name, both) for name in (FAST, rival)]
    expected = None if bounds[0] is None or bounds[1] is None else bounds[0] - bounds[1]
    ratio = float(first.costs[both][-1] / second.costs[both][-1])
    when_first_met = difference(first, second, both, Growth.first_of)
    cheaper = never_dearer(first, second)[first.fair & np.isfinite(first.costs) & np.isfinite(second.costs)]
    statistic = {
        "exponents": exponents,
        "difference": gap.as_dict(),
        "difference_of_bounds": expected,
        "difference_when_first_met": when_first_met.as_dict() if when_first_met else None,
        "deltas_compared": deltas.tolist(),
        "sbp_over_rival_at_smallest_delta": ratio,
        "errors_that_both_reach": len(cheaper),
        "of_these_sbp_is_cheaper_at": int(cheaper.sum()),
        "best_error": measured.best,
        "best_by": measured.best_by,
        "hinge": measured.hinge,
    }
    sentence = (
        f"against {series_name(rival)} fewer evaluations at {cheaper.sum()} of {len(cheaper)} errors, exponent "
        f"{exponents[0]:.2f} to {exponents[1]:.2f}, difference {between(gap, '.2f')}"
        + (f" where the bounds have {expected:.2f}" if expected is not None else "")
    )
    notes = ["one run each, so that the interval is a point"] if first.runs == second.runs == 1 else []
    ruling = _ruling(gap, cheaper)
    if measured.panel.stand_in:
        ruling, notes = "not_applicable", [*notes, "measured, not counted"]
    return Part(place, about, ruling, sentence, statistic, ", ".join(notes))


def _ruling(gap: Interval, cheaper: Used) -> Ruling:
    if gap.low <= 0:
        return "reproduced" if cheaper.all() else "partly"
    return "partly" if cheaper.all() else "not_reproduced"


def _beside(measured: PanelGrowth, series: str) -> Part:
    """Growth of a method beside that of its own bound, which is measured and not judged."""
    growth, name = measured.growths[series], series_name(series)
    place, about = (measured.panel.asked, series), name_of(measured.panel)
    if growth.interval is None:
        return Part(place, about, "not_applicable")
    bound = measured.bound_exponent(series, growth.used, per_example=True)
    statistic = {"exponent": growth.interval.as_dict(), "bound_at_fixed_n": bound}
    text = f"exponent of {name} by itself {between(growth.interval, '.2f')}"
    text += "" if bound is None else f" where its bound at fixed n has {bound:.2f}"
    return Part(place, about, "not_applicable", text, statistic)


def _final_error(frames: Sequence[pd.DataFrame]) -> float | None:
    ends = [errors[-1] for frame in frames if len(errors := known_points(frame, COST, "test_error")[1])]
    return float(np.mean(ends)) if ends else None


def _hinge(panel: Panel) -> float | None:
    values = [run.result["final"].get("hinge") for run in panel.runs.get(DUAL, ())]
    return next((float(value) for value in values if value is not None), None)
