"""Median times of all methods as a table, and as points."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import geometric_mean
from typing import Final

import pandas as pd

from experiments.papers.effort import multiple_text, seconds_text
from experiments.papers.panels import name_of
from experiments.papers.sgdr.effort import ACCURACY, STOPPING
from experiments.papers.sgdr.lost import LOST
from experiments.papers.sgdr.timing import Case
from experiments.plotting import STYLES
from experiments.reproduction.made import Bold, Table

COLUMNS: Final = ("panel", "dataset", "C", "series", "seconds", "least", "largest", "runs", "reached", "over_fastest")


def points(cases: Sequence[Case], names: Sequence[str]) -> pd.DataFrame:
    """Return a row for each data set, C and method: CPU seconds, and the multiple of the fastest method's."""
    rows = [
        {
            "panel": case.panel.asked,
            "dataset": case.panel.dataset,
            "C": case.C,
            "series": name,
            "seconds": effort.median,
            "least": min(effort.costs),
            "largest": max(effort.costs),
            "runs": len(effort.costs),
            "reached": sum(effort.reached),
            "over_fastest": case.multiple(name),
        }
        for case in cases
        for name in names
        if (effort := case.efforts.get(name)) is not None
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def table(cases: Sequence[Case], names: Sequence[str]) -> Table:
    """Return for each C the optima and a row for each method, with a column for each data set."""
    rows: list[list[str | Bold]] = []
    for C in sorted({case.C for case in cases}):
        own = [case for case in cases if case.C == C]
        optima = ["" if case.optimum is None else f"{case.optimum.upper:.6f}" for case in own]
        rows.append([f"{C:g}", "J_opt", *optima, ""])
        rows += [
            [f"{C:g}", STYLES[name].name, *(_cell(case, name) for case in own), _mean(own, name)] for name in names
        ]
        told = [case.when_told() for case in own]
        rows += [
            [f"{C:g}", f"({STYLES[name].name}, told)", *(_cell(case, name) for case in told), ""]
            for name in STOPPING
            if name in names
        ]
    data_sets = {case.panel.asked: case for case in cases}
    stopping = " and ".join(STYLES[name].name for name in STOPPING if name in names)
    notes = [
        f"CPU time in the solver to (J - J_opt) / J_opt <= {ACCURACY:g}, median over the runs; in brackets the "
        "multiple of the fastest, in the last column its geometric mean. >: half of the runs or more did not get "
        "there, and took so long.",
        f"Timed to the first checkpoint of that accuracy, which lie closely on a logarithmic scale; {stopping} to the "
        "end that the method's own rule sets, after an epoch, and in brackets (told) to the first checkpoint as well.",
        "; ".join(f"{case.short}: {name_of(case.panel)}" for case in data_sets.values()) + ".",
        *(f"{case.name}: {case.unfit}." for case in cases if case.unfit),
        LOST,
    ]
    return Table(["C", "method", *(case.short for case in data_sets.values()), "mean multiple"], rows, notes)


def _cell(case: Case, name: str) -> str | Bold:
    effort, multiple = case.efforts.get(name), case.multiple(name)
    if effort is None:
        return ""
    text = effort.text(seconds_text)
    if multiple is None:
        return text
    return Bold(text) if multiple == 1 else f"{text} ({multiple_text(multiple)})"


def _mean(cases: Sequence[Case], name: str) -> str:
    """Write the mean over all data sets; nothing where one of them has no time."""
    known = [multiple for case in cases if (multiple := case.multiple(name)) is not None]
    return multiple_text(geometric_mean(known)) if known and len(known) == len(cases) else ""
