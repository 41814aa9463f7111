from __future__ import annotations

from dataclasses import replace

import pytest
from curve_cases import Error, constant, curves_panel, falling
from evidence_cases import evidence
from readings import claims_of, reading, rulings

from svm_cost_curves.experiments.papers.curves import make
from svm_cost_curves.experiments.reproduction.evidence import Panel
from svm_cost_curves.experiments.reproduction.spec import read_figure
from svm_cost_curves.experiments.reproduction.verdict import Claim

SPEC = read_figure("sbp_fig3")
DATASETS = ("reuters_money_fx", "adult", "mnist")


def two(dataset: str, factor: float, *, seeds: int = 3, spread: float = 0.001) -> Panel:
    """Curves of one shape, the features' at `factor` times the cost."""
    errors: dict[str, Error] = {"sbp": falling(0.1, spread), "fourier": falling(0.1, spread)}
    sbp = curves_panel(dataset, {"sbp": errors["sbp"]}, seeds=seeds)
    fourier = curves_panel(dataset, {"fourier": errors["fourier"]}, seeds=seeds, cost_factor=factor)
    return replace(sbp, runs={**sbp.runs, **fourier.runs})


def judge(panels: list[Panel]) -> Claim:
    return claims_of(make(evidence(SPEC, panels)))["sbp.5"]


@pytest.mark.parametrize(("factor", "verdict"), [(4.0, "reproduced"), (0.25, "contradicted")])
def test_the_ratio_is_that_of_the_costs_of_shifted_curves(factor: float, verdict: str) -> None:
    claim = judge([two(name, factor) for name in DATASETS])
    assert {variant.outcome for variant in claim.readings if variant.id != "cpu_seconds"} == {verdict}
    assert claim.nearest.cases == 2  # the paper claims nothing on Adult
    for part in claim.nearest.statistic.values():
        assert part["cost"]["ratio"]["estimate"] == pytest.approx(factor)
        assert part["cost"]["at_best"] == pytest.approx(factor)
    assert rulings(claim, "adult") == {"cost": "beside"}
    low = reading(claim, "low_errors").statistic["mnist"]["cost"]
    assert low["high_error"] == pytest.approx(1.5 * low["low_error"])


def test_time_is_another_reading() -> None:
    """Curves in `two` take time in proportion to their costs: features with fewer inner products are faster too."""
    claim = judge([two(name, 0.25) for name in DATASETS])
    assert reading(claim, "cpu_seconds").outcome == "contradicted"


def test_data_sets_and_runs_that_disagree() -> None:
    mixed = judge([two("reuters_money_fx", 4.0), two("mnist", 0.25)])
    assert (mixed.verdict, mixed.nearest.held) == ("mixed", 1)
    wide = [two(name, 1.05, spread=0.05) for name in ("reuters_money_fx", "mnist")]
    assert judge(wide).verdict == "unclear"
    apart = curves_panel("mnist", {"sbp": constant(0.1), "fourier": constant(0.2)})
    assert "no error in common" in "".join(judge([apart]).nearest.exceptions())
