"""Data sets whose rows come from an archive, from several files, and with labels from another file."""

from __future__ import annotations

import gzip
import io
import tarfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from svm_cost_curves.datasets import DataError, DatasetSpec, fingerprint, load
from svm_cost_curves.datasets.settings import check_spec
from svm_cost_curves.datasets.spec import ExpectedSpec

Compose = Callable[..., DatasetSpec]


def archive(**members: bytes) -> bytes:
    """A packed tar archive of files ``NAME.dat`` in a folder, behind one that is not asked for."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as out:
        for name, content in members.items():
            info = tarfile.TarInfo(f"folder/{name}.dat")
            info.size = len(content)
            out.addfile(info, io.BytesIO(content))
    return stream.getvalue()


def lines(rows: int) -> bytes:
    """Rows as in the physics file: number, class, and two features, of which the first is 1000 times the number."""
    return b"".join(b"%d\t%d\t%d\t999\n" % (k, k % 2, 1000 * k) for k in range(rows))


@pytest.mark.parametrize("packed", [True, False], ids=["in its archive", "by itself"])
def test_physics_is_read_from_its_archive(tmp_path: Path, no_mirror: None, packed: bool, compose: Compose) -> None:
    spec = replace(compose("physics"), d=2, expected_train=ExpectedSpec(n=20))
    path = tmp_path / ("phy_train.dat.gz" if packed else "phy_train.dat")
    path.write_bytes(archive(bio_train=lines(3), phy_train=lines(20)) if packed else lines(20))
    data = load(spec, cache_dir=tmp_path / "cache", mirrors=[tmp_path])
    X, y = np.concatenate([data.X, data.X_test]), np.concatenate([data.y, data.y_test])
    assert (data.n, data.y_test.size) == (18, 2)
    np.testing.assert_array_equal(np.sort(X[:, 0]), np.arange(20))
    np.testing.assert_array_equal(y, np.where(X[:, 0] % 2 == 1, 1, -1))
    np.testing.assert_array_equal(X[:, 1], np.float32(0.999))
    path.unlink()
    (tmp_path / "phy_train.dat").write_bytes(lines(20))
    assert fingerprint(spec, cache_dir=tmp_path / "new", mirrors=[tmp_path]) == data.fingerprint


def test_an_archive_without_the_file_is_refused(tmp_path: Path, no_mirror: None, compose: Compose) -> None:
    (tmp_path / "phy_train.dat").write_bytes(archive(bio_train=lines(3)))
    with pytest.raises(DataError, match="the archive holds no file phy_train"):
        load(compose("physics"), cache_dir=tmp_path / "cache", mirrors=[tmp_path])
    (tmp_path / "phy_train.dat").write_bytes(gzip.decompress(archive(phy_train=lines(50)))[:600])
    with pytest.raises(DataError, match="not a readable tar archive"):
        load(compose("physics"), cache_dir=tmp_path / "cache", mirrors=[tmp_path])


PARTS = {
    "lyrl2004_vectors_train.dat": "11  1:0.5 3:0.5\n12  2:1\n",
    "lyrl2004_vectors_test_pt0.dat": "13  5:0.25\n",
    "lyrl2004_vectors_test_pt1.dat": "15  1:0.75\n14  4:1\n",
    "lyrl2004_vectors_test_pt2.dat": "16  1:0.125\n",
    "lyrl2004_vectors_test_pt3.dat": "17  2:0.5\n18  3:1\n",
}
TOPICS = "C11 12 1\nCCAT 12 1\nGCAT 13 1\nCCAT 14 1\nC11 18 1\nCCAT 18 1\n"
FIRST = {11: 0, 12: 1, 13: 4, 14: 3, 15: 0, 16: 0, 17: 1, 18: 2}
"""The first feature of each document."""


def rcv1(folder: Path, compose: Compose, name: str) -> DatasetSpec:
    """Write parts and topics; only the first part and the topics are packed."""
    for k, (part, text) in enumerate(PARTS.items()):
        (folder / part).write_bytes(text.encode() if k else gzip.compress(text.encode()))
    (folder / "rcv1-v2.topics.qrels").write_bytes(gzip.compress(TOPICS.encode()))
    return replace(compose(name), d=6, test_count=1, storage="dense", expected_train=ExpectedSpec(n=8, nnz=9))


@pytest.mark.parametrize(("name", "topic"), [("rcv1_ccat", {12, 14, 18}), ("rcv1_c11", {12, 18})])
def test_rcv1_is_all_its_parts_labelled_by_topic(
    tmp_path: Path, no_mirror: None, name: str, topic: set[int], compose: Compose
) -> None:
    spec = rcv1(tmp_path, compose, name)
    data = load(spec, cache_dir=tmp_path / "cache", mirrors=[tmp_path])
    X, y = np.concatenate([data.X, data.X_test]), np.concatenate([data.y, data.y_test])
    assert X.shape == (8, 6)
    pairs = sorted((int(np.flatnonzero(row)[0]), int(label)) for row, label in zip(X, y, strict=True))
    assert pairs == sorted((first, 1 if document in topic else -1) for document, first in FIRST.items())
    assert [file["role"] for file in data.provenance["files"]] == ["train"] * 5 + ["topics"]
    again = load(spec, cache_dir=tmp_path / "cache", mirrors=[tmp_path])
    np.testing.assert_array_equal(again.X, data.X)
    assert fingerprint(spec, cache_dir=tmp_path / "cache", mirrors=[tmp_path]) == data.fingerprint


def test_topic_parts_and_their_order_are_part_of_the_fingerprint(
    tmp_path: Path, no_mirror: None, compose: Compose
) -> None:
    spec = rcv1(tmp_path, compose, "rcv1_ccat")
    others = [replace(spec, topic="C11"), replace(spec, files=spec.files[1:]), replace(spec, files=spec.files[::-1])]
    prints = {fingerprint(s, cache_dir=tmp_path / "cache", mirrors=[tmp_path]) for s in (spec, *others)}
    assert len(prints) == 4


def test_inconsistent_files_are_refused(compose: Compose) -> None:
    spec = compose("rcv1_ccat")
    for wrong in (
        replace(spec, topic=""),
        replace(spec, files=spec.files[:5]),
        replace(compose("adult"), topic="CCAT"),
    ):
        with pytest.raises(DataError, match=r"dataset\.topic and a file of role topics must come together"):
            check_spec(wrong)
    with pytest.raises(DataError, match=r"dataset\.format=reuters needs dataset\.topic"):
        check_spec(replace(compose("reuters_acq"), topic=""))
    for wrong in (replace(spec, files=[*spec.files, spec.files[-1]]), replace(spec, format="csv")):
        with pytest.raises(DataError, match="each role may appear once"):
            check_spec(wrong)
