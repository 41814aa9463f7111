from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from curve_cases import Error, constant, curves_panel, falling
from evidence_cases import evidence
from pictures import render

from experiments.papers.sbp.fig3 import make
from experiments.reproduction.evidence import Panel
from experiments.reproduction.spec import read_figure
from experiments.reproduction.verdict import Claim

SPEC = read_figure("sbp_fig3")
DATASETS = ("reuters_money_fx", "adult", "mnist")


def two(folder: Path, dataset: str, factor: float, *, seeds: int = 3, spread: float = 0.001) -> Panel:
    """Curves of one shape, the features' at `factor` times the cost."""
    errors: dict[str, Error] = {"sbp": falling(0.1, spread), "fourier": falling(0.1, spread)}
    sbp = curves_panel(folder / f"{dataset}-sbp", dataset, {"sbp": errors["sbp"]}, seeds=seeds)
    fourier = curves_panel(
        folder / f"{dataset}-fourier", dataset, {"fourier": errors["fourier"]}, seeds=seeds, cost_factor=factor
    )
    return replace(sbp, runs={**sbp.runs, **fourier.runs})


def judge(panels: list[Panel]) -> Claim:
    (claim,) = make(evidence(SPEC, panels)).claims
    assert claim.id == "sbp.5"
    return claim


@pytest.mark.parametrize(("factor", "verdict"), [(4.0, "reproduced"), (0.25, "not_reproduced")])
def test_the_ratio_is_that_of_the_costs_of_shifted_curves(tmp_path: Path, factor: float, verdict: str) -> None:
    claim = judge([two(tmp_path, name, factor) for name in DATASETS])
    assert claim.verdict == verdict
    assert set(claim.statistic) == set(DATASETS)
    for part in claim.statistic.values():
        assert part["fourier_over_sbp"]["ratio"]["estimate"] == pytest.approx(factor)
        assert part["fourier_over_sbp"]["at_best"] == pytest.approx(factor)
    assert claim.statistic["adult"]["fourier_over_sbp"]["ruling"] == "not_applicable"
    assert "Adult: measured, though the paper claims nothing there." in claim.why


def test_adult_is_measured_and_not_judged(tmp_path: Path) -> None:
    panels = [two(tmp_path, name, 0.25 if name == "adult" else 4.0) for name in DATASETS]
    assert judge(panels).verdict == "reproduced"
    assert judge([panels[1]]).verdict == "not_applicable"


def test_data_sets_that_disagree_and_runs_that_disagree_give_partly(tmp_path: Path) -> None:
    assert judge([two(tmp_path, "reuters_money_fx", 4.0), two(tmp_path, "mnist", 0.25)]).verdict == "partly"
    wide = two(tmp_path / "wide", "mnist", 1.05, spread=0.05)
    assert judge([wide]).verdict == "partly"


def test_one_seed_a_stand_in_and_curves_apart(tmp_path: Path) -> None:
    single = judge([two(tmp_path, "mnist", 4.0, seeds=1)])
    assert single.verdict == "reproduced"
    assert "one run only" in single.why
    stand_in = replace(two(tmp_path / "other", "mnist", 4.0), dataset="digits", stand_in="no MNIST")
    assert judge([stand_in]).verdict == "not_applicable"
    assert "stand-in" in judge([stand_in]).why
    apart = curves_panel(tmp_path / "apart", "mnist", {"sbp": constant(0.1), "fourier": constant(0.2)})
    assert "no error in common" in judge([apart]).why


def test_without_runs_claims_are_undecided(tmp_path: Path) -> None:
    for panels in ([], [Panel("mnist", "mnist")], [replace(two(tmp_path, "mnist", 4.0), runs={})]):
        made = make(evidence(SPEC, panels))
        assert made.claims[0].verdict == "not_applicable"
        render(made)
    lone = two(tmp_path / "lone", "mnist", 4.0)
    made = make(evidence(SPEC, [replace(lone, runs={**lone.runs, "fourier": ()})]))
    assert "no finished runs of Fourier features" in made.claims[0].why
    assert set(made.data["series"]) == {"sbp"}
    render(made)


def test_sbp_is_the_series_of_figure_2() -> None:
    def sbp(figure: str) -> object:
        return next(series for series in read_figure(figure).series if series.name == "sbp")

    assert sbp("sbp_fig3") == sbp("sbp_fig2")
    assert {name: scale.seeds for name, scale in SPEC.scales.items()} == {
        name: scale.seeds for name, scale in read_figure("sbp_fig2").scales.items()
    }
    assert SPEC.datasets == read_figure("sbp_fig2").datasets


def test_the_picture_is_drawn(tmp_path: Path) -> None:
    made = make(evidence(SPEC, [two(tmp_path, name, 4.0) for name in DATASETS]))
    render(made)
    assert set(made.data["cost"]) == {"inner_products", "cpu_seconds"}
