"""Downloads with limits: on silence, on speed and on size. Each says what it fetches, from where, and how far it is.

A thread reads what a server sends, and the caller's thread watches it: also a server that sends the lines before its
content one byte at a time is given up, and Ctrl-C ends the wait.
"""

from __future__ import annotations

import io
import math
import os
import signal
import threading
import time
import urllib.request
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from typing import IO, Any, BinaryIO, NoReturn, TypeVar
from urllib.error import URLError
from urllib.response import addinfourl

from .errors import DataError, shorten
from .types import gib

LIMIT_VARIABLE = "SVM_DOWNLOAD_LIMIT"
"""Environment variable: most GiB of one download, as it is sent and with its ``Content-Encoding`` undone."""
DEFAULT_LIMIT = 4.0
"""GiB; the largest file of a shipped data set takes about one."""
TIMEOUT = (5.0, 15.0)
"""Seconds to connect, and seconds without a byte, after which a download fails."""
WINDOW = 20.0
"""Seconds in which a server has to send `LEAST` bytes, or the end."""
LEAST = 20_000
NOTE_SECONDS = 10.0
"""Seconds between two notes on the progress."""
_PIECE = 1 << 13
"""Bytes that are waited for at a time: fewer than `LEAST`."""
_POLL = 0.2
_CUT_SHORT = "the server's answer is cut short"
_Result = TypeVar("_Result")


class GivenUpError(DataError):
    """A download that was ended because of a limit; to try again would end in the same way."""


class Transfer:
    """What has come of a download: one thread adds to it, another one watches it."""

    def __init__(self) -> None:
        self.limit = download_limit()
        self.size: int | None = None
        self.received = self.unpacked = 0
        self.since: float | None = None
        self.failure: GivenUpError | None = None

    def begin(self) -> None:
        """Expect bytes from now on: a request is about to be sent."""
        self._go_on()
        self.since = time.monotonic()

    def end(self) -> None:
        """Expect no more bytes: the answer is complete."""
        self.since = None

    def pieces(self, read: Callable[[int], bytes], length: str | None, encoding: str | None) -> Iterator[bytes]:
        """Yield the content of an answer, which `read` reads, with a gzip ``Content-Encoding`` undone.

        ``length`` is the header ``Content-Length``.
        """
        if encoding not in (None, "", "identity", "gzip", "x-gzip"):
            self.give_up(f"the server sends the encoding {shorten(encoding or '')}, which was not asked for")
        self.size = int(length) if length and length.isdecimal() and len(length) < 20 else None
        self._check(self.size or 0)
        inflate = zlib.decompressobj(31) if encoding in ("gzip", "x-gzip") else None
        try:
            while chunk := read(_PIECE):
                self._go_on()
                self.received += len(chunk)
                self._check(self.received)
                while inflate is not None and chunk:
                    if inflate.eof:  # a further member
                        inflate = zlib.decompressobj(31)
                    piece = inflate.decompress(chunk, _PIECE)
                    chunk = inflate.unconsumed_tail or inflate.unused_data
                    self.unpacked += len(piece)
                    self._check(self.unpacked)
                    yield piece
                if inflate is None:
                    yield chunk
        except zlib.error as error:
            raise DataError(f"what the server sends is damaged ({error})") from error
        if self.received < (self.size or 0) or (inflate is not None and not inflate.eof):
            raise DataError(_CUT_SHORT)
        self.end()

    def progress(self) -> str:
        """Return how far it is: ``12.3 of 40.1 MB``."""
        done = f"{self.received / 1e6:,.1f}"
        return f"{done} of {self.size / 1e6:,.1f} MB" if self.size else f"{done} MB"

    def _check(self, size: int) -> None:
        if size > self.limit:
            self.give_up(f"the server sends more than {gib(self.limit)}, the limit, which {LIMIT_VARIABLE}=GIB raises")

    def give_up(self, why: str) -> NoReturn:
        """End the download, and all that are tried after it."""
        self.failure = self.failure or GivenUpError(why)
        raise self.failure

    def _go_on(self) -> None:
        if self.failure is not None:
            raise self.failure


def download_limit() -> int:
    """Return the most bytes of a download, from the environment.

    Raises
    ------
    DataError
        The variable is not a positive number.
    """
    text = os.environ.get(LIMIT_VARIABLE, "").strip()
    try:
        limit = float(text) if text else DEFAULT_LIMIT
    except ValueError:
        limit = math.nan
    if not 0 < limit < 1e9:
        raise DataError(f"{LIMIT_VARIABLE}={shorten(text)}: must be a positive number of GiB, such as 10.")
    return int(limit * 2**30)


def watched(work: Callable[[Transfer], _Result], what: str, note: Callable[[str], None]) -> _Result:
    """Return what ``work`` returns, in a thread of its own; it reads through the `Transfer` that it gets.

    Parameters
    ----------
    work
        What it raises is passed on.
    what
        File and address, for ``note``, which takes a few words before the wait begins, and later on the progress.

    Raises
    ------
    GivenUpError
        The server is too slow, or sends too much.
    """
    transfer, future = Transfer(), Future[_Result]()

    def run() -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
        try:
            future.set_result(work(transfer))
        except BaseException as error:
            future.set_exception(error)

    note(f"fetching {what}")
    noted, window, received = time.monotonic(), None, 0
    threading.Thread(target=run, name="download", daemon=True).start()
    try:
        while not wait([future], _POLL).done:
            now, since = time.monotonic(), transfer.since
            if since is None or window is None or since > window:
                window, received = since, transfer.received
            elif now - window >= WINDOW:
                if transfer.received - received < LEAST:
                    transfer.give_up(
                        f"the server is too slow: {transfer.received - received:,} bytes in {WINDOW:g} seconds, where "
                        f"{LEAST:,} are the least"
                    )
                window, received = now, transfer.received
            if now - noted >= NOTE_SECONDS and transfer.received:
                noted = now
                note(f"fetching {what}: {transfer.progress()}")
        return future.result()
    finally:
        transfer.failure = transfer.failure or GivenUpError("the download was ended")


def receive(url: str, file: BinaryIO, transfer: Transfer) -> None:
    """Write the content at an address of http or https to a file.

    Raises
    ------
    DataError, requests.RequestException, OSError
        It cannot be had, or is not within the limits (GivenUpError).
    """
    import requests
    import urllib3

    transfer.begin()
    try:
        with requests.get(url, stream=True, timeout=TIMEOUT, headers={"Accept-Encoding": "identity"}) as answer:
            answer.raise_for_status()
            headers = answer.headers

            def read(size: int) -> bytes:
                return bytes(answer.raw.read(size, decode_content=False))

            for piece in transfer.pieces(read, headers.get("Content-Length"), headers.get("Content-Encoding")):
                file.write(piece)
    except urllib3.exceptions.ReadTimeoutError as error:
        raise requests.ReadTimeout(str(error)) from error
    except urllib3.exceptions.HTTPError as error:  # the answer ended before its length
        raise DataError(_CUT_SHORT) from error


class _Answers(urllib.request.BaseHandler):
    """Makes the answers to requests of urllib pass through a transfer; without one, all requests are refused."""

    handler_order = 100  # before redirects and errors are followed, which read the answer to its end

    def __init__(self, transfer: Transfer | None) -> None:
        self._transfer = transfer

    def http_request(self, request: urllib.request.Request) -> urllib.request.Request:
        if self._transfer is None:
            raise URLError("not in the cache")
        self._transfer.begin()
        return request

    def http_response(self, request: urllib.request.Request, response: Any) -> Any:
        assert self._transfer is not None
        headers = response.info()
        pieces = self._transfer.pieces(response.read, headers["Content-Length"], headers["Content-Encoding"])
        for name in ("Content-Length", "Content-Encoding"):
            del headers[name]
        answer = addinfourl(_content(pieces, response), headers, response.geturl(), response.status)
        answer.msg = response.reason  # type: ignore[attr-defined]  # what follows redirects reads it
        return answer

    https_request, https_response = http_request, http_response

    def ftp_open(self, request: urllib.request.Request) -> Any:
        raise URLError("only http and https are followed")


class _Pieces(io.RawIOBase):
    """Pieces of bytes as a file; the answer that they come from is closed with it."""

    def __init__(self, pieces: Iterator[bytes], answer: Any) -> None:
        self._pieces, self._rest, self._answer = pieces, b"", answer

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._rest:
            try:
                self._rest = next(self._pieces)
            except StopIteration:
                return 0
        size = min(len(buffer), len(self._rest))
        buffer[:size], self._rest = self._rest[:size], self._rest[size:]
        return size

    def close(self) -> None:
        self._answer.close()
        super().close()


def _content(pieces: Iterator[bytes], answer: Any) -> IO[bytes]:
    return io.BufferedReader(_Pieces(pieces, answer))


@contextmanager
def through(transfer: Transfer | None) -> Iterator[None]:
    """Make all requests of urllib in this process pass through a transfer; None: refuse them all with URLError."""
    urllib.request.install_opener(urllib.request.build_opener(_Answers(transfer)))
    try:
        yield
    finally:
        urllib.request.install_opener(urllib.request.build_opener())
