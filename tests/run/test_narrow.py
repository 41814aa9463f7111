"""What is shown in a narrow terminal, and what a line of progress says."""

from __future__ import annotations

import dataclasses
import io

import pytest
from rich.console import Console

from svm_cost_curves.experiments.command_line.sweep_results import table
from svm_cost_curves.experiments.processes.outcome import Outcome
from svm_cost_curves.experiments.processes.pool import Event
from svm_cost_curves.experiments.run.console import fit, progress_text
from svm_cost_curves.experiments.run.jobs import RunsLine
from svm_cost_curves.experiments.run.meter import cut


@pytest.mark.parametrize(("width", "left_out"), [(96, []), (80, ["in"]), (70, ["in", "CPU"]), (60, ["epochs", "CPU"])])
def test_a_narrow_table_lacks_columns_and_has_every_other_value_in_full(width: int, left_out: list[str]) -> None:
    target = Console(width=width, file=io.StringIO())
    run = Outcome("x", "finished", algo="pegasos", dataset="digits", test_error=0.1, epochs=10, cpu_seconds=0.02)
    outcomes = [dataclasses.replace(run, seed=seed, kernel_evaluations=4_747_692) for seed in (0, 1)]
    target.print(fit(target, table(outcomes), ["in store", "CPU", "epochs"]))
    lines = target.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert max(map(len, lines)) <= width
    assert all(text in " ".join(lines) for text in ("digits", "pegasos", "10.00 % ± 0.00", "4,747,692"))
    assert not set(left_out) & set(" ".join(lines).split())
    assert "…" not in " ".join(lines)


def test_an_older_test_error_says_when_it_was_measured() -> None:
    measured = {"test_error": 0.1521, "epochs": 0.185}
    assert progress_text({"epochs": 4.41}, measured) == "test error 15.21 % at 0.185 epochs, now 4.41 epochs"
    assert progress_text({"epochs": 0.185}, measured) == "test error 15.21 %, 0.185 epochs"


def test_a_text_is_cut_at_a_word() -> None:
    assert cut("4.41 epochs, 1.01e+08 kernel evaluations", 24) == "4.41 epochs, 1.01e+08..."
    assert cut("4.41 epochs, 1.01e+08 kernel evaluations", 23) == "4.41 epochs..."
    assert cut("abcdefghij", 8) == "abcde..."


def test_a_stopped_run_has_not_gone_wrong() -> None:
    line = RunsLine(6)
    line.after(Event(0, 1.0, Outcome("a", "failed")), "a")
    assert line.after(Event(1, 1.0, Outcome("b", "interrupted")), "b") == "2 of 6 runs, 1 went wrong, 1 stopped"
