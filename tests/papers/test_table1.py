from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from evidence_cases import evidence, finished_run, panel
from pictures import render

from experiments.papers.sbp.growth import DELTAS
from experiments.papers.sbp.table1 import COLUMNS, make
from experiments.reproduction.evidence import Panel
from experiments.reproduction.made import Made
from experiments.reproduction.spec import read_figure
from experiments.reproduction.verdict import Claim
from experiments.store import FinishedRun

SPEC = read_figure("sbp_table1")
BEST = 0.02
HINGE = 0.01

Cost = Callable[[float, int], float]
"""Evaluations at which the error is (1 + delta) BEST, for delta and seed."""


def power(exponent: float, factor: float = 1e5, spread: float = 0.0) -> Cost:
    return lambda delta, seed: factor * delta ** -(exponent + spread * (seed - 1))


def runs(
    folder: Path, algo: str, cost: Cost, seeds: int = 3, *, dataset: str = "adult", **overrides: Any
) -> list[FinishedRun]:
    """Runs that begin at error 0.9, are at (1 + delta) BEST at these costs, and end at BEST."""
    return [
        finished_run(
            folder,
            algo=algo,
            dataset=dataset,
            seed=seed,
            rows=[
                {"iterations": 1, "kernel_evaluations": 10, "test_error": 0.9, "hinge": 0.9},
                *(
                    {
                        "iterations": k + 2,
                        "kernel_evaluations": round(cost(delta, seed)),
                        "test_error": (1 + delta) * BEST,
                    }
                    for k, delta in enumerate(DELTAS)
                ),
                {"iterations": 99, "kernel_evaluations": 10**15, "test_error": BEST, "hinge": HINGE},
            ],
            **overrides,
        )
        for seed in range(seeds)
    ]


def one_panel(folder: Path, costs: dict[str, Cost], seeds: int = 3, dataset: str = "adult") -> Panel:
    return panel(
        dataset,
        {
            name: runs(folder, name, cost, 1 if name == "smo" else seeds, dataset=dataset)
            for name, cost in costs.items()
        },
    )


def judged(made: Made) -> Claim:
    (claim,) = made.claims
    assert claim.id == "sbp.table1"
    json.dumps(claim.statistic, allow_nan=False)
    return claim


AS_BOUNDED = {"sbp": power(1), "pegasos": power(3), "sdca": power(3), "smo": power(0.1, 1e7), "perceptron": power(1)}


def test_growth_as_the_bounds_have_it(tmp_path: Path) -> None:
    """The exponents are those that the runs were made with; so is the table."""
    panels = [one_panel(tmp_path, AS_BOUNDED, dataset=name) for name in SPEC.datasets]
    made = make(evidence(SPEC, panels))
    claim = judged(made)
    assert claim.verdict == "reproduced"
    numbers = claim.statistic["adult"]
    assert numbers["best_error"] == pytest.approx(BEST)
    assert numbers["hinge"] == HINGE
    measured = {name: value["measured"]["estimate"] for name, value in numbers["exponents"].items()}
    assert measured == pytest.approx({"sbp": 1, "pegasos": 3, "sdca": 3, "smo": 0.1, "perceptron": 1}, abs=1e-3)
    assert numbers["difference"]["estimate"] == pytest.approx(-2, abs=1e-3)
    assert numbers["difference_when_first_met"]["estimate"] == pytest.approx(-2, abs=1e-3)
    assert numbers["deltas_compared"] == list(DELTAS)
    assert numbers["sbp_over_pegasos_at_smallest_delta"] == pytest.approx(0.02**2, rel=1e-3)
    # below delta = 1 the SBP is cheaper, above Pegasos
    assert numbers["errors_that_both_reach"] == len(DELTAS)
    assert numbers["of_these_sbp_is_cheaper_at"] == sum(delta <= 1 for delta in DELTAS)
    assert made.table is not None
    assert len(made.table.rows) == 15
    row = dict(zip(made.table.columns, made.table.rows[0], strict=True))
    assert row["bound"] == "((L+ε)/ε)^3 ‖u‖^4/ε (SBP)"
    assert row["δ = 0.1"] == "1.0e+06"
    assert row["exponent measured"] == "1.00 [1.00, 1.00]"
    assert tuple(made.data.columns) == COLUMNS
    assert len(made.data) == 15 * len(DELTAS)
    first = made.data[(made.data["series"] == "sbp") & (made.data["delta"] == 1.0)].iloc[0]
    # L = 0.01, epsilon = 0.02: 1.5^3 / 0.02
    assert first["bound"] == pytest.approx(1.5**3 / 0.02)
    assert first["evaluations"] == first["first_met"] == 1e5
    assert render(made).width > 500


def test_growth_the_other_way_round(tmp_path: Path) -> None:
    claim = judged(make(evidence(SPEC, [one_panel(tmp_path, {"sbp": power(3), "pegasos": power(1)})])))
    assert claim.verdict == "not_reproduced"
    assert claim.statistic["adult"]["difference_of_bounds"] is None  # no SMO, no L


def wavy(factor: float) -> Cost:
    """Exponent 2 within the spread of the runs, dearer and cheaper than factor / delta^2 in turn."""
    return lambda delta, seed: factor * 1.2 ** (-1) ** DELTAS.index(delta) * power(2, 1.0, 0.1)(delta, seed)


@pytest.mark.parametrize(
    ("factor", "verdict"),
    [(1e10, "reproduced"), (1e7, "partly"), (1e4, "not_reproduced")],
    ids=["cheap", "mixed", "dear"],
)
def test_evaluations_decide_where_growth_cannot_be_told_apart(tmp_path: Path, factor: float, verdict: str) -> None:
    case = one_panel(tmp_path, {"sbp": power(2, 1e7, 0.1), "pegasos": wavy(factor)}, seeds=4)
    claim = judged(make(evidence(SPEC, [case])))
    gap = claim.statistic["adult"]["difference"]
    assert gap["low"] < 0 < gap["high"]
    assert claim.verdict == verdict


def test_data_sets_that_disagree(tmp_path: Path) -> None:
    panels = [
        one_panel(tmp_path, {"sbp": power(1), "pegasos": power(3)}, dataset="adult"),
        one_panel(tmp_path, {"sbp": power(3), "pegasos": power(1)}, dataset="mnist"),
        panel("reuters_money_fx", {"sbp": [], "pegasos": []}),
    ]
    claim = judged(make(evidence(SPEC, panels)))
    assert claim.verdict == "partly"
    assert [value["verdict"] for value in claim.statistic.values()] == ["reproduced", "not_reproduced"]


def test_one_run_each_is_said(tmp_path: Path) -> None:
    claim = judged(make(evidence(SPEC, [one_panel(tmp_path, {"sbp": power(1), "pegasos": power(3)}, seeds=1)])))
    assert claim.verdict == "reproduced"
    assert "One run each" in claim.why
    gap = claim.statistic["adult"]["difference"]
    assert gap["low"] == gap["high"]


def test_errors_that_need_no_learning_are_left_out(tmp_path: Path) -> None:
    """5 % of the test set are positive: one answer for all is as good as 0.05 = (1 + 1.5) 0.02."""
    few = {"data": {"counts": {"test": {"n": 100, "positives": 5}}}}
    cases = {
        name: runs(tmp_path, name, power(exponent), 1, provenance=few)
        for name, exponent in (("sbp", 1), ("pegasos", 3))
    }
    made = make(evidence(SPEC, [panel("adult", cases)]))
    assert judged(made).statistic["adult"]["deltas_compared"] == [delta for delta in DELTAS if delta < 1.5]
    assert made.table is not None
    row = dict(zip(made.table.columns, made.table.rows[0], strict=True))
    assert (row["δ = 10"], row["δ = 2"], row["δ = 1"]) == ("o", "o", "1.0e+05")


def test_errors_at_the_first_checkpoint_and_never(tmp_path: Path) -> None:
    """The SBP is at 0.05 from the start: deltas from 1.5 on say at most; the Perceptron stays at 0.9."""
    rows = [(200, 0.05), (400, 0.03), (800, 0.022), (1600, 0.021), (3200, 0.0204), (6400, 0.02)]
    sbp = finished_run(
        tmp_path,
        rows=[
            {"iterations": k, "kernel_evaluations": cost, "test_error": error} for k, (cost, error) in enumerate(rows)
        ],
    )
    stuck = finished_run(
        tmp_path, algo="perceptron", rows=[{"iterations": 1, "kernel_evaluations": 7, "test_error": 0.9}]
    )
    made = make(evidence(SPEC, [panel("adult", {"sbp": [sbp], "perceptron": [stuck]})]))
    assert judged(made).verdict == "not_applicable"
    assert made.table is not None
    row, other = (dict(zip(made.table.columns, cells, strict=True)) for cells in made.table.rows)
    assert (row["δ = 2"], row["δ = 0.5"], row["δ = 0.1"]) == ("≤ 2.0e+02", "4.0e+02", "8.0e+02")
    assert row["exponent measured"] != ""
    assert other["δ = 0.1"] == "—"
    assert other["exponent measured"] == ""
    data = made.data[made.data["series"] == "sbp"].set_index("delta")
    assert data.loc[2.0, "at_first_checkpoint"]
    assert math.isnan(data.loc[2.0, "evaluations"])
    render(made)


@pytest.mark.parametrize(
    "panels",
    [[], [panel("adult", {})], [panel("adult", {"sbp": [], "pegasos": []}), panel("mnist", {})]],
    ids=["no panel", "no series", "no runs"],
)
def test_without_runs(panels: Sequence[Panel]) -> None:
    made = make(evidence(SPEC, panels))
    claim = judged(made)
    assert claim.verdict == "not_applicable"
    assert claim.why == "there are no runs"
    assert made.data.empty
    assert tuple(made.data.columns) == COLUMNS
    render(made)


def test_a_best_error_of_zero_has_no_shares(tmp_path: Path) -> None:
    run = finished_run(tmp_path, rows=[{"iterations": 1, "kernel_evaluations": 7, "test_error": 0.0}])
    assert judged(make(evidence(SPEC, [panel("adult", {"sbp": [run]})]))).verdict == "not_applicable"


def test_the_runs_are_those_of_figure_2() -> None:
    figure2 = read_figure("sbp_fig2")
    assert SPEC.series == figure2.series
    assert SPEC.datasets == figure2.datasets
    assert SPEC.scales == figure2.scales
