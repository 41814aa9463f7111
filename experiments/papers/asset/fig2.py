"""Figure 2: progress on a stream, test error against examples and against CPU time."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

import pandas as pd

from experiments.papers.asset import fig2_picture, stream_claim
from experiments.papers.asset.streams import COSTS, EXACT, Streams, all_streams
from experiments.papers.judging import judged
from experiments.reproduction.evidence import Evidence
from experiments.reproduction.made import Made

COLUMNS: Final = ("panel", "dataset", "series", "d", "cost", "x", "median", "low", "high", "runs")


def make(evidence: Evidence) -> Made:
    """Draw the figure and judge its claim."""
    found = all_streams(evidence)
    shown = [each for each in found if each.of]
    return Made(
        _points(shown),
        partial(fig2_picture.draw, found=shown),
        fig2_picture.size(len(shown)),
        claims=judged(evidence, {"asset.5": partial(stream_claim.judge, found=found)}),
    )


def _points(shown: Sequence[Streams]) -> pd.DataFrame:
    tables = []
    for each in shown:
        lines = [(name, d, own.bands) for name, streams in each.of.items() for d, own in streams.items()]
        for name, d, bands in [*lines, *([(EXACT, 0, each.exact)] if each.exact else [])]:
            for cost in COSTS:
                if (own := bands.get(cost)) is None:
                    continue
                rows = {"x": own.cost, "median": own.median, "low": own.low, "high": own.high, "runs": own.runs}
                where = {"panel": each.panel.asked, "dataset": each.panel.dataset, "series": name, "d": d, "cost": cost}
                tables.append(pd.DataFrame({**where, **rows}))
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=list(COLUMNS))
