from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from evidence_cases import evidence
from pictures import drawn_with_table
from sgdr_cases import everywhere, times_panel

from experiments.papers import effort
from experiments.papers.sgdr import single
from experiments.papers.sgdr.single import make
from experiments.reproduction.evidence import Panel
from experiments.reproduction.figure_result import Bold
from experiments.reproduction.spec import read_figure
from experiments.reproduction.verdict import Claim

SPEC = read_figure("sgdr_single")


@pytest.fixture(autouse=True)
def few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (effort, single):
        monkeypatch.setattr(module, "RESAMPLES", 50)


def timed(
    folder: Path,
    dataset: str,
    svmsgd: Sequence[float],
    sgdqn: Sequence[float] = (2.0, 2.0),
    sgd_m: Sequence[float] = (1.0, 1.0),
    **fields: Any,
) -> Panel:
    seconds = everywhere(SPEC, svmsgd=svmsgd, sgdqn=sgdqn, sgd_m=sgd_m)
    return times_panel(folder / dataset, SPEC, seconds, dataset, **fields)


def judge(*panels: Panel) -> Claim:
    (claim,) = make(evidence(SPEC, panels)).claims
    assert claim.id == "sgdr.5"
    json.dumps(claim.statistic, allow_nan=False)
    return claim


def both(folder: Path, dense: float, sparse: float, **fields: Any) -> list[Panel]:
    """Data of few and of many dimensions, on which SVMSGD takes so many times as long as SGD-m."""
    return [
        timed(folder, "adult", (dense, dense), **fields),
        timed(folder, "web", (sparse, sparse), d=single.MANY, **fields),
    ]


def test_order_of_the_three_methods_and_larger_ratio_on_sparse_data(tmp_path: Path) -> None:
    claim = judge(*both(tmp_path, 4.0, 20.0))
    assert claim.verdict == "reproduced"
    sparse = claim.statistic["all"]["sparse"]
    # 20 on one, 4 on the other, all runs alike
    assert sparse["ratio_of_ratios"] == pytest.approx({"estimate": 5.0, "low": 5.0, "high": 5.0})
    assert (sparse["sparse_cases"], sparse["other_cases"]) == (3, 3)
    assert "SVMSGD over the slowest of SGD-QN and SGD-m: as claimed in 6 of 6 cases" in claim.measured
    assert "The fastest of SVMSGD and SGD-QN over SGD-m: as claimed in 6 of 6 cases; ratio 2" in claim.measured
    assert "is 5 [5, 5] times that on others." in claim.measured


def test_smaller_ratio_on_sparse_data(tmp_path: Path) -> None:
    claim = judge(*both(tmp_path, 20.0, 4.0))
    assert claim.verdict == "partly"
    assert claim.statistic["all"]["sparse"]["ruling"] == "not_reproduced"


def test_another_order_is_not_reproduced(tmp_path: Path) -> None:
    claim = judge(*both(tmp_path, 4.0, 20.0, sgdqn=(50.0, 50.0)))
    assert claim.verdict == "partly"
    part = claim.statistic["adult"]["C=0.1 SVMSGD over the slowest of SGD-QN and SGD-m"]
    assert part["ruling"] == "not_reproduced"
    assert part["ratio"]["estimate"] == pytest.approx(0.08)
    assert claim.statistic["adult"]["C=0.1 the fastest of SVMSGD and SGD-QN over SGD-m"]["ruling"] == "reproduced"


def test_one_kind_of_data_leaves_the_claim_undecided(tmp_path: Path) -> None:
    claim = judge(timed(tmp_path, "adult", (4.0, 4.0)))
    assert claim.verdict == "not_applicable"
    assert "both kinds of data" in claim.why
    assert "Undecided" in claim.why


def test_missing_runs_leave_the_claim_undecided(tmp_path: Path) -> None:
    dense, sparse = both(tmp_path, 4.0, 20.0)
    claim = judge(dense, timed(tmp_path / "less", "web", (20.0, 20.0), sgdqn=(), d=single.MANY))
    assert claim.verdict == "not_applicable"
    assert "no finished runs of SGD-QN" in claim.why
    assert judge(sparse).verdict == "not_applicable"


def test_a_method_that_misses_the_target_is_left_out_of_the_means(tmp_path: Path) -> None:
    dense, _ = both(tmp_path, 4.0, 20.0)
    never = timed(tmp_path / "never", "real_sim", (-20.0, -20.0), d=single.MANY)
    sparse = timed(tmp_path / "sparse", "web", (20.0, 20.0), d=single.MANY)
    claim = judge(dense, sparse, never)
    assert claim.statistic["all"]["sparse"]["ratio_of_ratios"]["estimate"] == pytest.approx(5.0)
    assert "3 of 9 cases left out" in claim.why


def test_picture_and_table(tmp_path: Path) -> None:
    made = drawn_with_table(make(evidence(SPEC, both(tmp_path, 4.0, 20.0))))
    assert made.table is not None
    assert made.table.columns == ["C", "method", "Adult", "Web", "mean multiple"]
    assert made.table.rows[1:4] == [
        ["0.01", "SVMSGD", "4 s (4)", "20 s (20)", "8.94"],
        ["0.01", "SGD-QN", "2 s (2)", "2 s (2)", "2"],
        ["0.01", "SGD-m", Bold("1 s"), Bold("1 s"), "1"],
    ]


def test_without_runs_claims_are_undecided() -> None:
    for panels in ([], [Panel("adult", "adult")]):
        made = drawn_with_table(make(evidence(SPEC, panels)))
        assert {claim.verdict for claim in made.claims} == {"not_applicable"}
