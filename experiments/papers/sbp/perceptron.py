"""Claims of Figure 2 about the Perceptron: its first epoch, and what further passes do to it and to the SBP."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from svm_cost_curves.experiments.papers.cases import (
    MISSING,
    Case,
    Choice,
    Decision,
    Findings,
    above,
    at_most,
    case_on,
    interval_text,
    points_text,
    within,
)
from svm_cost_curves.experiments.papers.panels import MEASURE
from svm_cost_curves.experiments.papers.sbp.comparisons import (
    COST,
    Curves,
    epoch_cost,
    last,
    measure_at,
    method_name,
    missing_case,
    paired_curves,
)
from svm_cost_curves.experiments.reproduction.evidence import Evidence, Panel
from svm_cost_curves.experiments.reproduction.statistics import (
    Interval,
    area_difference,
    bootstrap_mean,
    overfitting_slope,
    relative_difference,
)


@dataclass(frozen=True)
class Differences:
    """Differences of two errors for each pair of runs, and their mean.

    Attributes
    ----------
    pairs : (pairs, 2) float64
        The errors.
    interval : Interval
    """

    pairs: NDArray[np.float64]
    interval: Interval

    @property
    def values(self) -> list[float]:
        """The differences, for each pair."""
        values: list[float] = (self.pairs[:, 0] - self.pairs[:, 1]).tolist()
        return values

    @property
    def second(self) -> float:
        """Mean of the errors that were subtracted."""
        return float(self.pairs[:, 1].mean())

    @property
    def relative(self) -> Interval | None:
        """Difference of the mean errors over the second one; None if that is 0."""
        first, second = self.pairs.T
        return relative_difference(
            lambda runs: float(first[list(runs)].mean()), lambda runs: float(second[list(runs)].mean()), (len(first),)
        )

    def as_dict(self) -> dict[str, object]:
        """JSON-able form."""
        return {"differences": self.values, "interval": self.interval.as_dict()}


def differences(first: Sequence[float], second: Sequence[float]) -> Differences | None:
    """Subtract errors pair by pair; a single one is paired with all others. None without a pair that is known."""
    pairs = np.column_stack(np.broadcast_arrays(first, second)) if first and second else np.empty((0, 2))
    pairs = pairs[np.isfinite(pairs).all(axis=1)]
    return Differences(pairs, bootstrap_mean(pairs[:, 0] - pairs[:, 1])) if len(pairs) else None


def at_first_epoch(of: Curves, at: Curves, cost: str = COST) -> list[float]:
    """Return the error of each curve where its partner ends its first epoch; NaN if that is not reached."""
    ends = [epoch_cost(frame, cost) for frame in at]
    count = max(len(of), len(at))
    pairs = [(of[k % len(of)], ends[k % len(at)]) for k in range(count)]
    return [np.nan if end is None else measure_at(frame, end, column_of_cost=cost) for frame, end in pairs]


def first_epoch(evidence: Evidence, choice: Choice) -> Findings:
    """Judge sbp.3: in its first epoch the Perceptron's error is similar to the SBP's."""
    series = choice.option("series")
    at_end = choice.option("where") == "end"
    return Findings([_first_epoch_case(panel, series, at_end, choice["similar"]) for panel in evidence.panels])


def _first_epoch_case(panel: Panel, series: str, at_end: bool, similar: float) -> Case:
    runs = paired_curves(panel, series, "sbp")
    if not runs:
        return missing_case(panel, "first_epoch", (series, "sbp"))
    found: Differences | None
    if at_end:
        found = differences(*(at_first_epoch(side, runs[0]) for side in runs))
    else:
        ends = [end for frame in runs[0] if (end := epoch_cost(frame)) is not None]
        area = area_difference(*runs, cost=COST, measure=MEASURE, high=min(ends, default=None))
        found = None if area is None else Differences(area.areas, area.interval)
    relative = None if found is None else found.relative
    if found is None or relative is None:
        note = "the Perceptron's first epoch and the SBP's curve share no range of cost"
        return case_on(panel, "first_epoch", MISSING, note=note)
    measured = f"{method_name(series)} less SBP {interval_text(relative.scaled(100), '+.1f', ' %')} of the SBP's error"
    statistic = found.as_dict() | {"relative": relative.as_dict()}
    return case_on(panel, "first_epoch", within(relative, -similar, similar), measured, statistic)


def sbp_improves(evidence: Evidence, choice: Choice) -> Findings:
    """Judge sbp.improves: after the first epoch the SBP's error falls further."""
    return Findings([_improvement_case(panel, choice.option("than")) for panel in evidence.panels])


def _improvement_case(panel: Panel, than: str) -> Case:
    rival = "sbp" if than == "own_epoch" else "perceptron" if than == "perceptron_epoch" else than
    runs = paired_curves(panel, "sbp", rival)
    if not runs:
        return missing_case(panel, "end", ("sbp", rival))
    final = [last(frame) for frame in runs[0]]
    own = than in ("own_epoch", "perceptron_epoch")
    found = differences(final, at_first_epoch(runs[0], runs[1]) if own else [last(frame) for frame in runs[1]])
    if found is None:
        return case_on(panel, "end", MISSING, note="the SBP has no evaluation at the end of the first epoch")
    what = "SBP's end less its error after the first epoch" if own else f"SBP's end less the {method_name(rival)}'s"
    return case_on(panel, "end", _negative(found.interval), f"{what} {points_text(found.interval)}", found.as_dict())


def _negative(interval: Interval) -> Decision:
    """Decide whether a difference is below 0."""
    return above(Interval(-interval.estimate, -interval.high, -interval.low, interval.runs), 0.0)


def overfitting(evidence: Evidence, choice: Choice) -> Findings:
    """Judge sbp.overfits: after its first epoch the Perceptron's error rises."""
    series, way = choice.option("series"), choice.option("statistic")
    return Findings([_overfitting_case(panel, series, way == "slope") for panel in evidence.panels])


def _overfitting_case(panel: Panel, series: str, slope: bool) -> Case:
    curves = panel.curves(series)
    if not curves:
        return missing_case(panel, "overfitting", [series])
    ends = differences([last(frame) for frame in curves], at_first_epoch(curves, curves))
    rise = overfitting_slope(curves, measure=MEASURE) if slope else ends.interval if ends else None
    if rise is None:
        return case_on(panel, "overfitting", MISSING, note="the Perceptron has not gone beyond its first epoch")
    what = "for tenfold further epochs" if slope else "from the first epoch to the end"
    measured = f"{method_name(series)} {what} {points_text(rise)}"
    return case_on(panel, "overfitting", above(rise, 0.0), measured, {"rise": rise.as_dict()})


def optimum_is_better(evidence: Evidence, choice: Choice) -> Findings:
    """Judge sbp.optimum: the optimum of the SVM problem errs less than the Perceptron after a single pass."""
    return Findings([_optimum_case(panel, choice.option("series")) for panel in evidence.panels])


def _optimum_case(panel: Panel, series: str) -> Case:
    smo, passes = panel.curves("smo"), panel.curves(series)
    found = differences([last(frame) for frame in smo], at_first_epoch(passes, passes)) if smo and passes else None
    if found is None:
        return missing_case(panel, "optimum", ("smo", series))
    measured = f"SMO's end less the {method_name(series)}'s first epoch {points_text(found.interval)}"
    return case_on(panel, "optimum", at_most(found.interval, 0.0), measured, found.as_dict())
