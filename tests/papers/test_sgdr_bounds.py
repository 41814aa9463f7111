from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from evidence_cases import evidence, panel
from pictures import drawn_with_table
from sgdr_cases import optimum_run, run

from datasets import DataError
from experiments.configuration.composition import composing, settings_of
from experiments.papers.sgdr import bounds as figure
from experiments.papers.sgdr.bounds import METHODS, DualBox, dual_box, make
from experiments.reproduction.evidence import Panel
from experiments.reproduction.spec import read_figure
from experiments.reproduction.verdict import Claim

SPEC = read_figure("sgdr_bounds")
GOOD = [(1.0, 0.5, None), (2.0, 0.3, 0.4), (3.0, 0.01, 0.02)]

INSIDE = DualBox(30, 1.0, 1e-14)

Points = Sequence[tuple[float, float, float | None]]


def bounds(folder: Path, sgd_s: Points = GOOD, sgd_m: Points = GOOD, other: float = 1.0) -> Panel:
    """Two runs of each algorithm, and two optima, of which the second is a multiple of the first."""
    runs = {name: [run(folder, name, GOOD)] for name in METHODS}
    for name, points in zip(METHODS, (sgd_s, sgd_m), strict=True):
        runs[name].append(run(folder, name, points, seed=1))
    runs["optimum"] = [optimum_run(folder, "optimum")]
    runs["optimum_ocas"] = [optimum_run(folder, "optimum_ocas", at=other)]
    return panel("adult", runs, settings=dict.fromkeys(METHODS, None))


@pytest.fixture(autouse=True)
def inside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figure, "dual_box", lambda _: INSIDE)


def judge(*panels: Panel) -> Claim:
    (claim,) = make(evidence(SPEC, panels)).claims
    assert claim.id == "sgdr.1"
    json.dumps(claim.statistic, allow_nan=False)
    return claim


def test_bounds_on_the_right_sides_of_the_optimum(tmp_path: Path) -> None:
    claim = judge(bounds(tmp_path))
    assert claim.verdict == "reproduced"
    part = claim.statistic["adult"]["sgd_s bounds"]
    assert (part["lower_bounds"], part["objectives"]) == (4, 6)
    assert part["highest_lower_bound"] == pytest.approx(0.98)
    assert part["lowest_objective"] == pytest.approx(1.01)
    assert part["optima_differ_by"] == 0.0
    assert claim.measured.startswith(
        "SGD-s: L at most -2 % from J_opt (Adult) and J at least +1 % (Adult), at 4 and 6 evaluations. SGD-s's dual "
        "variables: at most 1 C at the end of 30 passes, L the dual objective there to 1e-14. SGD-m: L at most"
    )


@pytest.mark.parametrize(
    "points",
    [
        [(1.0, 0.5, 0.5), (2.0, 0.1, -1e-6), (3.0, 0.01, 0.02)],  # L above the optimum at one evaluation
        [(1.0, 0.5, 0.5), (2.0, -1e-6, 0.1), (3.0, 0.01, 0.02)],  # J below it
    ],
)
def test_one_evaluation_on_the_wrong_side_refutes_the_claim(tmp_path: Path, points: Points) -> None:
    claim = judge(bounds(tmp_path, points))
    assert claim.verdict == "partly"
    rulings = {name: part["ruling"] for name, part in claim.statistic["adult"].items()}
    assert rulings.pop("sgd_s bounds") == "not_reproduced"
    assert set(rulings.values()) == {"reproduced"}


def test_rounding_errors_are_tolerated(tmp_path: Path) -> None:
    assert judge(bounds(tmp_path, [(1.0, -1e-9, -1e-9)])).verdict == "reproduced"


def test_two_optima_that_differ_decide_nothing(tmp_path: Path) -> None:
    assert judge(bounds(tmp_path / "near", other=1 + 5e-7)).verdict == "reproduced"
    claim = judge(bounds(tmp_path / "far", other=1 - 1e-4))
    assert {name: part["ruling"] for name, part in claim.statistic["adult"].items()} == {
        **dict.fromkeys(("sgd_s bounds", "sgd_m bounds"), "not_applicable"),
        **dict.fromkeys(("sgd_s box", "sgd_m box"), "reproduced"),
    }
    assert "optima differ by 1.0e-04" in claim.why
    assert claim.verdict == "not_applicable"
    assert "Undecided" in claim.why


def test_missing_runs_leave_the_claim_undecided(tmp_path: Path) -> None:
    whole = bounds(tmp_path)
    for name, words in (("optimum", "no finished runs of the optimum"), ("sgd_m", "no finished runs of SGD-m")):
        less = replace(whole, runs={key: () if key == name else runs for key, runs in whole.runs.items()})
        claim = judge(less)
        assert claim.verdict == "not_applicable"
        assert words in claim.why
        drawn_with_table(make(evidence(SPEC, [less])))
    # without the second optimum the first one stands alone
    alone = replace(whole, runs={key: runs for key, runs in whole.runs.items() if key != "optimum_ocas"})
    assert judge(alone).verdict == "reproduced"
    # what is known to fail has failed, whatever is missing
    wrong = bounds(tmp_path / "wrong", [(1.0, 0.5, -1.0)])
    assert judge(replace(wrong, runs={**wrong.runs, "sgd_m": ()})).verdict == "partly"


def refuse(_: object) -> DualBox:
    raise DataError("adult cannot be had: no network")


def test_dual_variables_are_read_from_the_solver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = bounds(tmp_path)
    for outside in (DualBox(30, 1 + 1e-6, 0.0), DualBox(30, 0.5, 1e-6)):
        monkeypatch.setattr(figure, "dual_box", lambda _, found=outside: found)
        claim = judge(whole)
        assert claim.verdict == "partly"
        assert claim.statistic["adult"]["sgd_m box"]["ruling"] == "not_reproduced"
    monkeypatch.setattr(figure, "dual_box", refuse)
    claim = judge(whole)
    assert claim.verdict == "not_applicable"
    assert "SGD-s's dual variables: adult cannot be had" in claim.why
    assert "Undecided" in claim.why


def test_dual_variables_of_real_runs() -> None:
    words = ["dataset=synthetic", "dataset.n=40", "kernel=linear", "problem.C=1"]
    with composing():
        found = {
            name: dual_box(settings_of([f"algo={name}", *words, *more]), passes=5)
            for name, more in (("sgd_s", ["algo.eps=1e-9"]), ("sgd_m", ["algo.eps=10"]))
        }
    assert found["sgd_s"].holds
    assert found["sgd_s"].passes == 5
    assert 0.2 <= found["sgd_s"].largest <= 1  # somebody was updated in one epoch of five
    assert found["sgd_m"].holds
    assert found["sgd_m"].passes < 5  # it stopped


def test_only_declared_stand_ins_are_judged(tmp_path: Path) -> None:
    named = replace(bounds(tmp_path / "a"), paper_dataset="physics", dataset="ijcnn1", stand_in="no physics")
    other = replace(bounds(tmp_path / "b"), paper_dataset="digits", dataset="digits", stand_in="chosen by name")
    assert judge(named).verdict == "reproduced"
    assert judge(other).verdict == "not_applicable"
    assert "measured, not judged" in judge(other).why


def test_picture_and_table(tmp_path: Path) -> None:
    one = bounds(tmp_path)
    panels = [replace(one, paper_dataset=name, dataset=name) for name in ("adult", "web", "ijcnn1", "digits")]
    made = drawn_with_table(make(evidence(SPEC, panels)))
    assert len(made.data) == 4 * 2 * (3 + 2)
    assert made.table is not None
    assert len(made.table.rows) == 4 * 2
    assert made.table.rows[0][6:] == ["SGD-s", "2", "4", "-2.0e-02", "+1.0e-02", "+3.1e-02"]


def test_without_runs_claims_are_undecided() -> None:
    for panels in ([], [Panel("adult", "adult")]):
        made = drawn_with_table(make(evidence(SPEC, panels)))
        assert [claim.verdict for claim in made.claims] == ["not_applicable"]
