"""Figures are drawn and judged without data sets: from runs, and from what was computed when they were published.

What is not there counts as cases that were not run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest
from evidence_cases import evidence, with_data
from pictures import drawn
from readings import claims_of
from verdict_cases import published

from svm_cost_curves.experiments.reproduction.build import maker_of
from svm_cost_curves.experiments.reproduction.citations import PAPERS
from svm_cost_curves.experiments.reproduction.evidence import Evidence, Panel, from_evidence
from svm_cost_curves.experiments.reproduction.options import Options
from svm_cost_curves.experiments.reproduction.published import EVIDENCE, read_facts
from svm_cost_curves.experiments.reproduction.spec import catalogue, read_figure
from svm_cost_curves.experiments.reproduction.verdict import Reading

NAMES = [name for name, paper in catalogue().items() if paper in PAPERS]


@pytest.mark.parametrize("case", ["no data set", "no series", "no runs"])
@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("simba_regret", "minibatch_counterexample")])
def test_without_runs_nothing_is_decided_and_the_figure_is_drawn(name: str, case: str) -> None:
    """Of all figures but the two that need no data set."""
    spec = read_figure(name)
    planned = [curve.name for curve in spec.curves if case == "no runs" and spec.scale("paper").seeds]
    panels = [
        Panel(dataset, dataset, runs=dict.fromkeys(planned, ())) for dataset in spec.datasets[: case != "no data set"]
    ]
    made = maker_of(spec.maker).make(with_data(evidence(spec, panels)))
    claims = claims_of(made)
    assert list(claims) == [claim.id for claim in spec.claims]
    assert [number.name for number in made.numbers] == [number.name for number in spec.numbers]
    assert all(number.measured is None for number in made.numbers)
    for claim, told in zip(claims.values(), spec.claims, strict=True):
        assert {reading.outcome for reading in claim.readings} == {"not_testable"}
        concerned = told.datasets or [*spec.datasets, *spec.missing_data]
        assert list(claim.lacking) == [name for name in concerned if name not in spec.datasets[: len(panels)]]
        assert told.type == "program" or (claim.nearest.exceptions() and claim.nearest.cases >= len(concerned))
    assert len(made.data.columns) > 0 or name == "sbp_support"
    assert made.data.empty or name == "sbp_table2"  # which has the rows of the paper
    if case != "no series":
        drawn(made)


class LoadedError(BaseException):
    """A data set was loaded; figures treat a DataError as data that are not available."""


ALTERNATIVES = {
    "asset_table2": ("asset_star", "cpsp", "lasvm", "svmlight"),
    "minibatch_fig1": ("pegasos", "naive", "pegasos_tail"),
    "sbp_table1": ("smo",),
    "sgdr_bounds": ("optimum_ocas",),
    "sgdr_time": ("liblinear", "dcd"),
    "simba_scaling": ("pegasos_delta", "pegasos_norm", "pegasos_d", "pegasos_n"),
}
"""Series that are one of several in a case: without them it is judged by the others."""


def readings_of(shown: Evidence) -> Mapping[tuple[str, str], Reading]:
    """Readings of a figure's claims, by the names of both."""
    claims = maker_of(shown.spec.maker).make(shown).claims
    return {(claim.id, reading.id): reading for claim in claims for reading in claim.readings}


def run_cases(reading: Reading) -> set[tuple[str, str]]:
    """Data set and name of each case that was run."""
    return {(case.dataset, case.name) for case in reading.counted if case.ruling != "missing"}


@pytest.mark.parametrize("name", published(elsewhere=False))
def test_without_a_series_the_cases_that_need_it_were_not_run(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Judged on one published data set, with two runs of each series, which need no resamples."""

    def refuse(*_: object, **__: object) -> None:
        raise LoadedError(f"{name} loads a data set")

    monkeypatch.setattr("svm_cost_curves.datasets.load", refuse)
    spec = read_figure(name)
    whole = from_evidence(spec, Options(read_facts(EVIDENCE, name)["scale"]), EVIDENCE)
    panels = [replace(one, runs={key: runs[:2] for key, runs in one.runs.items()}) for one in whole.panels[:1]]
    readings_of(replace(whole, panels=tuple(panels), computed={}))  # what was not computed is not computed now
    before = readings_of(replace(whole, panels=tuple(panels)))
    for series in spec.series:
        names = {curve.name for curve in series.curves()}
        if not any(one.runs.get(key) for one in panels for key in names):
            continue
        less = [replace(one, runs={**one.runs, **dict.fromkeys(names, ())}) for one in panels]
        after = readings_of(replace(whole, panels=tuple(less)))
        assert after.keys() == before.keys()
        for key, reading in after.items():
            left, known = run_cases(reading), run_cases(before[key])
            assert left <= known
            if known and names & {*before[key].shows.series} and series.name not in ALTERNATIVES.get(name, ()):
                assert left < known, (series.name, key)
                assert any("not run" in text for text in reading.exceptions()), (series.name, key)
