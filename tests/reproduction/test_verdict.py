from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svm_cost_curves.experiments.reproduction.claim_spec import ClaimType
from svm_cost_curves.experiments.reproduction.statistics.interval import Ruling
from svm_cost_curves.experiments.reproduction.verdict import (
    Case,
    Claim,
    Origin,
    Outcome,
    Reading,
    in_words,
    on_data,
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
        (["holds", "holds", "missing"], "reproduced"),
        (["trivial", "trivial", "missing"], "trivial"),
        (["holds", "holds", "fails"], "mostly"),
        (["holds", "missing"], "reproduced"),
        (["holds", "unclear"], "unclear"),
        (["unclear"], "unclear"),
        (["fails", "unclear"], "unclear"),
        (["fails", "fails", "unclear"], "contradicted"),
        (["fails", "missing"], "contradicted"),
        (["fails", "fails"], "contradicted"),
        (["holds", "fails"], "mixed"),
        (["holds", "fails", "missing"], "mixed"),
        (["holds", "fails", "fails"], "mixed"),
        (["holds", "fails", "unclear", "missing"], "mixed"),
        (["holds", "unclear", "unclear", "missing"], "unclear"),
    ],
)
def test_outcome_of_several_cases(cases: list[Ruling], outcome: Outcome) -> None:
    for order in set(permutations(cases)):
        assert outcome_of(order) == outcome


@given(rulings)
def test_a_claim_is_reproduced_only_if_every_case_that_was_run_holds(cases: list[Ruling]) -> None:
    counted = [case for case in cases if case not in ("beside", "missing")]
    everywhere = bool(counted) and set(counted) <= {"holds", "trivial"}
    assert (outcome_of(cases) in ("reproduced", "trivial")) is everywhere
    if "fails" in counted:
        assert outcome_of(cases) not in ("reproduced", "trivial", "not_testable")


@given(rulings)
def test_a_failing_case_never_helps_a_claim(cases: list[Ruling]) -> None:
    rank = {name: place for place, name in enumerate(("contradicted", "unclear", "mixed", "mostly", "reproduced"))}
    rank |= {"not_testable": 1, "trivial": 4, "unclear": 2}
    assert rank[outcome_of([*cases, "fails"])] <= rank[outcome_of([*cases, "holds"])]


@given(rulings)
def test_cases_that_were_not_run_do_not_change_an_outcome(cases: list[Ruling]) -> None:
    assert outcome_of([*cases, "missing"]) == outcome_of(cases)


def test_every_outcome_has_words_and_nothing_else_has() -> None:
    assert len({in_words(outcome) for outcome in get_args(Outcome)}) == len(get_args(Outcome))
    with pytest.raises(ValueError, match="'perhaps' is no outcome"):
        in_words("perhaps")  # type: ignore[arg-type]


def reading(cases: Sequence[Ruling], *data: Origin, kind: ClaimType = "empirical") -> Reading:
    rulings = [Case("adult", ruling, about=f"case {k}") for k, ruling in enumerate(cases)]
    return Reading("", "", "", "", outcome_of(cases), rulings, data=data, type=kind)


@pytest.mark.parametrize(
    ("cases", "data", "text"),
    [
        (["holds", "holds", "fails"], ["paper"], "mostly reproduced on the paper's data (2 of 3)"),
        (["holds", "holds", "missing"], ["surrogate"], "reproduced on surrogate data (2 of 2; 1 not run)"),
        (["fails", "beside"], ["surrogate", "paper"], "contradicted on the paper's data and surrogate data (0 of 1)"),
        (["holds"], ["part", "paper"], "reproduced on the paper's data and parts of them (1 of 1)"),
        (["holds"], ["own"], "reproduced on our own data (1 of 1)"),
        (["holds"], [], "reproduced (1 of 1)"),
        (["missing"], ["paper"], "not testable here"),
    ],
)
def test_the_text_of_a_reading_names_its_data_and_counts_its_cases(
    cases: list[Ruling], data: list[Origin], text: str
) -> None:
    assert reading(cases, *data).text == text


@pytest.mark.parametrize("ruling", ["holds", "trivial", "fails", "unclear"])
def test_a_checked_claim_is_never_called_reproduced(ruling: Ruling) -> None:
    for cases in ([ruling], [ruling, "holds", "holds"]):
        text = reading(cases, kind="checked").text
        assert "reproduced" not in text
        assert "contradicted" not in text
    assert reading(["beside"], kind="program").text == "not testable with another program"


@given(st.lists(st.sampled_from(get_args(Origin)), max_size=6))
def test_data_are_named_once_in_one_order(origins: list[Origin]) -> None:
    words = on_data(origins)
    assert on_data([*reversed(origins), *origins]) == words
    assert bool(words) is bool(origins)


def test_a_claim_has_the_outcome_of_its_first_reading() -> None:
    readings = [reading(["holds", "holds", "fails"]), reading(["holds"]), reading(["trivial"])]
    claim = Claim("sbp.1", "", "", "", "", readings)
    assert claim.verdict == "mostly"
    assert claim.agreement == "holds under 2 of 3 readings"
    assert Claim("sbp.1", "", "", "", "", readings[:1]).agreement == ""


@pytest.mark.parametrize(
    ("rulings", "decided"),
    [
        (["holds", "holds"], 0),
        (["holds", "unclear", "fails"], 2),
        (["holds", "unclear", "missing"], 1),
        (["missing"], None),
        (["beside", "beside"], 0),
    ],
)
def test_the_deciding_case(rulings: list[Ruling], decided: int | None) -> None:
    cases = [
        Case("adult", ruling, "" if ruling == "missing" else f"number {k}", about="Adult")
        for k, ruling in enumerate(rulings)
    ]
    judged = Reading("", "", "", "", outcome_of(rulings), cases)
    assert judged.decided_by == ("" if decided is None else f"Adult: number {decided}")


def test_exceptions_have_label_ruling_measurement_and_note() -> None:
    cases = [
        Case("a", "fails", "SBP less Pegasos 2", about="A"),
        Case("a", "unclear", "SBP less SDCA 1", "few runs", about="A"),
        Case("b", "fails", "SBP less Pegasos 3", about="B"),
        Case("c", "missing", note="no runs", about="C"),
    ]
    judged = Reading("", "", "", "", "contradicted", cases)
    assert judged.exceptions("fails") == ["A: fails, SBP less Pegasos 2", "B: fails, SBP less Pegasos 3"]
    assert judged.exceptions()[1:] == [
        "A: unclear, SBP less SDCA 1, few runs",
        "B: fails, SBP less Pegasos 3",
        "C: not run, no runs",
    ]
