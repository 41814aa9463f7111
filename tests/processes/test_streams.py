"""A command whose output is not read runs to its end and prints no error."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from waiting import PATIENCE

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
import os, sys
sys.path.insert(0, sys.argv[2])
from svm_cost_curves.experiments.processes.command import run

def main():
    for line in range(20_000):
        print("line", line)
    print("warning: of 20,000 lines", file=sys.stderr)
    open(sys.argv[1], "w").write("whole")
    return int(sys.argv[3])

sys.exit(run(lambda: main))
"""


def command(tmp_path: Path, shell: str, status: int = 0) -> tuple[int, str]:
    """Run the program in a shell's line; return its status and standard error. It must come to its end."""
    (tmp_path / "program.py").write_text(PROGRAM)
    program = f"{sys.executable} {tmp_path}/program.py {tmp_path}/end {ROOT} {status}"
    line = f"set -o pipefail; {shell.replace('PROGRAM', program)}"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (tmp_path / "end").read_text() == "whole"
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    "shell", ["PROGRAM | head -1", "PROGRAM >&-", "PROGRAM 2>&- | head -1", "PROGRAM >&- 2>&- <&-"]
)
@pytest.mark.parametrize("status", [0, 3])
def test_unread_output_does_not_change_the_status(tmp_path: Path, shell: str, status: int) -> None:
    assert command(tmp_path, shell, status)[0] == status


@pytest.mark.parametrize(("status", "expected"), [(0, 2), (3, 3)])
def test_a_full_disk_is_an_error(tmp_path: Path, status: int, expected: int) -> None:
    ended, said = command(tmp_path, "PROGRAM >/dev/full", status)
    assert ended == expected
    assert said.startswith("warning: of 20,000 lines\nerror: standard output: No space left on device")


def test_a_full_disk_under_standard_error_is_not(tmp_path: Path) -> None:
    assert command(tmp_path, "PROGRAM 2>/dev/full >/dev/null") == (0, "")


@pytest.mark.slow
def test_jobs_of_a_sweep_with_unread_output_are_recorded(tmp_path: Path) -> None:
    words = f"dataset=digits seed=1,2,3 budget.epochs=1 store.root={tmp_path}/results"
    for shell in (f"{sys.executable} run.py -m {words} | head -1", f"{sys.executable} run.py -m {words}"):
        done = subprocess.run(
            ["bash", "-c", f"set -o pipefail; {shell}"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )
        assert done.returncode == 0, done.stderr
    assert re.search(r"digits +sbp +3 +3 ", done.stdout), done.stdout  # runs, and how many were in the store
