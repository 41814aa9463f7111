from __future__ import annotations

import ast
import bz2
import contextlib
import functools
import gzip
import hashlib
import http.server
import json
import lzma
import os
import socket
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from urllib.error import HTTPError, URLError

import numpy as np
import pytest

from svm_cost_curves.datasets import (
    DataError,
    DatasetSpec,
    PublishedData,
    default_cache_dir,
    download,
    fetch,
    fingerprint,
    load,
)
from svm_cost_curves.datasets.readers.unpack import read_unpacked, unpack
from svm_cost_curves.datasets.spec import ExpectedSpec, FileSpec

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    """A failed download is tried again at once."""
    monkeypatch.setattr(time, "sleep", lambda _: None)


TRAIN, TEST = b"+1 1:1\n-1 3:1\n+1 2:1\n", b"-1 1:1\n+1 2:2\n"


def sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def published(url: str = "") -> DatasetSpec:
    files = [
        FileSpec("train", "toy", f"{url}/toy.bz2" if url else "", sha(TRAIN)),
        FileSpec("test", "toy.t", f"{url}/toy.t" if url else "", sha(TEST)),
    ]
    return PublishedData(name="toy", format="libsvm", d=4, files=files)


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_mirror: None) -> Iterator[tuple[str, Path]]:
    """A web server on the loopback, and the folder that it shows."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    folder = tmp_path / "site"
    folder.mkdir()

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", folder
    server.shutdown()
    server.server_close()


Answers = Callable[[Callable[[Callable[[bytes], None]], object]], tuple[str, list[bytes]]]


@pytest.fixture
def answers(no_mirror: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Answers]:
    """A server whose answers a function sends, piece by piece; gives its address and the requests so far."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    listening = socket.create_server(("127.0.0.1", 0))
    asked: list[bytes] = []

    def serve(send: Callable[[Callable[[bytes], None]], object]) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = listening.accept()
                threading.Thread(target=answer, args=(connection, send), daemon=True).start()

    def answer(connection: socket.socket, send: Callable[[Callable[[bytes], None]], object]) -> None:
        with connection, contextlib.suppress(OSError):
            asked.append(connection.recv(9999))
            send(connection.sendall)

    def begin(send: Callable[[Callable[[bytes], None]], object]) -> tuple[str, list[bytes]]:
        threading.Thread(target=serve, args=(send,), daemon=True).start()
        return f"http://127.0.0.1:{listening.getsockname()[1]}/toy", asked

    yield begin
    listening.close()


def test_download_verifies_the_unpacked_bytes_and_keeps_the_files(site: tuple[str, Path], tmp_path: Path) -> None:
    url, folder = site
    (folder / "toy.bz2").write_bytes(bz2.compress(TRAIN))
    (folder / "toy.t").write_bytes(TEST)
    cache = tmp_path / "cache"
    data = load(published(url), cache_dir=cache)
    assert data.X.shape == (3, 4)
    assert data.X_test.shape == (2, 4)
    assert data.provenance["files"][0]["sha256"] == sha(TRAIN)
    assert sorted(p.name for p in cache.iterdir()) == ["prepared", "toy.bz2", "toy.t"]
    assert data.fingerprint == fingerprint(published()), "addresses do not matter, and nothing is fetched"
    for path in folder.iterdir():
        path.unlink()
    np.testing.assert_array_equal(load(published(url), cache_dir=cache).X, data.X)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (bz2.compress(b"+1 1:9\n"), ["toy", sha(TRAIN), sha(b"+1 1:9\n"), "not kept"]),
        (bz2.compress(TRAIN)[:-9], ["damaged or cut short"]),
    ],
    ids=["wrong", "cut"],
)
def test_a_wrong_download_is_refused_and_not_kept(
    site: tuple[str, Path], tmp_path: Path, content: bytes, said: list[str]
) -> None:
    url, folder = site
    (folder / "toy.bz2").write_bytes(content)
    with pytest.raises(DataError) as caught:
        load(published(url), cache_dir=tmp_path / "cache")
    assert all(part in str(caught.value) for part in [*said, url])
    assert list((tmp_path / "cache").iterdir()) == []


def test_a_failed_download_is_tried_again(
    site: tuple[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url, folder = site
    (folder / "toy.bz2").write_bytes(bz2.compress(TRAIN)[:-9])
    monkeypatch.setattr(time, "sleep", lambda _: (folder / "toy.bz2").write_bytes(bz2.compress(TRAIN)))
    file = published(url).files[0]
    assert fetch.fetch(file, tmp_path / "cache", []).content == TRAIN


def test_a_file_that_several_need_at_once_is_downloaded_once(tmp_path: Path, answers: Answers) -> None:
    url, asked = answers(lambda answer: (asked_too.wait(5), answer(b"HTTP/1.0 200 OK\r\n\r\n" + TRAIN)))
    file, asked_too = FileSpec("train", "toy", url, sha(TRAIN)), threading.Event()
    with ThreadPoolExecutor() as pool:
        futures = [pool.submit(fetch.fetch, file, tmp_path, [], lambda text: asked_too.set()) for _ in range(2)]
        asked_too.set()
        assert [future.result().content for future in futures] == [TRAIN, TRAIN]
    assert len(asked) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["toy"]


def refusal(url: str, cache: Path) -> str:
    """Return the message on a download that fails: it says where to get the file, and where to put it."""
    with pytest.raises(DataError, match="Cannot download toy") as caught:
        load(published(url), cache_dir=cache)
    for part in (f"{url}/toy.bz2", sha(TRAIN), str(cache), "SVM_DATA_MIRROR"):
        assert part in str(caught.value)
    return str(caught.value)


def test_a_missing_page_is_an_error_with_advice(site: tuple[str, Path], tmp_path: Path) -> None:
    assert "the server answered 404" in refusal(site[0], tmp_path / "cache")


def test_no_network_is_an_error_with_advice(tmp_path: Path, no_mirror: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        assert "no connection" in refusal(f"http://127.0.0.1:{unused.getsockname()[1]}", tmp_path / "cache")


def test_a_silent_server_times_out(tmp_path: Path, no_mirror: None, monkeypatch: pytest.MonkeyPatch) -> None:
    assert max(download.TIMEOUT) <= 20
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(download, "TIMEOUT", (0.3, 0.3))
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()  # without an end if the limit is not heeded
        assert "was silent for 0.3 s" in refusal(f"http://127.0.0.1:{silent.getsockname()[1]}", tmp_path)


def drip(answer: Callable[[bytes], None], beginning: bytes = b"") -> None:
    answer(beginning)
    while True:
        answer(b"1")
        threading.Event().wait(0.05)


def flood(answer: Callable[[bytes], None], head: bytes, piece: bytes) -> None:
    answer(head + b"\r\n")
    while True:
        answer(piece)


BOMB = gzip.compress(bytes(20 << 20))


@pytest.mark.parametrize(
    ("send", "said"),
    [
        (drip, "the server is too slow"),
        (lambda answer: drip(answer, b"HTTP/1.0 200 OK\r\nX: "), "the server is too slow"),
        (lambda answer: drip(answer, b"HTTP/1.0 200 OK\r\n\r\n"), "the server is too slow"),
        (lambda answer: flood(answer, b"HTTP/1.0 200 OK\r\n", b"1 1:1\n" * 9999), "sends more than 0.0 GiB"),
        (lambda answer: answer(b"HTTP/1.0 200 OK\r\nContent-Length: 99999999\r\n\r\n"), "sends more than 0.0 GiB"),
        (
            lambda answer: answer(b"HTTP/1.0 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + BOMB),
            "sends more than 0.0 GiB",
        ),
        (
            lambda answer: answer(b"HTTP/1.0 200 OK\r\nContent-Encoding: br\r\n\r\n" + BOMB),
            "encoding br, which was not asked for",
        ),
        (lambda answer: answer(b"HTTP/1.0 302 Found\r\nLocation: file:///etc/passwd\r\n\r\n"), "file:///etc/passwd"),
    ],
    ids=["drip", "drip of a header", "drip of content", "endless", "large", "bomb", "encoding", "redirect"],
)
def test_a_server_that_does_not_end_or_sends_too_much_is_given_up(
    tmp_path: Path,
    answers: Answers,
    monkeypatch: pytest.MonkeyPatch,
    send: Callable[[Callable[[bytes], None]], None],
    said: str,
) -> None:
    if "too slow" in said:
        monkeypatch.setattr(download, "WINDOW", 0.5)
    monkeypatch.setenv("SVM_DOWNLOAD_LIMIT", "0.01")
    url, asked = answers(send)
    with pytest.raises(DataError, match=f"Cannot download toy: .*{said}") as caught:
        fetch.fetch(FileSpec("train", "toy", url), tmp_path, [])
    assert len(str(caught.value)) < 1000
    assert len(asked) == 1, "it would not be better a second time"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("send", "said"),
    [
        (drip, "too slow"),
        (lambda answer: flood(answer, b"HTTP/1.0 200 OK\r\n", b"1" * 9999), "sends more than"),
        (lambda answer: flood(answer, b"HTTP/1.0 302 Found\r\nLocation: /other\r\n", b"1" * 9999), "sends more than"),
        (lambda answer: answer(b"HTTP/1.0 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + BOMB), "sends more than"),
        (lambda answer: answer(b"HTTP/1.0 200 OK\r\nContent-Length: 9\r\n\r\n1 1:1\n"), "is cut short"),
        (lambda answer: answer(b"HTTP/1.0 404 Not Found\r\n\r\n"), "404"),
    ],
    ids=["drip", "endless", "redirect", "bomb", "cut", "missing"],
)
def test_what_a_library_fetches_by_urllib_has_the_same_limits(
    answers: Answers, monkeypatch: pytest.MonkeyPatch, send: Callable[[Callable[[bytes], None]], None], said: str
) -> None:
    if "too slow" in said:
        monkeypatch.setattr(download, "WINDOW", 0.5)
    monkeypatch.setenv("SVM_DOWNLOAD_LIMIT", "0.01")
    url, _ = answers(send)

    def read(transfer: download.Transfer) -> bytes:
        with download.through(transfer), urllib.request.urlopen(url) as answer:
            return bytes(answer.read())

    with pytest.raises((DataError, HTTPError), match=said):
        download.watched(read, "toy", lambda _: None)


def test_an_answer_that_ends_before_its_length_is_refused(
    tmp_path: Path, answers: Answers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetch, "PAUSES", (0.0,))
    url, asked = answers(lambda answer: answer(b"HTTP/1.0 200 OK\r\nContent-Length: 9\r\n\r\n1 1:1\n"))
    with pytest.raises(DataError, match="Cannot download toy: the server's answer is cut short"):
        fetch.fetch(FileSpec("train", "toy", url), tmp_path, [])
    assert len(asked) == 2
    assert list(tmp_path.iterdir()) == []


def test_what_a_library_fetches_by_urllib_arrives(answers: Answers) -> None:
    content = bytes(range(256)) * 999
    packed = gzip.compress(content)
    url, _ = answers(lambda answer: answer(b"HTTP/1.0 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + packed))
    transfer = download.Transfer()
    with download.through(transfer), urllib.request.urlopen(url) as answer:
        assert answer.read() == content
        assert answer.info().get("Content-Encoding") is None
    assert (transfer.received, transfer.unpacked) == (len(packed), len(content))
    with download.through(None), pytest.raises(URLError, match="not in the cache"):
        urllib.request.urlopen(url)


def test_a_limit_that_is_no_number_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for text in ("much", "-1", "0", "nan", "inf"):
        monkeypatch.setenv("SVM_DOWNLOAD_LIMIT", text)
        with pytest.raises(DataError, match=f"SVM_DOWNLOAD_LIMIT={text}: must be a positive number of GiB"):
            fetch.fetch(FileSpec("train", "toy", "http://127.0.0.1:9/toy"), tmp_path, [])
        for use in (load, fingerprint):
            with pytest.raises(DataError, match=f"SVM_DOWNLOAD_LIMIT={text}"):
                use(published(), cache_dir=tmp_path)


def test_commands_write_lines_of_their_own_about_downloads() -> None:
    """The default writes to the log."""
    calls = [
        (path.name, node.lineno, {keyword.arg for keyword in node.keywords})
        for path in (ROOT / "experiments").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("datasets.load", "datasets.fingerprint")
    ]
    assert len(calls) > 5
    assert [call for call in calls if "note" not in call[2]] == []


def test_a_pipe_in_the_place_of_a_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.svm")
    with pytest.raises(DataError, match=r"x.svm: cannot be read \(Not a plain file\)"):
        read_unpacked(tmp_path / "x.svm")


def test_a_note_names_file_and_address_before_the_wait_and_then_the_bytes(
    tmp_path: Path, answers: Answers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(download, "NOTE_SECONDS", 0.0)
    notes: list[str] = []
    told = threading.Event()

    def send(answer: Callable[[bytes], None]) -> None:
        assert notes == [f"fetching toy from {url}"], "it was told before the request"
        answer(b"HTTP/1.0 200 OK\r\nContent-Length: 1000000\r\n\r\n" + TRAIN + b"#" * 399_979)
        told.wait(20)
        answer(b"#" * 600_000)

    def note(text: str) -> None:
        notes.append(text)
        if "MB" in text:
            told.set()

    url, _ = answers(send)
    spec = PublishedData(name="toy", format="libsvm", test_count=1, files=[FileSpec("train", "toy", url)])
    fingerprint(spec, cache_dir=tmp_path, note=note)
    assert set(notes[1:]) >= {f"fetching toy from {url}: 0.4 of 1.0 MB"}


def test_what_a_killed_download_has_left_is_removed_by_the_next_one(tmp_path: Path, site: tuple[str, Path]) -> None:
    url, folder = site
    (folder / "toy.bz2").write_bytes(bz2.compress(TRAIN))
    left = tmp_path / "cache" / f".other.{'0' * 16}.part"  # as support.files.new_file names it
    left.parent.mkdir()
    left.write_bytes(b"x")
    assert fetch.fetch(published(url).files[0], left.parent, []).content == TRAIN
    assert not left.exists()


def test_no_address_at_all(tmp_path: Path, no_mirror: None) -> None:
    # verdicts show what stands before the colon: the rest names folders of the machine
    with pytest.raises(DataError, match=r"^[^:/]* no published address: get it from its publisher .* into /"):
        load(published(), cache_dir=tmp_path)


def test_mirrors_by_name_by_manifest_and_from_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    (one / "sub").mkdir(parents=True)
    (two / "odd" / "deep").mkdir(parents=True)
    (one / "sub" / "toy.xz").write_bytes(lzma.compress(TRAIN))
    (two / "odd" / "deep" / "renamed.bz2").write_bytes(bz2.compress(TEST))
    manifest = [{"file": "odd/deep/renamed.bz2", "unpacked_sha256": sha(TEST)}, {"file": "../x"}]
    (two / "MANIFEST.json").write_text(json.dumps(manifest))
    monkeypatch.setenv("SVM_DATA_MIRROR", os.pathsep.join([str(tmp_path / "none"), str(two)]))
    data = load(published(), cache_dir=tmp_path / "cache", mirrors=[one])
    assert data.y_test.tolist() == [-1, 1]
    assert "none is not a directory" in caplog.text
    assert not (tmp_path / "cache" / "toy").exists(), "mirrors are read in place"


def test_a_manifest_cannot_name_files_outside_its_mirror(tmp_path: Path, no_mirror: None) -> None:
    mirror = tmp_path / "mirror"
    mirror.mkdir()
    (tmp_path / "secret").write_bytes(TRAIN)
    for name in ("../secret", str(tmp_path / "secret")):
        (mirror / "MANIFEST.json").write_text(json.dumps([{"file": name, "unpacked_sha256": sha(TRAIN)}]))
        with pytest.raises(DataError, match="not at hand"):
            load(published(), cache_dir=tmp_path / "cache", mirrors=[mirror])


@pytest.mark.parametrize("text", ["{", "[1]", '{"file": 1}', "\x00"])
def test_a_broken_manifest_is_ignored(tmp_path: Path, no_mirror: None, text: str) -> None:
    (tmp_path / "MANIFEST.json").write_text(text)
    (tmp_path / "toy").write_bytes(TRAIN)
    (tmp_path / "toy.t").write_bytes(TEST)
    assert load(published(), cache_dir=tmp_path / "cache", mirrors=[tmp_path]).n == 3


def test_a_wrong_copy_is_refused_unless_a_right_one_is_there(tmp_path: Path, no_mirror: None) -> None:
    mirror, cache = tmp_path / "mirror", tmp_path / "cache"
    (mirror / "sub").mkdir(parents=True)
    (mirror / "toy").write_bytes(b"+1 1:9\n")
    (mirror / "toy.t").write_bytes(TEST)
    with pytest.raises(DataError) as caught:
        load(published(), cache_dir=cache, mirrors=[mirror])
    for part in (str(mirror / "toy"), sha(TRAIN), sha(b"+1 1:9\n")):
        assert part in str(caught.value)
    assert not cache.exists(), "nothing is kept"
    (mirror / "sub" / "toy.bz2").write_bytes(bz2.compress(TRAIN))
    assert load(published(), cache_dir=cache, mirrors=[mirror]).n == 3


@pytest.mark.parametrize(
    ("expected", "said"),
    [
        (ExpectedSpec(n=4), "training file: expected 4 rows, found 3"),
        (ExpectedSpec(nnz=5), "training file: expected 5 entries that are not zero, found 3"),
        (ExpectedSpec(classes={"1": 1, "-1": 2}), "expected 2 rows with label -1, found 1"),
        (ExpectedSpec(classes={"1": 2, "-1": 1, "7": 3}), "expected 3 rows with label 7, found 0"),
    ],
)
def test_expected_counts(tmp_path: Path, no_mirror: None, expected: ExpectedSpec, said: str) -> None:
    (tmp_path / "toy").write_bytes(TRAIN)
    (tmp_path / "toy.t").write_bytes(TEST)
    with pytest.raises(DataError, match=said):
        load(replace(published(), expected_train=expected), cache_dir=tmp_path)


def test_default_cache_dir(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SVM_DATA_CACHE", str(tmp_path))
    assert default_cache_dir() == tmp_path
    monkeypatch.delenv("SVM_DATA_CACHE")
    assert default_cache_dir().name == "svm-cost-curves"


def test_a_cache_folder_that_cannot_be_made(site: tuple[str, Path], tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    with pytest.raises(DataError, match="cannot be written"):
        load(published(site[0]), cache_dir=tmp_path / "taken" / "cache")


@pytest.mark.parametrize("pack", [lzma.compress, bz2.compress, gzip.compress, bytes])
def test_unpack_goes_by_content(pack: Callable[[bytes], bytes]) -> None:
    assert unpack(pack(b"1 1:1\n"), "x") == b"1 1:1\n"
    if pack is not bytes:
        with pytest.raises(DataError, match=r"x\.svm: the packed file is damaged or cut short"):
            unpack(pack(b"1 1:1\n" * 100)[:-12], "x.svm")
