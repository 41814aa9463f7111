"""Gram matrices in files that are damaged, unreadable or another user's, and folders that many processes fill."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import multiprocessing
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from waiting import PATIENCE

from svm_cost_curves.solvers import SettingsError, gram_file, gram_store
from svm_cost_curves.solvers.gram_file import BLOCK_BYTES
from svm_cost_curves.solvers.gram_store import GramStore, NoRoomError
from svm_cost_curves.support import locks
from svm_cost_curves.support.files import new_file

N = 1200
"""A matrix of two blocks."""
VALUES = np.random.default_rng(0).normal(size=(N, N)).astype(np.float32)


class Builder:
    """Fills in `VALUES` and counts how often."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, out: np.ndarray, progress: object) -> None:
        self.calls += 1
        out[:] = VALUES


def quiet(_: float) -> None:
    return None


def zeros(content: bytearray) -> None:
    content[: 4 * N * N] = bytes(4 * N * N)


def random_bytes(content: bytearray) -> None:
    content[: 4 * N * N] = np.random.default_rng(1).bytes(4 * N * N)


def one_bit_of_the_first_block(content: bytearray) -> None:
    content[17] ^= 1


def sign_of_the_last_value(content: bytearray) -> None:
    content[4 * N * N - 1] ^= 0x80


def two_rows_swapped(content: bytearray) -> None:
    content[: 4 * N], content[4 * N : 8 * N] = content[4 * N : 8 * N], content[: 4 * N]


def forged(checksums: bytes) -> Callable[[bytearray], None]:
    """Checksums with a right checksum of their own, which are not what was written."""

    def damage(content: bytearray) -> None:
        content[4 * N * N :] = hashlib.sha256(checksums).digest() + checksums

    return damage


def checksums_of_zeros(content: bytearray) -> None:
    content[4 * N * N :] = bytes(len(content) - 4 * N * N)


def no_checksums(content: bytearray) -> None:
    del content[4 * N * N :]


@pytest.mark.parametrize(
    "damage",
    [
        zeros,
        random_bytes,
        one_bit_of_the_first_block,
        sign_of_the_last_value,
        two_rows_swapped,
        checksums_of_zeros,
        no_checksums,
        *map(
            forged, (b"{}", b"[1]", b"7", b"[" * 100_000, b"{", b"\xff", b'{"key": "a", "n": 1200, "block": 4194304}')
        ),
    ],
)
def test_a_damaged_file_is_built_again(
    tmp_path: Path, damage: Callable[[bytearray], None], caplog: pytest.LogCaptureFixture
) -> None:
    assert 4 * N * N > BLOCK_BYTES
    store, build = GramStore(tmp_path, 10**8, threads=2), Builder()
    store.get("a", N, build, quiet)
    path = tmp_path / "a.f32"
    content = bytearray(path.read_bytes())
    damage(content)
    path.write_bytes(content)
    np.testing.assert_array_equal(store.get("a", N, build, quiet), VALUES)
    assert build.calls == 2
    assert "a.f32" in caplog.text
    assert "built again" in caplog.text
    np.testing.assert_array_equal(store.get("a", N, build, quiet), VALUES)
    assert build.calls == 2


def test_a_matrix_is_built_where_the_system_does_not_map_all_pages_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gram_store, "_MADV_POPULATE_WRITE", -1)  # refused, as by an older Linux
    np.testing.assert_array_equal(GramStore(tmp_path, 10**8).get("a", N, Builder(), quiet), VALUES)


def test_checksums_are_compared_once_in_a_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[str] = []
    real = gram_file._checksums
    monkeypatch.setattr(gram_file, "_checksums", lambda *words: compared.append("once") or real(*words))
    for _ in range(3):
        GramStore(tmp_path, 10**8).get("a", N, Builder(), quiet)
    assert len(compared) == 2  # when it was built, and when it was first mapped


def test_the_file_of_another_matrix_is_not_used(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    store = GramStore(tmp_path, 10**8)
    store.get("a", N, lambda out, _: out.fill(3.0), quiet)
    (tmp_path / "a.f32").rename(tmp_path / "b.f32")
    np.testing.assert_array_equal(store.get("b", N, Builder(), quiet), VALUES)
    assert "holds the matrix a" in caplog.text


def test_files_are_for_their_owner_only_and_links_are_not_followed(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    folder = tmp_path / "gram"
    folder.mkdir()
    os.link(victim, folder / "b.lock")
    with pytest.raises(SettingsError, match="plain file with one name"):
        GramStore(folder, 10**8).get("b", 10, lambda out, _: out.fill(1.0), quiet)
    for name in ("a.lock", "room.lock"):
        (folder / name).symlink_to(victim)
        with pytest.raises(SettingsError, match="symbolic link"):
            GramStore(folder, 10**8).get("a", 10, lambda out, _: out.fill(1.0), quiet)
        (folder / name).unlink()
    (folder / "a.f32").symlink_to(victim)
    GramStore(folder, 10**8).get("a", 10, lambda out, _: out.fill(1.0), quiet)
    assert not (folder / "a.f32").is_symlink()
    assert (folder / "a.f32").stat().st_mode & 0o777 == 0o600
    assert victim.read_bytes() == b"precious"


def test_an_unreadable_file_is_built_again(plain_user: Path, caplog: pytest.LogCaptureFixture) -> None:
    store, build = GramStore(plain_user, 10**8), Builder()
    store.get("a", N, build, quiet)
    (plain_user / "a.f32").chmod(0)
    np.testing.assert_array_equal(store.get("a", N, build, quiet), VALUES)
    assert build.calls == 2
    assert "cannot be read (Permission denied)" in caplog.text


def test_an_unreadable_folder_is_refused_with_a_message(plain_user: Path) -> None:
    folder = plain_user / "gram"
    folder.mkdir(mode=0)
    store = GramStore(folder, 10**8)
    for use in (lambda: store.get("a", 10, Builder(), quiet), lambda: GramStore(folder / "deeper", 10**8).room_for(10)):
        with pytest.raises(SettingsError, match=r"cannot be kept in .*: Permission denied; set SVM_GRAM_DIR"):
            use()


@pytest.fixture
def shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that stands for /dev/shm."""
    monkeypatch.setattr(gram_store, "_SHARED", tmp_path)
    monkeypatch.delenv("SVM_GRAM_DIR")
    return tmp_path


def test_the_folder_in_shared_memory_is_private(shared: Path) -> None:
    folder = gram_store.default_directory()
    assert folder.parent == shared
    GramStore(folder, 10**8).get("a", 10, lambda out, _: out.fill(1.0), quiet)
    assert folder.stat().st_mode & 0o777 == 0o700
    folder.chmod(0o755)  # as an earlier version has left it
    GramStore(folder, 10**8).get("a", 10, lambda out, _: out.fill(1.0), quiet)
    assert folder.stat().st_mode & 0o777 == 0o700


def test_the_folder_of_another_user_in_shared_memory_is_refused(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = gram_store.default_directory()

    def refused(message: str) -> None:
        store = GramStore(folder, 10**8)
        for use in (
            lambda: store.get("a", 10, Builder(), quiet),
            lambda: store.make_room_in_memory(1),
        ):
            with pytest.raises(SettingsError, match=message):
                use()

    elsewhere = shared / "elsewhere"
    elsewhere.mkdir()
    folder.symlink_to(elsewhere)
    refused("is a link.*set SVM_GRAM_DIR")
    assert list(elsewhere.iterdir()) == []
    folder.unlink()
    folder.mkdir()
    owner = os.geteuid()
    monkeypatch.setattr(gram_store, "default_directory", lambda: folder)
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    refused(f"belongs to the user {owner}.*set SVM_GRAM_DIR")


def test_the_file_of_another_user_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    store, owner = GramStore(tmp_path, 10**8), os.geteuid()
    store.get("a", N, lambda out, _: out.fill(3.0), quiet)
    with monkeypatch.context() as other:
        other.setattr(os, "geteuid", lambda: owner + 1)
        np.testing.assert_array_equal(store.get("a", N, Builder(), quiet), VALUES)
    assert f"belongs to another user (uid {owner})" in caplog.text


def _hold(folder: Path, begun: object, go_on: object) -> None:
    def fill(out: np.ndarray, _: object) -> None:
        begun.set()  # type: ignore[attr-defined]
        go_on.wait(PATIENCE)  # type: ignore[attr-defined]
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
    monkeypatch.setattr(locks, "NOTIFY_SECONDS", 0.0)
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
            found = store.get(key, 64, lambda out, _, number=number: out.fill(number), quiet)
            if not (found == number).all():
                raise ValueError(f"{key} holds {found[0, 0]}")
        except Exception as error:
            failures.put(f"{type(error).__name__}: {error}")  # type: ignore[attr-defined]


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
            found = GramStore(tmp_path, 700).get("b", 10, lambda out, _: out.fill(2.0), quiet)
        np.testing.assert_array_equal(found, 2.0)
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
        found = evict(self, size)
        begun.close()
        return found

    monkeypatch.setattr(GramStore, "_evict", finished_by_then)
    found = GramStore(tmp_path, 700).get("a" * 32, 10, lambda out, _: out.fill(2.0), quiet)
    np.testing.assert_array_equal(found, 2.0)
    assert [path.name for path in tmp_path.iterdir()] == [f"{'a' * 32}.f32"]


@pytest.mark.parametrize("after", [True, False])
def test_a_matrix_that_is_finished_while_the_folder_is_read_is_counted(
    tmp_path: Path, begun: contextlib.ExitStack, after: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = GramStore._matrices

    def finished_by_then(self: GramStore) -> list[Path]:
        if not after:
            begun.close()
        found = read(self)
        begun.close()
        return found

    monkeypatch.setattr(GramStore, "_matrices", finished_by_then)
    GramStore(tmp_path, 700).get("a" * 32, 10, lambda out, _: out.fill(2.0), quiet)
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= 700


def test_a_dead_builders_draft_is_removed_and_its_room_used(tmp_path: Path) -> None:
    (tmp_path / ".a.f32.0123456789abcdef.part").write_bytes(bytes(500))
    store = GramStore(tmp_path, 700)
    assert store.room_for(10) is None
    store.get("b", 10, lambda out, _: out.fill(2.0), quiet)
    assert [path.name for path in tmp_path.iterdir()] == ["b.f32"]


def test_a_full_file_system_raises_no_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(NoRoomError, match="No space left"):
        GramStore(tmp_path, 10**8).get("a", 10, Builder(), quiet)
    assert list(tmp_path.iterdir()) == []


def test_the_time_of_the_last_use_is_noted_and_the_file_stays_verified(tmp_path: Path) -> None:
    store = GramStore(tmp_path, 10**8)
    store.get("a", 10, lambda out, _: out.fill(2.0), quiet)
    path = tmp_path / "a.f32"
    os.utime(path, (1000, 1000))
    store.get("a", 10, Builder(), quiet)
    assert path.stat().st_atime > time.time() - 1000
    assert path.stat().st_mtime == 1000
