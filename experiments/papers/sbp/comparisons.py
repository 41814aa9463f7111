"""Curves of the SBP paper's methods: how they are charged, and how they are paired."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import pandas as pd

from svm_cost_curves.experiments.curve import column, cost_to_reach, value_at
from svm_cost_curves.experiments.papers.cases import MISSING, Case, case_on
from svm_cost_curves.experiments.papers.panels import MEASURE
from svm_cost_curves.experiments.plotting import STYLES
from svm_cost_curves.experiments.reproduction.evidence import Panel
from svm_cost_curves.experiments.reproduction.statistics import paired

Curves: TypeAlias = tuple[pd.DataFrame, ...]
"""Curves of one series' runs."""

COST: Final = "kernel_evaluations"
METHODS: Final = ("sbp", "pegasos", "sdca", "smo", "perceptron")
"""Series of the paper's methods."""
RIVALS: Final = ("pegasos", "sdca")
"""Methods that do not have to store all responses."""
KEPT: Final = "_kept"
"""Suffix of a rival's series that is charged for updating all responses."""
AVERAGED: Final = "averaged"
"""Series of the Perceptron whose predictor is the mean of its iterates."""


@dataclass(frozen=True)
class Charge:
    """A way to charge methods that do not have to store all responses.

    Attributes
    ----------
    cost : str
        Column of the curve.
    suffix : str
        Suffix of the rivals' series.
    words : str
    """

    cost: str
    suffix: str
    words: str

    def evaluations(self, times_n: float, n: int) -> float:
        """Return ``times_n`` times n kernel evaluations in the unit of the cost: n of them, or iterations."""
        return times_n if self.cost == "iterations" else times_n * n


CHARGES: Final[Mapping[str, Charge]] = {
    "iteration": Charge("iterations", "", "n evaluations for each iteration"),
    "support_vector": Charge(COST, "", "one evaluation per support vector for each response"),
    "change": Charge(COST, KEPT, "n evaluations for each change of a coefficient"),
}
"""Values of the option ``charge`` of a reading."""


def method_name(series: str) -> str:
    """Name of a series in sentences."""
    if series == AVERAGED:
        return "averaged Perceptron"
    kept = ", responses kept" if series.endswith(KEPT) else ""
    own = series.removesuffix(KEPT)
    return (STYLES[own].name if own in STYLES else own) + kept


def paired_curves(panel: Panel, first: str, second: str) -> tuple[Curves, Curves] | None:
    """Return the curves of two series paired by seed; None without a pair."""
    sides = [dict(zip(panel.seeds(name), panel.curves(name), strict=True)) for name in (first, second)]
    pairs = paired(sides[0], sides[1]) if all(sides) else ((), ())
    return pairs if all(pairs) else None


def missing_case(
    panel: Panel, what: str, names: Sequence[str], otherwise: str = "the curves share no range of cost"
) -> Case:
    """Return a case that was not run, with the series that lack runs; `otherwise` if none does."""
    lacking = [method_name(name) for name in names if not panel.runs.get(name)]
    why = f"no finished runs of {', '.join(lacking)}" if lacking else otherwise
    return case_on(panel, what, MISSING, note=why)


def epoch_cost(frame: pd.DataFrame, cost: str = COST) -> float | None:
    """Return the cost of the first evaluation at the end of a run's first epoch or later; None if it ends before."""
    return cost_to_reach(column(frame, cost), -column(frame, "epochs"), -1.0)


def measure_at(frame: pd.DataFrame, cost: float, *, column_of_cost: str = COST, measure: str = MEASURE) -> float:
    """Return a measure at a cost: the last value known at or before it, or NaN."""
    return float(value_at(column(frame, column_of_cost), column(frame, measure), [cost])[0])


def last(frame: pd.DataFrame, measure: str = MEASURE) -> float:
    """Return the last known value of a measure; NaN without one."""
    values = column(frame, measure)
    known = values[np.isfinite(values)]
    return float(known[-1]) if len(known) else math.nan
