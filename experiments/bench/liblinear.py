"""LIBLINEAR's time to a duality gap, and its settings for that: it stops by another rule."""

from __future__ import annotations

import itertools
import math
import os
import re
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from solvers import Problem
from solvers.liblinear import Liblinear, LiblinearSettings

MOST_PASSES = 100_000
"""Passes of LIBLINEAR at most."""
STRICT = 1e-12
"""A tolerance that LIBLINEAR does not reach."""
TOLERANCES = (1.0, 0.3, 0.1, 0.03, 0.01, 3e-3, 1e-3, 3e-4, 1e-4, 1e-5)


@dataclass(frozen=True)
class Effort:
    """Settings of LIBLINEAR, and the relative duality gap (P - D) / D at its end."""

    tolerance: float = STRICT
    passes: int = MOST_PASSES
    gap: float = math.inf

    def __str__(self) -> str:
        return (
            f"its fewest passes, {self.passes:,}" if self.tolerance == STRICT else f"its tolerance {self.tolerance:g}"
        )

    def reaches(self, eps: float) -> bool:
        """Return whether the gap is at most eps."""
        return self.gap <= eps


class LiblinearRuns:
    """Runs of LIBLINEAR (dual coordinate descent) on one problem, with several tolerances and numbers of passes."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._peer = Liblinear(problem, LiblinearSettings(), 0)
        self._X = self._peer.data()
        self._known: dict[Effort, Effort] = {}

    def seconds(self, effort: Effort) -> float:
        """Return the CPU seconds of a run."""
        start = time.thread_time()
        self._fit(effort, verbose=False)
        return time.thread_time() - start

    def least_effort(self, eps: float) -> Effort:
        """Return the faster of two settings that reach a relative duality gap of eps, without the time of the search.

        The fewest passes without a rule to stop by, to some percent; its own rule, at the loosest tolerance of some.
        Where no way gets there, the most passes.
        """
        low, effort = 1, self._measured(Effort(passes=2))
        while not effort.reaches(eps) and effort.passes < MOST_PASSES:
            low, effort = effort.passes, self._measured(Effort(passes=min(2 * effort.passes, MOST_PASSES)))
        while effort.reaches(eps) and effort.passes - low > max(1, effort.passes // 20):
            middle = self._measured(Effort(passes=(low + effort.passes) // 2))
            low, effort = (low, middle) if middle.reaches(eps) else (middle.passes, effort)
        by_its_rule = (self._measured(Effort(tolerance)) for tolerance in TOLERANCES)
        ways = [effort, *itertools.islice((way for way in by_its_rule if way.reaches(eps)), 1)]
        return min((way for way in ways if way.reaches(eps)), key=self.seconds, default=effort)

    def _measured(self, effort: Effort) -> Effort:
        """Run it and compute the gap; the library returns weights, and prints the dual objective in verbose mode."""
        if effort not in self._known:
            with _printed() as text:
                w = self._fit(effort, verbose=True).coef_.ravel()
            found = re.search(r"Objective value = (\S+)", text[0])
            if found is None:
                raise AssertionError(f"LIBLINEAR printed no objective: {text[0]!r}")
            dual = -float(found.group(1))
            losses = np.maximum(0.0, 1.0 - self._problem.y * (self._X @ w))
            gap = (0.5 * w @ w + self._problem.C * losses.sum()) / dual - 1.0
            self._known[effort] = replace(effort, gap=float(gap))
        return self._known[effort]

    def _fit(self, effort: Effort, verbose: bool) -> Any:
        model = self._peer.model(effort.passes, seed=0).set_params(tol=effort.tolerance, verbose=int(verbose))
        return model.fit(self._X, self._problem.y)


@contextmanager
def _printed() -> Iterator[list[str]]:
    """Capture the output of compiled code; the text is complete at the end."""
    text: list[str] = []
    sys.stdout.flush()
    screen = os.dup(1)
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 1)
        try:
            yield text
        finally:
            os.dup2(screen, 1)
            os.close(screen)
            file.seek(0)
            text.append(file.read().decode())
