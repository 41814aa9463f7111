"""Every file of a figure has what it names: data sets, settings, a maker, and a judge for each of its claims."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from svm_cost_curves.experiments.configuration.choices import CONF
from svm_cost_curves.experiments.configuration.composition import settings_of
from svm_cost_curves.experiments.configuration.presets import options, read_tables
from svm_cost_curves.experiments.configuration.settings import RunSettings
from svm_cost_curves.experiments.reproduction.citations import PAPERS
from svm_cost_curves.experiments.reproduction.spec import (
    SCALES,
    FigureError,
    FigureSpec,
    SeriesSpec,
    catalogue,
    known_data_sets,
    overrides_of,
    read_figure,
)

FIXED_IDS = {"sbp_table1", "sbp_table2", "sbp_fig1", "sbp_fig2", "sbp_fig3", "sbp_fig4", "sbp_libsvm"} | {
    "simba_fig1",
    "simba_steps",
    "simba_theorem",
}
figures = pytest.mark.parametrize("name", [name for name, paper in catalogue().items() if paper in PAPERS])
"""Those of papers; the series of the arena (tests/arena) and of `elsewhere` follow from other places."""


@cache
def composed(words: tuple[str, ...]) -> RunSettings:
    return settings_of(words, jobs=2)


def ends(spec: FigureSpec) -> list[SeriesSpec]:
    """All series, but of a sweep the ends: between them only a number differs."""
    sweeps = [series.curves() for series in spec.series]
    return [series for members in sweeps for series in (members[:1] + members[1:][-1:])]


@cache
def presets() -> frozenset[tuple[str, str]]:
    return frozenset(options(read_tables(CONF / "preset")))


def preset(series: SeriesSpec, dataset: str) -> bool:
    """Whether there is one for its algorithm on a data set."""
    algo = next(word for word in series.overrides if word.startswith("algo=")).removeprefix("algo=")
    return ("pair", f"{algo}_{dataset}") in presets()


def test_cited_ids_exist() -> None:
    assert set(catalogue()) >= FIXED_IDS


def test_figures_without_a_paper_are_last() -> None:
    others = [name for name, paper in catalogue().items() if not paper]
    assert others == ["arena"] == list(catalogue())[-1:]


@figures
def test_a_file_matches_its_name(name: str) -> None:
    spec = read_figure(name)
    assert spec.id == name
    assert name.startswith(f"{spec.paper}_")
    assert spec.paper in PAPERS
    assert spec.label
    assert spec.title
    assert set(spec.scales) == set(SCALES)
    assert spec.series
    assert len({series.name for series in spec.curves}) == len(spec.curves)
    assert {*spec.datasets, *spec.stand_ins.values()} <= set(known_data_sets())
    assert set(spec.stand_ins) <= set(spec.datasets)
    for series in spec.series:
        assert {*series.datasets, *series.by_dataset} <= {*spec.datasets, *spec.stand_ins.values()}


@figures
def test_its_settings_compose(name: str) -> None:
    spec = read_figure(name)
    for scale in SCALES:
        seen: set[str] = set()
        for series in ends(spec):
            datasets = series.datasets or spec.datasets
            # a data set with one series, a series on one data set, both where something is said of the two;
            # what depends on the data set is the same at all scales
            told = [name for name in datasets if name not in seen or name in series.by_dataset or preset(series, name)]
            seen.update(datasets)
            for dataset in {*datasets[:1], *told} if scale == "paper" else spec.datasets[:1]:
                run = composed(overrides_of(series, spec.scale(scale).overrides, dataset, dataset))
                assert run.dataset.name == dataset
                if scale == "paper":
                    assert run.dataset.max_test is None
                    # what a method cannot have all of is its series' own affair
                    cut = any(word.startswith("dataset.max_train=") for word in series.overrides)
                    assert (run.dataset.max_train is None) != cut


def test_claims_are_told_apart() -> None:
    claims = [claim for name in catalogue() for claim in read_figure(name).claims]
    assert len({claim.id for claim in claims}) == len(claims)
    assert all(claim.says for claim in claims)
    assert {f"sbp.{number}" for number in range(1, 7)} <= {claim.id for claim in claims}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ("{upto: 2}", "upto: there is no such name; did you mean up_to"),
        ("{up_to: low}", "up_to: input should be a valid number"),
        ("{first: [sbp]}", "first: input should be a valid string"),
        ("{cost: inner_product}", "unknown column 'inner_product'; known: iterations"),
        ("{measure: test_eror}", "did you mean test_error"),
        ("{kind: cost_over_error}", "there is no statistic 'cost_over_error'"),
        ("{at_most: 2}", "one of above, at_most, below, between, within must be given, got above, at_most"),
    ],
)
def test_an_argument_that_the_statistic_does_not_take_is_refused_with_file_claim_and_reading(
    tmp_path: Path, changes: str, message: str
) -> None:
    text = "maker: svm_cost_curves.experiments.papers.curves\n"
    statistic = "{kind: cost_over_errors, first: fourier, second: sbp, cost: inner_products, above: 1}"
    text += f"claims: [{{id: sbp.5, statistic: {statistic}, readings: [{{id: low, changes: {changes}}}]}}]"
    (tmp_path / "sbp_x.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(FigureError, match=re.escape(message)) as refused:
        read_figure(str(tmp_path / "sbp_x.yaml"))
    assert "sbp_x.yaml: claim 'sbp.5', reading 'low'" in str(refused.value)


def test_every_claim_names_a_statistic() -> None:
    """But those of the maps elsewhere, which repeat claims of other figures."""
    assert [claim.id for spec in map(read_figure, catalogue()) for claim in spec.claims if not claim.statistic] == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id: [", "expected"),
        ("titel: x", "titel: there is no such name; did you mean title"),
        ("datasets: 3", "datasets"),
        ("rows: [{cost: kernel_evaluation}]", "unknown column 'kernel_evaluation'.*did you mean kernel_evaluations"),
        ("claims: [{id: a, says: x, readings: [{id: a}, {id: a}]}]", "its readings need different ids, got a, a"),
        (
            "claims: [{id: a, says: x, readings: [{id: a, constants: {b: 1}}]}]",
            "reading 'a' changes b, no constant of the claim",
        ),
        ("claims: [{id: a, says: x, rule: '{margin:g}'}]", "its rule has a fault in its braces: 'margin'"),
    ],
)
def test_a_damaged_file_is_an_error_in_one_line(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "sbp_x.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(FigureError, match=message) as caught:
        read_figure(str(tmp_path / "sbp_x.yaml"))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("name", "own"), [("sbp_table1", []), ("sbp_support", []), ("sbp_fig3", ["fourier"])])
def test_figures_share_the_runs_of_figure_2(name: str, own: list[str]) -> None:
    figure2, spec = read_figure("sbp_fig2"), read_figure(name)
    assert all(series in figure2.series for series in spec.series if series.name not in own)
    assert spec.datasets == figure2.datasets
    for scale in SCALES:
        assert own or spec.scale(scale) == figure2.scale(scale)
        assert spec.scale(scale).seeds == figure2.scale(scale).seeds


def test_the_bounds_are_laid_beside_runs_of_figure_1() -> None:
    runs = {}
    for name in ("minibatch_fig1", "minibatch_bound"):
        spec = read_figure(name)
        runs[name] = {
            overrides_of(series, spec.scale(scale).overrides, paper_dataset, dataset)
            for series in spec.curves
            for scale in SCALES
            for paper_dataset in spec.datasets
            for dataset in (paper_dataset, spec.stand_ins[paper_dataset])
            if not {paper_dataset, dataset} & {*series.exclude}
        }
    assert runs["minibatch_bound"] < runs["minibatch_fig1"]
    for scale in SCALES:
        assert read_figure("minibatch_bound").scale(scale) == read_figure("minibatch_fig1").scale(scale)


@pytest.mark.parametrize("name", [name for name in catalogue() if name.startswith("minibatch")])
def test_all_runs_of_a_panel_are_of_one_problem(name: str) -> None:
    spec = read_figure(name)
    for paper_dataset in spec.datasets:
        for dataset in {paper_dataset, spec.stand_ins.get(paper_dataset, paper_dataset)}:
            problems = {
                (repr(run.dataset), run.problem.lambda_)
                for series in ends(spec)
                for run in [composed(overrides_of(series, [], paper_dataset, dataset))]
            }
            assert len(problems) == 1, (paper_dataset, dataset)
