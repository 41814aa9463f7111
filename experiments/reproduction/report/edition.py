"""The page of the edition: by figure its data, its runs and repetitions, and the minutes that they took."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from svm_cost_curves.experiments.reproduction.published import (
    RUNS,
    published_figures,
    read_facts,
    read_series,
    read_table,
)
from svm_cost_curves.experiments.reproduction.report.rendering import render
from svm_cost_curves.experiments.reproduction.spec import FigureSpec, catalogue, read_figure

LISTED = 8
"""Data sets that are listed by name, at most."""


@dataclass(frozen=True)
class PublishedFigure:
    """What a figure takes."""

    id: str
    timed: bool
    data: str
    """Its data sets with the training rows of its runs."""
    repetitions: tuple[int, int]
    """Runs of a series on a data set, least and most."""
    runs: int
    new: int
    """Runs that no figure above it has."""
    planned: int | None
    """Runs that its file asks for on the data sets that were at hand; None where its series follow from options."""
    seconds: float
    """Of the new runs from the first iteration to the last evaluation, with repeats of short ones, one after the other.
    Runs of an earlier format have those of the solver only."""


@dataclass(frozen=True)
class PublishedPaper:
    """The figures of a paper, and what made their runs."""

    figures: Sequence[PublishedFigure]
    builds: Sequence[str]
    """Build of the core and its instruction set."""
    processors: Sequence[str]

    @property
    def minutes(self) -> float:
        """Sum over the runs, as if they were made one after the other."""
        return sum(figure.seconds for figure in self.figures) / 60


def edition_page(evidence: Path) -> str:
    """Return the page in Markdown; EvidenceError if a file is damaged."""
    published, papers = published_figures(evidence), catalogue()
    members: dict[str, list[str]] = {}
    for figure in (name for name in papers if name in published):
        members.setdefault(papers[figure], []).append(figure)
    return render("edition.md.j2", papers={paper: _paper(evidence, names) for paper, names in members.items()})


def _paper(evidence: Path, names: Sequence[str]) -> PublishedPaper:
    figures, known, made = [], set[str](), set[tuple[str, str]]()
    for name in names:
        facts, spec = read_facts(evidence, name), read_figure(name)
        rows = read_series(evidence, facts)
        runs = {row["key"]: row for row in read_table(evidence, facts["tables"], RUNS).to_pylist()}
        new = {row["key"] for row in rows} - known
        known |= new
        records = {key: json.loads(runs[key]["provenance"]) for key in {row["key"] for row in rows}}
        made |= {(_build(record["build"]), str(record["cpu"])) for record in records.values()}
        data: dict[str, set[int]] = {}
        series: dict[tuple[str, str], int] = {}
        for row in rows:
            data.setdefault(row["dataset"], set()).add(int(records[row["key"]]["data"]["counts"]["train"]["n"]))
            place = row["panel"], row["series"]
            series[place] = series.get(place, 0) + 1
        figures.append(
            PublishedFigure(
                name,
                spec.timed,
                _data(data),
                (min(series.values(), default=0), max(series.values(), default=0)),
                len(records),
                len(new),
                _planned(spec, facts),
                sum(_seconds(runs[key]) for key in new),
            )
        )
    return PublishedPaper(figures, sorted({build for build, _ in made}), sorted({cpu for _, cpu in made}))


def _data(rows: Mapping[str, Collection[int]]) -> str:
    """Write data sets with their numbers of training rows; `LISTED` of them at most."""
    if len(rows) > LISTED:
        counts = [count for of_one in rows.values() for count in of_one]
        return f"{len(rows)} data sets, {_between(counts)}"
    return "; ".join(f"{dataset} {_between(counts)}" for dataset, counts in rows.items())


def _between(counts: Collection[int]) -> str:
    least, most = min(counts), max(counts)
    return f"{least:,}" if least == most else f"{least:,} to {most:,}"


def _build(build: Mapping[str, Any]) -> str:
    return f"{build['build_id']} {build['isa']}"


def _planned(spec: FigureSpec, facts: Mapping[str, Any]) -> int | None:
    """Return the runs that a figure's file asks for, where its series stand there."""
    if spec.series_module:
        return None
    return sum(
        spec.runs_of(series, facts["scale"], panel["paper_dataset"])
        for panel in facts["panels"]
        for series in spec.series_on(panel["paper_dataset"], panel["dataset"])
        if series.name not in (*panel["left_out"], *panel["without_runs"])
    )


def _seconds(run: Mapping[str, Any]) -> float:
    elapsed = run.get("elapsed_seconds")
    return float(run["wall_seconds"] if elapsed is None else json.loads(elapsed))
