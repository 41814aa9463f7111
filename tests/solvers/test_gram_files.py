"""Files of Gram matrices that are damaged, unreadable or another user's, and folders for one user only."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from cases import Builder, quiet

from svm_cost_curves.solvers import gram_store
from svm_cost_curves.solvers.gram_store import GramStore, UnavailableError

N = 120
VALUES = np.random.default_rng(0).normal(size=(N, N)).astype(np.float32)


SIZE = 4 * N * N
"""Bytes of its values, which come before their checksums."""


def forged(checksums: bytes) -> Callable[[bytes], bytes]:
    """Checksums with a right checksum of their own, which are not what was written."""
    return lambda content: content[:SIZE] + hashlib.sha256(checksums).digest() + checksums


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "zeros": lambda content: bytes(SIZE) + content[SIZE:],
    "random": lambda content: np.random.default_rng(1).bytes(SIZE) + content[SIZE:],
    "one bit of the first block": lambda content: content[:17] + bytes([content[17] ^ 1]) + content[18:],
    "sign of the last value": lambda content: content[: SIZE - 1] + bytes([content[SIZE - 1] ^ 0x80]) + content[SIZE:],
    "two rows swapped": lambda content: content[4 * N : 8 * N] + content[: 4 * N] + content[8 * N :],
    "checksums of zeros": lambda content: content[:SIZE] + bytes(len(content) - SIZE),
    "no checksums": lambda content: content[:SIZE],
    "empty": lambda content: b"",
    **{
        str(text[:9]): forged(text)
        for text in (b"{}", b"[1]", b"7", b"[" * 100_000, b"{", b"\xff", b'{"key": "a", "n": 120}')
    },
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_file_is_built_again(tmp_path: Path, damage: str, caplog: pytest.LogCaptureFixture) -> None:
    store, build, path = GramStore(tmp_path), Builder(VALUES), tmp_path / "a.f32"
    store.get("a", N, build, quiet)
    path.write_bytes(DAMAGE[damage](path.read_bytes()))
    for _ in range(2):
        np.testing.assert_array_equal(store.get("a", N, build, quiet), VALUES)
        assert build.calls == 2
    assert "a.f32" in caplog.text
    assert "built again" in caplog.text


def test_a_matrix_is_built_where_the_system_does_not_map_all_pages_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gram_store, "_MADV_POPULATE_WRITE", -1)  # refused, as by an older Linux
    np.testing.assert_array_equal(GramStore(tmp_path).get("a", N, Builder(VALUES), quiet), VALUES)


def test_checksums_are_compared_once_in_a_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[str] = []
    real = gram_store.xxh3
    monkeypatch.setattr(gram_store, "xxh3", lambda matrix: compared.append("once") or real(matrix))
    for _ in range(3):
        GramStore(tmp_path).get("a", N, Builder(VALUES), quiet)
    assert len(compared) == 2  # when it was built, and when it was first mapped


def test_the_file_of_another_matrix_is_not_used(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    store = GramStore(tmp_path)
    store.get("a", N, Builder(3.0), quiet)
    (tmp_path / "a.f32").rename(tmp_path / "b.f32")
    np.testing.assert_array_equal(store.get("b", N, Builder(VALUES), quiet), VALUES)
    assert "holds the matrix a" in caplog.text


def test_an_unreadable_file_is_built_again(plain_user: Path, caplog: pytest.LogCaptureFixture) -> None:
    store, build = GramStore(plain_user), Builder(VALUES)
    store.get("a", N, build, quiet)
    (plain_user / "a.f32").chmod(0)
    np.testing.assert_array_equal(store.get("a", N, build, quiet), VALUES)
    assert build.calls == 2
    assert "cannot be read (Permission denied)" in caplog.text


def test_the_file_of_another_user_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    store, owner = GramStore(tmp_path), os.geteuid()
    store.get("a", N, Builder(3.0), quiet)
    with monkeypatch.context() as other:
        other.setattr(os, "geteuid", lambda: owner + 1)
        np.testing.assert_array_equal(store.get("a", N, Builder(VALUES), quiet), VALUES)
    assert f"belongs to another user (uid {owner})" in caplog.text


def test_files_are_for_their_owner_only_and_links_are_not_followed(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    folder = tmp_path / "gram"
    folder.mkdir()
    os.link(victim, folder / "b.lock")
    with pytest.raises(UnavailableError, match="plain file with one name"):
        GramStore(folder).get("b", 10, Builder(1.0), quiet)
    for name in ("a.lock", "room.lock"):
        (folder / name).symlink_to(victim)
        with pytest.raises(UnavailableError, match="symbolic link"):
            GramStore(folder).get("a", 10, Builder(1.0), quiet)
        (folder / name).unlink()
    (folder / "a.f32").symlink_to(victim)
    GramStore(folder).get("a", 10, Builder(1.0), quiet)
    assert not (folder / "a.f32").is_symlink()
    assert (folder / "a.f32").stat().st_mode & 0o777 == 0o600
    assert victim.read_bytes() == b"precious"


def test_an_unreadable_folder_is_told(plain_user: Path) -> None:
    folder = plain_user / "gram"
    folder.mkdir(mode=0)
    for place in (folder, folder / "deeper"):
        with pytest.raises(UnavailableError, match=f"^{place} cannot keep it: Permission denied$"):
            GramStore(place).get("a", 10, Builder(), quiet)
        assert GramStore(place).make_room_in_memory(1)


def test_a_matrix_in_a_folder_that_cannot_be_written_is_read(plain_user: Path) -> None:
    store = GramStore(plain_user)
    store.get("a", 10, Builder(3.0), quiet)
    plain_user.chmod(0o500)
    try:
        np.testing.assert_array_equal(store.get("a", 10, Builder(), quiet), 3.0)
        with pytest.raises(UnavailableError, match="cannot keep it: Permission denied"):
            store.get("b", 10, Builder(), quiet)
    finally:
        plain_user.chmod(0o700)


@pytest.fixture
def shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that stands for /dev/shm."""
    monkeypatch.setattr(gram_store, "_SHARED", tmp_path)
    monkeypatch.delenv("SVM_GRAM_DIR")
    return tmp_path


def test_the_folder_in_shared_memory_is_private(shared: Path) -> None:
    folder = gram_store.default_directory()
    assert folder.parent == shared
    GramStore(folder).get("a", 10, Builder(1.0), quiet)
    assert folder.stat().st_mode & 0o777 == 0o700
    folder.chmod(0o755)  # as an earlier version has left it
    GramStore(folder).get("a", 10, Builder(1.0), quiet)
    assert folder.stat().st_mode & 0o777 == 0o700


def test_the_folder_of_another_user_in_shared_memory_is_refused(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = gram_store.default_directory()

    def refused(message: str) -> None:
        with pytest.raises(UnavailableError, match=message):
            GramStore(folder).get("a", 10, Builder(), quiet)
        with monkeypatch.context() as full:
            full.setattr(gram_store, "_free_memory", lambda: 0)
            assert not GramStore(folder).make_room_in_memory(1)

    elsewhere = shared / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / f"{'a' * 32}.f32").touch()
    folder.symlink_to(elsewhere)
    refused("is a link.*set SVM_GRAM_DIR")
    assert len(list(elsewhere.iterdir())) == 1
    folder.unlink()
    folder.mkdir()
    owner = os.geteuid()
    monkeypatch.setattr(gram_store, "default_directory", lambda: folder)
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    refused(f"belongs to the user {owner}.*set SVM_GRAM_DIR")


def test_the_time_of_the_last_use_is_noted_and_the_file_stays_verified(tmp_path: Path) -> None:
    store = GramStore(tmp_path)
    store.get("a", 10, Builder(2.0), quiet)
    path = tmp_path / "a.f32"
    os.utime(path, (1000, 1000))
    store.get("a", 10, Builder(), quiet)
    assert path.stat().st_atime > time.time() - 1000
    assert path.stat().st_mtime == 1000
