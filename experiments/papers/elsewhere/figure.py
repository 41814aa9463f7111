"""The papers' claims elsewhere: a map of claims by data sets, a table of its cells, and what may explain them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

import pandas as pd

from svm_cost_curves.experiments.papers.cases import judge_claims
from svm_cost_curves.experiments.papers.elsewhere import picture
from svm_cost_curves.experiments.papers.elsewhere.bases import PREFIX, compute_bases, judged
from svm_cost_curves.experiments.papers.elsewhere.cells import Cell, cells_of, compute_papers, judge, paper_cells
from svm_cost_curves.experiments.papers.elsewhere.picture import MapRow
from svm_cost_curves.experiments.papers.elsewhere.properties import compute_properties
from svm_cost_curves.experiments.reproduction.evidence import Evidence
from svm_cost_curves.experiments.reproduction.figure_result import FigureResult, Table
from svm_cost_curves.experiments.reproduction.report.labels import LABELS, command_for

COLUMNS: Final = ("claim", "dataset", "of_the_paper", "ruling", "held", "cases", "number", "property", "value")


def compute(evidence: Evidence) -> dict[str, Any]:
    """Return what follows from the data: the properties, the bases' own, and the papers' published cells."""
    return {
        "bases": compute_bases(evidence),
        "properties": compute_properties(evidence),
        "papers": compute_papers(evidence.spec),
    }


def make(evidence: Evidence) -> FigureResult:
    """Draw the map, and judge each claim with one case a data set."""
    rows: list[MapRow] = []
    properties = evidence.computed.get("properties", {})
    for each, claim in judged(evidence):
        values = {name: own[each.against] for name, own in properties.items() if each.against in own}
        rows.append(
            MapRow(each, claim.paper_says, paper_cells(evidence, each), cells_of(claim, each, evidence), values)
        )
    claims = judge_claims(evidence, {PREFIX + row.spec.id: judge(row.cells) for row in rows})
    datasets = [panel.paper_dataset for panel in evidence.panels]
    drawing = picture.Drawing(rows, datasets, evidence.spec.excluded_because)
    return FigureResult(
        _points(rows, datasets),
        partial(picture.draw, drawing=drawing),
        picture.size(drawing),
        table=_table(evidence, rows, datasets),
        claims=claims,
    )


def _points(rows: Sequence[MapRow], datasets: Sequence[str]) -> pd.DataFrame:
    points: list[tuple[Any, ...]] = []
    for row in rows:
        for own, cells in ((True, row.paper_cells), (False, {name: row.cells.get(name) for name in datasets})):
            points += [
                (
                    *(row.spec.id, dataset, own, cell.ruling, cell.held, cell.cases, cell.number, row.spec.against),
                    None if own else row.properties.get(dataset),
                )
                for dataset, cell in cells.items()
                if cell is not None
            ]
    return pd.DataFrame(points, columns=list(COLUMNS))


def _table(evidence: Evidence, rows: Sequence[MapRow], datasets: Sequence[str]) -> Table:
    """Return a row for each cell, with the command that makes its curves."""
    lines: list[list[str]] = []
    command = command_for(evidence.spec.id, evidence.scale)
    for row in rows:
        lines += [
            [row.spec.id, dataset, *_texts(cell), f"{command} dataset={dataset}"]
            for dataset in datasets
            if (cell := row.cells.get(dataset)) is not None
        ]
    columns = ["claim", "data set", "ruling", "cases", "measured", "command"]
    return Table(columns, lines, picture.left_out_lines(evidence.spec.excluded_because))


def _texts(cell: Cell) -> list[str]:
    label = LABELS[picture.OUTCOMES[cell.ruling]]
    return [f"{label.symbol} {picture.WORDS[cell.ruling]}", f"{cell.held} of {cell.cases}", cell.measured]
