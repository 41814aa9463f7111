"""Published runs are chosen, made again, and compared with those of the evidence."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from published_cases import copied, publish, reproduce

from svm_cost_curves.datasets import DataError
from svm_cost_curves.experiments import provenance
from svm_cost_curves.experiments.reproduction.checks import Comparison, record_check, recorded_checks, to_make_again
from svm_cost_curves.experiments.reproduction.spot_check import Candidate, agreeing, choose_each, choose_runs


def test_published_runs_are_made_again_and_are_equal(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert reproduce(made, "check", "scale=demo", "runs=9", "jobs=2") == 0
    out = capsys.readouterr().out
    assert out.count("  equal  ") == 3
    assert "3 of 3 runs agree" in out
    (check,) = recorded_checks(made / "evidence")
    assert {name: check[name] for name in ("figure", "runs", "agree")} == {"figure": "mine_x", "runs": 3, "agree": 3}
    assert {(run["figure"], run["outcome"]) for run in check["made_again"]} == {("mine_x", "equal")}


def test_a_run_that_differs_is_found(made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, runs = copied(made, tmp_path)
    counted, measured, _ = runs.values()
    counted.curve["kernel_evaluations"] += 1
    measured.result["final"]["norm"] *= 1 + 1e-6  # by the same build
    publish(folder, runs)
    assert reproduce(made, "check", "scale=demo", "runs=3", f"evidence={folder}") == 4
    out = capsys.readouterr().out
    assert out.count("DIFFERS") == 2
    assert "kernel_evaluations in row 1" in out
    assert "final norm" in out


def test_a_run_of_another_build_is_equal_agrees_or_differs(
    made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, runs = copied(made, tmp_path)
    recorded = sorted((run.result for run in runs.values()), key=lambda result: (result["algo"], result["seed"]))
    assert [result["algo"] for result in recorded] == ["sbp", "sbp", "smo"]  # smo has one run, so no scatter
    assert recorded[0]["provenance"]["blas"] == provenance.blas()
    recorded[0]["provenance"]["blas"] = "another"  # all its bits are the same
    recorded[1]["provenance"]["build"]["build_id"] = "another"
    recorded[1]["final"]["norm"] *= 1 + 1e-6
    recorded[2]["provenance"]["build"]["isa"] = "another"
    recorded[2]["final"]["norm"] *= 3
    publish(folder, runs)
    assert reproduce(made, "from=evidence", "scale=demo", f"evidence={folder}") == 0
    assert reproduce(made, "check", "scale=demo", "runs=3", f"evidence={folder}") == 4
    out = capsys.readouterr().out
    assert (out.count("  equal "), out.count("  agrees "), out.count("  DIFFERS ")) == (1, 1, 1)
    assert len(to_make_again(recorded_checks(folder), {"mine_x": runs.values()})["mine_x"]) == 1


def test_a_figure_without_short_runs_is_named(made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, runs = copied(made, tmp_path)
    for run in runs.values():
        run.result["wall_seconds"] = 60.0
    publish(folder, runs)
    assert reproduce(made, "check", "scale=demo", "runs=each", f"evidence={folder}") == 0
    out = capsys.readouterr().out
    assert "0 of 3 published runs are made again" in out
    assert "not checked, as all their runs are timed or long, or they have none: mine_x" in out


def test_one_run_of_every_solver_is_made_again_and_those_that_differed(
    made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, runs = copied(made, tmp_path)
    words = ("check", "scale=demo", "runs=each", f"evidence={folder}", f"again={tmp_path / 'again'}")
    assert reproduce(made, *words) == 0
    out = capsys.readouterr().out
    assert out.startswith("2 of 3 published runs are made again")
    assert "cover 2 of 2 cases" in out
    assert "mine_x     2      2      0       0  equal bits" in out
    made_so_far = len(list((tmp_path / "again").rglob("result.json")))
    assert reproduce(made, *words) == 0  # the new runs are there
    assert len(list((tmp_path / "again").rglob("result.json"))) == made_so_far == 2
    # a run that was not drawn and differed comes again until it does not differ
    drawn = {run["key"] for run in recorded_checks(folder)[-1]["made_again"]}
    (left,) = [run for run in runs.values() if run.key not in drawn]
    record_check(folder, "mine_x", [Comparison("mine_x", "left", left.key, "DIFFERS", "", None)])
    assert reproduce(made, *words) == 0
    assert "3      3      0       0  equal bits" in capsys.readouterr().out
    assert to_make_again(recorded_checks(folder), {"mine_x": runs.values()}) == {}


def _refuse(*_: object, **__: object) -> None:
    raise DataError("no file: anywhere")


def test_runs_on_data_that_are_not_at_hand_are_left_out(
    made: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("svm_cost_curves.datasets.load", _refuse)
    assert reproduce(made, "check", "scale=demo") == 3
    assert "left out: synthetic, 3 runs: no file" in capsys.readouterr().err


def candidate(key: str, algo: str, figure: str = "f", seconds: float = 1.0, *, timed: bool = False) -> Any:
    settings = SimpleNamespace(algo=algo, dataset=SimpleNamespace(name="x"))
    run = SimpleNamespace(result={"wall_seconds": seconds}, key=key)
    return Candidate(figure, SimpleNamespace(key=key, settings=settings, recorded=run), (), timed)  # type: ignore[arg-type]


@given(st.lists(st.sampled_from("abcd"), min_size=1, max_size=12), st.integers(1, 15), st.integers(0, 9))
def test_runs_are_drawn_evenly_over_solvers(algos: list[str], count: int, seed: int) -> None:
    runs = [candidate(str(k), algo) for k, algo in enumerate(algos)]
    chosen = choose_runs([*runs, runs[0]], count, seed)
    assert len({choice.run.key for choice in chosen}) == len(chosen) == min(count, len(runs))
    drawn = {algo: sum(choice.run.settings.algo == algo for choice in chosen) for algo in algos}
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
    allowed = [run for run in runs if not run.timed and run.published.result["wall_seconds"] < 60]
    assert [run.case for run in chosen] == list(dict.fromkeys(run.case for run in allowed))
    assert all(run in allowed for run in chosen)
    assert chosen == choose_each(runs, seed)


def test_a_run_of_several_figures_is_made_once_for_all() -> None:
    runs = [candidate(str(key), "a", figure) for figure in "fgh" for key in range(30)]
    assert all(len({choice.run.key for choice in choose_each(runs, seed)}) == 1 for seed in range(9))


def finals(measure: str, values: list[float]) -> Any:
    """A candidate whose series has these final values, its own first; 1,000 examples each way; primal 1."""
    rows = {"train": {"n": 1000}, "test": {"n": 1000}}
    runs = [
        SimpleNamespace(result={"final": {"primal": 1.0, measure: value}, "provenance": {"data": {"counts": rows}}})
        for value in values
    ]
    return Candidate("f", SimpleNamespace(recorded=runs[0]), tuple(runs), timed=False)  # type: ignore[arg-type]


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
