from __future__ import annotations

import math
from itertools import permutations
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from svm_cost_curves.experiments.reproduction.claim_spec import NumberSpec
from svm_cost_curves.experiments.reproduction.verdict import (
    Claim,
    Outcome,
    Reading,
    Ruling,
    in_words,
    number,
    outcome_of,
)

rulings = st.lists(st.sampled_from(get_args(Ruling)), max_size=7)


@pytest.mark.parametrize(
    ("cases", "outcome"),
    [
        ([], "not_testable"),
        (["missing", "missing"], "not_testable"),
        (["beside"], "not_testable"),
        (["holds", "holds"], "reproduced"),
        (["holds", "trivial"], "reproduced"),
        (["trivial", "trivial"], "trivial"),
        (["holds", "beside"], "reproduced"),
        (["holds", "holds", "missing"], "mostly"),
        (["holds", "holds", "fails"], "mostly"),
        (["holds", "missing"], "unclear"),
        (["holds", "unclear"], "unclear"),
        (["unclear"], "unclear"),
        (["fails", "unclear"], "unclear"),
        (["fails", "fails", "unclear"], "contradicted"),
        (["fails", "missing"], "contradicted"),
        (["fails", "fails"], "contradicted"),
        (["holds", "fails"], "mixed"),
        (["holds", "fails", "missing"], "mixed"),
        (["holds", "fails", "fails"], "mixed"),
        (["holds", "fails", "unclear", "missing"], "unclear"),
    ],
)
def test_outcome_of_several_cases(cases: list[Ruling], outcome: Outcome) -> None:
    for order in set(permutations(cases)):
        assert outcome_of(order) == outcome


@given(rulings)
def test_a_claim_is_reproduced_only_if_every_case_holds(cases: list[Ruling]) -> None:
    counted = [case for case in cases if case != "beside"]
    everywhere = bool(counted) and set(counted) <= {"holds", "trivial"}
    assert (outcome_of(cases) in ("reproduced", "trivial")) is everywhere
    if "fails" in counted:
        assert outcome_of(cases) not in ("reproduced", "trivial", "not_testable")


@given(rulings)
def test_a_failing_case_never_helps_a_claim(cases: list[Ruling]) -> None:
    rank = {name: place for place, name in enumerate(("contradicted", "unclear", "mixed", "mostly", "reproduced"))}
    rank |= {"not_testable": 1, "trivial": 4, "unclear": 2}
    assert rank[outcome_of([*cases, "fails"])] <= rank[outcome_of([*cases, "holds"])]


def test_every_outcome_has_words_and_nothing_else_has() -> None:
    assert len({in_words(outcome) for outcome in get_args(Outcome)}) == len(get_args(Outcome))
    with pytest.raises(ValueError, match="'perhaps' is no outcome"):
        in_words("perhaps")  # type: ignore[arg-type]


def reading(outcome: Outcome, held: int = 2, cases: int = 3, *, on_stand_ins: bool = False) -> Reading:
    return Reading("", "", "", "", outcome, held, cases, on_stand_ins=on_stand_ins)


def test_the_text_of_a_reading_counts_its_cases() -> None:
    assert reading("mostly").text == "mostly reproduced (2 of 3)"
    assert reading("reproduced", 3, 3, on_stand_ins=True).text == "reproduced on stand-ins (3 of 3)"
    assert reading("contradicted", 0, 3, on_stand_ins=True).text == "contradicted on stand-ins (0 of 3)"
    assert reading("not_testable", 0, 3, on_stand_ins=True).text == "not testable here"


def test_a_claim_has_the_outcome_of_its_first_reading() -> None:
    claim = Claim("sbp.1", "", "", "", "", [reading("mostly"), reading("reproduced"), reading("trivial")])
    assert claim.verdict == "mostly"
    assert claim.agreement == "reproduced under 2 of 3 readings"
    assert Claim("sbp.1", "", "", "", "", [reading("mostly")]).agreement == ""


@pytest.mark.parametrize(
    ("paper", "ours", "rounding", "agrees"),
    [
        (14.9, 15.0, 0.1, True),  # 15.0 - 14.9 is 0.0999...
        (14.9, 14.8, 0.1, True),  # 14.9 - 14.8 is 0.1000...
        (0.44, 0.46, 0.02, True),
        (7.62e-10, 7.57e-10, 5e-12, True),
        (14.9, 15.01, 0.1, False),
        (0.1, 0.1 + 1e-9, 0.0, False),
        (0.1, 0.1, 0.0, True),
        (-2.0, -1.5, 0.5, True),
        (-2.0, 2.0, 0.5, False),
    ],
)
def test_one_run_without_deviation_agrees_within_the_rounding(
    paper: float, ours: float, rounding: float, agrees: bool
) -> None:
    assert number(NumberSpec("x", paper, rounding=rounding), [ours]).agrees is agrees


def test_the_prediction_interval_is_students() -> None:
    values = np.array([15.0, 15.2, 15.1, 14.9])
    found = number(NumberSpec("error", 15.3, "%", rounding=0.05, runs=50), values)
    error = values.std(ddof=1) * math.sqrt(1 / 4 + 1 / 50)
    reach = stats.t.ppf(0.975, 3) * error + 0.05
    assert found.low == pytest.approx(15.05 - reach)
    assert found.high == pytest.approx(15.05 + reach)
    assert found.z == pytest.approx(0.25 / math.hypot(error, 0.05 / math.sqrt(3)))
    assert (found.measured, found.runs, found.agrees) == (pytest.approx(15.05), 4, True)


@given(st.integers(2, 12), st.integers(1, 50), st.integers(0, 2**32 - 1))
def test_a_printed_number_from_the_same_distribution_mostly_agrees(ours: int, papers: int, seed: int) -> None:
    generator = np.random.default_rng(seed)
    inside = 0
    for _ in range(60):
        printed = float(generator.normal(size=papers).mean())
        spec = NumberSpec("x", printed, rounding=0.0, runs=papers)
        inside += number(spec, generator.normal(size=ours)).agrees is True
    assert inside >= 45  # of 57 expected; fewer than 45 with a probability below 1e-6


def test_a_known_deviation_counts_where_our_runs_do_not_vary() -> None:
    spec = NumberSpec("error", 15.5, "%", rounding=0.05)
    assert number(spec, [15.0]).agrees is False
    assert number(spec, [15.0]).z is None  # rounding alone has no standard error
    found = number(spec, [15.0], deviation=0.4)
    assert found.high == pytest.approx(15.0 + 1.96 * 0.4 * math.sqrt(2) + 0.05)
    assert found.agrees is True


def test_ratios_are_compared_in_logarithms() -> None:
    spec = NumberSpec("ratio", 8.0, "times", rounding=0.05, log=True)
    found = number(spec, [2.0, 8.0])
    assert found.measured == pytest.approx(4.0)
    assert found.low is not None
    assert found.high is not None
    assert found.low * found.high == pytest.approx(16.0)


@pytest.mark.parametrize("values", [None, [], [math.nan], [math.inf]])
def test_without_runs_nothing_is_compared(values: list[float] | None) -> None:
    found = number(NumberSpec("x", 1.0, rounding=0.1), values, "no runs")
    assert (found.measured, found.agrees, found.z, found.note) == (None, None, None, "no runs")


def test_other_data_and_seconds_stand_side_by_side() -> None:
    assert number(NumberSpec("x", 1.0, rounding=0.1), [1.0], compared=False).agrees is None
    found = number(NumberSpec("time", 195.0, "s"), [30.0, 40.0])
    assert (found.measured, found.agrees, found.runs) == (35.0, None, 2)
