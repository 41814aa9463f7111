"""Whether measured growth is ordered as the bounds of Table 1 are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from experiments.papers.panels import name_of
from experiments.papers.sbp.growth import (
    BOUNDS,
    COST,
    DELTAS,
    LEAST_POINTS,
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
from experiments.reproduction.verdict import Claim, Ruling, claim, combined, undecided

FAST, SLOW = "sbp", "pegasos"
"""The series that are compared: the first and the last row of Table 1."""
RULE = (
    "An error counts as reached where the mean over the runs goes to it and stays. For each data set the exponents of "
    "the SBP and of Pegasos are fitted over the same δ, those that both reach. Reproduced: the 95 % bootstrap interval "
    "of their difference lies at or below 0; not reproduced: above 0. Around 0 evaluations decide: reproduced if the "
    "SBP takes fewer at every error that both reach, not reproduced if at none, else partly; for where ε is small "
    "against L all three bounds grow as 1/ε^4, and what is left is that the SBP's is (L + ε)^2 times that of SGD. "
    "SMO's exponent decides nothing: the bound is proved for another choice of the working set (Hush et al. 2006), and "
    "what SMO takes is what it takes to its critical point, whatever error is wanted."
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

    def bounds(self, series: str) -> list[float] | None:
        """Return a series' bound at each delta, without |u|^4 and constants; None where there is no bound or no L."""
        if series not in BOUNDS or self.hinge is None:
            return None
        values: list[float] = BOUNDS[series].at(self.hinge, np.array(DELTAS) * self.best).tolist()
        return values

    def bound_exponent(self, series: str, used: Used) -> float | None:
        """Return the growth of a series' bound over some deltas; None as in `bounds`, or with too few deltas."""
        bounds = self.bounds(series)
        return None if bounds is None else exponent(np.array(DELTAS)[used], np.array(bounds)[used])


def measure(panel: Panel) -> PanelGrowth | None:
    """Growth of every series on one data set; None where there is no run, or no error above 0 to take shares of."""
    finals = {name: _final_error(panel.curves(name)) for name in panel.runs}
    known = {name: error for name, error in finals.items() if error is not None}
    if not known or min(known.values()) == 0.0:
        return None
    best_by = min(known, key=lambda name: known[name])
    best, trivial = known[best_by], _trivial_error(panel)
    targets = [(1 + delta) * best for delta in DELTAS]
    fair = np.array([target < trivial for target in targets])
    growths = {name: growth for name in known if (growth := grow(panel.curves(name), targets, fair)) is not None}
    return PanelGrowth(panel, best, best_by, trivial, _hinge(panel), growths)


def judge(spec: ClaimSpec, panels: Sequence[PanelGrowth]) -> Claim:
    """Judge the claim on all data sets."""
    rulings: list[Ruling] = []
    sentences: list[str] = []
    statistic: dict[str, Any] = {}
    for measured in panels:
        ruling, sentence, numbers = _compare(measured)
        rulings.append(ruling)
        sentences.append(f"{name_of(measured.panel)}: {sentence}")
        statistic[measured.panel.dataset] = {"verdict": ruling} | numbers
    verdict = combined(rulings)
    if verdict == "not_applicable":
        why = f"on no data set do both SBP and Pegasos reach {LEAST_POINTS} of the errors"
        return undecided(spec, why if panels else "there are no runs")
    single = [name_of(measured.panel) for measured in panels if _single(measured)]
    why = f"{RULE} One run each, so that the interval is a point: {', '.join(single)}." if single else RULE
    return claim(spec, verdict, " ".join(sentences), statistic, why)


def _single(measured: PanelGrowth) -> bool:
    return all(measured.growths[name].runs == 1 for name in (FAST, SLOW) if name in measured.growths)


def interval_text(value: Interval) -> str:
    """Estimate and interval of an exponent."""
    return f"{value.estimate:.2f} [{value.low:.2f}, {value.high:.2f}]"


def _compare(measured: PanelGrowth) -> tuple[Ruling, str, dict[str, Any]]:
    numbers = _numbers(measured)
    first, second = (measured.growths.get(name) for name in (FAST, SLOW))
    if first is None or second is None:
        return "not_applicable", f"no run of {STYLES[FAST if first is None else SLOW].name}.", numbers
    both = first.used & second.used
    gap = difference(first, second, both)
    if gap is None:
        return "not_applicable", "the SBP and Pegasos reach too few errors both.", numbers
    deltas = np.array(DELTAS)[both]
    exponents = [exponent(deltas, growth.costs[both]) for growth in (first, second)]
    bounds = [measured.bound_exponent(name, both) for name in (FAST, SLOW)]
    expected = None if bounds[0] is None or bounds[1] is None else bounds[0] - bounds[1]
    ratio = float(first.costs[both][-1] / second.costs[both][-1])
    when_first_met = difference(first, second, both, Growth.first_of)
    cheaper = never_dearer(first, second)[first.fair & np.isfinite(first.costs) & np.isfinite(second.costs)]
    numbers |= {
        "difference": gap.as_dict(),
        "difference_of_bounds": expected,
        "difference_when_first_met": when_first_met.as_dict() if when_first_met else None,
        "deltas_compared": deltas.tolist(),
        "sbp_over_pegasos_at_smallest_delta": ratio,
        "errors_that_both_reach": len(cheaper),
        "of_these_sbp_is_cheaper_at": int(cheaper.sum()),
    }
    sentence = (
        f"exponent {exponents[0]:.2f} (SBP) against {exponents[1]:.2f} (Pegasos), difference {interval_text(gap)}"
        + (f", of the bounds {expected:.2f}" if expected is not None else "")
        + f"; at δ = {deltas[-1]:g} the SBP takes {ratio:.2g} times Pegasos's evaluations, and fewer at "
        f"{cheaper.sum()} of the {len(cheaper)} errors that both reach."
    )
    return _ruling(gap, cheaper), sentence, numbers


def _ruling(gap: Interval, cheaper: Used) -> Ruling:
    if gap.high <= 0:
        return "reproduced"
    if gap.low > 0 or not cheaper.any():
        return "not_reproduced"
    return "reproduced" if cheaper.all() else "partly"


def _numbers(measured: PanelGrowth) -> dict[str, Any]:
    exponents = {
        name: {
            "measured": growth.interval.as_dict() if growth.interval else None,
            "bound": measured.bound_exponent(name, growth.used),
            "deltas": [delta for delta, used in zip(DELTAS, growth.used, strict=True) if used],
            "runs": growth.runs,
        }
        for name, growth in measured.growths.items()
    }
    best = {"best_error": measured.best, "best_by": measured.best_by, "hinge": measured.hinge}
    return best | {"exponents": exponents}


def _final_error(frames: Sequence[pd.DataFrame]) -> float | None:
    ends = [errors[-1] for frame in frames if len(errors := known_points(frame, COST, "test_error")[1])]
    return float(np.mean(ends)) if ends else None


def _trivial_error(panel: Panel) -> float:
    run = next(run for runs in panel.runs.values() for run in runs)
    counts = run.result["provenance"]["data"]["counts"]["test"]
    share = counts["positives"] / counts["n"]
    return float(min(share, 1 - share))


def _hinge(panel: Panel) -> float | None:
    values = [run.result["final"].get("hinge") for run in panel.runs.get("smo", ())]
    return next((float(value) for value in values if value is not None), None)
