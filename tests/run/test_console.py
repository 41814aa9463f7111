"""Messages of a run, on a terminal and without one."""

from __future__ import annotations

import dataclasses
import io
import re
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from waiting import wait_until

from svm_cost_curves import solvers
from svm_cost_curves.datasets import DatasetConfig
from svm_cost_curves.experiments.command_line.sweep_results import table
from svm_cost_curves.experiments.configuration.schema import GaussianConfig, RunConfig, algo_schema
from svm_cost_curves.experiments.configuration.settings import RunSettings, resolve
from svm_cost_curves.experiments.processes import streams
from svm_cost_curves.experiments.processes.outcome import Outcome
from svm_cost_curves.experiments.processes.pool import Event
from svm_cost_curves.experiments.processes.streams import ElapsedTime, print_error
from svm_cost_curves.experiments.run import meter
from svm_cost_curves.experiments.run.console import (
    CompactDisplay,
    Display,
    FullDisplay,
    count,
    fit,
    percent,
    progress_text,
)
from svm_cost_curves.experiments.run.jobs import ReportingDisplay, RunsLine
from svm_cost_curves.experiments.run.meter import cut, duration

RESULT: dict[str, Any] = {
    "algo": "sbp",
    "dataset": "toy",
    "seed": 3,
    "counters": {"iterations": 200, "epochs": 2.0, "kernel_evaluations": 20_000},
    "cpu_seconds": 0.25,
    "final": {"test_error": 0.1234},
    "remarks": ["the stream ended [early]", "another"],
}


FACTS = {"training set": "n = 100", "kernel rows": "whole Gram matrix [in a file]", "ends": "after at most 10 epochs"}


ORIGINS = {"kernel.sigma2": "a paper", "seed": "command line", "algo.eta": "default"}


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def run() -> RunSettings:
    schema = algo_schema("sbp", solvers.get("sbp").Settings)
    config = RunConfig(algo=schema(), dataset=DatasetConfig(name="toy"), kernel=GaussianConfig(10.0), seed=3)
    return dataclasses.replace(resolve(config), origins=ORIGINS)


def points(number: int) -> list[dict[str, Any]]:
    return [
        {"iterations": i, "epochs": i / 10, "kernel_evaluations": 100 * i, "cpu_seconds": 0.01 * i, "test_error": 1 / i}
        for i in range(1, number + 1)
    ]


def test_a_full_run_without_a_terminal(run: RunSettings) -> None:
    out, err = io.StringIO(), io.StringIO()
    display = FullDisplay(progress=True, out=out, err=err)
    display.note("loading")
    display.header(run, FACTS)
    display.progress(0.5, points(1)[0], None)
    display.finished(RESULT, lambda: points(60), recorded=False)
    display.result_path(Path("/a/very" + "/long" * 60 + "/result.json"))
    text = out.getvalue()
    assert "\x1b" not in text + err.getvalue()
    assert "[in a file]" in text  # not taken for rich's markup
    assert all(part in text for part in ("sigma2=10 (a paper)", "seed", "3 (command line)"))
    assert not any(part in text for part in ("eta=0.5,", "(default)", "loading"))
    assert text.splitlines()[-1] == "result: /a/very" + "/long" * 60 + "/result.json"


def test_the_table_has_first_and_last_point(run: RunSettings) -> None:
    out = io.StringIO()
    FullDisplay(progress=False, out=out, err=io.StringIO()).finished(RESULT, lambda: points(60), recorded=True)
    lines = out.getvalue().splitlines()
    assert "already in the store" in lines[0]
    assert [line.rstrip() for line in lines[-2:]] == ["note: the stream ended [early]", "note: another"]
    numbers = [line.split()[1] for line in lines if "%" in line]
    assert numbers[0] == "100"
    assert numbers[-1] == "6,000"
    assert len(numbers) == 9


def test_a_bar_on_a_terminal_can_be_turned_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    said = []
    for progress in (True, False):
        err = Terminal()
        display = FullDisplay(progress=progress, out=io.StringIO(), err=err)
        display.note("loading")
        display.progress(0.25, points(4)[3], {"test_error": 0.125})
        display.close()
        said.append(err.getvalue())
    assert all(text in said[0] for text in ("loading", "25 %", "12.50 %"))
    assert said[1] == ""
    on_terminal, log = (FullDisplay(progress=True, out=err, err=err) for err in (Terminal(), io.StringIO()))
    assert on_terminal.pause < 10 < log.pause  # no one watches a log


@pytest.mark.parametrize("stream", [io.StringIO, Terminal])
def test_lines_without_a_terminal_that_redraws_come_every_five_seconds_and_after_a_minute_twice_a_minute(
    stream: type[io.StringIO], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "dumb")
    now = 0.0
    monkeypatch.setattr(meter.time, "monotonic", lambda: now)
    err = stream()
    display = FullDisplay(progress=True, out=io.StringIO(), err=err)
    for step in range(181):
        now = float(step)
        display.progress(step / 200, points(40)[39], None)
    lines = err.getvalue().splitlines()
    assert [int(line.split()[0]) for line in lines[:11]] == [round(2.5 * step) for step in range(1, 12)]
    assert [line.split()[0] for line in lines[-5:]] == ["28", "42", "57", "72", "88"]
    assert "3.2 min left" in lines[0]
    assert "\x1b" not in err.getvalue()


def test_the_line_of_several_runs_counts_those_that_went_wrong_or_were_stopped_and_is_cut_where_it_is_too_long() -> (
    None
):
    line = RunsLine(12)
    text = ""
    for index in range(8):
        text = line.after(Event(index, 0.0, note="Gram matrix: 35%"), f"sbp adult seed={index}")
    assert text.startswith("0 of 12 runs; now sbp adult seed=0: Gram matrix: 35%, sbp adult seed=1: ")
    assert cut(text, 100).endswith(" Gram matrix: 35%, sbp...")
    assert len(cut(text, 100)) <= 100
    failed, stopped = (Event(index, 1.0, Outcome("sbp", how)) for index, how in enumerate(("failed", "interrupted")))
    assert line.after(failed, "sbp adult seed=0").startswith("1 of 12 runs, 1 went wrong; now sbp adult seed=1: ")
    assert line.after(stopped, "sbp adult seed=1").startswith("1 of 12 runs, 1 went wrong, 1 stopped; now ")
    assert [outcome.status for outcome in line.ended] == ["failed", "interrupted"]
    assert not line.is_measured
    line.after(Event(2, 1.0, Outcome("sbp", "found")), "sbp adult seed=2")
    assert not line.is_measured, "a run that was in the store says nothing about the others"
    line.after(Event(3, 1.0, Outcome("sbp", "finished")), "sbp adult seed=3")
    assert line.is_measured


def test_no_time_is_left_before_anything_is_known_and_after_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    lines: list[str] = []
    now = 0.0
    monkeypatch.setattr(meter.time, "monotonic", lambda: now)
    progress = meter.Meter(lines.append)
    for fraction, is_measured in ((0.2, False), (0.004, True), (0.5, True), (0.996, True), (1.0, True)):
        now += 40.0
        progress.update(fraction, "1 of 6 runs", is_measured=is_measured)
    assert lines == [
        " 20 %  1 of 6 runs",
        "1 of 6 runs",
        " 50 %  2.0 min left  1 of 6 runs",
        " 99 %  less than 1 s left  1 of 6 runs",
        "100 %  1 of 6 runs",
    ]


def test_one_epoch_is_no_plural() -> None:
    assert "1 epoch, " in progress_text({"epochs": 1.0, "kernel_evaluations": 5}, None)
    assert "at 1 epoch, now 2 epochs" in progress_text({"epochs": 2.0}, {"test_error": 0.1, "epochs": 1.0})


def test_the_line_of_several_runs_names_a_step_until_the_solver_begins(run: RunSettings) -> None:
    line, event, texts = RunsLine(1), Event(0, 0.0), []

    def report(progress: float | str) -> None:
        nonlocal event
        event = event.after(progress)
        texts.append(line.after(event, "libsvm"))

    display = ReportingDisplay(report, "libsvm")
    display.note("setting up the problem")
    display.header(run, {})
    assert texts == ["0 of 1 run; now libsvm: setting up the problem", "0 of 1 run; now libsvm"]


def test_picture_and_curve_are_named_before_the_record_and_only_if_they_exist(tmp_path: Path) -> None:
    out = io.StringIO()
    display = FullDisplay(progress=False, out=out, err=io.StringIO())
    display.result_path(tmp_path / "result.json")
    files = {"figure": tmp_path / "curve.png", "curve": tmp_path / "curve.parquet"}
    for file in files.values():
        file.touch()
    display.result_path(tmp_path / "result.json")
    path = tmp_path / "result.json"
    named = "".join(f"{name}: {file}\n" for name, file in files.items())
    assert out.getvalue() == f"result: {path}\n{named}result: {path}\n"


def written(lines: list[str], count: int) -> list[str]:
    """Wait for so many lines: they come from a thread."""
    wait_until(lambda: len(lines) >= count)
    return lines[:count]


def test_work_that_tells_nothing_is_named_again_and_again_until_it_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "PAUSE", 0.02)
    lines: list[str] = []
    work = ElapsedTime(lines.append)
    work.begin("reading")
    assert lines[0] == "reading"
    assert [re.sub(r"\d+", "N", line) for line in written(lines, 4)] == ["reading", *["reading, N s"] * 3]
    work.begin("drawing", after=0.01)
    seen = written(lines, len(lines) + 3)
    assert seen[-1].startswith("drawing")
    work.begin("short", after=60)
    work.end()
    time.sleep(0.1)
    count = len(lines)
    time.sleep(0.1)
    assert len(lines) == count
    assert "short" not in lines


def test_the_thread_of_the_lines_leaves_signals_to_the_main_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """A signal that the main thread blocks for a moment would come through by a thread that does not block it."""
    masks: list[Any] = []
    monkeypatch.setattr(streams, "PAUSE", 0.01)
    work = ElapsedTime(lambda _: masks.append(signal.pthread_sigmask(signal.SIG_BLOCK, [])))
    work.begin("reading")
    written(masks, 2)
    work.end()
    assert {signal.SIGINT, signal.SIGTERM} <= masks[1]


def test_a_job_that_is_its_own_process_says_one_line(run: RunSettings) -> None:
    out = io.StringIO()
    display = CompactDisplay("[3] sbp toy seed=3", out)
    display.note("loading")
    display.note("loading still")
    display.header(run, FACTS)
    display.progress(0.5, points(1)[0], None)
    display.finished(RESULT, lambda: pytest.fail("the curve is not needed"), recorded=False)
    display.result_path(Path("x"))
    display.close()
    assert out.getvalue().splitlines() == [
        "[3] sbp toy seed=3: finished; test error 12.34 %, 2 epochs, 20,000 kernel evaluations, 0.2 s CPU",
    ]


def test_text_of_others_is_escaped(run: RunSettings, capsys: pytest.CaptureFixture[str]) -> None:
    out, err = io.StringIO(), io.StringIO()
    evil = "\x1b[31m red \x07"
    full = FullDisplay(progress=True, out=out, err=err)
    full.header(run, {**FACTS, "data": evil})
    full.note(evil)
    full.close()
    for display in (full, CompactDisplay(evil, out), Display()):
        display.warn(evil)
    print_error(f"error: {evil}\nline 2")
    CompactDisplay(evil, out).finished(RESULT, list, recorded=True)
    full.result_path(Path(evil))
    shown = [out.getvalue(), err.getvalue(), capsys.readouterr().err]
    assert not {"\x1b", "\x07"} & set("".join(shown))
    assert all(r"\x1b[31m red \x07" in text for text in shown)
    assert shown[-1].endswith("\nline 2\n")


def test_numbers() -> None:
    assert percent(0.12345) == "12.35 %"
    assert percent(None) == count(None) == duration(None) == "-"
    assert (count(0), count(9_999_999), count(1.06e10)) == ("0", "9,999,999", "1.06e+10")
    assert [duration(t) for t in (0.0012, 1.0, 90, 7200)] == ["1.2 ms", "1.0 s", "1.5 min", "2.0 h"]
    assert progress_text({"iterations": 3, "inner_products": 12, "cpu_seconds": 1.0}, None) == (
        "test error not known yet, 12 inner products, 1.0 s CPU"
    )


@pytest.mark.parametrize(("width", "left_out"), [(96, []), (80, ["in"]), (70, ["in", "CPU"]), (60, ["epochs", "CPU"])])
def test_a_narrow_table_lacks_columns_and_has_every_other_value_in_full(width: int, left_out: list[str]) -> None:
    target = Console(width=width, file=io.StringIO())
    run = Outcome("x", "finished", algo="pegasos", dataset="digits", test_error=0.1, epochs=10, cpu_seconds=0.02)
    outcomes = [dataclasses.replace(run, seed=seed, kernel_evaluations=4_747_692) for seed in (0, 1)]
    target.print(fit(target, table(outcomes), ["in store", "CPU", "epochs"]))
    lines = target.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert max(map(len, lines)) <= width
    assert all(text in " ".join(lines) for text in ("digits", "pegasos", "10.00 % ± 0.00", "4,747,692"))
    assert not set(left_out) & set(" ".join(lines).split())
    assert "…" not in " ".join(lines)


def test_an_older_test_error_says_when_it_was_measured() -> None:
    measured = {"test_error": 0.1521, "epochs": 0.185}
    assert progress_text({"epochs": 4.41}, measured) == "test error 15.21 % at 0.185 epochs, now 4.41 epochs"
    assert progress_text({"epochs": 0.185}, measured) == "test error 15.21 %, 0.185 epochs"


def test_a_text_is_cut_at_a_word() -> None:
    assert cut("4.41 epochs, 1.01e+08 kernel evaluations", 24) == "4.41 epochs, 1.01e+08..."
    assert cut("4.41 epochs, 1.01e+08 kernel evaluations", 23) == "4.41 epochs..."
    assert cut("abcdefghij", 8) == "abcde..."
