"""The reader of Reuters-21578, on an archive by hand."""

from __future__ import annotations

import io
import tarfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from svm_cost_curves.datasets import DataError, PublishedData, fingerprint, load
from svm_cost_curves.datasets.readers.reuters import read_reuters
from svm_cost_curves.datasets.spec import ExpectedSpec, FileSpec
from svm_cost_curves.datasets.types import Table


def document(split: str, topics: list[str], text: str, marked: str = "YES") -> str:
    listed = "".join(f"<D>{topic}</D>" for topic in topics)
    return (
        f'<REUTERS TOPICS="{marked}" LEWISSPLIT="{split}" NEWID="1">\n<TOPICS>{listed}</TOPICS>\n'
        f"<PLACES><D>usa</D></PLACES>\n<TEXT>&#2;\n{text}\n</TEXT>\n</REUTERS>\n"
    )


SECOND = document("TEST", ["acq"], "<TITLE>bid</TITLE><BODY>bid for oil</BODY>")
FIRST = (
    "<!DOCTYPE lewis>\n"
    + document("TRAIN", ["acq", "crude"], "<TITLE>Oil BID</TITLE><BODY>a bid &lt;Co&gt;</BODY>")
    + document("TRAIN", [], "oil", marked="NO")
    + document("NOT-USED", ["acq"], "unused")
    + document("TRAIN", ["crude"], "oil")
    + document("TEST", ["earn"], "net")
)


def archive(**files: str) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as tar:
        for name, text in files.items():
            info = tarfile.TarInfo(name.replace("__", "/").replace("_sgm", ".sgm"))
            info.size = len(text)
            tar.addfile(info, io.BytesIO(text.encode("latin-1")))
    return stream.getvalue()


CONTENT = archive(r__b_sgm=SECOND, r__a_sgm=FIRST, r__README="oil")


def read(role: str, topic: str = "acq", content: bytes = CONTENT) -> Table:
    return read_reuters(content, "r.tar", role=role, topic=topic, ngrams=1, min_count=1)


def test_by_hand() -> None:
    # features: bid | co | for | net | oil
    train, test = read("train"), read("test")
    np.testing.assert_array_equal(train.X.toarray(), [[1, 1, 0, 0, 1], [0, 0, 0, 0, 1]])
    np.testing.assert_array_equal(train.y, [1, -1])
    np.testing.assert_array_equal(test.X.toarray(), [[0, 0, 0, 1, 0], [1, 0, 1, 0, 1]])
    np.testing.assert_array_equal(test.y, [-1, 1])
    np.testing.assert_array_equal(read("train", "crude").y, [1, 1])


def test_a_missing_part_or_topic_is_refused() -> None:
    with pytest.raises(DataError, match="no document of the test part has topic crude"):
        read("test", "crude")
    with pytest.raises(DataError, match="no document of Reuters-21578 is in the train part"):
        read("train", content=archive(r__b_sgm=SECOND))
    with pytest.raises(DataError, match="not a readable tar archive"):
        read("train", content=CONTENT[:1000])


def test_both_parts_come_from_one_file(tmp_path: Path, no_mirror: None) -> None:
    (tmp_path / "r.tar").write_bytes(CONTENT)
    files = [FileSpec(role=role, name="r.tar", url="https://localhost/r.tar") for role in ("train", "test")]
    spec = PublishedData("r", format="reuters", topic="acq", ngrams=1, min_count=1, files=files)
    spec = replace(spec, expected_train=ExpectedSpec(2, 4, {"1": 1, "-1": 1}))
    for _ in range(2):  # parsed, then prepared
        data = load(spec, cache_dir=tmp_path / "cache", mirrors=[tmp_path])
        assert (data.n, data.y_test.size, data.d) == (2, 2, 5)
        np.testing.assert_array_equal(data.y_test, [-1, 1])
    assert data.fingerprint == fingerprint(spec, cache_dir=tmp_path / "cache", mirrors=[tmp_path])
