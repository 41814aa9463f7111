"""Mutated files of every format end as a valid data set or as a short message: see `data_fuzzer`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

FUZZER = Path(__file__).with_name("data_fuzzer.py")


@pytest.mark.parametrize(
    ("first", "cases"), [(1_000_000, 240), pytest.param(0, 20_000, marks=[pytest.mark.slow])], ids=["some", "all"]
)
def test_mutated_files_are_read_or_refused(first: int, cases: int) -> None:
    command = [sys.executable, str(FUZZER), "--first", str(first), "--cases", str(cases)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=3600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{cases} cases, 0 failed" in done.stdout
    for format in ("libsvm", "csv", "npz", "parquet", "arff", "idx", "topics", "messages"):
        for outcome in ("loaded", "refused"):
            assert f"{format}: {outcome}" in done.stdout, done.stdout
