"""An interrupted run resumes from its checkpoint with the same curve, bit for bit; unusable checkpoints are refused."""

from __future__ import annotations

import hashlib
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from run_cases import DATA, alone
from waiting import PATIENCE

from svm_cost_curves.experiments.configuration.choices import CONF
from svm_cost_curves.experiments.processes import stopping
from svm_cost_curves.experiments.processes.stopping import Terminated
from svm_cost_curves.experiments.run import advance, runner
from svm_cost_curves.experiments.run.checkpointer import FORMAT, Checkpointer, pack, unpack
from svm_cost_curves.experiments.run.console import FullDisplay
from svm_cost_curves.solvers import KernelSnapshot, Limit, LinearSnapshot
from svm_cost_curves.solvers.snapshots import DeferredResponses

ROOT = CONF.parent
DYING = Path(__file__).parents[1] / "engine" / "dying_solver.py"
RUN = [*DATA, "budget.evaluations=9", "checkpoint_seconds=1e-9", "picture=false"]
ALGORITHMS = {
    "sbp": ["budget.epochs=6"],
    "smo": ["budget.iterations=80"],
    "averaged_perceptron": ["budget.epochs=4"],
    "fourier": ["algo.pairs=64"],
    "asset": ["algo.features=20", "budget.epochs=6"],
    "asset_online": ["algo.features=20", "budget.iterations=280"],
    "cpsp": ["algo.features=20", "algo.eps=1e-9", "budget.iterations=20"],
    "dcd": ["algo.eps=1e-9", "budget.epochs=6", "kernel=linear"],
    "minibatch_sdca": ["algo.batch_size=40", "budget.epochs=12"],
}


def same(mine: tuple[dict[str, Any], pd.DataFrame], theirs: tuple[dict[str, Any], pd.DataFrame]) -> None:
    """Bit for bit, except times."""
    assert mine[0]["counters"] == theirs[0]["counters"]
    curves = [curve.drop(columns=["cpu_seconds", "wall_seconds"]) for _, curve in (mine, theirs)]
    pd.testing.assert_frame_equal(curves[0], curves[1], check_exact=True)


def stopped_at(slice_: int, monkeypatch: pytest.MonkeyPatch, kind: type[BaseException] = KeyboardInterrupt) -> None:
    """Stop the next run after this many slices, and only that one."""
    step, calls = advance._advance, iter(range(10**6))

    def stop(solver: Any, point: Limit) -> bool:
        if next(calls) == slice_:
            monkeypatch.setattr(advance, "_advance", step)
            raise kind
        return step(solver, point)

    monkeypatch.setattr(advance, "_advance", stop)


def files(place: Path) -> list[Path]:
    return list((place / "results" / "checkpoints").glob("*"))


@pytest.mark.parametrize("algo", ALGORITHMS)
def test_a_run_resumes_from_its_checkpoint_to_the_bit(
    place: Path, fresh: Path, algo: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = [f"algo={algo}", *RUN, *ALGORITHMS[algo]]
    whole = alone(place, *words)
    for slice_ in (3, 2):
        stopped_at(slice_, monkeypatch)
        cut = alone(fresh, *words)
        assert cut[0]["status"] == "interrupted"
        assert 0 < cut[0]["counters"]["iterations"] < whole[0]["counters"]["iterations"]
        assert [path.suffix for path in files(fresh)] == [".state"]
    resumed = alone(fresh, *words)
    same(resumed, whole)
    assert resumed[0]["status"] == "finished"
    assert re.search(r"resumed from iteration \d+ of an earlier process", resumed[0]["remarks"][-1])
    assert (np.diff(resumed[1]["cpu_seconds"]) >= 0).all()
    assert not files(fresh)


@pytest.mark.parametrize(
    ("setting", "kind", "left"),
    [
        ("auto", KeyboardInterrupt, 0),
        ("auto", Terminated, 1),
        ("30", KeyboardInterrupt, 1),
        ("30", Terminated, 1),
        ("null", Terminated, 0),
    ],
)
def test_which_signals_write_a_checkpoint(
    fresh: Path, setting: str, kind: type[KeyboardInterrupt], left: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped_at(3, monkeypatch, kind)
    made = alone(fresh, "algo=sbp", *RUN, "budget.epochs=3", f"checkpoint_seconds={setting}")
    assert made[0]["status"] == "interrupted"
    assert len(files(fresh)) == left


def test_a_library_cannot_be_resumed_and_a_warning_says_so(fresh: Path, capsys: pytest.CaptureFixture[str]) -> None:
    alone(fresh, "algo=liblinear", *RUN, "budget.epochs=2")
    assert (
        "warning: algo=liblinear cannot write checkpoints: if stopped, this run starts again" in capsys.readouterr().err
    )
    alone(fresh, "algo=liblinear", *RUN, "budget.epochs=3", "checkpoint_seconds=auto")
    assert capsys.readouterr().err == ""


def damaged(content: bytes) -> dict[str, bytes]:
    head, _, body = content.partition(b"\n")
    first_line = json.loads(head)

    def renamed(**entries: Any) -> bytes:
        return json.dumps(first_line | entries).encode() + b"\n" + body

    return {
        "is not a checkpoint of a run": body,
        "is not a checkpoint of a run ": b"",
        "has the format 1, not 3": renamed(format=1),
        "by a run with other settings or data: key x, not": renamed(key="x"),
        "by another method: algo smo, not sbp": renamed(algo="smo"),
        "by another build of the core: build x, not": renamed(build="x"),
        "on another instruction set": renamed(isa="v9"),
        "is damaged": head + b"\n" + body[:-1],
        "is damaged: its checksum": head + b"\n" + body[:200] + bytes([body[200] ^ 1]) + body[201:],
        "is damaged: its": head,
    }


def test_a_file_that_cannot_be_read_or_removed_is_named(plain_user: Path) -> None:
    folder = plain_user / "checkpoints"
    folder.mkdir()
    (folder / "k.state").write_bytes(b"")
    warnings: list[str] = []
    checkpointer = Checkpointer(folder / "k.state", None, warn=warnings.append)
    folder.chmod(0)
    assert checkpointer.read() is None
    assert not checkpointer.exists()
    checkpointer.remove()
    folder.chmod(0o700)
    assert warnings == [
        f"{folder / 'k.state'} cannot be read: Permission denied: the run starts from the beginning",
        f"{folder / 'k.state'} cannot be removed: Permission denied",
    ]


def test_an_unusable_checkpoint_is_named_and_the_run_starts_from_the_beginning(
    place: Path, fresh: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["algo=sbp", *RUN, *ALGORITHMS["sbp"]]
    stopped_at(3, monkeypatch)
    alone(fresh, *words)
    (path,) = files(fresh)
    content = path.read_bytes()
    head = json.loads(content.partition(b"\n")[0])
    identity = {name: head[name] for name in ("key", "algo", "build", "isa")}
    capsys.readouterr()
    for why, spoilt in damaged(content).items():
        path.write_bytes(spoilt)
        warnings: list[str] = []
        assert Checkpointer(path, 1.0, identity, warnings.append).read() is None
        assert len(warnings) == 1
        assert why.strip() in warnings[0]
        assert warnings[0].startswith(f"{path} ")
        assert warnings[0].endswith(": the run starts from the beginning")
    path.write_bytes(content)
    checkpoint = Checkpointer(path, 1.0, identity).read()
    assert checkpoint is not None
    assert checkpoint.iterations > 0
    path.write_bytes(content[:-1])
    made = alone(fresh, *words)
    assert "warning: " in (err := capsys.readouterr().err)
    assert len(err.splitlines()) == 1
    assert not any("earlier process" in remark for remark in made[0]["remarks"])
    same(made, alone(place, *words))


def test_a_run_of_another_build_does_not_resume(
    fresh: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its key and its record differ; the checkpoint that it finds is refused with the reason."""
    words = ["algo=sbp", *RUN, *ALGORITHMS["sbp"]]
    stopped_at(3, monkeypatch)
    first = alone(fresh, *words)
    (path,) = files(fresh)
    build = {**runner.solvers.build_info(), "build_id": "0123456789abcdef"}
    monkeypatch.setattr(runner.solvers, "build_info", lambda: build)
    capsys.readouterr()
    second = alone(fresh, *words)
    assert second[0]["status"] == "finished"
    assert second[0]["key"] != first[0]["key"]
    assert not any("earlier process" in remark for remark in second[0]["remarks"])
    errors = capsys.readouterr().err
    assert f"warning: {path} was written by another build of the core: build " in errors
    assert len(errors.splitlines()) == 1


def test_a_checkpoint_is_whole_or_absent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a full disk the previous checkpoint stays, and no half-written file."""
    warnings: list[str] = []
    checkpointer = Checkpointer(tmp_path / "run.state", 1.0, {}, warnings.append)
    content = memoryview(b"content")
    checkpointer._write(content)
    head, _, body = (tmp_path / "run.state").read_bytes().partition(b"\n")
    assert json.loads(head) == {"format": FORMAT, "sha256": hashlib.sha256(body).hexdigest()}
    assert body == content

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        checkpointer._write(memoryview(b"other"))
    assert [path.name for path in tmp_path.iterdir()] == ["run.state"]
    assert (tmp_path / "run.state").read_bytes().endswith(b"\ncontent")


finite = st.floats(allow_nan=False)


@given(st.lists(finite, min_size=2, max_size=5), st.one_of(st.none(), finite), st.booleans())
def test_packed_snapshots_are_restored_exactly(values: list[float], number: float | None, flag: bool) -> None:
    array, features = np.array(values), np.ones((3, 2), np.float32)
    present = KernelSnapshot(np.zeros(7), deferred=DeferredResponses(features, np.zeros(2)))
    for snapshot in (
        KernelSnapshot(array, values[0], responses=array[::-1], dual_feasible=flag, volume=number),
        KernelSnapshot(array, deferred=DeferredResponses(features, array)),
    ):
        packed = pack(snapshot)
        assert json.loads(json.dumps(packed.plain)) == packed.plain
        again = unpack(packed, present)
        assert (again.bias, again.dual_feasible, again.volume) == (
            snapshot.bias,
            snapshot.dual_feasible,
            snapshot.volume,
        )
        for mine, theirs in ((again.coefficients, array), (again.responses, snapshot.responses)):
            assert (mine is None) == (theirs is None)
            assert mine is None or mine.tobytes() == theirs.tobytes()
        assert (again.deferred is None) == (snapshot.deferred is None)
        if again.deferred is not None:
            assert again.deferred.features is features  # what all snapshots share is not in the file
            assert not any(saved is features for saved in packed.arrays.values())
            assert again.deferred.weights.tobytes() == array.tobytes()
    line = LinearSnapshot(array, values[0], number, lower_bound=number)
    again = unpack(pack(line), LinearSnapshot(np.zeros(1)))
    assert again.weights.tobytes() == array.tobytes()
    assert (again.bias, again.volume, again.lower_bound) == (values[0], number, number)


def test_signals_are_deferred_while_a_run_is_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    with stopping.deferred() as stop_request:
        stop_request.raise_if_set()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGINT):
            signal.raise_signal(number)
        assert stop_request.kind is Terminated
        with pytest.raises(Terminated):
            stop_request.raise_if_set()
        monkeypatch.setattr(stopping, "ONE_SIGNAL_SECONDS", -1.0)
        with pytest.raises(KeyboardInterrupt):  # a second signal after ONE_SIGNAL_SECONDS
            signal.raise_signal(signal.SIGINT)
    with stopping.deferred(always=True) as stop_request:
        for _ in range(2):
            signal.raise_signal(signal.SIGINT)
        assert stop_request.kind is KeyboardInterrupt
    with stopping.terminable(), pytest.raises(Terminated):
        signal.raise_signal(signal.SIGTERM)
    with stopping.terminable(), stopping.uninterrupted():
        signal.raise_signal(signal.SIGTERM)
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_a_librarys_own_error_after_sigterm_is_the_signal() -> None:
    def library() -> None:
        try:
            signal.raise_signal(signal.SIGTERM)
        except Terminated:
            raise ValueError from None

    with pytest.raises(Terminated), stopping.terminable():
        library()
    with pytest.raises(ValueError, match="its own"), stopping.terminable():
        raise ValueError("its own")


BATCHES = [*DATA, "algo.batch_size=40", "budget.epochs=12", "budget.evaluations=9", "progress=false", "picture=false"]


@pytest.mark.parametrize(
    ("setting", "dies", "status"),
    [
        ("auto", "0 terminated", 75),
        pytest.param("1e-9", "0 interrupted", 130, marks=pytest.mark.slow),
        pytest.param("1e-9", "0 killed", -signal.SIGKILL, marks=pytest.mark.slow),
    ],
)
def test_a_new_process_resumes_the_run_of_one_that_ended(
    place: Path,
    fresh: Path,
    setting: str,
    dies: str,
    status: int,
    own_solvers: Callable[[Path], None],
    capsys: pytest.CaptureFixture[str],
) -> None:
    own_solvers(DYING)
    words = ["algo=dying", *BATCHES, f"checkpoint_seconds={setting}"]
    ended = subprocess.run(
        [sys.executable, str(ROOT / "run.py"), *words, f"store.root={fresh / 'results'}"],
        env=os.environ | {"DIES": dies},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert ended.returncode == status, ended.stderr
    assert "Traceback" not in ended.stderr
    if status > 0:
        assert re.search(
            rf"dying synthetic .*: {dies[2:]}; the same command resumes from its checkpoint\n", ended.stderr
        )
    assert [path.suffix for path in files(fresh)] == [".state"]
    again = alone(fresh, *words, display=FullDisplay(progress=False))
    assert re.search(r"resumed +from iteration \d+ of an earlier process", capsys.readouterr().out)
    same(again, alone(place, *words))
    assert not files(fresh)
