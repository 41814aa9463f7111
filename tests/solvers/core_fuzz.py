"""Random calls of the compiled module in child processes: what is wrong is refused by an exception, never by a signal.

    python tests/solvers/core_fuzz.py --calls 100000 --seed 1

prints how many calls of each class ended how, and with status 1 the seeds of those that crashed, hung, raised an
exception of another kind, or changed an object that refused a state. `--case SEED` makes one case in this process.
"""

from __future__ import annotations

import argparse
import faulthandler
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[1]))

import core_stub
import numpy as np
from core_arguments import Arguments, Refused, changed, mutated
from fuzzing import BATCH, outcomes

from svm_cost_curves.solvers import _core, blas

ALLOWED = (ValueError, TypeError, IndexError, OverflowError, MemoryError, Refused)
"""Kinds of exceptions that a call may end with."""
FAILED = "make the solver anew"
"""Part of what a solver answers after an exception in the middle of an iteration; its own exchange may raise one."""
ROOM = 768 << 20
"""Bytes of address space that a child may take beyond what it begins with."""
CLOCKS = ("cpu_seconds", "wall_seconds")


class BrokenError(Exception):
    """An object is not as it was before it refused a state."""


@dataclass
class Case:
    """One target, made and used: everything follows from the seed."""

    seed: int
    tell: Callable[[str], object] = print
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
            if signatures := stub.constructors(name):
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
            action = self.random.choice([*members, *often, "scribble"])
            if action == "scribble":
                self.arguments.scribble()
            elif action == "restore":
                if hasattr(made, "advance") and self.random.random() < 0.5:
                    self._advance(name, made)
                self._restore(name, made)
            elif action == "advance":
                self._advance(name, made)
            elif action in members:
                self._member(name, made, action, members[action])

    def _member(self, name: str, made: Any, member: str, signatures: list[core_stub.Signature] | None) -> None:
        if signatures is None:
            self._do(name, member, lambda: getattr(made, member))
        else:
            self._call(name, getattr(made, member), self.random.choice(signatures), member)

    def _advance(self, name: str, made: Any) -> None:
        """Some iterations from where it is."""
        limits: dict[str, Any] = {"iterations": made.counters.iterations + self.random.choice((1, 3, 40))}
        if self.random.random() < 0.2:
            other = self.random.choice(("presentations", "kernel_evaluations", "inner_products", "cpu_seconds"))
            limits[other] = self.arguments.value("float" if other == "cpu_seconds" else "int")
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
        for member, signatures in core_stub.read().members(name).items():
            if member != "advance" and (signatures is None or not any(signatures)):
                self._member(name, fresh, member, signatures)

    def _call(self, name: str, function: Any, signature: core_stub.Signature, member: str = "") -> Any:
        positional, named = self.arguments.of(signature)
        text = ", ".join([*map(_short, positional), *(f"{key}={_short(value)}" for key, value in named.items())])
        return self._do(name, f"{member}({text})", lambda: function(*positional, **named))

    def _do(self, name: str, text: str, call: Any, refused: type[Exception] | None = None) -> Any:
        self.tell(f"{name}.{text}")
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


def outcome_of(number: int) -> tuple[Counter[tuple[str, str]], str]:
    """Make a case; return its calls by class or function and by outcome, and what is wrong with it."""
    case, last = Case(number), ""

    def tell(text: str) -> None:
        nonlocal last
        last = text

    case.tell = tell
    try:
        case.run()
    except Exception as error:  # a kind that is not allowed
        return case.calls, f"{type(error).__name__}: {error}, in {last}"
    return case.calls, ""


def fuzz(numbers: range) -> tuple[Counter[tuple[str, str]], list[str]]:
    """Make these cases; return the calls by class or function and by outcome, and the failures."""
    calls, failures = Counter[tuple[str, str]](), []
    with blas.connected():
        for number, made, died in outcomes(outcome_of, numbers, room=ROOM):
            counts, wrong = made or (Counter(), died)
            calls += counts
            if wrong:
                failures.append(f"case {number}: {wrong}")
    return calls, failures


def lines(calls: Counter[tuple[str, str]], cases: int, failures: list[str]) -> Iterator[str]:
    """Say it: a line for each class or function, and one for each failure."""
    for name in sorted({name for name, _ in calls}):
        kinds = {kind: count for (called, kind), count in sorted(calls.items()) if called == name}
        yield f"{name:28}{sum(kinds.values()):8,}  " + ", ".join(f"{kind} {n:,}" for kind, n in kinds.items())
    yield f"{cases:,} cases, {calls.total():,} calls, {len(failures)} failures"
    yield from failures


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
            Case(options.case, lambda text: print(f"{options.case}: {text}", flush=True)).run()
        return 0
    calls, failures, seed = Counter[tuple[str, str]](), [], options.seed
    while calls.total() < options.calls:
        more, failed = fuzz(range(seed, seed + BATCH))
        calls, failures, seed = calls + more, failures + failed, seed + BATCH
    print("\n".join(lines(calls, seed - options.seed, failures)))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
