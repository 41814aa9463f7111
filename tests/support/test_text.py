"""Text of others in messages."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from svm_cost_curves.support.text import printable


@given(st.text())
def test_no_text_reaches_a_terminal_with_characters_that_it_obeys(text: str) -> None:
    shown = printable(text, keep="\n\t")
    assert all(character.isprintable() or character in "\n\t" for character in shown)
    assert printable(shown, keep="\n\t") == shown


@given(st.text(st.characters(exclude_categories=["C", "Z"])))
def test_text_that_can_be_printed_stays(text: str) -> None:
    assert printable(text) == text


def test_an_escape_sequence_and_a_name_that_is_not_utf_8() -> None:
    assert printable("\x1b[31m x\r\udcff\n") == r"\x1b[31m x\r\udcff\n"
