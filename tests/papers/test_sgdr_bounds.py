from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from evidence_cases import evidence, panel, with_data
from readings import claims_of
from sgdr_cases import optimum_run, run

from svm_cost_curves.datasets import DataError
from svm_cost_curves.experiments.configuration.composition import settings_of
from svm_cost_curves.experiments.papers.problem import load_problem
from svm_cost_curves.experiments.papers.sgdr import bounds as figure
from svm_cost_curves.experiments.papers.sgdr.bounds import make
from svm_cost_curves.experiments.papers.sgdr.dual_box import (
    METHODS,
    RANDOM_EPOCHS,
    DualBox,
    dual_box,
    multiple_updates,
    random_excess,
)
from svm_cost_curves.experiments.reproduction.evidence import Panel
from svm_cost_curves.experiments.reproduction.spec import read_figure
from svm_cost_curves.experiments.reproduction.statistics.interval import Interval
from svm_cost_curves.experiments.reproduction.verdict import Claim
from svm_cost_curves.solvers import _core

WHOLE = read_figure("sgdr_bounds")
SPEC = replace(WHOLE, datasets=["adult"], missing_data={})
GOOD = [(1.0, 0.5, None), (2.0, 0.3, 0.4), (3.0, 0.01, 0.02)]
INSIDE = DualBox(30, 1.0, 1e-14, 1000, 0)

Points = Sequence[tuple[float, float, float | None]]


def bounds(sgd_s: Points = GOOD, sgd_m: Points = GOOD, other: float = 1.0) -> Panel:
    """Two runs of each algorithm, and two optima, of which the second is a multiple of the first."""
    runs = {name: [run(name, GOOD)] for name in METHODS}
    for name, points in zip(METHODS, (sgd_s, sgd_m), strict=True):
        runs[name].append(run(name, points, seed=1))
    runs["optimum"] = [optimum_run("optimum")]
    runs["optimum_ocas"] = [optimum_run("optimum_ocas", at=other)]
    return panel("adult", runs, settings=dict.fromkeys(METHODS, None))


@pytest.fixture(autouse=True)
def inside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figure, "dual_box", lambda _: INSIDE)
    monkeypatch.setattr(figure, "random_exponent", lambda _: Interval(0.5, 0.4, 0.6, 3))


def judge(*panels: Panel) -> dict[str, Claim]:
    return claims_of(make(with_data(evidence(SPEC, panels))))


def test_bounds_on_the_right_sides_of_the_optimum() -> None:
    claims = judge(bounds())
    assert claims["sgdr.1"].nearest.brief == "holds (6 of 6)"
    assert claims["sgdr.multiple"].verdict == "reproduced"
    part = claims["sgdr.1"].nearest.statistic["adult"]["sgd_s L"]
    assert (part["evaluations"], part["largest"]) == (4, pytest.approx(0.98))
    assert claims["sgdr.1"].nearest.measured.startswith(
        "L of SGD-s: as claimed in 1 of 1 cases; at worst SGD-s: L / J_opt at most 0.98 at 4 evaluations (Adult). "
        "J of SGD-s: as claimed in 1 of 1 cases; at worst SGD-s: J_opt / J at most 0.990099 at 6 evaluations (Adult)."
    )


@pytest.mark.parametrize(
    ("points", "side"),
    [
        ([(1.0, 0.5, 0.5), (2.0, 0.1, -1e-6), (3.0, 0.01, 0.02)], "L"),  # above the optimum at one evaluation
        ([(1.0, 0.5, 0.5), (2.0, -1e-6, 0.1), (3.0, 0.01, 0.02)], "J"),  # below it
    ],
)
def test_one_evaluation_on_the_wrong_side_refutes_a_case(points: Points, side: str) -> None:
    claim = judge(bounds(points))["sgdr.1"]
    rulings = {name: part["ruling"] for name, part in claim.nearest.statistic["adult"].items()}
    assert rulings.pop(f"sgd_s {side}") == "fails"
    assert set(rulings.values()) == {"holds"}
    assert claim.nearest.brief == "mostly holds (5 of 6)"


def test_rounding_errors_are_tolerated() -> None:
    claim = judge(bounds([(1.0, -1.4e-9, -1.4e-9)]))["sgdr.1"]
    assert claim.verdict == "reproduced"  # the optimum is known to 1e-9
    assert claim.sensitivity[0].half == "mostly holds (4 of 6)"


def test_bounds_far_from_the_optimum_hold_trivially() -> None:
    far: Points = [(1.0, 200.0, 0.995)]
    runs = bounds(far, far).runs
    runs = {name: repeats[1:] if name in METHODS else repeats for name, repeats in runs.items()}
    claim = judge(panel("adult", runs, settings=dict.fromkeys(METHODS, None)))["sgdr.1"]
    assert {part["ruling"] for name, part in claim.nearest.statistic["adult"].items() if "box" not in name} == {
        "trivial"
    }


def test_two_optima_that_differ_decide_nothing() -> None:
    assert judge(bounds(other=1 + 5e-7))["sgdr.1"].verdict == "reproduced"
    claim = judge(bounds(other=1 - 1e-4))["sgdr.1"]
    assert claim.nearest.brief == "unclear (2 of 6)"
    assert "optima differ by 1.0e-04" in claim.nearest.exceptions()[0]


def test_without_the_second_optimum_the_first_one_stands_alone() -> None:
    whole = bounds()
    alone = replace(whole, runs={key: runs for key, runs in whole.runs.items() if key != "optimum_ocas"})
    assert judge(alone)["sgdr.1"].verdict == "reproduced"


def refuse(_: object) -> DualBox:
    raise DataError("adult cannot be had: no network")


def test_dual_variables_are_read_from_the_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = bounds()
    for outside in (DualBox(30, 1 + 1e-6, 0.0), DualBox(30, 0.5, 1e-6), DualBox(30, 0.5, 0.0, 1000, 1)):
        monkeypatch.setattr(figure, "dual_box", lambda _, box=outside: box)
        claims = judge(whole)
        assert claims["sgdr.1"].nearest.held == (6 if outside.different else 4)
        assert claims["sgdr.multiple"].verdict == ("contradicted" if outside.different else "reproduced")
    monkeypatch.setattr(figure, "dual_box", refuse)
    claims = judge(whole)
    assert claims["sgdr.multiple"].verdict == "not_testable"
    assert "Adult: not run, SGD-s: adult cannot be had" in claims["sgdr.1"].nearest.exceptions()


def test_dual_variables_of_real_runs() -> None:
    words = ["dataset=synthetic", "dataset.n=40", "kernel=linear", "problem.C=1"]
    boxes = {
        name: dual_box(settings_of([f"algo={name}", *words, *more]), passes=5)
        for name, more in (("sgd_s", ["algo.eps=1e-9"]), ("sgd_m", ["algo.eps=10"]))
    }
    assert boxes["sgd_s"].passes == 5
    assert 0.2 <= boxes["sgd_s"].largest <= 1  # an example was updated in one epoch of five
    assert boxes["sgd_m"].passes < 5  # it stopped
    assert all(box.apart < 1e-9 and box.different == 0 for box in boxes.values())
    assert boxes["sgd_s"].updates == 5 * 40


@pytest.mark.parametrize(("low", "outcome"), [(0.3, "reproduced"), (0.2, "unclear"), (-0.6, "contradicted")])
def test_the_excess_of_random_selection(monkeypatch: pytest.MonkeyPatch, low: float, outcome: str) -> None:
    monkeypatch.setattr(figure, "random_exponent", lambda _: Interval(low + 0.1, low, low + 0.2, 3))
    assert judge(bounds())["sgdr.random"].verdict == outcome


def test_random_selection_of_real_data() -> None:
    settings = settings_of(["algo=sgd_s", "dataset=synthetic", "dataset.n=100", "kernel=linear", "problem.C=0.01"])
    excess = random_excess(load_problem(settings), seed=0)
    assert len(excess) == len(RANDOM_EPOCHS)
    assert excess[0] > 2 * excess[-1] > 0  # nearly all are errors always: the largest of n binomial numbers


def test_a_wrong_closed_form_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    # thresholds 2.5, 3, ..., 4.5: a response of 1 with a norm of 2 is an error at 2.5, at 3 (3) and not at 3.5 (5)
    values = (2.5, 0.5, np.array([1.0, 9.0]), np.array([2.0, 2.0]))
    assert multiple_updates(*values).tolist() == [True, True]
    monkeypatch.setattr(_core, "multiple_update", lambda *, response, **_: 2 if response == 1.0 else 1)
    assert multiple_updates(*values).tolist() == [True, False]


@pytest.mark.parametrize(
    ("below", "outcome"),
    [
        ((0.2, 0.2), "reproduced"),
        ((0.05, 0.05), "contradicted"),
        ((0.05, 0.2), "unclear"),
        ((None, None), "not_testable"),
    ],
)
def test_the_bound_of_multiple_updates_increases_more_slowly(below: Sequence[float | None], outcome: str) -> None:
    runs = {
        name: [
            run(name, [(20.0, 0.3, 0.3), (40.0, 0.3, gap), (80.0, 0.3, gap)], seed=seed)
            for seed, gap in enumerate(both)
        ]
        for name, both in (("sgd_s", (0.1, 0.1)), ("sgd_m", below))
    }
    runs["optimum"] = [optimum_run("optimum")]
    claim = judge(panel("adult", runs, settings=dict.fromkeys(METHODS, None)))["sgdr.increase"]
    assert claim.verdict == outcome
    if outcome == "reproduced":
        assert claim.nearest.measured == "Adult: J_opt - L of SGD-m is 2 (range 2 to 2) times that of SGD-s."
