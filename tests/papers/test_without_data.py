"""Figures are drawn and judged without data sets: from runs, and from what was computed when they were published.

What is not there counts as cases that were not run.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cache

import pytest
from evidence_cases import MadeUp, evidence, finished_run, panel, with_data
from pictures import drawn
from readings import claims_of
from verdict_cases import published

from svm_cost_curves.experiments.columns import COUNTS
from svm_cost_curves.experiments.configuration.composition import settings_of
from svm_cost_curves.experiments.configuration.settings import RunSettings
from svm_cost_curves.experiments.reproduction.build import maker_of
from svm_cost_curves.experiments.reproduction.citations import PAPERS
from svm_cost_curves.experiments.reproduction.evidence import Evidence, Panel, from_evidence
from svm_cost_curves.experiments.reproduction.options import Options
from svm_cost_curves.experiments.reproduction.published import EVIDENCE, read_facts
from svm_cost_curves.experiments.reproduction.spec import FigureSpec, catalogue, overrides_of, read_figure
from svm_cost_curves.experiments.reproduction.verdict import Reading

NAMES = [name for name, paper in catalogue().items() if paper in PAPERS]


@pytest.fixture(scope="module")
def runs() -> tuple[MadeUp, MadeUp]:
    """A run with all columns, and one of the optimum of its problem."""
    rows = [
        dict.fromkeys(COUNTS, 1000 * k)
        | {"epochs": float(k), "cpu_seconds": 0.1 * k, "wall_seconds": 0.1 * k, "support_vectors": 10.0 * k}
        | dict.fromkeys(("test_error", "train_error", "hinge", "norm", "nu", "water_level", "bias"), 0.5 / k)
        | {"primal": 0.2 + 0.5 / k, "dual": 0.2 - 0.5 / k, "gap": 1.0 / k, "relative_gap": 1.0 / k}
        for k in range(1, 9)
    ]
    end = {**rows[-1], "primal": 0.2, "dual": 0.2 - 1e-12, "gap": 1e-12, "relative_gap": 1e-11}
    counts = {"train": {"nnz": 10_000}, "test": {"nnz": 5000}}
    facts = {"settings": {"algo": {"eps": 0.01}}, "provenance": {"data": {"counts": counts}}}
    return finished_run(rows=rows, **facts), finished_run(rows=[end], name="optimum", **facts)


@cache
def composed(algo: str, words: tuple[str, ...]) -> RunSettings:
    """Settings of one of an algorithm's series: what else differs between them does not matter here."""
    del algo
    return settings_of(words, jobs=2)


def settings(spec: FigureSpec, dataset: str) -> dict[str, RunSettings]:
    """Settings of each series on a data set."""
    first: dict[str, tuple[str, ...]] = {}
    by_series = {}
    sweeps = [series.curves() for series in spec.series]
    for series in (series for members in sweeps for series in (members[:1] + members[1:][-1:])):
        algo = next(word for word in series.overrides if word.startswith("algo="))
        if not series.datasets or dataset in series.datasets:
            words = first.setdefault(algo, overrides_of(series, [], dataset, dataset))
            by_series[series.name] = composed(algo, words)
    return by_series


class LoadedError(BaseException):
    """A data set was loaded; figures treat a DataError as data that are not available."""


@pytest.mark.parametrize("name", NAMES)
def test_a_figure_is_made_without_its_data(
    name: str, runs: tuple[MadeUp, MadeUp], monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = read_figure(name)
    panels = [
        panel(dataset, {key: [runs[key.startswith("optimum")]] for key in chosen}, settings=chosen)
        for dataset in spec.datasets[:1]
        if (chosen := settings(spec, dataset))
    ]

    def refuse(*_: object, **__: object) -> None:
        raise LoadedError(f"{name} loads a data set")

    monkeypatch.setattr("svm_cost_curves.datasets.load", refuse)
    with suppress(Exception):  # some judges refuse invented runs; none may ask for data before
        maker_of(spec.maker).make(evidence(spec, panels, "demo"))


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
def test_without_a_series_the_cases_that_need_it_were_not_run(name: str) -> None:
    """Judged on one published data set, with two runs of each series, which need no resamples."""
    spec = read_figure(name)
    whole = from_evidence(spec, Options(read_facts(EVIDENCE, name)["scale"]), EVIDENCE)
    panels = [replace(one, runs={key: runs[:2] for key, runs in one.runs.items()}) for one in whole.panels[:1]]
    before = readings_of(replace(whole, panels=tuple(panels)))
    for series in spec.series:
        names = {curve.name for curve in series.curves()}
        if not any(one.runs.get(key) for one in panels for key in names):
            continue
        less = [replace(one, runs=one.runs | dict.fromkeys(names, ())) for one in panels]
        after = readings_of(replace(whole, panels=tuple(less)))
        assert after.keys() == before.keys()
        for key, reading in after.items():
            left, known = run_cases(reading), run_cases(before[key])
            assert left <= known
            if known and names & {*before[key].shows.series} and series.name not in ALTERNATIVES.get(name, ()):
                assert left < known, (series.name, key)
                # the lemma's cases are those of the series that have runs
                assert key[0] == "simba.lemma21" or any("not run" in text for text in reading.exceptions()), (
                    series.name,
                    key,
                )
