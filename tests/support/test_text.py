"""Text of others in messages."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from svm_cost_curves.support.text import number_of, printable


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


def test_one_thing_is_not_several() -> None:
    counts = [number_of(count, "run") for count in (0, 1, 2, 1234)]
    assert counts == ["0 runs", "1 run", "2 runs", "1,234 runs"]
    assert [number_of(epochs, "epoch", ".3g") for epochs in (1.0001, 0.5)] == ["1 epoch", "0.5 epochs"]
    assert number_of(2, "series") == "2 series"
