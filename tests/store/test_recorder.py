"""The recorder process: it records every run once, whichever process is killed, and loses none."""

from __future__ import annotations

import concurrent.futures
import os
import signal
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from store_records import client, record, runs_in
from waiting import PATIENCE, wait_until

from svm_cost_curves.experiments.provenance import PROJECT_ROOT
from svm_cost_curves.experiments.store import Store, StoreError, recorder
from svm_cost_curves.experiments.store.address import DATABASE, database_uri
from svm_cost_curves.experiments.store.cli import main as store_command
from svm_cost_curves.experiments.store.cli import serve
from svm_cost_curves.experiments.store.recorded_list import RecordedList
from svm_cost_curves.experiments.store.recorder import recording
from svm_cost_curves.experiments.store.store import RECORDED
from svm_cost_curves.experiments.store.tracking import Recorded, Tracking


@pytest.fixture(autouse=True)
def recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(recorder.OFF)


@pytest.fixture
def store(mlflow_store: Store) -> Store:
    return mlflow_store


def keys(store: Store) -> Counter[str]:
    """Number of finished runs in mlflow by key."""
    return Counter(run.data.tags["key"] for run in runs_in(store) if run.data.tags["status"] == "finished")


def missing(store: Store) -> list[Path]:
    return RecordedList(store, None).missing()


def test_runs_of_a_command_are_recorded_when_it_ends(store: Store) -> None:
    warnings: list[str] = []
    with recording(store, warnings.append, wait=True) as begin:
        process = begin()
        assert process is not None
        for key in "ab":
            record(store, key)
        assert begin() is process  # it runs already
        wait_until(lambda: not missing(store), process)
        for number in (signal.SIGINT, signal.SIGTERM):  # sent to all processes of a command: this one goes on
            process.send_signal(number)
        record(store, "c")
    assert process.returncode == 0
    assert keys(store) == {"a": 1, "b": 1, "c": 1}
    assert missing(store) == []
    assert warnings == []
    with recording(store, warnings.append, wait=True):
        pass  # nothing is missing: no process is started
    record(store, "d")  # by a command whose recorder was killed
    with recording(store, warnings.append, wait=True):
        pass
    assert keys(store) == dict.fromkeys("abcd", 1)


def test_a_command_without_a_run_does_not_wait_for_mlflow(store: Store, python: Callable[..., Any]) -> None:
    code = (
        "import os, sys; from svm_cost_curves.experiments.store import recorder\n"
        "sys.stdin = open(os.devnull)\n"
        "assert recorder.main(sys.argv[1], '') == 0 and 'mlflow' not in sys.modules"
    )
    ended = python(code, store.root)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")


def test_switched_off_it_leaves_the_runs_to_a_later_command(
    store: Store, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(recorder.OFF, "off")
    with recording(store, print, wait=True) as begin:
        begin()
        record(store, "a")
    assert keys(store) == {}
    assert store_command(["record", str(store.root)]) == 0
    assert capsys.readouterr().out == f"{store.root} -> {database_uri(store.root)}: 1 recorded\n"
    assert store_command(["record", f"store.root={store.root}"]) == 0
    assert capsys.readouterr().out.endswith(": nothing is missing\n")
    assert keys(store) == {"a": 1}


def test_a_killed_recorder_loses_no_run_and_records_none_twice(store: Store) -> None:
    warnings: list[str] = []
    names = [f"run{number:02d}" for number in range(8)]
    for name in names:
        record(store, name, points=50)
    with recording(store, warnings.append, wait=True) as begin:
        process = begin()
        assert process is not None
        wait_until(lambda: len(names) - len(missing(store)) >= 3, process)
        process.kill()
    killed, left = warnings
    assert "killed by signal 9" in killed
    assert "not in mlflow at" in left
    assert "svm-store record" in left
    with recording(store, warnings.append, wait=True):
        pass
    assert keys(store) == dict.fromkeys(names, 1)
    for run in runs_in(store):
        assert run.data.tags["status"] == "finished"
        assert len(client(store).get_metric_history(run.info.run_id, "measure/gap")) == 50


def test_a_killed_command_has_its_runs_recorded(store: Store, python: Callable[..., Any]) -> None:
    code = (
        "import os, sys; from pathlib import Path; sys.path.insert(0, sys.argv[2]); from store_records import record\n"
        "from svm_cost_curves.experiments.store import Store\n"
        "from svm_cost_curves.experiments.store.recorder import recording\n"
        "store = Store.open(sys.argv[1])\n"
        "with recording(store, print, wait=True) as begin:\n"
        "    process = begin(); [record(store, key) for key in 'abc']; print(process.pid, flush=True); os._exit(1)\n"
    )
    ended = python(code, store.root, Path(__file__).parent)
    assert ended.returncode == 1, ended.stderr
    wait_until(lambda: not _runs(int(ended.stdout)))
    assert keys(store) == {"a": 1, "b": 1, "c": 1}


def _runs(number: int) -> bool:
    try:
        return Path(f"/proc/{number}/cmdline").read_bytes() != b""
    except OSError:
        return False


def test_recorders_of_several_commands_record_each_run_once(store: Store) -> None:
    for number in range(8):
        record(store, f"k{number}")
    with recording(store, print, wait=True) as first, recording(store, print, wait=True) as second:
        assert len({first(), second()} - {None}) == 2
    assert keys(store) == {f"k{number}": 1 for number in range(8)}


def test_a_deleted_database_is_made_again(store: Store) -> None:
    for key in "ab":
        record(store, key)
    recorder.record_all(store, Tracking.of_store(store.root), print)
    (store.root / DATABASE).unlink()
    assert len(missing(store)) == 2
    with recording(store, print, wait=True):
        pass
    assert keys(store) == {"a": 1, "b": 1}


@pytest.mark.usefixtures("quickly_made")
def test_a_database_deleted_in_use_is_made_again(store: Store) -> None:
    record(store, "a")
    assert recorder.record_all(store, Tracking.of_store(store.root), print) == {Recorded.NEW: 1}
    (store.root / DATABASE).unlink()
    record(store, "b")
    assert recorder.record_all(store, Tracking.of_store(store.root), print) == {Recorded.NEW: 2}
    assert keys(store) == {"a": 1, "b": 1}


def test_a_damaged_run_does_not_hold_up_the_others(store: Store) -> None:
    for key in "abc":
        record(store, key)
    (store.root / "runs" / "b" / "result.json").write_bytes(b"")
    lines: list[str] = []
    counts = recorder.record_all(store, Tracking.of_store(store.root), lines.append)
    assert counts == {Recorded.NEW: 2, Recorded.DAMAGED: 1}
    (line,) = lines
    assert str(store.root / "runs" / "b") in line
    assert "damaged" in line
    assert recorder.record_all(store, Tracking.of_store(store.root), lines.append) == {}  # told once
    assert len(lines) == 1
    record(store, "b")  # made again
    assert recorder.record_all(store, Tracking.of_store(store.root), lines.append) == {Recorded.NEW: 1}


def test_a_command_whose_runs_cannot_be_recorded_says_why(tmp_path: Path) -> None:
    store, warnings = Store.open(tmp_path), list[str]()
    (tmp_path / DATABASE).mkdir()
    with recording(store, warnings.append, wait=True) as begin:
        begin()
        run = record(store, "a")
    assert store.find_finished("a") == run
    why, left = warnings
    assert f"{tmp_path / DATABASE} is no file" in why
    assert left.startswith("1 run is not in mlflow at sqlite:///")


def test_a_command_does_not_wait_for_its_recorder(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    warnings: list[str] = []
    with recording(store, warnings.append, wait=False) as begin:
        process = begin()
        assert process is not None
        process.send_signal(signal.SIGSTOP)
        record(store, "a")
    assert (warnings, len(missing(store))) == ([], 1)
    assert capsys.readouterr().err.startswith("... 1 run is still being recorded in mlflow")
    assert os.getsid(process.pid) == process.pid  # the end of a terminal, and Ctrl-C, do not reach it
    process.send_signal(signal.SIGCONT)
    process.send_signal(signal.SIGHUP)
    assert process.wait(PATIENCE) == 0
    assert keys(store) == {"a": 1}


def test_what_a_recorder_has_to_say_is_told_by_the_next_command(store: Store) -> None:
    warnings: list[str] = []
    runs = RecordedList(store, None)
    runs.leave(["the run is damaged"], "the disk is full")
    runs.leave(["the run is damaged", "the run differs"], "the disk is full")
    with recording(store, warnings.append, wait=False) as begin:
        begin()
    told = ["the run is damaged", "the disk is full", "the run differs"]
    assert warnings == [f"runs of an earlier command: {line}" for line in told]
    runs.leave([], "the disk is full")
    runs.leave([])  # nothing is missing any more
    assert runs.taken() == []


def test_two_recorders_of_a_store_import_mlflow_once(store: Store, python: Callable[..., Any]) -> None:
    code = (
        "import os, sys; from svm_cost_curves.experiments.store import recorder\n"
        "sys.stdin = open(os.devnull)\n"
        "assert recorder.main(sys.argv[1], '') == 0 and 'mlflow' not in sys.modules"
    )
    record(store, "a")
    with RecordedList(store, None).sole() as is_sole, concurrent.futures.ThreadPoolExecutor() as pool:
        assert is_sole
        with RecordedList(store, None).sole() as other:
            assert not other
        waiting = pool.submit(python, code, store.root)
        recorder.record_all(store, Tracking.of_store(store.root), print)
        ended = waiting.result(PATIENCE)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_a_recorder_imports_nothing_from_the_working_directory(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("mlflow", "signal", "random"):
        Path(f"{name}.py").write_text(f"open({str(tmp_path / 'executed')!r}, 'w')\nraise ImportError('shadow')\n")
    record(store, "a")
    with recording(store, print, wait=True):
        pass
    assert keys(store) == {"a": 1}
    assert not Path("executed").exists()


def test_the_processes_of_the_pages_import_nothing_from_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("signal", "threading", "mlflow"):
        Path(f"{name}.py").write_text(f"open({str(tmp_path / 'executed')!r}, 'w')\n")
    code = "import os, signal, sys; sys.path.insert(0, ''); import threading; sys.exit(not sys.flags.safe_path)"
    assert serve([sys.executable, "-c", code], os.environ) == 0
    assert not Path("executed").exists()


def test_a_deleted_run_is_deleted_in_mlflow_and_may_be_made_again(store: Store) -> None:
    runs = [record(store, key) for key in "ab"]
    recorder.record_all(store, Tracking.of_store(store.root), print)
    recorder.delete(store, runs[:1])
    assert keys(store) == {"b": 1}
    assert missing(store) == []
    record(store, "a", points=9)
    assert recorder.record_all(store, Tracking.of_store(store.root), print) == {Recorded.NEW: 1}
    assert keys(store) == {"a": 1, "b": 1}


def test_a_run_made_again_replaces_the_one_in_mlflow(store: Store) -> None:
    for points in (5, 9):
        record(store, "a", points=points)
        assert recorder.record_all(store, Tracking.of_store(store.root), print) == {Recorded.NEW: 1}
    (run,) = runs_in(store)
    assert len(client(store).get_metric_history(run.info.run_id, "test_error")) == 9


@pytest.mark.parametrize("is_damaged", [False, True])
def test_a_run_that_is_made_again_while_mlflow_takes_the_earlier_one_is_recorded_again(
    store: Store, monkeypatch: pytest.MonkeyPatch, is_damaged: bool
) -> None:
    """Whenever a command or a recorder is killed, the run's folder alone says what mlflow must have."""
    record(store, "a", points=5)
    if is_damaged:
        (store.root / "runs" / "a" / "curve.parquet").write_bytes(b"")
    take = Tracking.record

    def slow(tracking: Tracking, folder: Path) -> Recorded:
        try:
            return take(tracking, folder)
        finally:
            if folder.name == "a" and not again:
                again.append(record(store, "a", points=9))

    again: list[Any] = []
    monkeypatch.setattr(Tracking, "record", slow)
    runs = RecordedList(store, None)
    runs.record_next(Tracking.of_store(store.root), (), print)
    assert [folder.name for folder in runs.missing()] == ["a"]
    recorder.record_all(store, Tracking.of_store(store.root), print)
    (run,) = runs_in(store)
    assert len(client(store).get_metric_history(run.info.run_id, "test_error")) == 9
    assert runs.missing() == []


def test_a_damaged_run_is_named_with_the_reason(store: Store) -> None:
    record(store, "a")
    (store.root / "runs" / "a" / "curve.parquet").write_bytes(b"")
    lines: list[str] = []
    recorder.record_all(store, Tracking.of_store(store.root), lines.append)
    (line,) = lines
    assert line.endswith("it is not recorded in mlflow: curve.parquet does not match its checksum in SHA256SUMS")


def test_a_list_that_is_no_file_is_told_and_not_waited_for(store: Store) -> None:
    record(store, "a")
    (store.root / RECORDED).mkdir()
    os.mkfifo(store.root / RECORDED / "mlflow.db.txt")
    with pytest.raises(StoreError, match=r"mlflow.db.txt cannot be read: Not a plain file"):
        RecordedList(store, None).missing()
    record(store, "a")  # the run is recorded in its folder all the same


def test_a_list_that_was_cut_or_damaged_costs_a_second_look_only(store: Store) -> None:
    for key in "abc":
        record(store, key)
    recorder.record_all(store, Tracking.of_store(store.root), print)
    (names,) = (store.root / RECORDED).glob("*.txt")
    for content in (b"a\n", b"\xff\xfe\n\nb\nc", b""):
        names.write_bytes(content)
        recorder.record_all(store, Tracking.of_store(store.root), print)
        assert keys(store) == {"a": 1, "b": 1, "c": 1}
        assert missing(store) == []


@pytest.mark.parametrize(
    "words", [["record", "nowhere"], ["record", "nowhere", "http://127.0.0.1:1"], ["ui", "nowhere"]]
)
def test_a_folder_without_runs_is_refused_in_one_line(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert store_command(words) == 2
    assert capsys.readouterr().err == "error: there are no runs in nowhere\n"
    assert list(tmp_path.iterdir()) == []


def test_nothing_of_mlflow_but_its_client_is_used() -> None:
    private = ("mlflow.store", "alembic_version", "INSERT INTO", "sqlite3", "import mlflow._", "mlflow.utils")
    for path in sorted((PROJECT_ROOT / "experiments").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        assert [word for word in private if word in text] == [], path
        assert "import mlflow" not in text or path.name == "tracking.py"
