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

from svm_cost_curves.solvers import Gaussian, Linear, gram_store
from svm_cost_curves.solvers.gram_store import GramStore, UnavailableError, gram_key
from svm_cost_curves.support import files as shared
from svm_cost_curves.support.files import new_file


def files(folder: Path, pattern: str = "*.f32") -> list[str]:
    return sorted(path.name for path in folder.glob(pattern))


@pytest.fixture
def limit(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Sets the folder's limit, in bytes."""
    return lambda size: monkeypatch.setattr(gram_store, "folder_limit", lambda _: size)


def test_builds_once_and_maps_read_only(tmp_path: Path) -> None:
    store, build = GramStore(tmp_path / "deep" / "er"), Builder(3.0)
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

    store = GramStore(tmp_path)
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


def test_the_least_recently_used_are_removed_for_a_new_one(tmp_path: Path, limit: Callable[[int], None]) -> None:
    limit(3 * 41_000)
    store = GramStore(tmp_path)
    a, b, c, d, e = (letter * 32 for letter in "abcde")
    for k, key in enumerate((a, b, c)):
        store.get(key, 100, Builder(float(k)), quiet)
        os.utime(tmp_path / f"{key}.f32", (1000 + k, 1000 + k))
    build = Builder()
    store.get(a, 100, build, quiet)  # a is now the most recently used
    assert build.calls == 0
    store.get(d, 100, Builder(), quiet)
    assert files(tmp_path) == [f"{a}.f32", f"{c}.f32", f"{d}.f32"]
    store.get(e, 170, Builder(), quiet)  # 115,600 bytes: everything else goes
    assert files(tmp_path) == [f"{e}.f32"]


@pytest.mark.parametrize("built_here", [True, False], ids=["by its builder", "by a reader"])
def test_a_matrix_in_use_is_not_removed(tmp_path: Path, limit: Callable[[int], None], built_here: bool) -> None:
    limit(2 * 41_000)
    store = GramStore(tmp_path)
    used, idle, new = (letter * 32 for letter in "abc")
    matrix = store.get(used, 100, Builder(2.0), quiet)
    if not built_here:
        del matrix
        matrix = store.get(used, 100, Builder(), quiet)
    store.get(idle, 100, Builder(), quiet)
    store.get(new, 100, Builder(), quiet)
    assert files(tmp_path) == [f"{used}.f32", f"{new}.f32"]
    with pytest.raises(UnavailableError, match="matrices that are in use"):
        store.get(idle, 110, Builder(), quiet)
    assert files(tmp_path) == [f"{used}.f32", f"{new}.f32"], "nothing is removed in vain"
    np.testing.assert_array_equal(matrix, 2.0)
    del matrix
    store.get(idle, 110, Builder(), quiet)
    assert files(tmp_path) == [f"{idle}.f32"]


def test_matrices_in_shared_memory_are_removed_if_memory_is_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = GramStore(tmp_path)
    names = [f"{letter * 32}.f32" for letter in "abc"]
    for number, name in enumerate(names):
        matrix = store.get(name[:32], 100, Builder(), quiet)
        os.utime(tmp_path / name, (number, number))
    monkeypatch.setattr(gram_store, "_free_memory", lambda: 50_000)
    assert not store.make_room_in_memory(50_001)
    assert files(tmp_path) == names  # files on disk take no memory
    monkeypatch.setattr(gram_store, "_in_memory", lambda _: True)
    assert store.make_room_in_memory(50_000)
    assert files(tmp_path) == names
    assert store.make_room_in_memory(50_001)
    assert files(tmp_path) == names[1:]
    assert not store.make_room_in_memory(1_000_000)
    assert files(tmp_path) == names[2:], "the last one is in use"
    assert matrix[0, 0] == 1.0


def test_a_matrix_that_does_not_fit_is_refused_with_sizes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gram_store, "_free_bytes", lambda directory: 500_000_000)
    reason = f"^900 MB are more than {tmp_path} has room for \\(500 MB"
    with pytest.raises(UnavailableError, match=reason):
        GramStore(tmp_path).get("a", 15_000, Builder(), quiet)
    assert files(tmp_path) == []


def test_the_limit_is_the_folders_and_not_the_process(tmp_path: Path) -> None:
    """It follows from the machine and the file system; `ulimit -v` and the like do not change it."""
    code = f"""
import resource
from pathlib import Path
from svm_cost_curves.solvers.gram_store import folder_limit
before = folder_limit(Path({str(tmp_path)!r}))
resource.setrlimit(resource.RLIMIT_AS, (before // 2, before // 2))
assert folder_limit(Path({str(tmp_path)!r})) == before > 0
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=PATIENCE)


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

GramStore(Path(sys.argv[1])).get("a", 512, fill, lambda done: None)
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
    np.testing.assert_array_equal(GramStore(tmp_path).get("a", 512, build, quiet), 4.0)
    assert build.calls == 1
    assert files(tmp_path, "*") == ["a.f32", "begun"]


def _hold(folder: Path, begun: object, go_on: object) -> None:
    def fill(out: np.ndarray, _: object) -> None:
        begun.set()
        go_on.wait(PATIENCE)
        out[:] = 1.0

    GramStore(folder).get("a", 10, fill, quiet)


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
    monkeypatch.setattr(shared, "QUIET_SECONDS", 0.0)
    context = multiprocessing.get_context("fork")
    begun, go_on = context.Event(), context.Event()
    child = context.Process(target=_hold, args=(tmp_path, begun, go_on))
    child.start()
    try:
        assert begun.wait(PATIENCE)

        build = Builder()
        with _at_first_message(go_on.set):
            np.testing.assert_array_equal(GramStore(tmp_path).get("a", 10, build, quiet), 1.0)
        assert build.calls == 0
        assert f"waiting for process {child.pid} on " in caplog.text
        assert "a.f32" in caplog.text
    finally:
        child.kill()
        child.join()


def test_a_process_does_not_wait_for_one_that_has_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(shared, "QUIET_SECONDS", 0.0)
    monkeypatch.setattr(gram_store, "STALLED_SECONDS", 0.05)
    context = multiprocessing.get_context("fork")
    begun, go_on = context.Event(), context.Event()
    child = context.Process(target=_hold, args=(tmp_path, begun, go_on))
    child.start()
    try:
        assert begun.wait(PATIENCE)
        with pytest.raises(UnavailableError, match=f"process {child.pid} on .* makes no progress for"):
            GramStore(tmp_path).get("a", 10, Builder(), quiet)
        assert f"waiting for process {child.pid} on " in caplog.text
        np.testing.assert_array_equal(GramStore(tmp_path).get("b", 10, Builder(2.0), quiet), 2.0)
    finally:
        child.kill()
        child.join()


def test_a_builder_reports_its_progress_to_those_that_wait(tmp_path: Path) -> None:
    lock, seen = tmp_path / "a.lock", []

    def fill(out: np.ndarray, progress: Callable[[float], None]) -> None:
        for done in (0.5, 1.0):
            os.utime(lock, (1000, 1000))
            progress(done)
            seen.append(lock.stat().st_mtime)

    GramStore(tmp_path).get("a", 10, fill, quiet)
    assert min(seen) > 1000


def _work(folder: Path, seed: int, failures: object, refused: object) -> None:
    random = np.random.default_rng(seed)
    store = GramStore(folder)
    for _ in range(60):
        number = int(random.integers(8))
        key = f"{number:032x}"
        try:
            matrix = store.get(key, 64, Builder(number), quiet)
            if not (matrix == number).all():
                raise ValueError(f"{key} holds {matrix[0, 0]}")
            del matrix
        except UnavailableError:
            refused.put(number)  # three others are in use
        except Exception as error:
            failures.put(f"{type(error).__name__}: {error}")


def test_six_processes_with_room_for_three_matrices(tmp_path: Path, limit: Callable[[int], None]) -> None:
    limit(3 * (4 * 64 * 64 + 200))
    context = multiprocessing.get_context("fork")
    failures, refused = context.SimpleQueue(), context.Queue()
    children = [context.Process(target=_work, args=(tmp_path, seed, failures, refused)) for seed in range(6)]
    for child in children:
        child.start()
    for child in children:
        child.join(PATIENCE)
    assert [child.exitcode for child in children] == [0] * 6
    assert failures.empty(), failures.get()
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= 3 * (4 * 64 * 64 + 200)
    assert all(path.suffix == ".f32" for path in tmp_path.iterdir())  # no lock and no draft stays


def test_a_process_does_not_wait_for_room(tmp_path: Path, limit: Callable[[int], None]) -> None:
    """Room for one, which another process builds: its draft counts with its whole size."""
    limit(700)
    context = multiprocessing.get_context("fork")
    begun, go_on = context.Event(), context.Event()
    child = context.Process(target=_hold, args=(tmp_path, begun, go_on))
    child.start()
    try:
        assert begun.wait(PATIENCE)
        with pytest.raises(UnavailableError, match="has room for"):
            GramStore(tmp_path).get("b", 10, Builder(2.0), quiet)
        go_on.set()
        child.join(PATIENCE)
        assert child.exitcode == 0
    finally:
        child.kill()
        child.join()


def test_pages_are_allocated_while_others_may_seek_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, held = os.posix_fallocate, []

    def allocate(*given: int) -> None:
        held.append((tmp_path / "room.lock").exists())
        (draft,) = tmp_path.glob(".*.part")
        assert draft.stat().st_size == 400, "others count it before"
        real(*given)

    monkeypatch.setattr(os, "posix_fallocate", allocate)
    GramStore(tmp_path).get("a", 10, Builder(), quiet)
    assert held == [False]


@pytest.fixture
def begun(tmp_path: Path) -> Iterator[contextlib.ExitStack]:
    """The draft of another process that builds a matrix; closing the stack finishes it."""
    with contextlib.ExitStack() as stack:
        file = stack.enter_context(new_file(tmp_path / f"{'b' * 32}.f32", sync=False))
        file.write(bytes(400))
        file.flush()
        yield stack


@pytest.mark.parametrize("after", [True, False])
def test_a_matrix_that_is_finished_while_the_folder_is_read_is_counted(
    tmp_path: Path,
    begun: contextlib.ExitStack,
    after: bool,
    limit: Callable[[int], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    limit(700)
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
    with contextlib.suppress(UnavailableError):
        GramStore(tmp_path).get("a" * 32, 10, Builder(2.0), quiet)
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= 700


def test_a_dead_builders_draft_is_removed_and_its_room_used(tmp_path: Path, limit: Callable[[int], None]) -> None:
    limit(700)
    (tmp_path / ".a.f32.0123456789abcdef.part").write_bytes(bytes(500))
    GramStore(tmp_path).get("b", 10, Builder(2.0), quiet)
    assert [path.name for path in tmp_path.iterdir()] == ["b.f32"]


def test_a_full_file_system_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(UnavailableError, match="No space left"):
        GramStore(tmp_path).get("a", 10, Builder(), quiet)
    assert list(tmp_path.iterdir()) == []
