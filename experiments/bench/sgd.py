"""Benchmark 10: SGD-s, SGD-m, DCD and OCAS against libraries and each other; CPU seconds on one thread, data loaded."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Any

from threadpoolctl import threadpool_limits

from datasets import DataError, Dataset
from experiments.bench import data
from experiments.bench.liblinear import Effort, LiblinearRuns
from experiments.bench.measure import Row, alternate, median_ratio
from solvers import Limit, Linear, Problem, Solver, Status, get

DATA: dict[str, dict[str, object]] = {
    "adult": {},
    "web": {},
    "covtype_subset": {"positive": [1], "scaling": "minmax"},
    "ijcnn1": {},
    "rcv1_ccat_subset": {},
    "newsgroups_binary": {},
}
"""Data sets, and the fields of their specification that are replaced."""
AGAINST_LIBLINEAR = ("adult", "rcv1_ccat_subset", "newsgroups_binary")
CS = (0.1, 1.0, 10.0)
SEEDS = range(5)
SPEED_EPOCHS = 50
LONGEST = 10_000
"""Epochs of SGD-s and SGD-m at most."""
MOST_SECONDS = 60.0
"""CPU seconds of the cutting planes at most."""
NEVER = 1e-12
"""An eps that no run reaches; with it SGD-s never computes J."""


@dataclass(frozen=True)
class _Time:
    """CPU seconds of a run, and whether it reached its target."""

    seconds: float
    reached: bool

    def __str__(self) -> str:
        text = f"{self.seconds:.1f} s" if self.seconds >= 10.0 else f"{1e3 * self.seconds:.4g} ms"
        return text if self.reached else f"> {text}"


def rows(repetitions: int) -> list[Row]:
    """Return the rows of all parts, on the data sets whose files are there."""
    made: dict[str, list[Row]] = {}
    with threadpool_limits(1):
        for name, loaded in _loaded():
            problems = [_problem(loaded, C) for C in CS]
            size = f"{name}, {loaded.n:,} x {problems[0].d:,}"
            if name in AGAINST_LIBLINEAR:
                made.setdefault("dcd", []).extend(_against_liblinear(size, problems[1:], repetitions))
            made.setdefault("speed", []).append(_speed(size, problems[1], repetitions))
            made.setdefault("multiple", []).append(_multiple_updates(size, problems))
            made.setdefault("planes", []).append(_cutting_planes(size, problems, repetitions))
            made.setdefault("rule", []).append(_stopping_rule(size, problems[:2], repetitions))
    return [row for part in made.values() for row in part]


def _loaded() -> Iterator[tuple[str, Dataset]]:
    for name, overrides in DATA.items():
        try:
            yield name, data.load(name, **overrides)
        except DataError:
            continue


def _problem(loaded: Dataset, C: float) -> Problem:
    return Problem(loaded.X, loaded.y, Linear(), lambda_=1.0 / (C * loaded.n))


def _solver(problem: Problem, algo: str, seed: int = 0, **settings: Any) -> Solver:
    kind = get(algo)
    return kind(problem, kind.Settings(**settings), seed)


def _time(problem: Problem, algo: str, limit: Limit, seed: int = 0, **settings: Any) -> _Time:
    solver = _solver(problem, algo, seed, **settings)
    return _Time(reached=solver.advance(limit) is Status.CONVERGED, seconds=solver.cpu_seconds)


def _against_liblinear(size: str, problems: Sequence[Problem], repetitions: int) -> Iterator[Row]:
    for problem in problems:
        peer = LiblinearRuns(problem)
        for eps in (1e-3, 1e-6):
            effort = peer.least_effort(eps)

            seeds = cycle(SEEDS)

            def ours(problem: Problem = problem, eps: float = eps, seeds: Iterator[int] = seeds) -> float:
                return _time(problem, "dcd", Limit(), next(seeds), eps=eps).seconds

            def theirs(peer: LiblinearRuns = peer, effort: Effort = effort) -> float:
                return peer.seconds(effort) - peer.seconds(Effort(passes=1))

            mine, other, ratio, spread = median_ratio(alternate(ours, theirs, repetitions))
            what = (
                f"DCD to a relative duality gap of {eps:g} / LIBLINEAR to as small a gap with {effort}"
                f"{'' if effort.reaches(eps) else ' (too few)'}, less its first pass and its copy of the data; "
                f"{size}, C = {problem.C:g}"
            )
            bar = 1.0 if effort.reaches(eps) else None
            yield Row(what, str(_Time(mine, True)), str(_Time(other, effort.reaches(eps))), ratio, bar, spread=spread)


def _speed(size: str, problem: Problem, repetitions: int) -> Row:
    examples = SPEED_EPOCHS * problem.n

    def ours() -> float:
        return examples / _time(problem, "sgd_s", Limit(presentations=examples), eps=NEVER).seconds

    def theirs() -> float:
        return examples / _time(problem, "sklearn_sgd", Limit(iterations=SPEED_EPOCHS)).seconds

    mine, peer, ratio, spread = median_ratio(alternate(ours, theirs, repetitions))
    what = f"SGD-s / SGDClassifier(loss='hinge'), examples a second, {SPEED_EPOCHS} epochs; {size}, C = {problem.C:g}"
    return Row(what, f"{mine / 1e6:.2f} M/s", f"{peer / 1e6:.2f} M/s", ratio, 2.0, at_most=False, spread=spread)


def _multiple_updates(size: str, problems: Sequence[Problem]) -> Row:
    def pairs(problem: Problem) -> list[tuple[_Time, _Time]]:
        limit = Limit(presentations=LONGEST * problem.n)
        return [(_time(problem, "sgd_m", limit, seed), _time(problem, "sgd_s", limit, seed)) for seed in SEEDS]

    what = f"SGD-m / SGD-s to their own stop at eps = 0.01, median of {len(SEEDS)} seeds, at most {LONGEST:,} epochs"
    return _over(what, size, problems, pairs, 0.8)


def _cutting_planes(size: str, problems: Sequence[Problem], repetitions: int) -> Row:
    def pairs(problem: Problem) -> list[tuple[_Time, _Time]]:
        limit = Limit(cpu_seconds=MOST_SECONDS)
        return [(_time(problem, "ocas", limit), _time(problem, "svmperf", limit)) for _ in range(repetitions)]

    what = f"OCAS / SVMperf to their own stop at eps = 0.01, at most {MOST_SECONDS:g} s"
    return _over(what, size, problems, pairs, 0.5)


def _stopping_rule(size: str, problems: Sequence[Problem], repetitions: int) -> Row:
    def both(problem: Problem) -> tuple[_Time, _Time]:
        with_rule = without = 0.0
        for seed in SEEDS:
            stopped = _solver(problem, "sgd_s", seed)
            stopped.advance(Limit())
            with_rule += stopped.cpu_seconds
            limit = Limit(presentations=stopped.counters.presentations)
            without += _time(problem, "sgd_s", limit, seed, eps=NEVER).seconds
        return _Time(with_rule, True), _Time(without, True)

    what = f"SGD-s to its stop at eps = 0.01 / as many epochs with the rule off, {len(SEEDS)} seeds together"
    return _over(what, size, problems, lambda problem: [both(problem) for _ in range(repetitions)], 1.1)


def _over(
    what: str,
    size: str,
    problems: Sequence[Problem],
    pairs: Callable[[Problem], list[tuple[_Time, _Time]]],
    bar: float,
) -> Row:
    """Return the row of several C: medians, and the largest ratio, infinite if the first did not reach its target."""
    sides: tuple[list[str], list[str]] = [], []
    ratios, texts = [], []
    for problem in problems:
        measured = pairs(problem)
        first, second = (_median([pair[k] for pair in measured]) for k in (0, 1))
        sides[0].append(str(first))
        sides[1].append(str(second))
        if not (first.reached or second.reached):
            texts.append("neither")
            continue
        ratios.append(statistics.median(a.seconds / b.seconds for a, b in measured) if first.reached else math.inf)
        texts.append(f"{'' if second.reached else '< '}{ratios[-1]:.3g}")
    of_C = ", ".join(f"{problem.C:g}" for problem in problems)
    return Row(
        f"{what}; {size}, C = {of_C}: {', '.join(texts)}",
        ", ".join(sides[0]),
        ", ".join(sides[1]),
        max(ratios, default=math.nan),
        bar,
        spread="the largest of these C" if len(ratios) > 1 else "",
    )


def _median(times: Sequence[_Time]) -> _Time:
    return sorted(times, key=lambda time: time.seconds)[len(times) // 2]
