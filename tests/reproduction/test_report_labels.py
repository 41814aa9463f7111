from __future__ import annotations

import pytest

from svm_cost_curves.experiments.reproduction.evidence import Bold, Table
from svm_cost_curves.experiments.reproduction.numbers import TIMES, Number, NumberOutcome
from svm_cost_curves.experiments.reproduction.report.labels import (
    agreement,
    comparison,
    counted,
    moment,
    quantity,
    rounded,
    state_of,
)
from svm_cost_curves.experiments.reproduction.report.rendering import right_aligned
from svm_cost_curves.experiments.reproduction.verdict import Claim, Outcome, Reading


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (14.9, "14.9"),
        (-0.02, "\N{MINUS SIGN}0.02"),
        (999.94, "999.9"),
        (1893.2, "1,893"),
        (126000, "126,000"),
        (9_999_500, "1\N{MULTIPLICATION SIGN}10⁷"),
        (6.34e-4, "6.34\N{MULTIPLICATION SIGN}10⁻⁴"),
        (0.000_999_96, "0.001"),
        (-6.42e-11, "\N{MINUS SIGN}6.42\N{MULTIPLICATION SIGN}10⁻¹¹"),
        (None, "—"),
        (float("nan"), "—"),
        (10**400, "—"),
    ],
)
def test_numbers_have_four_digits(value: float | None, text: str) -> None:
    assert quantity(value) == text


def number(outcome: NumberOutcome, measured: float | None = 15.02, runs: int = 5) -> Number:
    return Number("name", 15.0, measured, "%", runs, 14.97, 15.07, 0.5, outcome)


def test_a_number_is_compared_with_the_papers() -> None:
    row = comparison(number("agrees"))
    assert row.paper == "15\N{NO-BREAK SPACE}%"
    assert row.ours == "15.02\N{NO-BREAK SPACE}% [14.97, 15.07] (5 runs)"
    assert (row.limit, row.outcome, row.state) == ("\N{PLUS-MINUS SIGN}0.5", "agrees", "reproduced")
    assert comparison(number("too few runs", runs=2)).ours.endswith("% range 14.97, 15.07 (2 runs)")
    assert comparison(number("agrees", runs=1)).ours == "15.02\N{NO-BREAK SPACE}%"
    assert comparison(Number("name", 1.0, 1.0, limit=0.0, outcome="agrees")).limit == "equal"
    assert comparison(Number("name", 8.0, 9.0, TIMES, limit=1.5, outcome="agrees")).limit == "a factor of 1.5"
    seconds = comparison(Number("name", 195, 46.8, "s"))
    assert (seconds.limit, seconds.outcome) == ("", "not judged")
    assert comparison(Number("name", 1.0, None)).outcome == "not measured"


def test_how_many_numbers_agree() -> None:
    few, other = number("too few runs"), number("not judged")
    assert agreement([number("agrees"), number("differs"), other]) == "1 of 2 agree"
    assert agreement([number("agrees"), few, few, other]) == "1 of 3 agree, 2 have too few runs"
    assert agreement([other]) == "not judged"
    assert agreement([]) == ""


@pytest.mark.parametrize(
    ("outcomes", "numbers", "state"),
    [
        ([], [], "no_claim"),
        (["contradicted", "contradicted"], [number("agrees")], "contradicted"),
        (["reproduced", "trivial"], [], "reproduced"),
        (["reproduced", "not_testable"], [number("differs")], "mostly"),
        (["mostly", "reproduced"], [], "mostly"),
        (["reproduced", "contradicted"], [], "mixed"),
        (["unclear", "not_testable"], [], "mixed"),
        ([], [number("agrees"), number("not judged")], "reproduced"),
        ([], [number("agrees"), number("differs")], "mixed"),
        ([], [number("differs")], "contradicted"),
        ([], [number("not judged")], "not_testable"),
        ([], [number("too few runs"), number("too few runs"), number("agrees")], "unclear"),
    ],
)
def test_state_of_a_figure(outcomes: list[Outcome], numbers: list[Number], state: str) -> None:
    claims = [Claim("", "", "", "", "", [Reading("", "", "", "", outcome)]) for outcome in outcomes]
    assert state_of(claims, numbers) == state


def test_claims_are_counted_in_the_order_of_the_labels() -> None:
    outcomes: list[Outcome] = ["contradicted", "reproduced", "mixed", "reproduced"]
    claims = [Claim("", "", "", "", "", [Reading("", "", "", "", outcome)]) for outcome in outcomes]
    assert counted(claims) == "✓ 2, ◐ 1, ✗ 1 of 4"
    assert counted([]) == ""


@pytest.mark.parametrize(
    ("outcomes", "state"),
    [(["reproduced", "trivial"], "holds"), (["mostly", "mostly"], "mostly_holds"), (["contradicted"], "fails")],
)
def test_a_figure_of_checked_claims_holds_and_is_not_reproduced(outcomes: list[Outcome], state: str) -> None:
    readings = [Reading("", "", "", "", outcome, type="checked") for outcome in outcomes]
    assert state_of([Claim("", "", "", "", "", [reading]) for reading in readings], []) == state


@pytest.mark.parametrize(("count", "text"), [(7, "7"), (12, "10"), (627, "600"), (1500, "2,000")])
def test_a_number_of_runs_that_are_needed_has_one_digit(count: int, text: str) -> None:
    assert rounded(count) == text


@pytest.mark.parametrize(
    ("cell", "right"),
    [
        ("1,893", True),
        ("6.34e-04", True),
        ("1.1 \N{MULTIPLICATION SIGN} 10⁻⁴", True),
        ("±0.05", True),
        ("\N{MINUS SIGN}3 %", True),
        ("14.9 ± 0.1", True),
        ("195 s", True),
        ("1/n", False),
        ("adult", False),
        ("8 against the rest", False),
    ],
)
def test_a_column_of_numbers_is_aligned_to_the_right(cell: str, right: bool) -> None:
    assert right_aligned(Table(["a", "b", "c"], [[cell, Bold(cell), ""], ["", "-", ""]])) == [right, right, False]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-11-21T11:41:12.5+02:00", "2026-11-21 09:41 UTC"),
        ("2026-11-21T09:41:12Z", "2026-11-21 09:41 UTC"),
        ("2026-11-21T09:41:12", "2026-11-21 09:41"),
        ("yesterday", "yesterday"),
        ("", ""),
    ],
)
def test_times_are_shown_in_utc(text: str, expected: str) -> None:
    assert moment(text) == expected
