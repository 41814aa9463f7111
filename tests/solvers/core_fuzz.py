"""Random calls of the compiled module in child processes: what is wrong is refused by an exception, never by a signal.

    python tests/solvers/core_fuzz.py --calls 100000 --seed 1

prints how many calls of each class ended how, and with status 1 the seeds of those that crashed, hung, raised an
exception of another kind, or changed an object that refused a state. `--case SEED` makes one case in this process.
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import mmap
import os
import random
import resource
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import core_stub
import numpy as np
from core_arguments import Arguments, Refused, changed, mutated

from svm_cost_curves.solvers import _core, blas

ALLOWED = (ValueError, TypeError, IndexError, OverflowError, MemoryError, Refused)
"""Kinds of exceptions that a call may end with."""
FAILED = "make the solver anew"
"""Part of what a solver answers after an exception in the middle of an iteration; its own exchange may raise one."""
ROOM = 768 << 20
"""Bytes of address space that a child may take beyond what it begins with."""
HANG = 60.0
"""CPU seconds after which a case counts as hung: on a busy machine seconds say nothing."""
STALL = 600.0
"""Seconds after which it does, as where it waits for what never comes."""
BATCH = 500
"""Cases of one child."""
CLOCKS = ("cpu_seconds", "wall_seconds")


class BrokenError(Exception):
    """An object is not as it was before it refused a state."""


@dataclass
class Case:
    """One target, made and used: everything follows from the seed."""

    seed: int
    tell: Any
    """Is called with what is done next."""
    calls: Counter[tuple[str, str]] = field(default_factory=Counter)
    """By class or function, and by outcome."""

    def run(self) -> None:
        """Make the calls.

        Raises
        ------
        Exception
            Of a kind that is not allowed.
        """
        self.random = random.Random(self.seed)
        self.arguments = Arguments(self.random)
        stub = core_stub.read()
        name = self.random.choice([*stub.functions, *stub.classes])
        if name in stub.functions:
            for _ in range(8):
                self.arguments.share = self.random.choice((0.0, 0.0, 0.1, 0.4))
                self._call(name, getattr(_core, name), self.random.choice(stub.functions[name]))
            return
        self._use(name, self._made(stub, name), stub)

    def _made(self, stub: core_stub.Stub, name: str) -> Any:
        made = None
        for attempt in range(6):  # mostly of what such an object is made from
            self.arguments.share = self.random.choice((0.0, 0.0, 0.2)) if attempt else 0.1
            signatures = stub.classes[name].constructors
            if signatures:
                made = self._call(name, getattr(_core, name), self.random.choice(signatures))
            if made is not None:
                break
        return made if made is not None else self.arguments.object(name)

    def _use(self, name: str, made: Any, stub: core_stub.Stub) -> None:
        if made is None:
            return
        members = stub.members(name)
        for _ in range(self.random.randint(2, 8)):
            self.arguments.share = self.random.choice((0.0, 0.1, 0.5))
            often = ["restore"] * (len(members) // 2) if "restore" in members else []
            what = self.random.choice([*members, *often, "scribble"])
            if what == "scribble":
                self.arguments.scribble()
            elif what == "restore":
                if hasattr(made, "advance") and self.random.random() < 0.5:
                    self._advance(name, made)
                self._restore(name, made)
            elif what == "advance":
                self._advance(name, made)
            elif what in members:
                self._member(name, made, what, members[what])

    def _member(self, name: str, made: Any, what: str, signatures: list[core_stub.Signature] | None) -> None:
        if signatures is None:
            self._do(name, what, lambda: getattr(made, what))
        else:
            self._call(name, getattr(made, what), self.random.choice(signatures), what)

    def _advance(self, name: str, made: Any) -> None:
        """Some iterations from where it is."""
        limits: dict[str, Any] = {"iterations": made.counters.iterations + self.random.choice((1, 3, 40))}
        if self.random.random() < 0.2:
            other = self.random.choice(("presentations", "kernel_evaluations", "inner_products", "cpu_seconds"))
            limits[other] = self.arguments.value("float" if other == "cpu_seconds" else "int", other)
        self._do(name, f"advance({limits})", lambda: made.advance(**limits))

    def _restore(self, name: str, made: Any) -> None:
        """From a state that has been changed, mostly into an object that has not advanced."""
        fresh = made
        if self.random.random() < 0.9:
            self.arguments.share = 0.0
            other = self.arguments.object(name)
            fresh = other if other is not None else made
        states = [self._do(name, "state", one.state) for one in (made, fresh)]
        if states[0] is None or states[1] is None:
            return
        state = mutated(self.random.choice(states), states[1], self.random)
        before = fresh.state()
        try:
            self._do(name, f"restore({_short(state)})", lambda: fresh.restore(state), refused=BrokenError)
        except BrokenError:
            after = fresh.state()
            wrong = [key for key in changed(before, after) if key not in CLOCKS]
            if wrong:
                raise BrokenError(f"{name} refused a state and changed {wrong}") from None
        if hasattr(fresh, "advance"):
            self._advance(name, fresh)
            self._advance(name, fresh)
        for what, signatures in core_stub.read().members(name).items():
            if what != "advance" and (signatures is None or not any(signatures)):
                self._member(name, fresh, what, signatures)

    def _call(self, name: str, function: Any, signature: core_stub.Signature, what: str = "") -> Any:
        positional, named = self.arguments.of(signature)
        text = ", ".join([*map(_short, positional), *(f"{key}={_short(value)}" for key, value in named.items())])
        return self._do(name, f"{what}({text})", lambda: function(*positional, **named))

    def _do(self, name: str, what: str, call: Any, refused: type[Exception] | None = None) -> Any:
        self.tell(self.seed, f"{name}.{what}")
        try:
            result = call()
        except (*ALLOWED, RuntimeError) as error:
            if isinstance(error, RuntimeError) and FAILED not in str(error):
                raise
            self.calls[name, type(error).__name__] += 1
            if refused is not None:
                raise refused from error
            return None
        self.calls[name, "returned"] += 1
        return result


def _short(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{list(value.shape)}{'' if value.size > 12 else value.ravel().tolist()}"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {_short(one)}" for key, one in list(value.items())[:40]) + "}"
    return repr(value)[:120]


@dataclass
class Outcome:
    """What a number of cases came to."""

    calls: Counter[tuple[str, str]] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    cases: int = 0

    def lines(self) -> Iterator[str]:
        """Say it: a line for each class or function, and one for each failure."""
        names = sorted({name for name, _ in self.calls})
        for name in names:
            kinds = {kind: count for (own, kind), count in sorted(self.calls.items()) if own == name}
            yield f"{name:28}{sum(kinds.values()):8,}  " + ", ".join(f"{kind} {n:,}" for kind, n in kinds.items())
        yield f"{self.cases:,} cases, {self.calls.total():,} calls, {len(self.failures)} failures"
        yield from self.failures


class Child:
    """A process that makes cases, one after the other, and writes down which one before it begins."""

    def __init__(self, first: int, count: int) -> None:
        self._board = mmap.mmap(-1, 8192)  # shared with the child
        self._results, self._words = tempfile.TemporaryFile(), tempfile.TemporaryFile()  # noqa: SIM115 (closed with it)
        self.pid = os.fork()
        if self.pid == 0:
            self._work(first, count)

    def _work(self, first: int, count: int) -> None:
        os.dup2(self._words.fileno(), 2)
        faulthandler.enable(file=self._words)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        pages = int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[0])
        limit = pages * resource.getpagesize() + ROOM
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        np.seterr(all="ignore")
        try:
            for seed in range(first, first + count):
                case, wrong = Case(seed, self._tell), ""
                try:
                    case.run()
                except Exception as error:  # a kind that is not allowed
                    wrong = f"{type(error).__name__}: {error}"
                found = [[*key, number] for key, number in case.calls.items()]
                os.write(self._results.fileno(), json.dumps([seed, found, wrong, self.told()[1]]).encode() + b"\n")
        except BaseException as error:
            os.write(2, f"{type(error).__name__}: {error}\n".encode())
            os._exit(3)
        os._exit(0)

    def _tell(self, seed: int, what: str) -> None:
        text = what.encode(errors="replace")[:8000]
        self._board[:16] = seed.to_bytes(8, "little") + len(text).to_bytes(8, "little")
        self._board[16 : 16 + len(text)] = text

    def told(self) -> tuple[int, str]:
        """Which case it is at, and which call."""
        size = int.from_bytes(self._board[8:16], "little")
        return int.from_bytes(self._board[:8], "little"), self._board[16 : 16 + size].decode(errors="replace")

    def wait(self) -> str:
        """Wait for its end; return what is wrong with it."""
        at, since, spent = self.told()[0], time.monotonic(), 0.0
        while True:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                code = os.waitstatus_to_exitcode(status)
                return "" if code == 0 else f"signal {-code}" if code < 0 else f"status {code}"
            if self.told()[0] != at:
                at, since, spent = self.told()[0], time.monotonic(), self._cpu_seconds()
            elif self._cpu_seconds() - spent > HANG or time.monotonic() - since > STALL:
                os.kill(self.pid, signal.SIGKILL)
                os.waitpid(self.pid, 0)
                return "hung"
            time.sleep(0.01)

    def _cpu_seconds(self) -> float:
        fields = Path(f"/proc/{self.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def results(self) -> list[Any]:
        """What it has written down of each case that it ended."""
        self._results.seek(0)
        return [json.loads(line) for line in self._results.read().splitlines() if line.endswith(b"]")]

    def words(self) -> str:
        """What it has said on stderr, as of a crash."""
        self._words.seek(0)
        return self._words.read().decode(errors="replace")


def fuzz(first: int, *, cases: int | None = None, calls: int | None = None) -> Outcome:
    """Make so many cases, or as many as take so many calls, from a seed on."""
    outcome = Outcome()
    seed = first
    with blas.connected():
        while (cases is not None and seed < first + cases) or (calls is not None and outcome.calls.total() < calls):
            count = BATCH if cases is None else min(BATCH, first + cases - seed)
            child = Child(seed, count)
            wrong = child.wait()
            for number, found, raised, what in child.results():
                for name, kind, many in found:
                    outcome.calls[name, kind] += many
                if raised:
                    outcome.failures.append(f"case {number}: {raised}, in {what}")
                seed = number + 1
            if wrong:
                at, what = child.told()
                outcome.failures.append(f"case {at}: {wrong}, in {what}\n{child.words()}")
                seed = max(seed, at) + 1
            outcome.cases = seed - first
    return outcome


def main() -> int:
    """Run as a command."""
    parser = argparse.ArgumentParser(description="Random calls of the compiled module.")
    parser.add_argument("--calls", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0, help="of the first case; the others follow it")
    parser.add_argument("--case", type=int, help="make this case alone, in this process, and say what it does")
    options = parser.parse_args()
    if options.case is not None:
        faulthandler.enable()
        with blas.connected():
            Case(options.case, lambda seed, what: print(f"{seed}: {what}", flush=True)).run()
        return 0
    outcome = fuzz(options.seed, calls=options.calls)
    print("\n".join(outcome.lines()))
    return 1 if outcome.failures else 0


if __name__ == "__main__":
    sys.exit(main())
