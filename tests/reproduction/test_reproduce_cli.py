"""reproduce.py from the command line to the files, on small data."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from waiting import PATIENCE, wait_until

from svm_cost_curves.datasets import DataError
from svm_cost_curves.experiments.provenance import PROJECT_ROOT
from svm_cost_curves.experiments.reproduction import figure_commands
from svm_cost_curves.experiments.reproduction.cli import main
from svm_cost_curves.experiments.reproduction.figure_commands import FigureMaker, only_command
from svm_cost_curves.experiments.reproduction.spec import catalogue, read_figure
from svm_cost_curves.experiments.store import Store
from svm_cost_curves.experiments.store.recorded_list import RecordedList
from svm_cost_curves.experiments.store.recorder import OFF


def runs_of(figure: str) -> int:
    """Number of runs of a figure on one data set."""
    spec = read_figure(figure)
    seeds = spec.scale("demo").seeds
    return sum(seeds if series.seeds is None else min(seeds, series.seeds) for series in spec.series)


ALL = runs_of("sbp_fig3")
FIG3 = ("figure=sbp_fig3", "scale=demo", "dataset=digits")


def words(folder: Path, *more: str) -> list[str]:
    return [*more, f"store={folder / 'store'}", f"figures={folder / 'figures'}", f"report={folder / 'report'}"]


def reproduce(folder: Path, *more: str, jobs: int = 1) -> int:
    return main(words(folder, *more, f"jobs={jobs}"))


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which one figure has been made."""
    folder = tmp_path_factory.mktemp("reproduced")
    assert reproduce(folder, *FIG3, jobs=2) == 0
    return folder


def test_a_figure_leaves_its_files(done: Path) -> None:
    folder = done / "figures" / "sbp_fig3" / "demo"
    names = {"cases.csv", "curves.html", "data.csv", "figure.pdf", "figure.png", "verdict.json", "verdict.md"}
    assert {path.name for path in folder.iterdir()} == names  # no table.md: it is none
    verdict = json.loads((folder / "verdict.json").read_text())
    assert (verdict["figure"], verdict["scale"]) == ("sbp_fig3", "demo")
    assert "digits" in verdict["stand_in"]
    assert verdict["command"].startswith("python3 reproduce.py ")
    assert "store=" not in verdict["command"]
    assert [claim["id"] for claim in verdict["claims"]] == ["sbp.5"]
    assert "Scale demo" in (folder / "verdict.md").read_text()


def test_the_second_time_nothing_is_computed(done: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = done / "figures" / "sbp_fig3" / "demo" / "data.csv"
    before = data.read_bytes()
    assert reproduce(done, *FIG3) == 0
    said = capsys.readouterr().out
    assert f"{ALL} of {ALL} runs are in the store" in said
    assert "to make" not in said
    assert data.read_bytes() == before


def test_a_picture_for_a_paper(done: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = [*FIG3, "style=paper", "width=3.25", "format=pdf,svg"]
    assert main([*command, f"store={done / 'store'}", f"figures={tmp_path}"]) == 0
    folder = tmp_path / "sbp_fig3" / "demo"
    names = {path.name for path in folder.iterdir()}
    assert {"figure.png", "paper.pdf", "paper.svg", "paper.txt"} <= names
    assert "paper.png" not in names
    caption = (folder / "paper.txt").read_text(encoding="utf-8")
    assert caption.startswith("Figure 3 of ")
    assert "Digits" in caption
    assert "1 stand-in" in caption
    said = capsys.readouterr().out
    assert "sbp.5" in said
    assert f"for a paper: {folder / 'paper.pdf'}" in said


def test_only_what_is_missing_is_made(done: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copytree(done / "store", tmp_path / "store")
    lost = next(path for path in tmp_path.rglob("result.json") if '"fourier"' in path.read_text())
    lost.unlink()
    assert reproduce(tmp_path, *FIG3) == 0
    said = capsys.readouterr().out
    assert f"{ALL - 1} of {ALL} runs are in the store" in said
    assert "1 finished" in said
    same = [folder / "figures" / "sbp_fig3" / "demo" / "data.csv" for folder in (done, tmp_path)]
    costs = [path.read_text().splitlines()[0] for path in same]
    assert costs[0] == costs[1]


def test_dry_run_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert reproduce(tmp_path, *FIG3, "--dry-run") == 0
    assert f"{ALL} to make" in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []


def test_list_shows_a_line_per_figure_without_planning(
    done: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("plan.settings_of", "figure_commands.Store.open", "figure_commands.Planner"):
        monkeypatch.setattr(
            f"svm_cost_curves.experiments.reproduction.{name}", lambda *_, **__: pytest.fail("was called")
        )
    assert reproduce(done, "--list") == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(catalogue())
    (line,) = [line for line in lines if line.startswith("sbp_fig3 ")]
    said = ["sbp_fig3", "sbp", "Figure", "3", *read_figure("sbp_fig3").title.split(), "(made:", "demo)"]
    assert line.split() == said


def test_list_with_scales_shows_runs_costs_and_verdicts(done: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert reproduce(done, "--list", "figure=sbp_fig3", "dataset=digits", "scale=demo,paper") == 0
    head, demo, paper = capsys.readouterr().out.splitlines()
    assert head.split()[:2] == ["figure", "scale"]
    assert demo.split()[:5] == ["sbp_fig3", "demo", str(ALL), "of", str(ALL)]
    assert paper.split()[:4] == ["sbp_fig3", "paper", "0", "of"]
    assert "digits (stand-in)" in demo
    assert re.search(r"; 5 \w", demo)  # the verdict on claim sbp.5
    assert not re.search(r"; 5 \w", paper)


def test_figures_of_times_come_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    monkeypatch.setattr(FigureMaker, "make", lambda _, name: made.append(name) or 0)
    assert reproduce(tmp_path, "figure=sbp_fig3,sbp_libsvm,sbp_fig1") == 0
    assert made == ["sbp_libsvm", "sbp_fig3", "sbp_fig1"]


def test_report(done: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert reproduce(done, "figure=report") == 0
    said = capsys.readouterr().out
    assert str(done / "report" / "README.md") in said
    assert "sbp.md#figure-3" in (done / "report" / "README.md").read_text()
    assert "sbp.5" in (done / "report" / "sbp.md").read_text()


def test_bad_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for word, message in (("figure=sbp_fig22", "did you mean sbp_fig2"), ("memory=lots", "memory must be")):
        assert reproduce(tmp_path, "figure=sbp_fig3", word) == 2
        said = capsys.readouterr().err.splitlines()
        (error,) = [line for line in said if not line.startswith("... ")]  # what takes long is told on a slow machine
        assert error.startswith("error: ")
        assert message in error
    assert list((tmp_path / "store").glob("*/*")) == []
    assert not (tmp_path / "figures").exists()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"id: !!python/object/apply:os.getcwd []", r"line 1: tags \(!name\) are not allowed"),
        (b"id: mine\nseries: &all [*all]", r"line 2: \*all contains itself"),
        (b"id: ../../elsewhere", "id: it has letters, digits, _ and -, got '../../elsewhere'"),
        (b"id: mine\npaper: ..", "paper: it has letters, digits, _ and -, got '..'"),
        (b"id: mine\nscales: {demo: {seeds: 1000000000000}}", "scales.demo.seeds: input should be less than or equal"),
        (b"id: mine\nscales: {quick: {}}", "mine has no scale 'demo'; known: quick"),
    ],
)
def test_a_stranger_s_figure_is_refused_in_one_sentence(
    content: bytes, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "mine.yaml"
    path.write_bytes(content)
    assert main([f"figure={path}", "scale=demo", "--dry-run", f"store={tmp_path / 'store'}"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert re.match(f"error: .*{said}", line)


def test_a_data_set_that_is_not_available(
    done: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(done / "store", tmp_path / "store")  # a new one takes seconds
    monkeypatch.setenv("SVM_DATA_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("SVM_DATA_MIRROR", raising=False)
    monkeypatch.setattr("svm_cost_curves.datasets.fetch._download", _no_network, raising=True)
    assert reproduce(tmp_path, "figure=sbp_libsvm", "scale=demo", "dataset=digits,mnist") == 3
    said = capsys.readouterr().out
    assert "not available: mnist" in said
    assert "5 finished" in said
    verdict = json.loads((tmp_path / "figures" / "sbp_libsvm" / "demo" / "verdict.json").read_text())
    assert list(verdict["absent"]) == ["mnist"]


def _no_network(*_: object, **__: object) -> None:
    raise DataError("no network")


def test_a_figure_that_cannot_be_written(
    done: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    folder = done / "figures" / "sbp_fig3"
    before = sorted(folder.rglob("*"))
    monkeypatch.setattr("svm_cost_curves.experiments.plotting.Picture.save", full)
    assert reproduce(done, *FIG3) == 2
    assert "No space left" in capsys.readouterr().err
    assert sorted(folder.rglob("*")) == before


def test_a_folder_that_cannot_be_written_is_refused_before_the_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "figures").write_text("a file in the way")
    assert reproduce(tmp_path, *FIG3) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert str(tmp_path / "figures") in said.err
    assert not (tmp_path / "store").exists()


def test_a_figure_continues_after_ctrl_c(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = words(tmp_path, "figure=sbp_fig2", "scale=demo", "dataset=digits", "jobs=1")
    process = subprocess.Popen(
        [sys.executable, str(PROJECT_ROOT / "reproduce.py"), *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env=os.environ | {OFF: "on"},
    )
    wait_until(lambda: len(Store.at(tmp_path / "store").ended()) >= 2, process)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    _, error = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert "the same command continues" in error
    assert "Traceback" not in error
    store = Store.open(tmp_path / "store", read_only=True)
    wait_until(lambda: RecordedList(store, store.server).missing() == [])  # the recorder finishes on its own
    assert main([*command, "--dry-run"]) == 0
    count = runs_of("sbp_fig2")
    stored = int(capsys.readouterr().out.split(f" of {count} runs")[0].split()[-1])
    assert 2 <= stored < count
    assert not (tmp_path / "figures").exists()


def test_a_second_command_on_a_store_waits_for_the_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []
    messages: list[str] = []  # reading captured output loses what the thread writes meanwhile
    monkeypatch.setattr(figure_commands, "print_error", messages.append)

    def second() -> None:
        with only_command(tmp_path):
            order.append("second")

    with only_command(tmp_path):
        thread = threading.Thread(target=second)
        thread.start()
        wait_until(lambda: messages)
        order.append("first")
    thread.join(PATIENCE)
    assert order == ["first", "second"]
    assert messages[-1].endswith(f"is reproducing from the store {tmp_path}")
