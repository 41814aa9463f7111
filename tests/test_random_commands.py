"""Some random command lines end as they should; ``python tests/random_commands.py 2000`` runs more."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from random_commands import ROOT, command_lines


def test_the_commands_of_a_seed_are_the_same_for_every_count() -> None:
    few, many = list(command_lines(3, 20)), list(command_lines(3, 60))
    assert many[:20] == few
    assert len({tuple(words) for words in many}) == 60


@pytest.mark.slow
def test_random_commands_end_with_status_0_or_2() -> None:
    words = [sys.executable, str(Path("tests") / "random_commands.py"), "30", "--seed", "1"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=1800, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert sum(int(line.split()[0]) for line in done.stdout.splitlines() if line.endswith("as it should")) == 30
