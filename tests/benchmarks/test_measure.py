"""The table of benchmarks: sides in turn, medians, bars; and only `pytest benchmarks` collects benchmarks."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.measure import HEADINGS, Comparisons

ROOT = Path(__file__).resolve().parents[2]


def test_a_row_has_the_medians_of_sides_measured_in_turn_and_says_whether_its_bar_is_met() -> None:
    table = Comparisons(repeat=3)
    calls: list[str] = []
    times = {"first": iter([1.0, 6.0, 9.0]), "second": iter([2.0, 2.0, 4.0])}

    def measure(side: str) -> float:
        calls.append(side)
        return next(times[side])

    table.alternate("a / b", lambda: measure("first"), lambda: measure("second"), at_most=2.0)
    assert calls == ["first", "second"] * 3
    table.add("a / b", [(3e-5, 1e-5)], at_least=2.0)
    table.add("a / b", [(1.0, 2.0)])
    rows = [dict(zip(HEADINGS, row, strict=True)) for row in table.rows]
    assert [row["ratio"] for row in rows] == ["2.25", "3", "0.5"]
    assert [row["met"] for row in rows] == ["**NO**", "yes", ""]
    assert rows[0]["first"] == "6.00 s"
    assert rows[0]["spread of the ratio"] == "0.5 to 3, 3 times"
    assert table.missed == 1


def test_the_command_of_the_tests_collects_no_benchmark() -> None:
    command = [sys.executable, "-m", "pytest", "-c", "pyproject.toml", "--collect-only", "-p", "no:cacheprovider"]
    done = subprocess.run([*command, "benchmarks"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == pytest.ExitCode.NO_TESTS_COLLECTED, done.stdout
