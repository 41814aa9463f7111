"""Figure 2: primal and dual suboptimality and test error along runs with small and with large mini-batches."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

import pandas as pd

from experiments.papers.judging import judged
from experiments.papers.minibatch import deterioration_claim, fig2_picture
from experiments.papers.minibatch.ways import MEASURES, Way, ways
from experiments.reproduction.evidence import Evidence
from experiments.reproduction.made import Made

COLUMNS: Final = ("panel", "dataset", "series", "b", "measure", "iterations", "median", "low", "high", "runs")


def make(evidence: Evidence) -> Made:
    """Draw the figure and judge its claim."""
    found = ways(evidence)
    shown = [way for way in found if way.bands]
    return Made(
        _points(shown),
        partial(fig2_picture.draw, shown=shown),
        fig2_picture.size(shown),
        claims=judged(evidence, {"minibatch.fig2": partial(deterioration_claim.judge, found=found)}),
    )


def _points(shown: Sequence[Way]) -> pd.DataFrame:
    tables = [
        pd.DataFrame(
            {
                "panel": way.panel.asked,
                "dataset": way.panel.dataset,
                "series": method,
                "b": way.b,
                "measure": measure,
                "iterations": band.cost,
                "median": band.median,
                "low": band.low,
                "high": band.high,
                "runs": band.runs,
            }
        )
        for way in shown
        for method, measures in way.bands.items()
        for measure in MEASURES
        if (band := measures.get(measure)) is not None
    ]
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=list(COLUMNS))
