"""The papers' claims on other data sets: series and judges of the papers' figures, one case a data set."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from curve_cases import Error, curves_panel, drop, falling, plus
from evidence_cases import evidence, finished_run, panel
from pictures import drawn_with_table
from readings import claims_of
from report_cases import claim_json, put, verdict

from svm_cost_curves.experiments.configuration.composition import settings_of
from svm_cost_curves.experiments.papers.elsewhere import cells as cells_module
from svm_cost_curves.experiments.papers.elsewhere import figure
from svm_cost_curves.experiments.papers.elsewhere.bases import PREFIX, bases_of, with_series
from svm_cost_curves.experiments.papers.elsewhere.cells import Cell, cells_of, paper_cells, ruling_of
from svm_cost_curves.experiments.papers.elsewhere.correlation import rank_correlation
from svm_cost_curves.experiments.papers.elsewhere.picture import short_number
from svm_cost_curves.experiments.papers.elsewhere.properties import compute_properties
from svm_cost_curves.experiments.provenance import PROJECT_ROOT
from svm_cost_curves.experiments.reproduction.citations import PAPERS, place_of
from svm_cost_curves.experiments.reproduction.claim_spec import BaseSpec, RepeatedClaimSpec, ShownSpec
from svm_cost_curves.experiments.reproduction.evidence import Evidence, FigureResult, Panel
from svm_cost_curves.experiments.reproduction.options import Options
from svm_cost_curves.experiments.reproduction.published import EVIDENCE, figure_runs, published_figures
from svm_cost_curves.experiments.reproduction.report import pages
from svm_cost_curves.experiments.reproduction.report.figures import collect, published_verdict
from svm_cost_curves.experiments.reproduction.spec import FigureError, FigureSpec, catalogue, read_figure
from svm_cost_curves.experiments.reproduction.verdict import Case, Claim, Reading

FIGURES = [name for name, paper in catalogue().items() if paper == "elsewhere"]
figures = pytest.mark.parametrize("name", FIGURES)
GOOD: dict[str, Error] = {
    "sbp": falling(0.1),
    "pegasos": plus(falling(0.1), 0.02, 0.003),
    "sdca": plus(falling(0.1), 0.01, 0.003),
    "smo": drop(0.5, 0.1, 1e6),
}
BAD: dict[str, Error] = GOOD | {"sbp": plus(falling(0.1), 0.015)}  # between its two rivals
SOME = BaseSpec(
    "sbp_fig2",
    ["sbp", "pegasos", "sdca", "smo"],
    claims=[RepeatedClaimSpec("sbp.1", "n", "interval.estimate", 100, "points"), RepeatedClaimSpec("sbp.2", "error")],
)


def figure_of(datasets: list[str], *bases: BaseSpec) -> FigureSpec:
    """A figure with these bases, and the series and claims that follow."""
    spec = replace(
        read_figure("elsewhere_sbp"), datasets=datasets, based_on=list(bases), excluded_because={"sbp.6": "a number"}
    )
    return with_series(spec, Options("paper"))


@pytest.fixture(scope="module")
def panels() -> list[Panel]:
    """Six data sets on which the claims hold, and one on which sbp.1 fails against one rival."""
    names = ["web", "ijcnn1", "digits", "phishing", "splice", "diabetes"]
    good = [curves_panel(name, GOOD) for name in names]
    return [*good, curves_panel("mushrooms", BAD)]


def observed(panels: list[Panel], *lacking: str) -> Evidence:
    """The evidence of `SOME` on these panels and on data sets without runs, with made-up properties."""
    spec = figure_of([*(dataset_panel.dataset for dataset_panel in panels), *lacking], SOME)
    properties = {dataset_panel.dataset: {"n": 100.0 + k, "error": 0.1 * k} for k, dataset_panel in enumerate(panels)}
    return replace(evidence(spec, panels), computed={"properties": properties})


@pytest.fixture(scope="module")
def made(panels: list[Panel]) -> FigureResult:
    """The map of `SOME`, with one data set of the paper."""
    known = {"sbp.1": {"adult": Cell("unclear", held=1, cases=2, number=0.5, measured="half")}}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(figure, "paper_cells", lambda _: known)
        return figure.make(observed(panels, "skin"))


def test_a_data_set_holds_if_all_of_its_cases_hold(made: FigureResult) -> None:
    claims = claims_of(made)
    first = claims["elsewhere.sbp.1"].nearest
    assert (first.outcome, first.held, first.cases) == ("mostly", 6, 8)
    assert {name: cases["all cases"]["ruling"] for name, cases in first.statistic.items()} == {
        **dict.fromkeys(("web", "ijcnn1", "digits", "phishing", "splice", "diabetes"), "holds"),
        "mushrooms": "fails",
    }
    assert first.statistic["mushrooms"]["all cases"]["held"] == 1
    assert first.statistic["web"]["all cases"]["number"] == pytest.approx(-1.5, abs=1e-6)  # mean of two rivals, points
    assert first.statistic["mushrooms"]["all cases"]["number"] == pytest.approx(0.0, abs=1e-6)
    assert claims["elsewhere.sbp.1"].lacking == ["skin"]
    second = claims["elsewhere.sbp.2"].nearest
    assert (second.held, second.cases) == (7, 8)


def test_the_judge_and_its_rule_are_those_of_the_papers_figure(made: FigureResult) -> None:
    claim = claims_of(made)["elsewhere.sbp.1"]
    base = next(original for original in read_figure("sbp_fig2").claims if original.id == "sbp.1")
    assert [reading.id for reading in claim.readings] == [base.readings[0].id]
    assert claim.rule.startswith(base.rule.format_map(base.constants))
    assert claim.sensitivity == []
    assert claim.nearest.shows == ShownSpec(["sbp", "pegasos", "sdca"], "iterations", "test_error")


def test_the_map_is_drawn_with_a_table_of_commands(made: FigureResult) -> None:
    drawn_with_table(made)
    assert made.table is not None
    rows = {(row[0], row[1]): row for row in made.table().rows}
    assert len(rows) == 14
    assert rows["sbp.1", "mushrooms"][2:4] == ["✗ fails", "1 of 2"]
    assert rows["sbp.2", "web"][5] == "python3 reproduce.py figure=elsewhere_sbp scale=paper dataset=web"
    assert made.table().notes == ["Left out: sbp.6: a number."]
    points = made.data.set_index(["claim", "dataset"])
    assert points.loc[("sbp.1", "adult"), "of_the_paper"]
    assert points.loc[("sbp.1", "splice"), "value"] == 104.0


def test_without_runs_nothing_is_testable_and_the_picture_is_drawn() -> None:
    made = drawn_with_table(figure.make(evidence(figure_of(["web", "digits"], SOME), [Panel("web", "web")])))
    assert {claim.verdict for claim in made.claims} == {"not_testable"}


def test_a_data_set_with_missing_runs_does_not_hold(panels: list[Panel]) -> None:
    lacking = [replace(panels[0], missing={"sdca": "of 3 runs 1 failed"})]
    first = claims_of(figure.make(observed(lacking)))["elsewhere.sbp.1"].nearest
    assert first.statistic["web"]["all cases"]["ruling"] == "unclear"
    assert "of 3 runs 1 failed" in first.measured


@pytest.mark.parametrize(
    ("rulings", "whole"),
    [
        (["holds", "holds"], "holds"),
        (["holds", "trivial"], "holds"),
        (["trivial", "trivial"], "trivial"),
        (["holds", "unclear"], "unclear"),
        (["unclear", "fails", "holds"], "fails"),
        (["missing", "holds"], "holds"),
        (["missing", "fails"], "fails"),
        (["missing", "missing"], "missing"),
    ],
)
def test_the_rulings_of_a_data_set(rulings: list[str], whole: str) -> None:
    assert ruling_of(rulings) == whole  # type: ignore[arg-type]


def test_cells_take_the_number_of_the_cases_that_have_one() -> None:
    cases = [
        Case("web", "holds", "a", statistic={"ratio": {"estimate": 2.0}}),
        Case("web", "unclear", "b", statistic={"ratio": {"estimate": 4}}),
        Case("web", "missing", note="none", statistic={"ratio": None}),
        Case("adult", "beside", "c", statistic={"ratio": {"estimate": 9.0}}),
        Case("", "holds", "d"),
    ]
    claim = Claim("x", "", "", "", "", [Reading("", "", "", "", "mixed", cases)])
    (cell,) = cells_of(claim, RepeatedClaimSpec("x", "n", "ratio.estimate", 10.0)).values()
    assert (cell.ruling, cell.held, cell.cases, cell.number, cell.measured) == ("unclear", 1, 2, 30.0, "a; b")
    (share,) = cells_of(claim, RepeatedClaimSpec("x", "n")).values()
    assert share.number == 0.5


def test_the_rank_correlation_is_spearmans() -> None:
    from scipy.stats import spearmanr

    draw = np.random.default_rng(3)
    first = draw.integers(0, 6, 15).astype(float)  # with ties
    second = first**3 + draw.normal(0, 30, 15)
    interval = rank_correlation(first, second)
    assert interval is not None
    r = spearmanr(first, second).statistic
    assert interval.estimate == pytest.approx(r)
    reach = 1.96 * np.sqrt((1 + r**2 / 2) / 12)
    assert np.arctanh([interval.low, interval.high]) == pytest.approx([np.arctanh(r) - reach, np.arctanh(r) + reach])


def test_the_interval_of_the_rank_correlation_covers_the_true_one() -> None:
    draw = np.random.default_rng(5)
    rho = 0.6
    true = 6 / np.pi * np.arcsin(rho / 2)  # Spearman's correlation of a bivariate normal distribution
    pairs = draw.multivariate_normal([0, 0], [[1, rho], [rho, 1]], (400, 15))
    inside = [interval.low <= true <= interval.high for sample in pairs if (interval := rank_correlation(*sample.T))]
    assert len(inside) == 400
    assert 0.90 <= np.mean(inside) <= 0.99


def test_a_rank_correlation_needs_five_points_that_differ() -> None:
    assert rank_correlation([1, 2, 3, 4], [1, 2, 3, 4]) is None
    assert rank_correlation([1, 1, 1, 1, 1], [1, 2, 3, 4, 5]) is None
    interval = rank_correlation([1, 2, 3, 4, 5], [9, 8, 7, 6, 0])
    assert interval is not None
    assert (interval.low, interval.estimate, interval.high) == (-1, -1, -1)


def test_properties_come_from_runs_and_data() -> None:
    smo = finished_run(algo="smo", dataset="digits", rows=[{"iterations": 1, "support_vectors": 250}])
    run = settings_of(["algo=pegasos", "kernel=linear", "dataset=digits", "problem.C=0.5"], jobs=1)
    bases = [
        BaseSpec("sbp_fig2", claims=[RepeatedClaimSpec("sbp.1", name)])
        for name in ("lambda_n", "inverse_sigma2", "eigenvalues", "support_share")
    ]
    digits = panel("digits", {"smo": [smo]}, settings={"sbp": run})
    properties = compute_properties(evidence(figure_of(["digits"], *bases), [digits]))["digits"]
    assert properties["lambda_n"] == pytest.approx(2.0)
    assert 1 <= properties["inverse_sigma2"] < 64
    assert 1 <= properties["eigenvalues"] <= 64  # the rank of a linear kernel is at most d
    assert properties["support_share"] == pytest.approx(250 / 1000)
    json.dumps(properties, allow_nan=False)


def test_series_with_one_name_and_two_meanings_have_two_names() -> None:
    linear = BaseSpec("sbp_simba", ["sbp"], claims=[RepeatedClaimSpec("sbp.simba", "n")])
    same = BaseSpec("sbp_support", ["sbp"], claims=[RepeatedClaimSpec("sbp.sparsity", "n")])
    spec = figure_of(["web"], SOME, linear, same)
    assert [series.name for series in spec.series] == ["sbp", "pegasos", "sdca", "smo", "sbp (sbp_simba)"]
    assert all(not series.by_dataset and not series.datasets for series in spec.series)


def test_overrides_of_one_series_win_over_those_of_all() -> None:
    base = BaseSpec("sbp_fig2", ["sbp", "smo"], overrides=["budget.epochs=3"], by_series={"smo": ["budget.epochs=9"]})
    assert {series.name: series.overrides for series in figure_of(["web"], base).series} == {
        "sbp": ["algo=sbp", "budget.epochs=3"],
        "smo": ["algo=smo", "budget.epochs=3", "budget.epochs=9"],
    }


@pytest.mark.parametrize(
    ("base", "message"),
    [
        (BaseSpec("sbp_fig9"), "unknown figure 'sbp_fig9'"),
        (BaseSpec("sbp_fig2", ["smos"]), "sbp_fig2: unknown series smos"),
        (BaseSpec("sbp_fig2", by_series={"smos": []}), "sbp_fig2: unknown series smos"),
        (BaseSpec("sbp_fig2", claims=[RepeatedClaimSpec("sbp.9", "n")]), "sbp_fig2: unknown claim sbp.9"),
        (BaseSpec("sbp_fig2", claims=[RepeatedClaimSpec("sbp.1", "hue")]), "sbp_fig2: unknown property hue"),
    ],
)
def test_a_name_that_does_not_exist_is_refused(base: BaseSpec, message: str) -> None:
    with pytest.raises(FigureError, match=message):
        figure_of(["web"], base)


@pytest.mark.parametrize("paper", PAPERS)
def test_every_claim_of_a_paper_is_repeated_or_left_out_with_a_reason(paper: str) -> None:
    claims = [claim.id for other, key in catalogue().items() if key == paper for claim in read_figure(other).claims]
    specs = [read_figure(name) for name in FIGURES if name.removeprefix("elsewhere_").partition("_")[0] == paper]
    repeated = [claim.id for spec in specs for base in spec.based_on for claim in base.claims]
    left_out = [name for spec in specs for name in spec.excluded_because if name != "all others"]
    assert sorted([*repeated, *left_out]) == sorted(claims)
    assert all(why for spec in specs for why in spec.excluded_because.values())
    made = [claim.id for spec in specs for claim in with_series(spec, Options("paper")).claims]
    assert made == [PREFIX + claim_id for claim_id in repeated]


@figures
def test_its_data_sets_are_not_those_of_the_claims(name: str) -> None:
    spec = read_figure(name)
    base_datasets = {dataset for base in bases_of(spec) for dataset in base.spec.datasets if dataset != "synthetic"}
    assert not base_datasets & {*spec.datasets}
    kernel = any("protocol=elsewhere_gaussian" in base.overrides for base in spec.based_on)
    assert len(spec.datasets) >= (14 if kernel else 12)


def test_a_figure_of_no_one_paper_is_not_cited() -> None:
    assert place_of("SBP", "elsewhere", title=True) == "SBP"
    assert "Cotter" in place_of("Figure 2", "sbp")


def test_the_papers_own_cells_are_those_of_the_published_verdicts(tmp_path: Path) -> None:
    spec = figure_of(["web"], SOME)
    assert paper_cells(spec, tmp_path) == {}
    claim = next(claim for claim in published_verdict(EVIDENCE, "sbp_fig2").claims if claim.id == "sbp.1")
    cells = paper_cells(spec)["sbp.1"]
    assert [(name, cell.cases) for name, cell in cells.items()] == [("reuters_money_fx", 2), ("adult", 2), ("mnist", 2)]
    assert sum(cell.held for cell in cells.values()) == claim.nearest.held
    with pytest.MonkeyPatch.context() as patch:
        older = replace(published_verdict(EVIDENCE, "sbp_fig2"), claims=[claim])
        patch.setattr(cells_module, "published_verdict", lambda *_: older)
        assert [*paper_cells(spec)] == ["sbp.1"]


def commits_of(name: str) -> set[str]:
    """Commits at which the published runs of a figure were made."""
    return {str(run.result["provenance"]["commit"]) for run in figure_runs(EVIDENCE, name).values()}


def git(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["git", *words], cwd=PROJECT_ROOT, capture_output=True, text=True, check=False)


def protocol_of(name: str, commit: str) -> str:
    """Return docs/elsewhere.md at a commit, without the table's rows for other maps."""
    lines = git("show", f"{commit}:docs/elsewhere.md").stdout.splitlines()
    return "\n".join(line for line in lines if not line.startswith("| `elsewhere_") or line.startswith(f"| `{name}` |"))


@figures
def test_the_protocol_is_older_than_the_runs(name: str) -> None:
    if name not in published_figures(EVIDENCE):
        pytest.skip("the figure is not published")
    history = git("log", "--format=%H", "--", "docs/elsewhere.md").stdout.split()
    if not history or git("rev-parse", "--is-shallow-repository").stdout.strip() == "true":
        pytest.skip("there is no whole history of the protocol")
    words = {commit: protocol_of(name, commit) for commit in history}
    first = [commit for commit in history if words[commit] == words[history[0]]][-1]  # with the present words
    for commit in commits_of(name):
        assert git("merge-base", "--is-ancestor", first, commit).returncode == 0, commit


def test_short_numbers_fit_a_cell() -> None:
    values: Mapping[float, str] = {
        0.0: "0",
        -9e-17: "0",
        -0.0661: "-0.066",
        4.5: "4.5",
        340.2: "340",
        1.2e-5: "1e-5",
        2.6e6: "3e6",
    }
    assert {value: short_number(value) for value in values} == values


def test_its_claims_do_not_count_among_the_papers_claims(tmp_path: Path) -> None:
    claim = claim_json("contradicted")
    put(tmp_path, "sbp_fig2", "paper", verdict(claims=[claim_json("mostly")]))
    put(tmp_path, "elsewhere_sbp", "paper", verdict(claims=[claim | {"id": "elsewhere.sbp.1"}]))
    overview = collect(tmp_path)
    states = overview.claims()
    assert "mostly" in states
    assert "contradicted" not in states
    assert [state for figure in overview.papers()["elsewhere"] for _, state in figure.claims] == ["contradicted"]


def test_paragraphs_of_people_stand_on_the_scorecard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "elsewhere.md").write_text("Take the SBP where *few* examples matter.\n", encoding="utf-8")
    monkeypatch.setattr(pages, "NOTES", tmp_path)
    collection = collect(tmp_path / "figures")
    text = pages.write_markdown(collection, tmp_path / "results", "elsewhere").read_text(encoding="utf-8")
    assert "on data that its paper did not use" in text
    assert "\n\nTake the SBP where *few* examples matter.\n\n## " in text
    other = pages.write_markdown(collection, tmp_path / "results", "sbp").read_text(encoding="utf-8")
    assert "Take the SBP" not in other
