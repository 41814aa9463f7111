from __future__ import annotations

import lzma
import os
from pathlib import Path

import pytest

from svm_cost_curves.datasets import DatasetSpec, PublishedData, fingerprint, load
from svm_cost_curves.datasets.readers.unpack import read_unpacked
from svm_cost_curves.datasets.spec import FileSpec

TEXT = b"+1 1:1\n-1 3:1\n+1 2:1\n-1 1:3\n"


@pytest.fixture
def spec(tmp_path: Path, no_mirror: None) -> DatasetSpec:
    """A published file whose checksum nobody knows, in the cache."""
    (tmp_path / "toy.xz").write_bytes(lzma.compress(TEXT))
    return PublishedData(name="toy", format="libsvm", files=[FileSpec("train", "toy")], test_count=1)


def forbid_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("svm_cost_curves.datasets.fetch.read_unpacked", lambda *_: pytest.fail("read again"))


def test_a_file_is_read_once(spec: DatasetSpec, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = load(spec, cache_dir=tmp_path)
    forbid_reading(monkeypatch)
    again = load(spec, cache_dir=tmp_path)
    assert again.fingerprint == first.fingerprint == fingerprint(spec, cache_dir=tmp_path)
    assert again.provenance["files"][0]["obtained_from"] == "prepared cache"
    assert again.provenance["files"][0]["sha256"] == first.provenance["files"][0]["sha256"]


def test_its_fingerprint_reads_it_once(spec: DatasetSpec, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = fingerprint(spec, cache_dir=tmp_path)
    forbid_reading(monkeypatch)
    assert fingerprint(spec, cache_dir=tmp_path) == first


def test_a_file_that_has_changed_is_read_again(spec: DatasetSpec, tmp_path: Path) -> None:
    path = tmp_path / "toy.xz"
    path.unlink()
    path = tmp_path / "toy"
    path.write_bytes(TEXT)
    first = load(spec, cache_dir=tmp_path)
    found = path.stat()
    path.write_bytes(TEXT.replace(b"1:3", b"1:4"))
    os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns))
    assert path.stat().st_size == found.st_size
    assert load(spec, cache_dir=tmp_path).fingerprint != first.fingerprint


@pytest.mark.parametrize("text", ["", "0" * 64])
def test_a_damaged_entry_is_ignored(spec: DatasetSpec, tmp_path: Path, text: str) -> None:
    first = load(spec, cache_dir=tmp_path)
    (note,) = (tmp_path / "known").iterdir()
    note.write_text(text)
    assert load(spec, cache_dir=tmp_path).fingerprint == first.fingerprint


def test_a_file_that_changed_while_it_was_read_is_not_cached(
    spec: DatasetSpec, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def changing(path: Path, where: str) -> bytearray:
        content = read_unpacked(path, where)
        path.write_bytes(TEXT.replace(b"1:3", b"1:4"))
        return content

    monkeypatch.setattr("svm_cost_curves.datasets.fetch.read_unpacked", changing)
    fingerprint(spec, cache_dir=tmp_path)
    assert not (tmp_path / "known").exists()


def test_a_cache_that_cannot_be_written_is_no_error(spec: DatasetSpec, tmp_path: Path) -> None:
    (tmp_path / "known").write_text("a file")
    assert load(spec, cache_dir=tmp_path).n == 3
