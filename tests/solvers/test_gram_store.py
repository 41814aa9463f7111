"""Gram matrices in files: built once, reused, evicted, and never used half-written."""

from __future__ import annotations

import contextlib
import logging
import multiprocessing
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from cases import ROOT, Builder, points, problem, quiet
from waiting import PATIENCE, wait_until

from svm_cost_curves.solvers import Gaussian, Linear, SettingsError, gram_store
from svm_cost_curves.solvers.gram_store import GramStore, NoRoomError, gram_key
from svm_cost_curves.support import files as shared
from svm_cost_curves.support.files import new_file


def files(folder: Path, pattern: str = "*.f32") -> list[str]:
    return sorted(path.name for path in folder.glob(pattern))


def test_builds_once_and_maps_read_only(tmp_path: Path) -> None:
    store, build = GramStore(tmp_path / "deep" / "er", 10**6), Builder(3.0)
    first, second = (store.get("a", 10, build, quiet) for _ in range(2))
    assert build.calls == 1
    assert first.shape == (10, 10)
    assert first.dtype == np.float32
    np.testing.assert_array_equal(second, 3.0)
    with pytest.raises(ValueError, match="read-only"):
        first[0, 0] = 1.0
    assert files(store.directory) == ["a.f32"]


def test_a_failed_build_leaves_no_file(tmp_path: Path) -> None:
    def fail(out: np.ndarray, progress: object) -> None:
        out[:] = 5.0
        raise KeyboardInterrupt

    store = GramStore(tmp_path, 10**6)
    with pytest.raises(KeyboardInterrupt):
        store.get("a", 10, fail, quiet)
    assert files(tmp_path, "*") == []
    np.testing.assert_array_equal(store.get("a", 10, Builder(1.0), quiet), 1.0)


def test_an_exception_in_the_progress_report_stops_the_build(gram_folder: Path) -> None:
    """Ctrl-C arrives there: it goes through the core's threads, and nothing is kept."""

    def stop(done: float) -> None:
        signal.raise_signal(signal.SIGINT)

    before = files(gram_folder, "*")
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        for threads in (1, 2):
            # so many tiles that the calling thread, which alone reports, computes some of them on a busy machine, too
            p = problem(5000, kernel=Gaussian(7.77), rows={"progress": stop, "threads": threads})
            with pytest.raises(KeyboardInterrupt):
                _ = p.rows
    finally:
        signal.signal(signal.SIGINT, handler)
    assert files(gram_folder, "*") == before
    reports: list[float] = []
    p = problem(1200, kernel=Gaussian(7.77), rows={"progress": reports.append})
    assert p.rows.source.row(0)[0] == 1.0
    assert reports == sorted(reports)
    assert reports[-1] == 1.0


def test_the_least_recently_used_are_removed_for_a_new_one(tmp_path: Path) -> None:
    store = GramStore(tmp_path, 3 * 41_000)
    a, b, c, d, e = (letter * 32 for letter in "abcde")
    mapped = {}
    for k, key in enumerate((a, b, c)):
        mapped[key] = store.get(key, 100, Builder(float(k)), quiet)
        os.utime(tmp_path / f"{key}.f32", (1000 + k, 1000 + k))
    build = Builder()
    store.get(a, 100, build, quiet)  # a is now the most recently used
    assert build.calls == 0
    store.get(d, 100, Builder(), quiet)
    assert files(tmp_path) == [f"{a}.f32", f"{c}.f32", f"{d}.f32"]
    store.get(e, 170, Builder(), quiet)  # 115,600 bytes: everything else goes
    assert files(tmp_path) == [f"{e}.f32"]
    np.testing.assert_array_equal(mapped[b], 1.0)  # who has one mapped keeps it
    assert sum(path.stat().st_size for path in tmp_path.glob("*.f32")) <= store.limit_bytes


def test_matrices_in_shared_memory_are_removed_for_a_row_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = GramStore(tmp_path, 100_000)
    names = [f"{letter * 32}.f32" for letter in "ab"]
    for number, name in enumerate(names):
        store.get(name[:32], 100, Builder(), quiet)
        os.utime(tmp_path / name, (number, number))
    store.make_room_in_memory(40_000)
    assert files(tmp_path) == names  # files on disk take no memory
    monkeypatch.setattr(gram_store, "_in_memory", lambda _: True)
    left = 100_000 - sum(path.stat().st_size for path in tmp_path.glob("*.f32"))
    store.make_room_in_memory(left)
    assert files(tmp_path) == names
    store.make_room_in_memory(left + 1)
    assert files(tmp_path) == names[1:]
    store.make_room_in_memory(1_000_000)
    assert files(tmp_path) == []


def test_a_matrix_that_does_not_fit_is_refused_with_sizes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = GramStore(tmp_path, 10**9)
    assert store.room_for(15_000) is None
    assert store.room_for(20_000) == "1.6 GB are more than the memory limit leaves (1.0 GB)"
    monkeypatch.setattr(gram_store, "_free_bytes", lambda directory: 500_000_000)
    reason = store.room_for(15_000)
    assert reason == f"0.9 GB are more than {tmp_path} has room for (0.5 GB)"
    with pytest.raises(SettingsError, match=r"does not fit: 0\.9 GB"):
        store.get("a", 15_000, Builder(), quiet)
    assert files(tmp_path) == []


def test_the_key_differs_for_other_data_and_kernels() -> None:
    X, _ = points(20)
    keys = {gram_key(kernel, (X,)) for kernel in (Gaussian(1.0), Gaussian(1.0 + 1e-15), Linear())}
    assert len(keys) == 3
    assert gram_key(Gaussian(1.0), (X,)) == gram_key(Gaussian(1.0), (X.copy(),))
    other = X.copy()
    other[19, 4] = np.nextafter(other[19, 4], 2.0)
    for changed in (other, X[::-1], X.reshape(10, 10), X.astype(np.float64)):
        assert gram_key(Gaussian(1.0), (changed,)) not in keys


SLOW = """
import sys, time
from pathlib import Path
from svm_cost_curves.solvers.gram_store import GramStore

def fill(out, progress):
    out[:256] = 4.0
    (Path(sys.argv[1]) / "begun").touch()
    time.sleep(900)

GramStore(Path(sys.argv[1]), 10**9).get("a", 512, fill, lambda done: None)
"""


def test_after_a_killed_build_the_next_process_builds_it(tmp_path: Path) -> None:
    """SIGKILL in the middle of a build: the lock is gone with the process, and the next one starts over."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    run = subprocess.Popen([sys.executable, "-c", SLOW, str(tmp_path)], env=environment)
    wait_until((tmp_path / "begun").exists, run)
    run.kill()
    run.wait(timeout=PATIENCE)
    assert len(files(tmp_path, ".a.f32.*.part")) == 1
    assert files(tmp_path) == []
    build = Builder(4.0)
    np.testing.assert_array_equal(GramStore(tmp_path, 10**9).get("a", 512, build, quiet), 4.0)
    assert build.calls == 1
    assert files(tmp_path, "*") == ["a.f32", "begun"]


def _hold(folder: Path, begun: object, go_on: object) -> None:
    def fill(out: np.ndarray, _: object) -> None:
        begun.set()
        go_on.wait(PATIENCE)
        out[:] = 1.0

    GramStore(folder, 10**8).get("a", 10, fill, quiet)


@contextlib.contextmanager
def _at_first_message(react: Callable[[], None]) -> Iterator[None]:
    """Call `react` when the store logs something."""

    class Reaction(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            react()

    handler = Reaction()
    gram_store.log.addHandler(handler)
    try:
        yield
    finally:
        gram_store.log.removeHandler(handler)


def test_a_process_that_waits_names_the_one_that_builds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(shared, "NOTIFY_SECONDS", 0.0)
    context = multiprocessing.get_context("fork")
    begun, go_on = context.Event(), context.Event()
    child = context.Process(target=_hold, args=(tmp_path, begun, go_on))
    child.start()
    try:
        assert begun.wait(PATIENCE)

        build = Builder()
        with _at_first_message(go_on.set):
            np.testing.assert_array_equal(GramStore(tmp_path, 10**8).get("a", 10, build, quiet), 1.0)
        assert build.calls == 0
        assert f"waiting for process {child.pid} on " in caplog.text
        assert "a.f32" in caplog.text
    finally:
        child.kill()
        child.join()


def _work(folder: Path, seed: int, failures: object) -> None:
    random = np.random.default_rng(seed)
    store = GramStore(folder, 3 * (4 * 64 * 64 + 200))
    for _ in range(60):
        number = int(random.integers(8))
        key = f"{number:032x}"
        try:
            matrix = store.get(key, 64, Builder(number), quiet)
            if not (matrix == number).all():
                raise ValueError(f"{key} holds {matrix[0, 0]}")
        except Exception as error:
            failures.put(f"{type(error).__name__}: {error}")


def test_six_processes_with_room_for_three_matrices_all_get_theirs(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    failures = context.SimpleQueue()
    children = [context.Process(target=_work, args=(tmp_path, seed, failures)) for seed in range(6)]
    for child in children:
        child.start()
    for child in children:
        child.join(PATIENCE)
    assert [child.exitcode for child in children] == [0] * 6
    assert failures.empty(), failures.get()
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= 3 * (4 * 64 * 64 + 200)
    assert all(path.suffix == ".f32" for path in tmp_path.iterdir())  # no lock and no draft stays


def test_a_process_waits_while_others_fill_the_room(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Room for one: a living process's draft is neither evicted nor counted as a lack of room."""
    context = multiprocessing.get_context("fork")
    begun, go_on = context.Event(), context.Event()
    child = context.Process(target=_hold, args=(tmp_path, begun, go_on))
    child.start()
    try:
        assert begun.wait(PATIENCE)

        with _at_first_message(go_on.set):
            matrix = GramStore(tmp_path, 700).get("b", 10, Builder(2.0), quiet)
        np.testing.assert_array_equal(matrix, 2.0)
        child.join(PATIENCE)
        assert child.exitcode == 0
        assert "waiting for room" in caplog.text
    finally:
        child.kill()
        child.join()


@pytest.fixture
def begun(tmp_path: Path) -> Iterator[contextlib.ExitStack]:
    """The draft of another process that builds a matrix; closing the stack finishes it."""
    with contextlib.ExitStack() as stack:
        file = stack.enter_context(new_file(tmp_path / f"{'b' * 32}.f32", sync=False))
        file.write(bytes(400))
        file.flush()
        yield stack


def test_a_matrix_that_is_finished_after_room_was_sought_is_evicted(
    tmp_path: Path, begun: contextlib.ExitStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    evict = GramStore._evict

    def finished_by_then(self: GramStore, size: int) -> bool:
        evicted = evict(self, size)
        begun.close()
        return evicted

    monkeypatch.setattr(GramStore, "_evict", finished_by_then)
    matrix = GramStore(tmp_path, 700).get("a" * 32, 10, Builder(2.0), quiet)
    np.testing.assert_array_equal(matrix, 2.0)
    assert [path.name for path in tmp_path.iterdir()] == [f"{'a' * 32}.f32"]


@pytest.mark.parametrize("after", [True, False])
def test_a_matrix_that_is_finished_while_the_folder_is_read_is_counted(
    tmp_path: Path, begun: contextlib.ExitStack, after: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = gram_store._states

    def finished_by_then(folder: Path, names: re.Pattern[str]) -> dict[Path, os.stat_result]:
        is_matrices = names is gram_store._MATRIX_FILE
        if is_matrices and not after:
            begun.close()
        states = read(folder, names)
        if is_matrices:
            begun.close()
        return states

    monkeypatch.setattr(gram_store, "_states", finished_by_then)
    GramStore(tmp_path, 700).get("a" * 32, 10, Builder(2.0), quiet)
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= 700


def test_a_dead_builders_draft_is_removed_and_its_room_used(tmp_path: Path) -> None:
    (tmp_path / ".a.f32.0123456789abcdef.part").write_bytes(bytes(500))
    store = GramStore(tmp_path, 700)
    assert store.room_for(10) is None
    store.get("b", 10, Builder(2.0), quiet)
    assert [path.name for path in tmp_path.iterdir()] == ["b.f32"]


def test_a_full_file_system_raises_no_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(NoRoomError, match="No space left"):
        GramStore(tmp_path, 10**8).get("a", 10, Builder(), quiet)
    assert list(tmp_path.iterdir()) == []
