"""The running lower bound: L, J and J_opt along runs of SGD-s and SGD-m."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

import pandas as pd

from experiments.curve import column
from experiments.papers.bands import Band, band
from experiments.papers.judging import judged
from experiments.papers.optimum import optimum_of
from experiments.papers.panels import name_of
from experiments.papers.sgdr import bounds_claim, bounds_picture
from experiments.papers.sgdr.bounds_claim import METHODS, OTHER_OPTIMUM, bracket
from experiments.papers.sgdr.lost import LOST
from experiments.plotting import STYLES
from experiments.reproduction.evidence import Evidence, Panel
from experiments.reproduction.made import Made, Table

COLUMNS: Final = ("panel", "dataset", "series", "measure", "epochs", "median", "low", "high", "runs", "optimum")
SIDES: Final = ("primal", "dual")

Bands = dict[str, dict[str, Band]]
"""By algorithm and measure, relative to the optimum: J / J_opt - 1, L / J_opt - 1."""


def make(evidence: Evidence) -> Made:
    """Draw the figure and judge the claim."""
    shown = {panel.asked: bands for panel in evidence.panels if (bands := relative(panel))}
    panels = [panel for panel in evidence.panels if panel.asked in shown]
    return Made(
        _data(panels, shown),
        partial(bounds_picture.draw, panels=panels, shown=shown),
        bounds_picture.size(len(panels)),
        table=_table(evidence.panels),
        claims=judged(evidence, {"sgdr.1": bounds_claim.judge}),
    )


def relative(panel: Panel) -> Bands:
    """Medians over the runs against epochs; empty where there are no runs, or no optimum to compare with."""
    optimum = optimum_of(panel)
    if optimum is None:
        return {}
    found: Bands = {}
    for series in METHODS:
        for measure in SIDES:
            runs = [(column(frame, "epochs"), optimum.excess(column(frame, measure))) for frame in panel.curves(series)]
            if (own := band(runs)) is not None:
                found.setdefault(series, {})[measure] = own
    return found


def _data(panels: Sequence[Panel], shown: dict[str, Bands]) -> pd.DataFrame:
    tables = []
    for panel in panels:
        optimum = optimum_of(panel)
        assert optimum is not None  # of the others nothing is shown
        tables += [
            pd.DataFrame(
                {
                    "panel": panel.asked,
                    "dataset": panel.dataset,
                    "series": series,
                    "measure": measure,
                    "epochs": own.cost,
                    "median": own.median,
                    "low": own.low,
                    "high": own.high,
                    "runs": own.runs,
                    "optimum": optimum.lower,
                }
            )
            for series, measures in shown[panel.asked].items()
            for measure, own in measures.items()
        ]
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=list(COLUMNS))


def _table(panels: Sequence[Panel]) -> Table:
    columns = ["data set", "n", "J_opt", "known to", "by OCAS", "differs by"]
    columns += [
        "algorithm",
        "runs",
        "checkpoints",
        "largest L / J_opt - 1",
        "least J / J_opt - 1",
        "last J / L - 1",
    ]
    rows = []
    for panel in panels:
        optimum, other = optimum_of(panel), optimum_of(panel, OTHER_OPTIMUM)
        if optimum is None:
            continue
        head = [
            name_of(panel),
            f"{panel.n:,}",
            f"{optimum.upper:.9f}",
            f"{optimum.uncertainty:.0e}",
            "" if other is None else f"{other.upper:.9f}",
            "" if other is None else f"{abs(other.upper / optimum.upper - 1):.0e}",
        ]
        for series in METHODS:
            found = bracket(panel.curves(series), optimum)
            if found is not None:
                values = (found.highest - 1, found.lowest - 1, found.last)
                rows.append(
                    [
                        *head,
                        STYLES[series].name,
                        str(len(panel.curves(series))),
                        f"{found.lower_bounds:,}",
                        *(f"{value:+.1e}" for value in values),
                    ]
                )
    notes = [
        "J_opt: objective at the end of a run of dual coordinate descent; known to: its relative duality gap there. By "
        "OCAS: objective at the end of a run of it; differs by: the relative distance of the two.",
        "Checkpoints: those with a lower bound, of all runs. Last J / L - 1: at the end, median over the runs.",
        LOST,
    ]
    return Table(columns, rows, notes)
