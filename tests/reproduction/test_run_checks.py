"""Which published runs are made again, and when a run made again agrees."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svm_cost_curves.experiments.reproduction.run_comparison import Candidate, agreeing
from svm_cost_curves.experiments.reproduction.spot_check import choose_each, choose_runs


def candidate(key: str, algo: str, figure: str = "f", seconds: float = 1.0, *, timed: bool = False) -> Any:
    settings = SimpleNamespace(algo=algo, dataset=SimpleNamespace(name="x"))
    found = SimpleNamespace(result={"wall_seconds": seconds}, key=key)
    return Candidate(figure, SimpleNamespace(key=key, settings=settings, found=found), (), timed)  # type: ignore[arg-type]


@given(st.lists(st.sampled_from("abcd"), min_size=1, max_size=12), st.integers(1, 15), st.integers(0, 9))
def test_runs_are_drawn_evenly_over_solvers(algos: list[str], count: int, seed: int) -> None:
    runs = [candidate(str(k), algo) for k, algo in enumerate(algos)]
    chosen = choose_runs([*runs, runs[0]], count, seed)
    assert len({own.run.key for own in chosen}) == len(chosen) == min(count, len(runs))
    drawn = {algo: sum(own.run.settings.algo == algo for own in chosen) for algo in algos}
    not_exhausted = [number for algo, number in drawn.items() if number < algos.count(algo)]
    assert all(number <= min(not_exhausted, default=99) + 1 for number in drawn.values())
    assert chosen == choose_runs([*runs, runs[0]], count, seed)


DRAWN = st.tuples(
    st.integers(0, 5), st.sampled_from("ab"), st.sampled_from("fgh"), st.sampled_from([1.0, 59.0, 60.0]), st.booleans()
)


@given(st.lists(DRAWN, max_size=20), st.integers(0, 9))
def test_of_every_case_one_short_run_is_drawn(rows: list[Any], seed: int) -> None:
    runs = [candidate(f"{algo}{key}", algo, figure, seconds, timed=timed) for key, algo, figure, seconds, timed in rows]
    chosen = choose_each(runs, seed)
    allowed = [own for own in runs if not own.timed and own.published.result["wall_seconds"] < 60]
    assert [own.case for own in chosen] == list(dict.fromkeys(own.case for own in allowed))
    assert all(own in allowed for own in chosen)
    assert chosen == choose_each(runs, seed)


def test_a_run_of_several_figures_is_made_once_for_all() -> None:
    runs = [candidate(str(key), "a", figure) for figure in "fgh" for key in range(30)]
    assert all(len({own.run.key for own in choose_each(runs, seed)}) == 1 for seed in range(9))


def finals(measure: str, values: list[float]) -> Any:
    """A candidate whose series has these final values, its own first; 1,000 examples each way; primal 1."""
    rows = {"train": {"n": 1000}, "test": {"n": 1000}}
    runs = [
        SimpleNamespace(result={"final": {"primal": 1.0, measure: value}, "provenance": {"data": {"counts": rows}}})
        for value in values
    ]
    return Candidate("f", SimpleNamespace(found=runs[0]), tuple(runs), timed=False)  # type: ignore[arg-type]


@given(st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=6), st.sampled_from(["primal", "bias", "gap", "test_error"]))
def test_a_final_measure_agrees_within_the_scatter_of_its_series(values: list[float], measure: str) -> None:
    low, high = agreeing(finals(measure, values), measure)
    spread = max(values) - min(values)
    assert low < min(values) <= max(values) < high
    assert high - max(values) == pytest.approx(min(values) - low, rel=1e-3, abs=1e-6)
    assert high - max(values) >= spread * (1 - 1e-9)
    assert (
        high - max(values) <= max(spread, 1.1e-4 * max(abs(values[0]), 1.0), 1.1e-3 * (measure == "test_error")) + 1e-6
    )


@pytest.mark.parametrize(
    ("measure", "values", "inside", "outside"),
    [
        ("primal", [2.0], 2.0001, 2.0003),  # a single run: 1e-4 of it
        ("primal", [2.0, 2.1], 2.19, 2.21),  # two: their distance
        ("primal", [2.0, 2.0], 1.9999, 1.9997),
        ("gap", [1e-9], 9e-5, 2e-4),  # a difference: 1e-4 of the objective
        ("relative_gap", [1e-9], 9e-5, 2e-4),
        ("test_error", [0.01], 0.011, 0.012),  # one example of 1,000
        ("support_vectors", [90.0], 91.0, 92.0),
        ("nu", [0.0], 1e-7, 1e-6),  # 0 but for rounding
    ],
)
def test_what_agrees(measure: str, values: list[float], inside: float, outside: float) -> None:
    low, high = agreeing(finals(measure, values), measure)
    assert low <= inside <= high
    assert not low <= outside <= high
