"""Figures of times: all methods on all data sets for several C, judged by what the figure claims."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import pandas as pd

from experiments.curve import column
from experiments.papers.bands import band
from experiments.papers.judging import judged
from experiments.papers.sgdr import times_picture, times_table
from experiments.papers.sgdr.times_picture import Way
from experiments.papers.sgdr.timing import Case, cases, methods
from experiments.reproduction.evidence import Evidence
from experiments.reproduction.made import Made
from experiments.reproduction.spec import ClaimSpec, FigureSpec
from experiments.reproduction.verdict import Claim

Judge = Callable[[Evidence, ClaimSpec, Sequence[Case]], Claim]


def make_times(evidence: Evidence, judges: Mapping[str, Judge]) -> Made:
    """Draw the figure and judge its claims.

    Parameters
    ----------
    evidence : Evidence
        Of a figure whose series all are swept over the same values of C, the optimum's among them.
    judges : mapping of str to Judge
        By the claims' ids.
    """
    found, names = cases(evidence), methods(evidence.spec)
    ways = [way for case in middle(found) if (way := _way(case, evidence.spec, names)).bands]
    return Made(
        pd.concat([times_table.points(found, names), *(_points(way) for way in ways)], ignore_index=True),
        partial(times_picture.draw, cases=found, ways=ways, names=names),
        times_picture.size(found, ways, names),
        table=times_table.table(found, names),
        claims=judged(evidence, {name: partial(_judge, judge=judge, found=found) for name, judge in judges.items()}),
    )


def middle(found: Sequence[Case]) -> list[Case]:
    """Return the cases with the middle value of C, the smaller of two."""
    values = sorted({case.C for case in found})
    chosen = values[(len(values) - 1) // 2 : (len(values) + 1) // 2]
    return [case for case in found if case.C in chosen]


def _judge(evidence: Evidence, spec: ClaimSpec, judge: Judge, found: Sequence[Case]) -> Claim:
    return judge(evidence, spec, found)


def _way(case: Case, spec: FigureSpec, names: Sequence[str]) -> Way:
    optimum = case.optimum
    if optimum is None:
        return Way(case, {})
    bands = {
        name: band(
            [
                (column(frame, "cpu_seconds"), optimum.excess(column(frame, "primal")))
                for frame in case.panel.curves(spec.members(name)[case.C])
            ]
        )
        for name in names
    }
    return Way(case, {name: found for name, found in bands.items() if found is not None})


def _points(way: Way) -> pd.DataFrame:
    return pd.concat(
        [
            pd.DataFrame(
                {
                    "panel": way.case.panel.asked,
                    "dataset": way.case.panel.dataset,
                    "C": way.case.C,
                    "series": name,
                    "seconds": band.cost,
                    "runs": band.runs,
                    "excess": band.median,
                }
            )
            for name, band in way.bands.items()
        ],
        ignore_index=True,
    )
