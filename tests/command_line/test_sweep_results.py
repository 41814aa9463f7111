"""The jobs of a sweep at a time; its table, its figures and its page."""

from __future__ import annotations

import base64
import gzip
import json
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from store_records import make_curve, record

from svm_cost_curves.experiments.command_line import sweep_jobs
from svm_cost_curves.experiments.command_line.sweep_jobs import parallel_jobs
from svm_cost_curves.experiments.command_line.sweep_names import Group, groups
from svm_cost_curves.experiments.command_line.sweep_page import write_page
from svm_cost_curves.experiments.command_line.sweep_results import draw, equal_runs, finish, table, write_for_paper
from svm_cost_curves.experiments.configuration.choices import PaperStyle
from svm_cost_curves.experiments.plotting import interactive
from svm_cost_curves.experiments.processes.outcome import Outcome
from svm_cost_curves.experiments.store import Store
from svm_cost_curves.solvers import SettingsError


def outcome(folder: Path, seed: int, points: int) -> Outcome:
    """The outcome of a run whose curve has so many points, the first of them at no cost."""
    run = record(Store.open(folder / "store"), f"{seed}", points, seed)
    return Outcome("a run", "finished", algo="sbp", dataset="toy", seed=seed, result_path=str(run.result_path))


def test_runs_that_ended_before_any_cost_have_no_figure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert draw([outcome(tmp_path, seed, 1) for seed in range(2)], tmp_path, "a command") == []
    assert "no figure: no curve has both" in capsys.readouterr().err


def test_other_runs_are_drawn(tmp_path: Path) -> None:
    page, path = draw([outcome(tmp_path, seed, 5) for seed in range(2)], tmp_path, "a command")
    assert path.read_bytes().startswith(b"\x89PNG")
    assert page == tmp_path / "curves.html"
    assert base64.b64encode(path.read_bytes()).decode() in page.read_text(encoding="utf-8")


def test_a_run_with_a_damaged_record_is_named_and_the_others_are_drawn(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = [outcome(tmp_path, seed, 5) for seed in range(2)]
    damaged = Path(str(runs[0].result_path)).with_name("curve.parquet")
    damaged.write_bytes(damaged.read_bytes()[:-7])
    page, _ = draw(runs, tmp_path, "a command")
    assert "1 run." in page.read_text(encoding="utf-8")
    assert f"not drawn: the run in {damaged.parent} is damaged: curve.parquet" in capsys.readouterr().err


def test_for_a_paper_each_data_set_has_pictures_and_a_caption(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = [outcome(tmp_path, seed, 5) for seed in range(2)]
    style = PaperStyle(3.25, ("png",))
    both = [*runs, replace(runs[0], dataset="v1.5")]
    assert write_for_paper(both, tmp_path, "a command", style) == 0
    paths = [tmp_path / f"paper-{name}" for name in ("toy.png", "toy.txt", "v1.5.png", "v1.5.txt")]
    assert capsys.readouterr().out.splitlines() == [f"for a paper: {path}" for path in paths]
    with Image.open(paths[0]) as picture:
        assert picture.width == 975  # 3.25 inches of 300 pixels
    caption = paths[1].read_text(encoding="utf-8").splitlines()
    assert caption[:2] == ["Test error against cost on toy, SBP", "Mean of 2 runs, band of one standard deviation"]
    assert caption[-1].endswith("a command")


def test_a_highlighted_algorithm_is_compared_in_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = [outcome(tmp_path, seed, 5) for seed in range(2)]
    runs += [replace(run, algo="smo") for run in runs]
    assert write_for_paper(runs, tmp_path, "a command", PaperStyle(3.25, ("png",)), "sbp") == 0
    said = (tmp_path / "paper.txt").read_text(encoding="utf-8").splitlines()
    assert said[1] not in capsys.readouterr().out
    draw(runs, tmp_path, "a command", "sbp")
    assert capsys.readouterr().out.endswith(f"{said[1]}\n")
    assert said[1].startswith("By the mean over the runs SBP stays at or below ")
    assert said[1].endswith("; SMO needs 1.0 times as many.")
    assert said[2].startswith("Mean of 2 runs, band of SBP: one standard deviation")


def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    style = PaperStyle(3.25, ("png",))
    assert write_for_paper([outcome(tmp_path, 0, 5)], tmp_path / "absent", "a command", style) == 2
    assert "error: no figure for a paper: " in capsys.readouterr().err


def test_runs_that_fail_for_one_reason_have_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ends = [("a", "no file"), ("b", "no file"), ("c", "no room"), ("d", "no file")]
    outcomes = [Outcome(label, "refused", message) for label, message in ends]
    assert finish(outcomes, tmp_path, "a command", None, stopped=None) == 2
    lines = capsys.readouterr().err.splitlines()
    assert lines[:2] == ["a and 2 more: refused: no file", "c: refused: no room"]


SETS = {"toy": 2, "other": 1}


def data_of(page: str) -> dict[str, Any]:
    packed = re.search(r'id="data">([A-Za-z0-9+/=]*)<', page)
    assert packed
    data: dict[str, Any] = json.loads(gzip.decompress(base64.b64decode(packed[1])))
    return data


def test_the_page_has_the_curves_of_all_runs(tmp_path: Path) -> None:
    settings = ("algo=sbp", "algo.eta=1,2", "store.root=/a/folder")
    runs = [
        (replace(outcome(tmp_path, seed, 5), overrides=(*settings, f"seed={seed}")), make_curve(5)) for seed in range(2)
    ]
    outcomes = tuple(outcome for outcome, _ in runs)
    drawn = [(Group(name, "sbp", (("algo.eta", "1"),), outcomes), runs[:count]) for name, count in SETS.items()]
    page = write_page(drawn, tmp_path, "a command")
    assert page is not None
    data = data_of(page.read_text(encoding="utf-8"))
    assert [dataset["name"] for dataset in data["datasets"]] == ["toy", "other"]
    assert len(data["series"]) == 1
    assert [run["command"] for run in data["runs"][:2]] == [
        f"python3 run.py algo=sbp algo.eta=1,2 seed={seed}" for seed in range(2)
    ]


def test_the_page_of_a_sweep_over_a_number_says_so(tmp_path: Path) -> None:
    run = (outcome(tmp_path, 0, 5), make_curve(5))
    values = ("1", "0.01", "0.1")
    drawn = [
        (Group("toy", algo, (("problem.lambda_", value),), (run[0],)), [run])
        for algo in ("sbp", "smo")
        for value in values
    ]
    page = write_page(drawn, tmp_path, "a command")
    assert page is not None
    text = page.read_text(encoding="utf-8")
    assert "<title>SBP, SMO on toy: lambda 0.01, 0.1, 1</title>" in text
    data = data_of(text)
    assert (data["swept"], data["start"]["view"]) == ("lambda", "last")
    assert [(series["family"], series["place"]) for series in data["series"]] == [
        (family, float(value)) for family in range(2) for value in values
    ]


def test_runs_without_curves_have_no_page(tmp_path: Path) -> None:
    assert write_page([], tmp_path, "a command") is None


def test_files_of_one_name_are_told_apart_by_their_paths() -> None:
    def run_on(path: str, algo: str = "sbp") -> Outcome:
        words = (f"dataset=file:{path}", f"algo={algo}")
        return Outcome("", "finished", algo=algo, dataset=Path(path).stem, seed=0, overrides=words)

    runs = [run_on(path, algo) for path in ("a.svm", "b.svm") for algo in ("sbp", "smo")]
    names = [("a", "sbp"), ("a", "smo"), ("b", "sbp"), ("b", "smo")]
    assert [(group.dataset, group.name) for group in groups(runs)] == names
    assert len(table(runs).rows) == 4
    shown = groups([run_on("x/a.svm"), run_on("y/a.svm"), run_on("b.svm")])
    assert [group.dataset for group in shown] == ["a (x/a.svm)", "a (y/a.svm)", "b"]


@pytest.mark.parametrize(("n_jobs", "jobs"), [(1, 1), (3, 3), (-1, 4), (-2, 3), (-4, 1), (-9, 1)])
def test_negative_numbers_of_jobs_count_down_from_all_cores(
    n_jobs: int, jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweep_jobs, "available_cores", lambda: 4)
    assert parallel_jobs(n_jobs) == jobs


@pytest.mark.parametrize("n_jobs", [0, 2.0, True, None, "two"])
def test_other_numbers_of_jobs_are_refused(n_jobs: Any) -> None:
    with pytest.raises(SettingsError, match=r"hydra\.launcher\.n_jobs must be a whole number other than 0"):
        parallel_jobs(n_jobs)


def test_without_plotly_a_sweep_has_its_table_and_picture(
    tmp_path: Path, run_py: Callable[..., tuple[int, str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    interactive._plotly.cache_clear()
    monkeypatch.setitem(sys.modules, "plotly", None)
    monkeypatch.setitem(sys.modules, "plotly.offline", None)
    words = ["-m", "hydra/launcher=here", "algo=pegasos", "dataset=synthetic", "dataset.n=60", "dataset.d=3"]
    status, out, err = run_py(*words, "dataset.n_test=30", "seed=0,1", "budget.epochs=1", f"store.root={tmp_path}")
    assert status == 0, err
    assert "test error" in out
    assert "figure: " in out
    assert "page: " not in out
    (line,) = [line for line in err.splitlines() if "plotly" in line]
    assert line.startswith("no curves.html: it needs plotly, which cannot be imported here: ")
    assert [path.name for path in tmp_path.glob("sweeps/*/*.png")] == ["curves.png"]


def test_runs_that_are_equal_but_for_times_are_told() -> None:
    group = Group("toy", "smo", (), ())
    first, later, other = make_curve(5), make_curve(5), make_curve(5)
    later["cpu_seconds"] *= 2.0
    other.loc[4, "test_error"] += 0.001
    runs = [(Outcome("a run", "finished"), curve) for curve in (first, later, other)]
    assert equal_runs([(group, runs[:2])]) == ["smo on toy: its 2 runs are equal, so that one seed is enough"]
    assert equal_runs([(group, runs[:1]), (group, runs)]) == []
