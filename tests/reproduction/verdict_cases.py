"""Checks of published verdicts. The tests are in three files, which workers can run at once."""

from __future__ import annotations

from typing import Any

import pytest

from svm_cost_curves.datasets import DataError
from svm_cost_curves.experiments.plotting.interactive import Curves
from svm_cost_curves.experiments.reproduction.build import maker_of, verdict_of
from svm_cost_curves.experiments.reproduction.citations import PAPERS
from svm_cost_curves.experiments.reproduction.evidence import FigureResult, from_evidence
from svm_cost_curves.experiments.reproduction.options import Options
from svm_cost_curves.experiments.reproduction.published import EVIDENCE, published_figures, read_facts, same_values
from svm_cost_curves.experiments.reproduction.report.curves import known_columns, page_content
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
    """Check that this version judges as published, and that each claim's button draws curves; return the figure."""
    # judged, not drawn: drawing takes most of the time, and publishing has done it
    monkeypatch.setattr("svm_cost_curves.datasets.load", _refuse)
    spec, facts = read_figure(figure), read_facts(EVIDENCE, figure)
    options = Options(facts["scale"])
    shown = from_evidence(spec, options, EVIDENCE)
    made = maker_of(spec.maker).make(shown)
    assert len(made.data.columns), "the figure has no table of its points"
    verdict = verdict_of(shown, made, "")
    page = page_content(shown, options, verdict, [], b"")
    if page is not None:
        _check_curves_of_claims(page)
    judged = plain(as_json(verdict), "verdict")
    for name in ("claims", "numbers"):
        assert same_values(judged[name], facts["verdict"][name]), name
    return made


def _check_curves_of_claims(page: Curves) -> None:
    """Check that each claim's button draws curves that the page has, except where the claim is judged without."""
    series = {run.series for run in page.runs}
    columns = known_columns(page.runs)
    for claim in page.claims:
        for reading in claim["readings"]:
            assert {*reading["series"]} <= series, claim["id"]
            assert {reading["cost"], reading["measure"]} <= columns | {""}, claim["id"]
            assert bool(reading["series"]) == (claim["id"] not in WITHOUT_CURVES), claim["id"]
