"""What the demonstration says of its curves follows from the curves."""

from __future__ import annotations

import pandas as pd
import pytest

from svm_cost_curves.experiments.command_line.sweep_sentence import sentence
from svm_cost_curves.experiments.curve import from_rows
from svm_cost_curves.experiments.demo import command, main


def curve(*points: tuple[int, float]) -> pd.DataFrame:
    return from_rows(
        [
            {"iterations": k, "kernel_evaluations": cost, "test_error": error, "cpu_seconds": 0.0, "wall_seconds": 0.0}
            for k, (cost, error) in enumerate(points)
        ]
    )


def test_the_sentence_compares_the_costs_after_which_errors_stay_near_the_least() -> None:
    quick, slow = curve((1000, 0.3), (2000, 0.2), (8000, 0.19)), curve((1000, 0.6), (5000, 0.5), (9000, 0.2))
    never, touching = curve((1000, 0.4), (9000, 0.3)), curve((1000, 0.2), (3000, 0.25), (4000, 0.2))
    assert sentence({"smo": [slow], "sbp": [quick], "sdca": [touching], "perceptron": [never]}) == (
        "By the mean over the runs SBP stays at or below 20.9 % test error, a tenth above the least, after 2,000 "
        "kernel evaluations; SDCA needs 2.0 times as many, SMO 4.5; Perceptron does not get there."
    )


def test_seeds_are_averaged_and_a_single_solver_is_compared_with_none() -> None:
    said = sentence({"sbp": [curve((1000, 0.4), (3000, 0.2)), curve((1000, 0.2), (3000, 0.2))]})
    assert said == (
        "By the mean over the runs SBP stays at or below 22.0 % test error, a tenth above the least, after 3,000 "
        "kernel evaluations."
    )
    assert "after 1.23\N{MULTIPLICATION SIGN}10⁷ kernel" in sentence({"sbp": [curve((12_300_000, 0.2))]})
    assert sentence({}) == ""


@pytest.mark.parametrize("seeds", [3, 10])
def test_the_command(seeds: int) -> None:
    words = command(seeds, ["budget.epochs=1"])
    assert words[:3] == ["python3", "run.py", "-m"]
    assert words[4:] == ["dataset=adult", f"seed=range({seeds})", "highlight=sbp", "budget.epochs=1"]


def test_help_says_what_it_does_and_runs_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    assert capsys.readouterr().out.startswith("``python -m svm_cost_curves.experiments.demo``: Figure 2")
