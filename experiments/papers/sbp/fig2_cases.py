"""What the claims about Figure 2 share: its series, and how one case on one data set is written down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import pandas as pd

from experiments.papers.judging import Part
from experiments.papers.panels import name_of
from experiments.plotting import STYLES
from experiments.reproduction.evidence import Panel
from experiments.reproduction.statistics import AreaDifference, paired
from experiments.reproduction.verdict import Ruling

Curves: TypeAlias = tuple[pd.DataFrame, ...]
"""Those of one series' runs."""

COST = "kernel_evaluations"
METHODS = ("sbp", "pegasos", "sdca", "smo", "perceptron")
"""The paper's, each a series."""
KEPT = "_kept"
"""Series of the same rival, charged as if it kept all responses up to date."""
AVERAGED = "averaged"
"""Series of the Perceptron whose predictor is the mean of its iterates."""


def case(
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


def unjudged(panel: Panel, what: str, names: Sequence[str]) -> Part:
    """One case that cannot be judged, and which of the series that it needs lack runs."""
    lacking = [method_name(name) for name in names if not panel.runs.get(name)]
    why = f"no finished runs of {', '.join(lacking)}" if lacking else "the curves share no range of cost"
    return case(panel, what, "not_applicable", note=why)


def method_name(series: str) -> str:
    """Name of a series in sentences."""
    if series == AVERAGED:
        return "averaged Perceptron"
    kept = " with responses kept" if series.endswith(KEPT) else ""
    return STYLES[series.removesuffix(KEPT)].name + kept


def paired_curves(panel: Panel, first: str, second: str) -> tuple[Curves, Curves] | None:
    """Curves of two series paired by seed; None where there is no pair."""
    sides = [dict(zip(panel.seeds(name), panel.curves(name), strict=True)) for name in (first, second)]
    pairs = paired(sides[0], sides[1]) if all(sides) else ((), ())
    return pairs if all(pairs) else None


def one_run_only(found: AreaDifference) -> str:
    """Note on a difference of a single pair of runs; empty for more."""
    return "one run only, so that an interval is a point" if len(found.differences) == 1 else ""
