"""The papers' claims elsewhere: a map of claims by data sets, a table of its cells, and what may explain them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

import pandas as pd

from ...reproduction.evidence import Evidence, FigureResult, Table
from ...reproduction.report.labels import LABELS, command_for
from ..cases import judge_claims
from . import picture
from .bases import PREFIX, compute_bases, judged
from .cells import Cell, CellCases, cells_of, paper_cells
from .picture import MapRow
from .properties import compute_properties

COLUMNS: Final = ("claim", "dataset", "of_the_paper", "ruling", "held", "cases", "number", "property", "value")


def compute(evidence: Evidence) -> dict[str, Any]:
    """Return what follows from the data: the properties, and what the bases' modules compute."""
    return {"bases": compute_bases(evidence), "properties": compute_properties(evidence)}


def make(evidence: Evidence) -> FigureResult:
    """Draw the map, and judge each claim with one case a data set."""
    properties = evidence.computed.get("properties", {})
    of_papers = paper_cells(evidence.spec)
    rows = [
        MapRow(
            repeated,
            claim.paper_says,
            of_papers.get(repeated.id, {}),
            cells_of(claim, repeated, evidence.panels),
            {name: values[repeated.against] for name, values in properties.items() if repeated.against in values},
        )
        for repeated, claim in judged(evidence)
    ]
    claims = judge_claims(evidence, statistics={PREFIX + row.spec.id: CellCases(cells=row.cells) for row in rows})
    datasets = [panel.paper_dataset for panel in evidence.panels]
    drawing = picture.Drawing(rows, datasets, evidence.spec.excluded_because)
    return FigureResult(
        lambda: _points(rows, datasets),
        partial(picture.draw, drawing=drawing),
        picture.size(drawing),
        table=partial(_table, evidence, rows, datasets),
        claims=claims,
    )


def _points(rows: Sequence[MapRow], datasets: Sequence[str]) -> pd.DataFrame:
    points = []
    for row in rows:
        here = {name: row.cells[name] for name in datasets if name in row.cells}
        for of_paper, cells in ((True, row.paper_cells), (False, here)):
            for dataset, cell in cells.items():
                value = None if of_paper else row.properties.get(dataset)
                fields = (cell.ruling, cell.held, cell.cases, cell.number, row.spec.against, value)
                points.append((row.spec.id, dataset, of_paper, *fields))
    return pd.DataFrame(points, columns=list(COLUMNS))


def _table(evidence: Evidence, rows: Sequence[MapRow], datasets: Sequence[str]) -> Table:
    """Return a row for each cell, with the command that makes its curves."""
    command = command_for(evidence.spec.id, evidence.scale)
    lines = [
        [row.spec.id, dataset, *_texts(row.cells[dataset]), f"{command} dataset={dataset}"]
        for row in rows
        for dataset in datasets
        if dataset in row.cells
    ]
    columns = ["claim", "data set", "ruling", "cases", "measured", "command"]
    return Table(columns, lines, picture.left_out_lines(evidence.spec.excluded_because))


def _texts(cell: Cell) -> list[str]:
    label = LABELS[picture.OUTCOMES[cell.ruling]]
    return [f"{label.symbol} {picture.WORDS[cell.ruling]}", f"{cell.held} of {cell.cases}", cell.measured]
