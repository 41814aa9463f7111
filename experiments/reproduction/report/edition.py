"""The page of the edition: by figure its data, its runs and repetitions, and the minutes that they took."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from ..citations import paper_named
from ..published import RUNS, published_figures, read_facts, read_series, read_table
from ..spec import FigureSpec, catalogue, read_figure
from .rendering import render

LISTED = 8
"""Data sets that are listed by name, at most."""


@dataclass(frozen=True)
class FigureRuns:
    """The runs of a figure."""

    id: str
    timed: bool
    data: str
    """Data sets with their training rows."""
    repetitions: str
    """Runs of a series on a data set, least and most."""
    runs: int
    new: int
    """Runs that no figure above it on the page has."""
    planned: int | None
    """Runs that its file asks for on the data sets that were at hand; None where its series follow from options."""
    seconds: float
    """Sum over the new runs, from the first iteration to the last evaluation, repeats of short ones included. Runs that
    recorded no such time have that of the solver."""


@dataclass(frozen=True)
class PaperRuns:
    """The figures of a paper, and what made their runs."""

    title: str
    figures: Sequence[FigureRuns]
    builds: Sequence[str]
    """Build of the core and its instruction set."""
    processors: Sequence[str]


def edition_page(evidence: Path) -> str:
    """Return the page in Markdown; EvidenceError if a file is damaged."""
    published = published_figures(evidence)
    members: dict[str, list[str]] = {}
    for figure, paper in catalogue().items():
        if figure in published:
            members.setdefault(paper, []).append(figure)
    return render("edition.md.j2", papers=[_paper(evidence, *item) for item in members.items()])


def _paper(evidence: Path, paper: str, names: Sequence[str]) -> PaperRuns:
    figures: list[FigureRuns] = []
    counted, builds, processors = set[str](), set[str](), set[str]()
    facts_of = {name: read_facts(evidence, name) for name in names}
    tables = {facts["tables"]: None for facts in facts_of.values()}
    runs_in = {table: _runs(evidence, table) for table in tables}
    for name, facts in facts_of.items():
        spec = read_figure(name)
        rows = pd.DataFrame(read_series(evidence, facts), columns=["panel", "dataset", "series", "key"])
        runs = runs_in[facts["tables"]].loc[rows["key"].unique()]
        records = runs["provenance"]
        builds |= {f"{record['build']['build_id']} {record['build']['isa']}" for record in records}
        processors |= {str(record["cpu"]) for record in records}
        n = rows["key"].map(records.map(lambda record: int(record["data"]["counts"]["train"]["n"])))
        new = runs[~runs.index.isin(counted)]
        counted |= {*runs.index}
        figures.append(
            FigureRuns(
                name,
                spec.timed,
                _data_text(n.groupby(rows["dataset"], sort=False)),
                _between(rows.groupby(["panel", "series"]).size()),
                len(runs),
                len(new),
                _planned(spec, facts),
                sum(map(_seconds, new.to_dict("records"))),
            )
        )
    return PaperRuns(paper_named(paper).title, figures, sorted(builds), sorted(processors))


def _runs(evidence: Path, tables: str) -> pd.DataFrame:
    """Return the runs in a folder of tables by their keys, with their provenance as mappings."""
    runs: pd.DataFrame = read_table(evidence, tables, RUNS).to_pandas().set_index("key")
    records = runs.get("provenance", pd.Series(dtype=object))  # a table without runs lacks it
    return runs.assign(provenance=records.map(json.loads))


def _data_text(n: Any) -> str:
    """Write training rows, grouped by data set; the names of at most `LISTED` data sets."""
    if len(n) > LISTED:
        return f"{len(n)} data sets, {_between(n.obj)}"
    return "; ".join(f"{dataset} {_between(counts)}" for dataset, counts in n)


def _between(counts: pd.Series) -> str:
    """Write the least and the largest count: ``3``, ``3 to 10``; 0 of none."""
    return " to ".join(f"{count:,}" for count in sorted({counts.min(), counts.max()})) if len(counts) else "0"


def _planned(spec: FigureSpec, facts: Mapping[str, Any]) -> int | None:
    """Return how many runs a figure's file asks for; None if a module makes its series."""
    if spec.series_module:
        return None
    return sum(
        spec.runs_of(series, facts["scale"], panel["paper_dataset"])
        for panel in facts["panels"]
        for series in spec.series_on(panel["paper_dataset"], panel["dataset"])
        if series.name not in (*panel["left_out"], *panel["without_runs"])
    )


def _seconds(run: Mapping[Any, Any]) -> float:
    elapsed = run.get("elapsed_seconds")
    return float(json.loads(elapsed) if isinstance(elapsed, str) else run["wall_seconds"])
