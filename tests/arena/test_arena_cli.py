"""An arena with a user's solvers, from the command line to the files, on small data."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from svm_cost_curves.experiments.provenance import PROJECT_ROOT
from svm_cost_curves.experiments.reproduction.cli import main

USER_SOLVERS = Path(__file__).with_name("user_solvers.py")
SMALL = ["scale=demo", "dataset.max_train=150", "budget.epochs=3", "budget.evaluations=12", "jobs=1"]
ALGOS = "algos=correct,false_counters,direct_reads,broken,nan_objective,dcd"


def arena(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    places = [f"store={folder / 'store'}", f"figures={folder / 'figures'}", f"report={folder / 'report'}"]
    return subprocess.run(
        [sys.executable, "reproduce.py", "figure=arena", *SMALL, *words, *places],
        cwd=PROJECT_ROOT,
        env=os.environ | {"SVM_SOLVERS": str(USER_SOLVERS)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    folder = tmp_path_factory.mktemp("arena")
    return folder, arena(folder, ALGOS)


def table(folder: Path) -> dict[tuple[str, str], list[str]]:
    (path,) = folder.glob("figures/arena_*/demo/table.md")
    lines = [line.strip("| ").split(" | ") for line in path.read_text().splitlines() if line.startswith("| Digits")]
    return {(cells[1], cells[2]): cells[3:] for cells in lines}


def test_a_failed_run_does_not_stop_the_others(done: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    _, process = done
    assert process.returncode == 1
    assert "6 failed" in process.stdout
    assert "broken digits seed=0: failed: ZeroDivisionError: a step of length 1/0" in process.stderr
    assert "nan_objective digits seed=0: failed: the objective is not finite: primal = nan" in process.stderr
    assert "left out on digits: dcd: works with kernel=linear only, got kernel=gaussian" in process.stdout
    assert "\nfigure: " in process.stdout


def test_the_verdict_names_missing_runs(done: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    (path,) = done[0].glob("figures/arena_*/demo/verdict.json")
    verdict = json.loads(path.read_text())
    assert (verdict["paper"], verdict["claims"], verdict["stand_in"]) == ("", [], {})
    assert verdict["missing"] == dict.fromkeys(["digits: broken", "digits: nan_objective"], "of 3 runs 3 failed")
    assert set(verdict["left_out"]) == {"digits: dcd"}
    assert verdict["figure"] == path.parts[-3]


def test_false_counters_make_no_solver_faster(done: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    (path,) = done[0].glob("figures/arena_*/demo/data.csv")
    points = pd.read_csv(path).query("what == 'curve' and cost == 'kernel_evaluations'")
    correct, false_counters = (
        points.query("series == @name")[["x", "mean"]].to_numpy() for name in ("correct", "false_counters")
    )
    assert len(correct)
    assert (correct == false_counters).all()
    assert "direct_reads" not in set(points["series"])
    assert {row[1] for (_, name), row in table(done[0]).items() if name == "direct_reads"} == {"not counted"}


def test_a_run_with_a_nan_objective_is_not_in_the_table(done: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    reached = {row[0] for (_, name), row in table(done[0]).items() if name == "nan_objective"}
    assert reached == {"0 of 0"}
    results = [json.loads(path.read_text()) for path in done[0].rglob("result.json")]
    assert all(result["status"] == "failed" for result in results if result.get("algo") == "nan_objective")


@pytest.mark.slow
def test_the_report_shows_the_arena(done: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    folder = done[0]
    assert main(["figure=report", f"figures={folder / 'figures'}", f"report={folder / 'report'}"]) == 0
    assert "Figures of no paper" in (folder / "report" / "README.md").read_text()
    page = (folder / "report" / "others.md").read_text()
    assert "On a sample of the data." in page
    assert "not what the paper did" not in page
