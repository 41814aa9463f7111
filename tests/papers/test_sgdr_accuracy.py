from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from evidence_cases import evidence, panel
from pictures import drawn_with_table
from readings import claims_of
from sgdr_cases import optimum_run, run

from svm_cost_curves.experiments.papers.sgdr.accuracy import make
from svm_cost_curves.experiments.reproduction.evidence import Panel
from svm_cost_curves.experiments.reproduction.spec import FigureSpec, read_figure
from svm_cost_curves.experiments.reproduction.verdict import Claim
from svm_cost_curves.experiments.store import FinishedRun

SPEC = read_figure("sgdr_accuracy")
SMALL, MIDDLE, LARGE = SPEC.members("sgd_s")
EPOCHS = (*range(1, 13), 50, 100, 101, 500, 1000, 2000)


def power_law(dataset: str, *, exponents: tuple[float, ...], values: tuple[float, ...] = (MIDDLE,)) -> Panel:
    """Runs with L exactly at the optimum and (J - L) / L = epochs^-a, a run for each a."""
    runs: dict[str, list[FinishedRun]] = {curve.name: [] for curve in SPEC.curves}
    for C in values:
        runs[SPEC.members("optimum")[C]] = [optimum_run(f"optimum {C:g}", dataset=dataset)]
        runs[SPEC.members("sgd_s")[C]] = [
            run(
                f"sgd_s {C:g}",
                [(float(k), k**-exponent, 0.0 if k > 1 else None) for k in EPOCHS],
                seed=seed,
                dataset=dataset,
            )
            for seed, exponent in enumerate(exponents)
        ]
    return panel(dataset, runs)


def test_epochs_and_exponent_by_hand() -> None:
    made = make(evidence(SPEC, [power_law("adult", exponents=(1.0, 2.0, 2.0))]))
    assert set(made.data["runs"]) == {3}
    # there is no lower bound before 2 epochs
    assert made.data.groupby("measure")["epochs"].min().to_dict() == {"accuracy": 2.0, "excess": 1.0}
    assert made.table is not None
    # epochs^-2 is at most 0.1, 0.01, 0.001, 0.0001 at 4, 10, 50, 100 epochs, 1 / epochs at 10, 100, 1000 and never
    reached = ["4 (4 to 10)", "10 (10 to 100)", "50 (50 to 1,000)", "100 (100 to not reached)"]
    (row,) = [row for row in made.table().rows if row[1] == f"{MIDDLE:g}"]
    assert row[3:] == [*reached, f"{2000**-2:.1e}", "1.67 (range 1.00 to 2.00)"]


@pytest.mark.filterwarnings("error")
def test_an_accuracy_of_zero_does_not_count_for_the_exponents() -> None:
    points = [*((float(k), 1 / k, 0.0) for k in (10, 20, 40, 80)), (100.0, 0.0, 0.0)]
    made = make(evidence(SPEC, [panel("adult", {SPEC.members("sgd_s")[SMALL]: [run("sgd_s", points)]})]))
    assert made.table is not None
    assert made.table().rows[0][-1] == "1.00"
    assert "Adult, C = 0.1: epochs^-1.00." in claims_of(made)["sgdr.vanishing"].nearest.measured


def test_a_run_that_misses_all_targets_has_no_exponent() -> None:
    runs = {SPEC.members("sgd_s")[SMALL]: [run("sgd_s", [(1.0, 0.5, 0.5), (2.0, 0.4, 0.4)])]}
    made = drawn_with_table(make(evidence(SPEC, [panel("adult", runs)])))
    assert made.table is not None
    assert made.table().rows[0][2:] == ["", "-", "-", "-", "-", "1.3e+00", ""]
    assert set(made.data["measure"]) == {"accuracy"}  # the optimum is not known


ONE = replace(SPEC, datasets=["adult"], missing_data={})


def judge(*panels: Panel, spec: FigureSpec = ONE) -> dict[str, Claim]:
    return claims_of(make(evidence(spec, panels)))


def ending(ends: Sequence[float], exponent: float = 1.0, excess: float | None = None) -> Panel:
    """Runs whose accuracy falls to some ends as epochs^-exponent from 100 to 1,000 epochs, for every C."""
    runs: dict[str, list[FinishedRun]] = {}
    for C, series in SPEC.members("sgd_s").items():
        runs[SPEC.members("optimum")[C]] = [optimum_run(f"optimum {C:g}")]
        runs[series] = [
            run(
                f"sgd_s {C:g}",
                [
                    (float(k), value if excess is None else excess, 1 - (1 + (excess or value)) / (1 + value))
                    for k in (100, 300, 1000)
                    for value in [end * (k / 1000) ** -exponent]
                ],
                seed=seed,
            )
            for seed, end in enumerate(ends)
        ]
    return panel("adult", runs)


@pytest.mark.parametrize(
    ("ends", "exponent", "outcome"),
    [
        ((1e-4, 2e-4), 1.0, "reproduced"),
        ((5e-3, 6e-3), 1.0, "unclear"),  # more epochs would decide
        ((5e-3, 6e-3), 0.0, "contradicted"),
        ((5e-4, 5e-3), 1.0, "unclear"),
    ],
)
def test_accurate_solutions(ends: Sequence[float], exponent: float, outcome: str) -> None:
    claim = judge(ending(ends, exponent))["sgdr.accurate"]
    assert claim.verdict == outcome
    if ends[0] == 5e-3 and exponent:
        assert "and falls; 0.001 after some 5,477" in claim.nearest.measured
        assert claim.sensitivity[0].double == "unclear (0 of 3)"


def test_the_excess_is_another_reading() -> None:
    gap, excess = judge(ending((5e-3, 6e-3), excess=1e-4))["sgdr.accurate"].readings
    assert (gap.outcome, excess.outcome) == ("unclear", "reproduced")
    without = {name: runs for name, runs in ending((1e-4,)).runs.items() if "optimum" not in name}
    assert judge(panel("adult", without))["sgdr.accurate"].readings[1].outcome == "not_testable"


@pytest.mark.parametrize(("exponent", "outcome"), [(1.0, "reproduced"), (0.1, "contradicted")])
def test_the_gap_vanishes(exponent: float, outcome: str) -> None:
    claim = judge(ending((5e-3, 6e-3), exponent))["sgdr.vanishing"]
    assert claim.verdict == outcome
    assert f"Adult, C = 1: epochs^-{exponent:.2f}" in claim.nearest.measured


def test_slopes_on_both_sides_of_the_limit_decide_nothing() -> None:
    claim = judge(power_law("adult", exponents=(0.2, 1.0), values=(SMALL, MIDDLE, LARGE)))["sgdr.vanishing"]
    assert claim.verdict == "unclear"


def test_a_c_without_runs_is_missing() -> None:
    one = power_law("adult", exponents=(2.0,))
    assert judge(one)["sgdr.vanishing"].nearest.brief == "reproduced (1 of 1; 2 not run)"
