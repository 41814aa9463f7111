"""Figure 1: test error against feature accesses, SIMBA and Pegasos, each with the best value of its parameter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Final

import numpy as np
import pandas as pd

from experiments.papers.cases import judge_claims
from experiments.papers.panels import CurveFigure, Row, name_of
from experiments.papers.simba.fig1_claim import (
    DENSE,
    HELD,
    METHODS,
    NONZEROS,
    TOLERANCE,
    Choice,
    Member,
    chosen_on_held_out,
    chosen_on_test,
    judge_accesses,
    ratios,
    sweep,
)
from experiments.plotting import STYLES
from experiments.reproduction.evidence import Evidence, Panel
from experiments.reproduction.figure_result import FigureResult, Table

PARAMETERS: Final = {"simba": "nu", "pegasos": "lambda"}
ON_TEST: Final = {method: method for method in METHODS}
ON_HELD_OUT: Final = {method: method + HELD for method in METHODS}

Choices = dict[str, Choice]
"""Chosen members by the paper's data set."""


def make(evidence: Evidence) -> FigureResult:
    """Choose the parameters, draw the figure and judge the claim."""
    sweeps = {
        panel.paper_dataset: {method: sweep(panel, evidence.spec, method) for method in METHODS}
        for panel in evidence.panels
    }
    by_test = _choices(sweeps, on_test=True)
    held = _choices(sweeps, on_test=False)
    shown = replace(evidence, panels=tuple(_chosen(panel, by_test, held) for panel in evidence.panels))
    figure = CurveFigure(shown, _rows(by_test, held))
    judges = {"simba.1": partial(judge_accesses, by_test=by_test, held=held)}
    return FigureResult(
        _named(figure.data, by_test, held),
        figure.draw,
        figure.size,
        table=_table(evidence, sweeps, by_test, held),
        claims=judge_claims(evidence, judges),
    )


def _choices(sweeps: Mapping[str, Mapping[str, list[Member]]], *, on_test: bool) -> Choices:
    choose = chosen_on_test if on_test else chosen_on_held_out
    return {
        paper_dataset: {method: choose(found) for method, found in methods.items()}
        for paper_dataset, methods in sweeps.items()
    }


def _chosen(panel: Panel, by_test: Choices, held: Choices) -> Panel:
    """Return the panel with the chosen members' runs only, under the names of the rows."""
    picked = {
        names[method]: panel.runs[member.series]
        for names, choices in ((ON_TEST, by_test), (ON_HELD_OUT, held))
        for method, member in choices[panel.paper_dataset].items()
        if member is not None
    }
    return replace(panel, runs=picked)


def _rows(by_test: Choices, held: Choices) -> tuple[Row, ...]:
    on_test, on_held_out = (
        {paper_dataset: _parameters(choice) for paper_dataset, choice in choices.items()} for choices in (by_test, held)
    )
    best = "the parameter of each method is that of the lowest test error, as in the paper"
    return (
        Row(
            NONZEROS,
            f"Accesses to nonzeros; {best}; means over {{runs}}, bands of one standard deviation",
            bands=True,
            series=ON_TEST,
            facts=on_test,
        ),
        Row(
            DENSE,
            "The same runs, charged for zeros too: d for a row, n for a column",
            bands=True,
            series=ON_TEST,
            facts=on_test,
        ),
        Row(
            NONZEROS,
            "Accesses to nonzeros; the parameter of the lowest error on a quarter of the training set, held out",
            bands=True,
            series=ON_HELD_OUT,
            facts=on_held_out,
        ),
    )


def _parameters(choice: Choice) -> str:
    return "\n".join(
        f"{STYLES[method].name}: {PARAMETERS[method]} = {member.value:g}"
        for method, member in choice.items()
        if member is not None
    )


def _named(data: pd.DataFrame, by_test: Choices, held: Choices) -> pd.DataFrame:
    """Return the points with the names of their series."""
    names = {
        (paper_dataset, name[method]): member.series
        for name, choices in ((ON_TEST, by_test), (ON_HELD_OUT, held))
        for paper_dataset, choice in choices.items()
        for method, member in choice.items()
        if member is not None
    }
    series = [names[pair] for pair in zip(data["panel"], data["series"], strict=True)]
    return data.assign(chosen_on=np.where(data["series"].str.endswith(HELD), "held out", "test"), series=series)


def _table(
    evidence: Evidence, sweeps: Mapping[str, Mapping[str, list[Member]]], by_test: Choices, held: Choices
) -> Table:
    columns = ["data set", "method", "value", "runs", "lowest test error", "accesses to it", "counted dense"]
    rows = []
    for panel in evidence.panels:
        for method, members in sweeps[panel.paper_dataset].items():
            for member in members:
                chosen = {"test": by_test, "held out": held}
                marks = [how for how, choices in chosen.items() if choices[panel.paper_dataset][method] is member]
                rows.append(
                    [
                        name_of(panel),
                        STYLES[method].name,
                        f"{PARAMETERS[method]} = {member.value:g}",
                        str(member.runs.count),
                        f"{100 * member.runs.best:.2f} ± {100 * member.runs.spread:.2f} %",
                        *(_accesses(member, cost) for cost in (NONZEROS, DENSE)),
                        "" if member.held is None else f"{100 * member.held.best:.2f} %",
                        " and ".join(marks),
                    ]
                )
    notes = [
        "Lowest test error: of the mean over the runs along its curve; ±: standard deviation over the runs there. "
        f"Accesses to it: until the mean is at most {100 * TOLERANCE:.0f} % (relative) above it.",
        "Held-out error: the same on a quarter of the training set, by runs on the other three quarters.",
        *(note for panel in evidence.panels for note in ratios(panel, by_test[panel.paper_dataset])),
    ]
    return Table([*columns, "held-out error", "chosen on"], rows, notes)


def _accesses(member: Member, cost: str) -> str:
    mean = member.runs.mean()
    return f"{member.runs.cost(cost, int(np.argmax(mean <= (1 + TOLERANCE) * mean.min()))):.1e}"
