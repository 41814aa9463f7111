"""The line that a command prints about a run, and the files of a sweep's jobs."""

from __future__ import annotations

from pathlib import Path

from svm_cost_curves.experiments.processes.outcome import Outcome, outcomes_in


def test_a_line_has_the_first_line_of_the_message_if_there_is_one() -> None:
    assert Outcome("a run", "interrupted").line == "a run: interrupted"
    assert Outcome("a run", "failed", "ValueError: no\nand more").line == "a run: failed: ValueError: no"


def test_outcomes_survive_their_files_in_the_order_of_the_jobs(tmp_path: Path) -> None:
    outcomes = [Outcome(f"x{number}", "refused", "why", overrides=("a=1", "b=2")) for number in range(12)]
    for number in reversed(range(12)):
        outcomes[number].write(tmp_path, number)
    assert outcomes_in(tmp_path) == outcomes
    assert len([*tmp_path.iterdir()]) == 12
