from __future__ import annotations

import pytest

from svm_cost_curves.experiments.reproduction.figure_result import Bold, Table
from svm_cost_curves.experiments.reproduction.report.labels import (
    agreement,
    comparison,
    leaves,
    moment,
    place,
    quantity,
    state_of,
)
from svm_cost_curves.experiments.reproduction.report.rendering import right_aligned
from svm_cost_curves.experiments.reproduction.verdict import Claim, Number, Outcome, Reading


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


def test_a_place_in_a_paper_is_written_out() -> None:
    assert [place(text) for text in ("4.2", "Figure 2", "Section 5; Section 1", "")] == [
        "section 4.2",
        "Figure 2",
        "Section 5; Section 1",
        "",
    ]


def number(paper: float, measured: float | None, reach: float | None = None) -> Number:
    if measured is None or reach is None:
        return Number("name", paper, measured, "%")
    return Number("name", paper, measured, "%", 4, measured - reach, measured + reach, (paper - measured) / 0.01)


def test_a_number_is_compared_with_the_papers() -> None:
    agrees = comparison(number(15.0, 15.02, 0.05))
    assert (agrees.paper, agrees.ours, agrees.difference) == (
        "15\N{NO-BREAK SPACE}%",
        "15.02\N{NO-BREAK SPACE}% (4 runs)",
        "+0.02",
    )
    assert (agrees.expected, agrees.z, agrees.agrees) == ("14.97 to 15.07", "\N{MINUS SIGN}2", "agrees")
    assert comparison(number(0.3, 0.1 + 0.2, 0.1)).difference == "0"
    assert comparison(number(1.8, 4.31, 0.1)).agrees == "differs"
    assert comparison(number(195, 46.8)).difference == "\N{MULTIPLICATION SIGN}0.24"
    assert comparison(number(0, 46.8)).difference == "+46.8"
    unmeasured = comparison(number(1, None, 0.1))
    assert (unmeasured.ours, unmeasured.difference, unmeasured.agrees) == ("—", "—", "not measured")
    assert agreement([number(1, 1, 0.1), number(1, 2, 0.1), number(1, 1), number(1, None, 0.1)]) == "1 of 2 agree"
    assert agreement([number(1, 1)]) == "not judged"
    assert agreement([]) == ""


@pytest.mark.parametrize(
    ("outcomes", "numbers", "state"),
    [
        ([], [], "no_claim"),
        (["contradicted", "contradicted"], [number(1, 1, 0.1)], "contradicted"),
        (["reproduced", "trivial"], [], "reproduced"),
        (["reproduced", "not_testable"], [number(1, 2, 0.1)], "mostly"),
        (["mostly", "reproduced"], [], "mostly"),
        (["reproduced", "contradicted"], [], "mixed"),
        (["unclear", "not_testable"], [], "mixed"),
        ([], [number(1, 1, 0.1), number(1, 2)], "reproduced"),
        ([], [number(1, 1, 0.1), number(1, 2, 0.1)], "mixed"),
        ([], [number(1, 2, 0.1)], "contradicted"),
        ([], [number(1, 2)], "not_testable"),
    ],
)
def test_state_of_a_figure(outcomes: list[Outcome], numbers: list[Number], state: str) -> None:
    claims = [Claim("", "", "", "", "", [Reading("", "", "", "", outcome, 1, 2)]) for outcome in outcomes]
    assert state_of(claims, numbers) == state


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


def test_nested_values_have_dotted_names() -> None:
    nested = {
        "a": {"b": {"c": 0.25}, "d": [1, None, "x"]},
        "e": {},
        "f": False,
        "g": {"h": {"i": {"j": {"k": {"l": 1}}}}},
    }
    assert dict(leaves(nested)) == {
        "a.b.c": "0.25",
        "a.d": "1, —, x",
        "e": "{}",
        "f": "no",
        "g.h.i.j.k": '{"l": 1}',
    }


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
