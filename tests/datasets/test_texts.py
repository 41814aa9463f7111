"""Texts as n-grams: messages in folders, Reuters-21578 on an archive by hand; topics of RCV1."""

from __future__ import annotations

import io
import re
import tarfile
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from svm_cost_curves.datasets import DataError, DatasetSpec, FileData, PublishedData, fingerprint, load
from svm_cost_curves.datasets.readers.texts import read_messages, read_reuters, read_topics
from svm_cost_curves.datasets.spec import ExpectedSpec, FileSpec
from svm_cost_curves.datasets.types import Table

WORDS = ["ab", "abc", "zz", "Ab", "a", "9", "b9cd", "é"]
BODIES = st.dictionaries(
    st.tuples(st.sampled_from(["x/b", "x/a", "x/a.c"]), st.integers(1, 30)).map(lambda k: f"{k[0]}/{k[1]}"),
    st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join),
    min_size=1,
    max_size=8,
)


def archive(members: Mapping[str, str | bytes]) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as tar:
        for name, content in members.items():
            raw = content.encode("latin-1") if isinstance(content, str) else content
            info = tarfile.TarInfo(name)
            info.size = len(raw)
            tar.addfile(info, io.BytesIO(raw))
    return stream.getvalue()


def message(body: str, header: str = "From: someone") -> str:
    return f"{header}\n\n{body}"


def read(members: Mapping[str, str | bytes], ngrams: int = 2, min_count: int = 1) -> Table:
    return read_messages(archive(members), "x.tar", ngrams=ngrams, min_count=min_count)


def runs(body: str, ngrams: int) -> list[str]:
    words = re.findall("[a-z][a-z]+", body.lower())
    return [" ".join(words[k : k + size]) for size in range(1, ngrams + 1) for k in range(len(words) - size + 1)]


@settings(deadline=None)
@given(BODIES, st.integers(1, 3), st.integers(1, 3))
def test_rows_say_which_runs_of_words_occur(bodies: dict[str, str], ngrams: int, min_count: int) -> None:
    texts = [bodies[name] for name in sorted(bodies, key=lambda name: tuple(name.split("/")))]
    counts = Counter(run for text in texts for run in runs(text, ngrams))
    features = sorted(run for run, count in counts.items() if count >= min_count)
    members = {name: message(body) for name, body in bodies.items()}
    if not counts:
        with pytest.raises(DataError, match=r"x\.tar: no message holds a word"):
            read(members, ngrams, min_count)
        return
    table = read(members, ngrams, min_count)
    expected = [[float(feature in runs(text, ngrams)) for feature in features] for text in texts]
    np.testing.assert_array_equal(table.X.toarray(), np.array(expected).reshape(len(texts), len(features)))
    assert table.X.has_sorted_indices
    assert (table.X.dtype, table.X.indices.dtype) == (np.float32, np.int32)
    folders = sorted({tuple(name.split("/")[:-1]) for name in bodies})
    places = sorted(tuple(name.split("/")) for name in bodies)
    np.testing.assert_array_equal(table.y, [1 + folders.index(place[:-1]) for place in places])


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"Subject: no\r\n\r\nyes\r\n\r\nyet", ["yes", "yet"]),
        (b"\nyes", ["yes"]),  # no header at all
        (b"Subject: no\nnone", []),  # nothing but a header
        (b"", []),
        (b"Subject: no\n\nyes\xff\xe9yet\x00", ["yes", "yet"]),
        (b"Subject: no\n\n\n\nNewsgroups: yes", ["newsgroups", "yes"]),  # quoted in the body: part of the text
    ],
)
def test_where_the_body_begins(raw: bytes, words: list[str]) -> None:
    everything = read({"a/1": raw, "b/2": message("newsgroups no none subject yes yet")}, ngrams=1)
    names = ["newsgroups", "no", "none", "subject", "yes", "yet"]
    assert [name for name, value in zip(names, everything.X.toarray()[0], strict=True) if value] == words


GOOD = {"a/1": message("ab cd"), "a/2": message("ab"), "b/3": message("cd ab " * 200)}


@pytest.mark.parametrize("place", [0, 1, 511, 512, 513, 1030, 1536, 2048, 2600, 3584, 4095])
def test_an_archive_that_is_cut_short_is_refused(place: int) -> None:
    whole = archive(GOOD)
    assert whole.rstrip(b"\0")[-3:] == b"ab "
    with pytest.raises(DataError, match=r"^x\.tar.*(not a readable tar archive|damaged or cut short|no message)"):
        read_messages(whole[:place], "x.tar", ngrams=1, min_count=1)


@given(st.integers(1024, 1024 + 511), st.integers(1, 255))
def test_a_damaged_header_is_refused_with_the_member_before_it(place: int, change: int) -> None:
    content = bytearray(archive(GOOD))
    content[place] ^= change
    if 148 <= place - 1024 < 156:  # the header's own checksum, padded with bytes of no meaning
        return
    with pytest.raises(DataError, match=r"^x\.tar, member a/"):
        read_messages(bytes(content), "x.tar", ngrams=1, min_count=1)


def linked(kind: bytes) -> bytes:
    stream = io.BytesIO(archive(GOOD))
    with tarfile.open(fileobj=stream, mode="a") as tar:
        info = tarfile.TarInfo("a/link")
        info.type, info.linkname = kind, "/etc/passwd"
        tar.addfile(info)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"no tar at all", r"x\.tar: not a readable tar archive"),
        (archive({}), r"x\.tar: the archive holds no message"),
        (archive(GOOD | {"top": message("ab")}), r"x\.tar, member top: is in no folder"),
        *(
            (linked(kind), r"x\.tar, member a/link: is neither a plain file nor a folder")
            for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE)
        ),
    ],
)
def test_other_archives_are_refused(content: bytes, said: str) -> None:
    with pytest.raises(DataError, match=said):
        read_messages(content, "x.tar", ngrams=1, min_count=1)


@pytest.fixture
def spec(tmp_path: Path, no_mirror: None) -> DatasetSpec:
    words = ["cat dog", "cat cow cow", "dog", "car bus car", "bus cat", "", "car cow dog bus"]
    members = {f"g/{'ab'[k % 2]}/{k}": message(words[k % 7] if k else "once") for k in range(20)}
    (tmp_path / "m.tar").write_bytes(archive(members))
    return FileData(train=str(tmp_path / "m.tar"), format="messages", storage="sparse", row_norm="l2")


def test_the_reader_s_settings_are_part_of_the_identity(spec: DatasetSpec, tmp_path: Path) -> None:
    changes = [{}, {"ngrams": 2}, {"min_count": 1}, {"row_norm": "none"}]
    loaded = [load(replace(spec, **change), cache_dir=tmp_path / "c") for change in changes]  # type: ignore[arg-type]
    assert len({data.fingerprint for data in loaded}) == len(changes)
    assert loaded[0].fingerprint == fingerprint(spec)
    assert loaded[1].d < loaded[0].d < loaded[2].d
    lengths = np.sqrt(np.asarray(loaded[0].X.multiply(loaded[0].X).sum(axis=1)).ravel())
    assert set(np.round(lengths, 6)) == {0.0, 1.0}
    other = replace(spec, format="libsvm")
    assert fingerprint(other) == fingerprint(replace(other, ngrams=9, min_count=9))


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"ngrams": 0}, "dataset.ngrams=0: must lie between 1 and 100"),
        ({"min_count": 0}, "dataset.min_count=0: must lie between 1 and 2147483647"),
        ({"test": "other.tar"}, "takes one archive, which is split"),
        ({"row_norm": "l1"}, "dataset.row_norm=l1: unknown; allowed are none, l2, longest"),
    ],
)
def test_wrong_settings(spec: DatasetSpec, tmp_path: Path, fields: dict[str, object], said: str) -> None:
    with pytest.raises(DataError, match=said):
        load(replace(spec, **fields), cache_dir=tmp_path)  # type: ignore[arg-type]


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
REUTERS = archive({"r/b.sgm": SECOND, "r/a.sgm": FIRST, "r/README": "oil"})


def part(role: str, topic: str = "acq", content: bytes = REUTERS) -> Table:
    return read_reuters(content, "r.tar", role=role, topic=topic, ngrams=1, min_count=1)


def test_reuters_by_hand() -> None:
    # features: bid | co | for | net | oil
    train, test = part("train"), part("test")
    np.testing.assert_array_equal(train.X.toarray(), [[1, 1, 0, 0, 1], [0, 0, 0, 0, 1]])
    np.testing.assert_array_equal(train.y, [1, -1])
    np.testing.assert_array_equal(test.X.toarray(), [[0, 0, 0, 1, 0], [1, 0, 1, 0, 1]])
    np.testing.assert_array_equal(test.y, [-1, 1])
    np.testing.assert_array_equal(part("train", "crude").y, [1, 1])
    with pytest.raises(DataError, match="no document of the test part has topic crude"):
        part("test", "crude")
    with pytest.raises(DataError, match="no document of Reuters-21578 is in the train part"):
        part("train", content=archive({"r/b.sgm": SECOND}))


def test_both_parts_come_from_one_file(tmp_path: Path, no_mirror: None) -> None:
    (tmp_path / "r.tar").write_bytes(REUTERS)
    files = [FileSpec(role=role, name="r.tar", url="https://localhost/r.tar") for role in ("train", "test")]
    spec = PublishedData("r", format="reuters", topic="acq", ngrams=1, min_count=1, files=files)
    spec = replace(spec, expected_train=ExpectedSpec(2, 4, {"1": 1, "-1": 1}))
    for _ in range(2):  # parsed, then prepared
        data = load(spec, cache_dir=tmp_path / "cache", mirrors=[tmp_path])
        assert (data.n, data.y_test.size, data.d) == (2, 2, 5)
        np.testing.assert_array_equal(data.y_test, [-1, 1])
    assert data.fingerprint == fingerprint(spec, cache_dir=tmp_path / "cache", mirrors=[tmp_path])


def test_topics() -> None:
    text = b"CCAT 2286 1\nC11 2286 1\nGCAT 2287 1\n\nCCAT 2288 1\n"
    table = read_topics(text, "x", "CCAT")
    np.testing.assert_array_equal(table.y, [2286, 2288])
    assert table.X.shape == (2, 0)
    with pytest.raises(DataError, match="no document has topic MCAT"):
        read_topics(text, "x", "MCAT")
    for line in (b"CCAT 2289", b"CCAT x 1", b"CCAT 2289 0"):
        with pytest.raises(DataError, match="line 6: a line must read 'topic document 1'"):
            read_topics(text + line + b"\n", "x", "C11")
