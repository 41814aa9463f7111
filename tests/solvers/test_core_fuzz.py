"""For any arguments the compiled module returns or raises: no signal, no hang. A refused state changes nothing."""

from __future__ import annotations

import core_stub
import pytest
from cases import Python

FUZZ = "import sys, core_fuzz; found = core_fuzz.fuzz({first}, cases={cases}); print(*found.lines(), sep='\\n')"


def check(python: Python, first: int, cases: int) -> None:
    done = python(FUZZ.format(first=first, cases=cases), timeout=3600)
    assert f"{cases:,} cases" in done.stdout, done.stderr
    assert ", 0 failures" in done.stdout, done.stdout


def test_a_few_hundred_cases(python: Python) -> None:
    check(python, 0, 400)


@pytest.mark.slow
def test_some_thousand_cases(python: Python) -> None:
    check(python, 1_000_000, 8000)


@pytest.mark.slow
def test_a_crash_and_a_hang_are_found(python: Python) -> None:
    """Calls that would end the process: the case and the call are named, and the cases after it are made."""
    code = """
import os, signal, time
import core_fuzz

class Bad(core_fuzz.Case):
    def run(self):
        self.tell(self.seed, f"case {self.seed} does this")
        if self.seed == 3:
            os.kill(os.getpid(), signal.SIGSEGV)
        if self.seed == 5:
            time.sleep(600)
        if self.seed == 6:
            while True:
                pass
        if self.seed == 7:
            raise RuntimeError("another kind")
        self.calls["all", "returned"] += 1

core_fuzz.Case, core_fuzz.HANG, core_fuzz.STALL = Bad, 0.3, 5.0
found = core_fuzz.fuzz(0, cases=10)
assert found.cases == 10 and found.calls.total() == 6, found
assert [failure.split(",")[0].split("\\n")[0] for failure in found.failures] == [
    "case 3: signal 11", "case 5: hung", "case 6: hung", "case 7: RuntimeError: another kind"
], found.failures
assert "case 3 does this" in found.failures[0]
"""
    done = python(code)
    assert done.returncode == 0, done.stderr


def test_the_whole_stub_is_read() -> None:
    stub = core_stub.read()
    assert {"Sbp", "Matrix", "SumTree", "AssetStream", "Cpsp"} <= stub.classes.keys()
    assert {"water_levels", "box_qp", "fill_gram"} <= stub.functions.keys()
    assert stub.enums["KernelFunction.Kind"] == ["gaussian", "polynomial", "linear"]
    assert {"advance", "state", "restore", "weights", "t0"} <= stub.members("SvmSgd").keys()
    assert "CachedRows" in stub.subclasses("RowSource")
