"""The line that a command prints about a run."""

from __future__ import annotations

from experiments.processes.outcome import Outcome


def test_a_line_has_the_first_line_of_the_message_if_there_is_one() -> None:
    assert Outcome("a run", "interrupted").line == "a run: interrupted"
    assert Outcome("a run", "failed", "ValueError: no\nand more").line == "a run: failed: ValueError: no"
