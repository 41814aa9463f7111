"""For any arguments the compiled module returns or raises: no signal, no hang. A refused state changes nothing."""

from __future__ import annotations

import core_stub
import pytest
from cases import Python

FUZZ = "import core_fuzz; cases = range({first}, {first} + {cases}); print(*core_fuzz.fuzz(cases)[1], 'done')"


def check(python: Python, first: int, cases: int) -> None:
    done = python(FUZZ.format(first=first, cases=cases), timeout=3600)
    assert done.stdout == "done\n", done.stdout + done.stderr


def test_a_few_hundred_cases(python: Python) -> None:
    check(python, 0, 400)


@pytest.mark.slow
def test_some_thousand_cases(python: Python) -> None:
    check(python, 1_000_000, 8000)


@pytest.mark.slow
def test_a_crash_and_a_hang_are_found(python: Python) -> None:
    """Calls that would end the process: the case is named, and the cases after it are made."""
    code = """
import os, signal, time
import core_fuzz, fuzzing

class Bad(core_fuzz.Case):
    def run(self):
        if self.seed == 3:
            os.kill(os.getpid(), signal.SIGSEGV)
        if self.seed == 5:
            time.sleep(600)
        while self.seed == 6:
            pass
        self.tell(f"case {self.seed} does this")
        if self.seed == 7:
            raise RuntimeError("another kind")
        self.calls["all", "returned"] += 1

core_fuzz.Case, fuzzing.CPU_SECONDS, fuzzing.SECONDS = Bad, 0.3, 5.0
calls, failures = core_fuzz.fuzz(range(10))
assert calls.total() == 6, calls
assert failures == [
    "case 3: signal 11", "case 5: hung", "case 6: hung", "case 7: RuntimeError: another kind, in case 7 does this"
], failures
"""
    done = python(code)
    assert done.returncode == 0, done.stderr


def test_the_whole_stub_is_read() -> None:
    stub = core_stub.read()
    assert {"Sbp", "Matrix", "AssetStream", "Cpsp"} <= stub.classes.keys()
    assert {"water_levels", "box_qp", "fill_gram"} <= stub.functions.keys()
    assert stub.enums["KernelFunction.Kind"] == ["gaussian", "polynomial", "linear"]
    assert {"advance", "state", "restore", "weights", "t0"} <= stub.members("SvmSgd").keys()
    assert "CachedRows" in stub.subclasses("RowSource")
