from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sgdr_cases import J_OPT, optimum_run, run, timed_run

from experiments.papers.effort import Effort, ratio_of, seconds_text
from experiments.papers.optimum import Optimum, accuracy, optimum_of
from experiments.papers.sgdr.timing import STOPPING, effort, fastest, slowest, stopped
from experiments.reproduction.evidence import Panel

EXACT = Optimum(J_OPT, J_OPT)


def took(*seconds: float, reached: int | None = None) -> Effort:
    """Runs of which the first `reached` reach the target."""
    count = len(seconds) if reached is None else reached
    return Effort(seconds, tuple(k < count for k in range(len(seconds))))


def test_a_method_is_timed_to_its_first_evaluation_within_one_per_cent(tmp_path: Path) -> None:
    runs = [
        run(tmp_path, "a", [(1.0, 0.5, None), (2.0, 0.0101, None), (3.0, 0.01, None), (9.0, 0.5, None)]),
        run(tmp_path, "b", [(1.0, 0.009, None), (20.0, 0.001, None)]),
        run(tmp_path, "c", [(1.0, 0.5, None), (7.0, 0.02, None)]),
    ]
    found = effort(runs, Optimum(J_OPT * (1 - 1e-12), J_OPT))
    assert found is not None
    # a run that misses the target counts with the longest run
    assert found.costs == (3.0, 1.0, 20.0)
    assert found.reached == (True, True, False)
    assert (found.median, found.known, found.text(seconds_text)) == (3.0, True, "3 s")


def test_a_method_that_stops_by_itself_is_timed_to_its_end(tmp_path: Path) -> None:
    # far below 1 % from its first evaluation on, which the method cannot know
    stops = run(tmp_path, "a", [(1.0, 0.001, 0.5), (2.0, 0.0009, 0.008)])
    short = run(tmp_path, "b", [(1.0, 0.001, 0.5), (4.0, 0.0009, 0.008)], stops=False)  # whose budget ended first
    assert stopped(stops)
    assert not stopped(short)
    found = effort([stops, short], EXACT, to_the_end=True)
    assert found == Effort((2.0, 4.0), (True, False))
    assert not found.known
    assert found.text(seconds_text) == ">3 s"
    assert effort([stops, short], EXACT) == Effort((1.0, 1.0), (True, True))  # timed to the target
    assert effort([], EXACT, to_the_end=True) is None


def test_an_objective_within_the_uncertainty_of_the_optimum_misses_the_target(tmp_path: Path) -> None:
    runs = [run(tmp_path, "a", [(1.0, 0.0099, None), (2.0, 0.0089, None)])]
    found = effort(runs, Optimum(J_OPT * 0.999, J_OPT))
    assert found is not None
    assert found.costs == (2.0,)


def test_ratios_of_medians_by_hand() -> None:
    found = ratio_of(took(1.0, 3.0), took(2.0, 2.0))
    assert found is not None
    # medians of resamples of the first are 1, 2 and 3
    assert (found.interval.estimate, found.interval.low, found.interval.high) == (1.0, 0.5, 1.5)
    assert found.text() == "1 [0.5, 1.5]"
    assert found.above(1.0) == found.at_most(1.0) == "partly"
    assert (found.above(0.4), found.at_most(0.4)) == ("reproduced", "not_reproduced")
    assert (found.above(1.5), found.at_most(1.5)) == ("not_reproduced", "reproduced")


def test_a_missed_target_bounds_the_ratio_from_one_side() -> None:
    slow, quick = took(10.0, 10.0, 10.0, reached=1), took(2.0, 2.0, 2.0)
    least, most = ratio_of(slow, quick), ratio_of(quick, slow)
    assert least is not None
    assert most is not None
    assert least.text() == "at least 5 [5, 5]"
    assert (least.above(4.0), least.at_most(4.0)) == ("reproduced", "not_reproduced")
    assert least.above(6.0) == least.at_most(6.0) == "not_applicable"  # it may be more than 6 or less
    assert most.text() == "at most 0.2 [0.2, 0.2]"
    assert (most.above(0.3), most.at_most(0.3)) == ("not_reproduced", "reproduced")
    assert most.above(0.1) == most.at_most(0.1) == "not_applicable"
    assert ratio_of(slow, slow) is None


def test_the_fastest_and_the_slowest_of_several() -> None:
    quick, slow, never = took(1.0), took(5.0), took(3.0, reached=0)
    assert fastest([slow, quick]) is quick
    assert slowest([slow, quick]) is slow
    # it takes longer than 3, perhaps than 5 as well: as the slowest it is a bound, which 3 is
    assert slowest([slow, quick, never]) is never
    assert fastest([slow, never]) is never
    assert fastest([quick, None]) is None
    assert slowest([quick, None]) is None
    assert fastest([]) is None


@settings(max_examples=25)
@given(st.lists(st.floats(0.1, 10), min_size=1, max_size=6), st.lists(st.floats(0.1, 10), min_size=1, max_size=6))
def test_the_interval_contains_the_ratio_of_medians(first: list[float], second: list[float]) -> None:
    found = ratio_of(took(*first), took(*second))
    assert found is not None
    assert found.interval.estimate == pytest.approx(np.median(first) / np.median(second))
    assert min(first) / max(second) <= found.interval.low <= found.interval.high <= max(first) / min(second)


def test_the_optimum_is_the_end_of_a_run(tmp_path: Path) -> None:
    found = optimum_of(Panel("adult", "adult", runs={"optimum": (optimum_run(tmp_path, "optimum", 1e-4),)}))
    assert found is not None
    assert (found.lower, found.upper) == pytest.approx((J_OPT * (1 - 5e-5), J_OPT * (1 + 5e-5)))
    assert found.uncertainty == pytest.approx(1e-4, rel=1e-3)
    assert found.excess(1.01 * found.lower) == pytest.approx(0.01)
    assert found.least_excess(1.01 * found.upper) == pytest.approx(0.01)
    for k, below in enumerate((None, 1.5)):  # no bound, and one below 0
        runs = (run(tmp_path, f"optimum {k}", [(1.0, 0.0, below)]),)
        assert optimum_of(Panel("adult", "adult", runs={"optimum": runs})) is None
    assert optimum_of(Panel("adult", "adult")) is None


def test_accuracy_needs_a_bound_above_zero(tmp_path: Path) -> None:
    frame = run(tmp_path, "a", [(1.0, 0.5, None), (2.0, 0.5, 1.5), (3.0, 0.2, 0.2)]).curve
    assert accuracy(frame) == pytest.approx([np.nan, np.nan, 0.5], nan_ok=True)


def test_times_have_three_digits() -> None:
    texts = [seconds_text(value) for value in (1.234e-5, 0.0123456, 0.99949, 0.9996, 12.34, 1234.5)]
    assert texts == ["0.0123 ms", "12.3 ms", "999 ms", "1 s", "12.3 s", "1,234 s"]


def test_a_fake_run_reaches_the_target_as_given(tmp_path: Path) -> None:
    for method in ("pegasos", "sgd_m"):
        there, never = (
            effort([timed_run(tmp_path, method, seconds)], EXACT, to_the_end=method in STOPPING)
            for seconds in (2.0, -2.0)
        )
        assert there == Effort((2.0,), (True,))
        assert never is not None
        assert not never.known
