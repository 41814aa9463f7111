"""Claim 1: the lower bound never exceeds the optimum, and the objective never falls below it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from datasets import DataError
from experiments.curve import column
from experiments.papers.cases import counted, decided
from experiments.papers.judging import Part, holds
from experiments.papers.optimum import Optimum, optimum_of
from experiments.papers.panels import called
from experiments.papers.sgdr.box import PASSES, box
from experiments.plotting import STYLES
from experiments.reproduction.evidence import Evidence, Panel
from experiments.reproduction.spec import ClaimSpec
from experiments.reproduction.verdict import Claim

METHODS: Final = ("sgd_s", "sgd_m")
OTHER_OPTIMUM: Final = "optimum_ocas"
"""The optimum as another method finds it."""
ROUNDING: Final = 1e-9
"""Relative: sums of so many terms, taken in different orders, differ by this."""
AGREE: Final = 1e-6
"""Relative: two optima that differ by more, beyond what is certified of them, are not known."""
RULE: Final = (
    "For each data set and algorithm. The bounds: whether L <= J_opt <= J at all checkpoints of all runs, where J_opt "
    "is known as the interval that a run of dual coordinate descent has certified, with which another by cutting "
    f"planes must agree; {ROUNDING:.0e} (relative) is left to rounding. The box: whether at the end of each of the "
    f"first {PASSES} passes all dual variables lie in [0, C], and L is the dual objective there, summed up anew."
)


@dataclass(frozen=True)
class Bracket:
    """How the bounds of some runs lie about the optimum.

    Attributes
    ----------
    lower_bounds, objectives : int
        Checkpoints at which they are known.
    highest : float
        Largest L over the upper end of J_opt.
    lowest : float
        Least J over the lower end of J_opt.
    last : float
        Median over the runs of J / L - 1 at their ends; NaN where no lower bound is known.
    """

    lower_bounds: int
    objectives: int
    highest: float
    lowest: float
    last: float

    @property
    def holds(self) -> bool:
        """Whether all lie on their sides."""
        return self.highest <= 1 + ROUNDING and self.lowest >= 1 - ROUNDING


def bracket(frames: tuple[pd.DataFrame, ...], optimum: Optimum) -> Bracket | None:
    """Look at all checkpoints of some runs; None where there is no lower bound at any."""
    bounds, objectives = (_known(frames, name) for name in ("dual", "primal"))
    if not len(bounds) or not len(objectives):
        return None
    ends = [column(frame, "primal")[-1] / column(frame, "dual")[-1] - 1 for frame in frames if len(frame)]
    return Bracket(
        len(bounds),
        len(objectives),
        float(bounds.max() / optimum.upper),
        float(objectives.min() / optimum.lower),
        float(np.median(ends)),
    )


def judge(evidence: Evidence, spec: ClaimSpec) -> Claim:
    """Judge the claim; of each algorithm that has runs some passes are made again, to look at its dual variables."""
    answers = {
        name: [[counted(part(panel, name), evidence, panel) for panel in evidence.panels] for part in (_bounds, _box)]
        for name in METHODS
    }
    sentences = [sentence for name, (bounds, boxes) in answers.items() for sentence in _told(name, bounds, boxes)]
    return decided(spec, RULE, [parts for pair in answers.values() for parts in pair], " ".join(sentences))


def disagreement(panel: Panel) -> float | None:
    """Relative distance of the two optima beyond what is certified of them; None where one is missing."""
    first, second = optimum_of(panel), optimum_of(panel, OTHER_OPTIMUM)
    if first is None or second is None:
        return None
    return max(0.0, first.lower / second.upper - 1, second.lower / first.upper - 1)


def _known(frames: tuple[pd.DataFrame, ...], name: str) -> NDArray[np.float64]:
    values = np.concatenate([np.empty(0), *(column(frame, name) for frame in frames)])
    known: NDArray[np.float64] = values[np.isfinite(values)]
    return known


def _bounds(panel: Panel, series: str) -> Part:
    place, about = (panel.asked, f"{series} bounds"), called(panel)
    optimum, apart = optimum_of(panel), disagreement(panel)
    found = None if optimum is None else bracket(panel.curves(series), optimum)
    if optimum is None or found is None:
        lacking = "the optimum" if optimum is None else STYLES[series].name
        return Part(place, about, "not_applicable", note=f"no finished runs of {lacking}")
    statistic = {
        "lower_bounds": found.lower_bounds,
        "objectives": found.objectives,
        "highest_lower_bound": found.highest,
        "lowest_objective": found.lowest,
        "optimum": [optimum.lower, optimum.upper],
        "optima_differ_by": apart,
    }
    if apart is not None and apart > AGREE:
        note = f"two methods' optima differ by {apart:.1e} (relative)"
        return Part(place, about, "not_applicable", "", statistic, note)
    return Part(place, about, holds(found.holds), "", statistic)


def _box(panel: Panel, series: str) -> Part:
    place, about, name = (panel.asked, f"{series} box"), called(panel), STYLES[series].name
    if not panel.runs.get(series):
        return Part(place, about, "not_applicable", note=f"no finished runs of {name}")
    try:
        found = box(panel.settings[series])
    except DataError as error:
        return Part(place, about, "not_applicable", note=f"{name}'s dual variables: {str(error).partition(': ')[0]}")
    return Part(place, about, holds(found.holds), "", asdict(found))


def _told(series: str, bounds: Sequence[Part], boxes: Sequence[Part]) -> Iterator[str]:
    """Say of an algorithm where it comes nearest to what it must not pass."""
    name = STYLES[series].name
    if measured := [part for part in bounds if part.statistic]:
        high = max(measured, key=lambda part: float(part.statistic["highest_lower_bound"]))
        low = min(measured, key=lambda part: float(part.statistic["lowest_objective"]))
        counts = (sum(part.statistic[side] for part in measured) for side in ("lower_bounds", "objectives"))
        yield (
            f"{name}: L at most {_signed(high.statistic['highest_lower_bound'])} from J_opt ({high.about}) "
            f"and J at least {_signed(low.statistic['lowest_objective'])} ({low.about}), at "
            f"{' and '.join(f'{count:,}' for count in counts)} checkpoints."
        )
    if measured := [part for part in boxes if part.statistic]:
        largest, apart = (max(part.statistic[what] for part in measured) for what in ("largest", "apart"))
        yield (
            f"{name}'s dual variables: at most {largest:.9g} C at the end of "
            f"{sum(part.statistic['passes'] for part in measured)} passes, L the dual objective there to {apart:.0e}."
        )


def _signed(ratio: float) -> str:
    return f"{100 * (ratio - 1):+.2g} %"
