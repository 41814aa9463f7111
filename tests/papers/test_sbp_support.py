from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from evidence_cases import N, evidence, finished_run, panel, rows_of
from readings import claims_of, on_all, reading

from svm_cost_curves.experiments.curve import from_rows
from svm_cost_curves.experiments.papers.sbp.support import make, mistake_bound, support_at
from svm_cost_curves.experiments.reproduction.evidence import Panel
from svm_cost_curves.experiments.reproduction.spec import read_figure
from svm_cost_curves.experiments.reproduction.verdict import Claim

SPEC = read_figure("sbp_support")
HINGE, NORM = 0.04, 10.0
BOUND = 40 + 10 * 40**0.5 + 100
"""n L = 40 and ‖u‖ = 10."""
COUNTS: Mapping[str, float] = {"sbp": 1.0, "pegasos": 2.0, "sdca": 3.0, "smo": 2.0, "perceptron": 1.0}
"""Support vectors of each method relative to the SBP's."""


def method_panel(
    changes: Mapping[str, float] = {}, *, spread: float = 0.0, epochs: float = 10.0, last: float = 1.0
) -> Panel:
    """Errors fall from 0.4 to 0.1 in 20 evaluations, and support vectors grow; `last` is a factor on the SBP's last."""
    runs = {}
    for name, factor in {**COUNTS, **changes}.items():
        per_seed = []
        for seed in range(1 if name == "smo" else 3):
            counts = 5 * factor * np.arange(1, 21) * (1 + spread * (seed - 1) * (name == "sbp"))
            counts[-1] *= last if name == "sbp" else 1.0
            k = np.arange(1, 21)
            rows = rows_of(
                kernel_evaluations=100 * k,
                epochs=epochs * k / 20,
                test_error=np.linspace(0.4, 0.1, 20),
                support_vectors=counts,
                hinge=HINGE,
                norm=NORM,
            )
            per_seed.append(finished_run(algo=name, seed=seed, rows=rows, n=N))
        runs[name] = per_seed
    return panel("adult", runs)


def claims(case: Panel) -> dict[str, Claim]:
    return claims_of(make(evidence(SPEC, on_all(case, SPEC.datasets))))


def test_fewer_support_vectors_under_every_reading() -> None:
    by_id = claims(method_panel())
    assert {variant.outcome for variant in by_id["sbp.sparsity"].readings} == {"reproduced"}
    statistic = reading(by_id["sbp.sparsity"], "smo_at_equal_error").statistic["adult"]["smo"]
    assert statistic["target"] == pytest.approx(1.1 * 0.1)
    assert (statistic["sbp"], statistic["smo"]) == (100, 200)
    assert {variant.id: variant.cases for variant in by_id["sbp.sparsity"].readings} == {
        **dict.fromkeys(("smo_at_equal_error", "smo_at_the_end"), 3),
        **dict.fromkeys(("all_at_equal_error", "all_at_the_end"), 9),
    }


def test_more_support_vectors_and_runs_that_disagree() -> None:
    assert claims(method_panel({"smo": 0.5}))["sbp.sparsity"].verdict == "contradicted"
    wide = claims(method_panel({"smo": 1.05}, spread=0.5))["sbp.sparsity"]
    assert wide.verdict == "unclear"


def test_readings_that_differ_from_the_nearest() -> None:
    late = claims(method_panel({"smo": 1.0}, last=1.5))["sbp.sparsity"]
    assert late.verdict == "contradicted"
    others = claims(method_panel({"pegasos": 0.5, "sdca": 0.5}))["sbp.sparsity"]
    assert others.verdict == "reproduced"
    assert reading(others, "all_at_the_end").brief == "mixed (3 of 9)"


def test_the_number_at_an_error() -> None:
    curves = method_panel().curves("sbp")
    assert support_at(curves, 0.25).costs == (55, 55, 55)  # the first error at or below is 0.4 - 3/19
    missed = support_at(curves, 0.05)
    assert (missed.mostly_reached, missed.median) == (False, 100)
    assert support_at(curves, None).median == 100


@pytest.mark.parametrize(("before", "after", "least"), [(10, 100, 20), (100, 100, 100), (190, 100, 100)])
def test_the_least_number_at_an_error(before: int, after: int, least: float) -> None:
    """The error is met one to nine iterations after an evaluation. Where numbers fall, the least is the one found."""
    rows = rows_of(iterations=[1, 10], support_vectors=[before, after], test_error=[0.5, 0.1])
    support = support_at([from_rows(rows)], 0.2)
    assert (support.costs, support.least) == ((after,), (least,))
    assert support.step == after / least


@pytest.mark.parametrize(("factor", "verdict"), [(1.0, "reproduced"), (100.0, "contradicted"), (0.001, "trivial")])
def test_mistakes_of_the_first_pass(factor: float, verdict: str) -> None:
    """The first evaluation after the first epoch is the second: ten support vectors times the factor."""
    claim = claims(method_panel({"perceptron": factor}))["sbp.mistakes"]
    assert claim.verdict == verdict
    assert claim.nearest.statistic["adult"]["mistakes"]["bound"] == pytest.approx(BOUND)
    assert claim.nearest.statistic["adult"]["mistakes"]["mistakes"] == pytest.approx([10 * factor] * 3)


def test_the_bound_by_hand() -> None:
    assert mistake_bound(0.0, 3.0) == 9.0  # separable: Novikoff's
    assert mistake_bound(4.0, 1.0) == 4 + 2 + 1


def test_a_run_within_its_first_epoch_has_no_mistakes_to_count() -> None:
    short = claims(method_panel(epochs=0.5))["sbp.mistakes"]
    assert "no run ends its first epoch" in "".join(short.nearest.exceptions())
