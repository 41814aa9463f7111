from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from asset_cases import like, run
from evidence_cases import evidence, panel
from pictures import drawn_with_table

from experiments.papers.asset.slowdown import make
from experiments.reproduction.evidence import Panel
from experiments.reproduction.spec import read_figure
from experiments.reproduction.verdict import Claim

SPEC = read_figure("asset_lambda")
VALUES = list(SPEC.members("asset"))
QUICK = dict.fromkeys(VALUES, (2.0, 2.2))
SLOWS = {C: (2.0 * 2**k, 2.2 * 2**k) for k, C in enumerate(VALUES)}


def panel_of(folder: Path, star: Mapping[float, Sequence[float]], asset: Mapping[float, Sequence[float]]) -> Panel:
    """Both come to 10.5 % after so many epochs, and end at 10 %; of negative ones they end at 30 %."""
    model = like(folder, "adult")
    runs = {}
    for method, epochs in (("asset", asset), ("asset_star", star)):
        for C, name in SPEC.members(method).items():
            runs[name] = [
                run(
                    model,
                    f"{name} {seed}",
                    seed,
                    [
                        {"iterations": 1, "epochs": 0.1, "test_error": 0.4},
                        {"iterations": 2, "epochs": abs(at), "test_error": 0.105 if at > 0 else 0.3},
                        {"iterations": 3, "epochs": 1000.0, "test_error": 0.1 if at > 0 else 0.3},
                    ],
                )
                for seed, at in enumerate(epochs.get(C, ()))
            ]
    return panel("adult", runs)


def judge(one: Panel) -> Claim:
    (claim,) = make(evidence(SPEC, [one])).claims
    return claim


def test_claims_hold_on_curves_as_in_the_paper(tmp_path: Path) -> None:
    claim = judge(panel_of(tmp_path, SLOWS, QUICK))
    assert claim.verdict == "reproduced"
    assert claim.statistic["adult"]["slower"]["ratio"]["estimate"] == pytest.approx(64.0)
    assert claim.statistic["adult"]["slows down"]["ratio"]["estimate"] == pytest.approx(64.0)


def test_runs_that_miss_the_target_bound_the_ratio(tmp_path: Path) -> None:
    claim = judge(panel_of(tmp_path, SLOWS | {VALUES[-1]: (-5.0, -5.0)}, QUICK))
    assert claim.verdict == "reproduced"
    assert claim.statistic["adult"]["slower"]["ratio"]["bound"] == "at least"


def test_the_claim_can_fail(tmp_path: Path) -> None:
    assert judge(panel_of(tmp_path / "a", QUICK, QUICK)).verdict == "not_reproduced"
    always = dict.fromkeys(VALUES, (20.0, 21.0))  # slower than ASSET, but for every lambda
    found = judge(panel_of(tmp_path / "b", always, QUICK))
    assert found.verdict == "partly"
    assert found.statistic["adult"]["slows down"]["ruling"] == "not_reproduced"
    both = judge(panel_of(tmp_path / "c", SLOWS, SLOWS))  # ASSET slows down as well
    assert both.statistic["adult"]["slower"]["ruling"] == "not_reproduced"


def test_cases_that_leave_the_claim_undecided(tmp_path: Path) -> None:
    assert judge(panel_of(tmp_path / "a", {}, QUICK)).verdict == "not_applicable"
    one_seed = {C: epochs[:1] for C, epochs in SLOWS.items()}
    assert judge(panel_of(tmp_path / "b", one_seed, dict.fromkeys(VALUES, (2.0,)))).verdict == "reproduced"
    other = replace(
        panel_of(tmp_path / "c", SLOWS, QUICK), paper_dataset="digits", dataset="digits", stand_in="by name"
    )
    assert judge(other).verdict == "not_applicable"


def test_picture_and_table(tmp_path: Path) -> None:
    one = panel_of(tmp_path, SLOWS | {VALUES[-1]: (-5.0, -5.0)}, QUICK)
    made = drawn_with_table(make(evidence(SPEC, [one, replace(one, paper_dataset="mnist", dataset="mnist")])))
    assert made.table is not None
    assert made.table.rows[0] == ["Adult", "100", "11.00 %", "2.1", "2.1", "10.00 ± 0.00", "10.00 ± 0.00"]
    assert made.table.rows[6][4] == ">1,000"
    assert len(made.data) == 2 * 2 * len(VALUES)
    for none in ([], [Panel("adult", "adult")]):
        assert drawn_with_table(make(evidence(SPEC, none))).data.empty
