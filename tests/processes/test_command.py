"""A command answers signals from its first import to its end, and its streams and folders may be missing."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from waiting import PATIENCE, wait_until

from svm_cost_curves.experiments.processes.stopping import STOP_SIGNALS, Terminated, deferred, terminable
from svm_cost_curves.experiments.processes.streams import mpi_process
from svm_cost_curves.support.errors import SettingsError

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
import os, signal, sys, time
from pathlib import Path
from svm_cost_curves.experiments.processes.command import run

def wait(name):
    Path(name).touch()
    while True:
        time.sleep(0.01)

def load():
    {load}
    return main

def main():
    {main}
    return 0

{more}
sys.exit(run(load))
"""
STATUS = [(number, 130 if number == signal.SIGINT else 75) for number in STOP_SIGNALS]


def started(tmp_path: Path, load: str = "pass", main: str = "pass", more: str = "") -> subprocess.Popen[str]:
    """Start a program whose import, or command, does these things, in an empty folder."""
    (tmp_path / "program").mkdir()
    file = tmp_path / "program" / "program.py"
    file.write_text(PROGRAM.format(load=load, main=main, more=more))
    return subprocess.Popen(
        [sys.executable, str(file)], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


@pytest.mark.parametrize(("number", "status"), STATUS)
def test_a_signal_during_the_imports_ends_with_one_line_whatever_is_imported(
    number: signal.Signals, status: int, tmp_path: Path
) -> None:
    catches = "try: wait('begun')\n    except BaseException: raise ImportError('of a library')"
    process = started(tmp_path, load=catches)
    wait_until((tmp_path / "begun").exists, process)
    process.send_signal(number)
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out, err) == (status, "", f"{'interrupted' if status == 130 else 'terminated'}\n")


@pytest.mark.parametrize(("number", "status"), STATUS[:3])
@pytest.mark.parametrize("catches", ["Exception: pass", "BaseException: raise ValueError('of a library')"])
def test_a_signal_ends_the_command_with_one_line_and_what_it_printed(
    number: signal.Signals, status: int, catches: str, tmp_path: Path
) -> None:
    process = started(tmp_path, main=f"print('half'); exec(\"try: wait('begun')\\nexcept {catches}\")")
    wait_until((tmp_path / "begun").exists, process)
    process.send_signal(number)
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out) == (status, "half\n")
    assert err == f"{'interrupted' if status == 130 else 'terminated'}\n"


def test_signals_after_the_end_change_nothing(tmp_path: Path) -> None:
    numbers = [int(number) for number in STOP_SIGNALS]
    hook = f"import atexit; atexit.register(lambda: [os.kill(os.getpid(), number) for number in {numbers}])"
    process = started(tmp_path, main="print('the result')", more=hook)
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out, err) == (0, "the result\n", "")


def test_a_signal_within_a_finalizer_is_not_lost(tmp_path: Path) -> None:
    more = "class Finalized:\n    def __del__(self): os.kill(os.getpid(), signal.SIGTERM); time.sleep(0)"
    process = started(tmp_path, main="Finalized(); wait('after')", more=more)
    _, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (75, "terminated\n")


def test_a_command_of_nohup_goes_on_after_a_hangup(tmp_path: Path) -> None:
    with_nohup = "signal.signal(signal.SIGHUP, signal.SIG_IGN)"
    process = started(tmp_path, main="os.kill(os.getpid(), signal.SIGHUP); print('whole')", more=with_nohup)
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out, err) == (0, "whole\n", "")


def test_a_signal_that_comes_twice_is_one_and_ends_all_blocks() -> None:
    with terminable():
        with deferred() as request:
            signal.raise_signal(signal.SIGHUP)
        assert request.kind is Terminated
        signal.raise_signal(signal.SIGTERM)  # the parent passes it on


def test_a_handler_of_a_library_for_the_signals_of_batch_systems_stays() -> None:
    heard: list[int] = []
    before = signal.signal(signal.SIGUSR2, lambda number, _: heard.append(number))
    try:
        with terminable(), deferred():
            signal.raise_signal(signal.SIGUSR2)
    finally:
        signal.signal(signal.SIGUSR2, before)
    assert heard == [signal.SIGUSR2]


@pytest.mark.parametrize("closed", [c for size in (1, 2, 3) for c in itertools.combinations((0, 1, 2), size)])
def test_closed_streams_are_the_null_device_also_for_children(closed: tuple[int, ...], tmp_path: Path) -> None:
    (tmp_path / "child.py").write_text(
        "import os, sys\nopen(sys.argv[1], 'w').write(' '.join(os.readlink(f'/proc/self/fd/{k}') for k in range(3)))\n"
    )
    fds = str(tmp_path / "fds")
    (tmp_path / "program.py").write_text(
        PROGRAM.format(
            load="pass",
            main="import subprocess\n    print('x'); print('x', file=sys.stderr); sys.stdin.read()\n"
            f"    subprocess.run([sys.executable, {str(tmp_path / 'child.py')!r}, {fds!r}], check=True)",
            more="",
        )
    )
    shell = " ".join(
        [sys.executable, str(tmp_path / "program.py"), *(f"{k}{'<' if k == 0 else '>'}&-" for k in closed)]
    )
    done = subprocess.run(
        ["bash", "-c", shell], stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 0, done.stderr
    targets = Path(fds).read_text().split()
    assert [targets[k] for k in closed] == [os.devnull] * len(closed)
    assert (b"x" in done.stdout, b"x" in done.stderr) == (1 not in closed, 2 not in closed)


def test_nothing_is_imported_from_the_working_directory_nor_by_children(tmp_path: Path) -> None:
    for name in ("numpy", "signal", "random", "mlflow", "hydra"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('a stranger ran')")
    child = "import subprocess\n    subprocess.run([sys.executable, '-c', 'import random, signal, numpy'], check=True)"
    process = started(tmp_path, load="import numpy", main=f"{child}; assert sys.path[0] != sys.argv[0]")
    _, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (0, "")


def test_a_working_directory_that_was_removed_is_named(tmp_path: Path) -> None:
    process = started(tmp_path, main="os.mkdir('gone'); os.chdir('gone'); os.rmdir('../gone'); os.getcwd()")
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 2
    assert err.startswith("error: the working directory ")
    assert err.endswith(" does not exist any more: change to another by cd\n")


def test_an_error_of_the_operating_system_names_the_file(tmp_path: Path) -> None:
    process = started(tmp_path, main="os.rename('/no/such', '/nor/such')")
    assert process.communicate(timeout=PATIENCE)[1] == "error: /no/such -> /nor/such: No such file or directory\n"


@pytest.mark.parametrize(("rank", "ranks"), [("abc", "2"), ("0", ""), ("-1", "2"), ("2", "2"), ("9" * 30, "9" * 31)])
def test_variables_of_mpirun_that_are_no_ranks_are_refused(
    rank: str, ranks: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PMI_RANK", rank)
    monkeypatch.setenv("PMI_SIZE", ranks)
    with pytest.raises(SettingsError, match="unset PMI_RANK PMI_SIZE"):
        mpi_process()


@pytest.mark.parametrize(
    "module", ["run", "reproduce", "experiments.store.__main__", "experiments.predict", "experiments.demo"]
)
def test_an_entry_imports_nothing_large_before_it_can_answer_signals(module: str) -> None:
    code = (
        f"import sys, svm_cost_curves.{module}, svm_cost_curves.experiments.processes.command\n"
        "large = {'numpy', 'hydra', 'pandas', 'rich', 'multiprocessing', 'logging'}\n"
        "print(sorted(large & {*sys.modules}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert done.stdout == "[]\n"
