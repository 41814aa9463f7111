"""Checks of published verdicts. The tests are in three files, which workers can run at once."""

from __future__ import annotations

import re
from typing import Any

import pytest
from pictures import render as draw

from svm_cost_curves.datasets import DataError
from svm_cost_curves.experiments.plotting.interactive import Curves
from svm_cost_curves.experiments.reproduction.build import maker_of, verdict_of
from svm_cost_curves.experiments.reproduction.citations import PAPERS
from svm_cost_curves.experiments.reproduction.evidence import FigureResult, Table, from_evidence
from svm_cost_curves.experiments.reproduction.options import Options
from svm_cost_curves.experiments.reproduction.published import (
    EVIDENCE,
    RESULTS,
    published_figures,
    read_facts,
    same_values,
)
from svm_cost_curves.experiments.reproduction.report.curves import known_columns, page_content
from svm_cost_curves.experiments.reproduction.report.rendering import render
from svm_cost_curves.experiments.reproduction.spec import read_figure
from svm_cost_curves.experiments.reproduction.verdict import as_json
from svm_cost_curves.support.values import plain

WITHOUT_CURVES = {
    *("minibatch.lemma1", "minibatch.lemma2", "minibatch.lemma3", "minibatch.rho", "minibatch.crude"),
    *("minibatch.theorem2", "sgdr.random", "sgdr.multiple"),
    *("sbp.pairs", "sgdr.updates"),
}
"""Claims that are judged without a curve: by what the figure's module computes from the data, or by final counts."""


def _refuse(*_: Any, **__: Any) -> None:
    raise DataError("no file: anywhere")


def published(*, elsewhere: bool) -> list[str]:
    """Return the published figures: the papers' own, or the maps of their claims elsewhere; without the arenas."""
    papers = {"elsewhere"} if elsewhere else {*PAPERS}
    return [figure for figure in published_figures(EVIDENCE) if figure.partition("_")[0] in papers]


def check_verdict(figure: str, monkeypatch: pytest.MonkeyPatch) -> FigureResult:
    """Check that this version makes a figure as published; return it.

    Its verdict and its table are the published ones, its data have rows, each claim's button draws curves; a paper's
    figure draws without overlapping texts.
    """
    monkeypatch.setattr("svm_cost_curves.datasets.load", _refuse)
    spec, facts = read_figure(figure), read_facts(EVIDENCE, figure)
    options = Options(facts["scale"])
    shown = from_evidence(spec, options, EVIDENCE)
    made = maker_of(spec.maker).make(shown)
    assert len(made.data), "the figure has no table of its points"
    verdict = verdict_of(shown, made, "")
    page = page_content(shown, options, verdict, [], b"")
    if page is not None:
        _check_curves_of_claims(page)
    judged = plain(as_json(verdict), "verdict")
    for name in ("claims", "numbers"):
        assert same_values(judged[name], facts["verdict"][name]), name
    if spec.paper in PAPERS:
        draw(made)
    if made.table is not None:
        _check_table(figure, figure.partition("_")[0], made.table())
    return made


_NUMBER = re.compile(r"\d[\d,]*\.?\d*(?:e[-+]\d+)?")


def _check_table(figure: str, page: str, table: Table) -> None:
    """Check that a page shows this table below the figure's picture, but for the last digit of a number."""
    _, _, below = (RESULTS / f"{page}.md").read_text(encoding="utf-8").partition(f"({page}/{figure}.png)")
    lines, shown = (
        [line for line in text.splitlines() if line] for text in (render("table.md.j2", table=table), below)
    )
    start = shown.index(lines[0])
    for line, published in zip(lines, shown[start : start + len(lines)], strict=True):
        assert _NUMBER.sub("#", line) == _NUMBER.sub("#", published)
        ours, theirs = ([float(n.replace(",", "")) for n in _NUMBER.findall(text)] for text in (line, published))
        assert ours == pytest.approx(theirs, rel=0.02), line


def _check_curves_of_claims(page: Curves) -> None:
    """Check that each claim's button draws curves that the page has, except where the claim is judged without."""
    series = {run.series for run in page.runs}
    columns = known_columns(page.runs)
    for claim in page.claims:
        for reading in claim["readings"]:
            assert {*reading["series"]} <= series, claim["id"]
            assert {reading["cost"], reading["measure"]} <= columns | {""}, claim["id"]
            assert bool(reading["series"]) == (claim["id"] not in WITHOUT_CURVES), claim["id"]
