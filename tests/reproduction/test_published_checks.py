"""Published runs are made again, and compared with those of the evidence."""

from __future__ import annotations

from pathlib import Path

import pytest
from published_cases import copied, publish, reproduce

from svm_cost_curves.datasets import DataError
from svm_cost_curves.experiments import provenance
from svm_cost_curves.experiments.reproduction.checks import record_check, recorded_checks, to_make_again
from svm_cost_curves.experiments.reproduction.run_comparison import Comparison


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
    next(iter(runs.values())).curve["kernel_evaluations"] += 1
    publish(folder, runs)
    assert reproduce(made, "check", "scale=demo", "runs=3", f"evidence={folder}") == 4
    out = capsys.readouterr().out
    assert out.count("DIFFERS") == 1
    assert "kernel_evaluations in row 1" in out


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


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("runs=3",), "unknown setting 'runs=3'"),
        (("check", "runs=0"), "runs must be a whole number >= 1 or 'each', got '0'"),
    ],
)
def test_wrong_checks_are_refused(
    made: Path, words: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert reproduce(made, *words, "scale=demo") == 2
    assert message in capsys.readouterr().err
