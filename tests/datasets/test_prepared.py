from __future__ import annotations

import hashlib
import logging
import lzma
import multiprocessing
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from waiting import PATIENCE

from svm_cost_curves.datasets import (
    Dataset,
    DatasetSpec,
    FileData,
    PublishedData,
    SklearnData,
    fetch,
    fingerprint,
    load,
    readers,
    source,
)
from svm_cost_curves.datasets.readers.unpack import read_unpacked
from svm_cost_curves.datasets.spec import FileSpec

TEXT = "".join(f"{'+1' if k % 3 else '-1'} {1 + k % 7}:{k}.5 {8 + k % 5}:1\n" for k in range(300))


@pytest.fixture
def spec(tmp_path: Path) -> DatasetSpec:
    path = tmp_path / "x.svm"
    path.write_text(TEXT)
    return FileData(train=str(path))


def only_file(cache: Path) -> Path:
    (path,) = (cache / "prepared").iterdir()
    return path


def same(a: Dataset, b: Dataset) -> bool:
    return np.array_equal(a.X, b.X) and np.array_equal(a.y, b.y) and np.array_equal(a.X_test, b.X_test)


def test_the_second_load_does_not_parse(spec: DatasetSpec, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = load(spec, cache_dir=tmp_path / "c")
    with monkeypatch.context() as changed:
        changed.setattr(readers, "read_libsvm", lambda *_: pytest.fail("parsed again"))
        assert same(first, load(spec, cache_dir=tmp_path / "c"))
    monkeypatch.setattr(readers, "USERS_READER_VERSION", readers.USERS_READER_VERSION + 1)
    assert same(first, load(spec, cache_dir=tmp_path / "c"))
    assert len(list((tmp_path / "c" / "prepared").iterdir())) == 2  # of each version


def test_a_second_load_of_digits_does_not_import_scikit_learn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = SklearnData(entry="digits", positive=[8])
    first = load(spec, cache_dir=tmp_path)
    monkeypatch.setattr(source, "read_bundle", lambda _: pytest.fail("read again"))
    assert same(first, load(spec, cache_dir=tmp_path))


@pytest.mark.parametrize("damage", ["cut", "flip"])
def test_a_damaged_file_is_rebuilt_with_a_warning(
    spec: DatasetSpec, tmp_path: Path, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    cache = tmp_path / "c"
    first = load(spec, cache_dir=cache)
    path = only_file(cache)
    whole = path.read_bytes()
    middle = whole.find(np.float64(150.5).tobytes())
    assert middle > 0
    path.write_bytes(
        {
            "cut": whole[: len(whole) // 2],
            "flip": whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :],
        }[damage]
    )
    with caplog.at_level(logging.WARNING):
        again = load(spec, cache_dir=cache)
    assert same(first, again)
    assert "is damaged" in caplog.text
    assert str(path) in caplog.text
    caplog.clear()
    assert same(first, load(spec, cache_dir=cache))
    assert caplog.text == "", "the rebuilt file is whole"


def test_an_interrupted_write_leaves_nothing(
    spec: DatasetSpec, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(source.np, "save", full)
    data = load(spec, cache_dir=tmp_path / "c")
    assert data.n == 240
    assert list((tmp_path / "c" / "prepared").iterdir()) == []
    assert "No space left" in caplog.text


def _load_in_process(spec: DatasetSpec, cache: Path, barrier: object, out: object) -> None:
    barrier.wait()  # type: ignore[attr-defined]
    data = load(spec, cache_dir=cache)
    out.put((data.fingerprint, float(np.sum(data.X))))  # type: ignore[attr-defined]


def test_two_processes_at_once(spec: DatasetSpec, tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    barrier, out = context.Barrier(2), context.Queue()
    workers = [context.Process(target=_load_in_process, args=(spec, tmp_path / "c", barrier, out)) for _ in range(2)]
    for worker in workers:
        worker.start()
    results = [out.get(timeout=PATIENCE) for _ in workers]
    for worker in workers:
        worker.join(PATIENCE)
        assert worker.exitcode == 0
    assert results[0] == results[1]
    assert only_file(tmp_path / "c").suffix == ".arrays"
    assert load(spec, cache_dir=tmp_path / "c").fingerprint == results[0][0]


FOUR = b"+1 1:1\n-1 3:1\n+1 2:1\n-1 1:3\n"
SHA256 = hashlib.sha256(FOUR).hexdigest()


@pytest.fixture
def toy(tmp_path: Path, no_mirror: None) -> DatasetSpec:
    """A published file whose checksum nobody knows, in the cache."""
    (tmp_path / "toy.xz").write_bytes(lzma.compress(FOUR))
    return PublishedData(name="toy", format="libsvm", files=[FileSpec("train", "toy")], test_count=1)


def test_a_file_without_known_checksum_is_read_once(
    toy: DatasetSpec, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = load(toy, cache_dir=tmp_path)
    known = replace(toy, files=[FileSpec("train", "toy", sha256=SHA256)])
    assert first.fingerprint == fingerprint(known)
    monkeypatch.setattr(fetch, "read_unpacked", lambda *_: pytest.fail("read again"))
    again = load(toy, cache_dir=tmp_path)
    assert again.fingerprint == first.fingerprint == fingerprint(toy, cache_dir=tmp_path)
    assert again.provenance["files"][0]["obtained_from"] == "prepared cache"
    assert again.provenance["files"][0]["sha256"] == first.provenance["files"][0]["sha256"] == SHA256


def test_a_file_that_has_changed_is_read_again(toy: DatasetSpec, tmp_path: Path) -> None:
    (tmp_path / "toy.xz").unlink()
    path = tmp_path / "toy"
    path.write_bytes(FOUR)
    first = fingerprint(toy, cache_dir=tmp_path)
    before = path.stat()
    path.write_bytes(FOUR.replace(b"1:3", b"1:4"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert path.stat().st_size == before.st_size
    assert fingerprint(toy, cache_dir=tmp_path) != first


def test_a_file_that_changed_while_it_was_read_is_not_cached(
    toy: DatasetSpec, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def changing(path: Path) -> bytes:
        content = read_unpacked(path)
        path.write_bytes(FOUR.replace(b"1:3", b"1:4"))
        return content

    monkeypatch.setattr(fetch, "read_unpacked", changing)
    fingerprint(toy, cache_dir=tmp_path)
    assert not (tmp_path / "known").exists()


def test_a_cache_that_cannot_be_written_is_no_error(toy: DatasetSpec, tmp_path: Path) -> None:
    (tmp_path / "known").write_text("a file")
    assert load(toy, cache_dir=tmp_path).n == 3
