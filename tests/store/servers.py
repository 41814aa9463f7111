"""Local servers: mlflow with sqlite or PostgreSQL, a relay that can be cut, a server with fixed answers."""

from __future__ import annotations

import contextlib
import http.server
import importlib.util
import os
import pwd
import shutil
import signal
import socket
import socketserver
import subprocess
import sys
import tempfile
import threading
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from waiting import PATIENCE, wait_until

from svm_cost_curves.experiments.store import address as client

WATCH = """
import os, signal, subprocess, sys, threading
child = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL)
threading.Thread(target=lambda: (child.wait(), os._exit(1)), daemon=True).start()
sys.stdin.read()
os.killpg(0, signal.SIGKILL)
"""
"""Starts a program, and ends it and its children when its own input ends: when the tests are over, or were killed."""


_held: list[socket.socket] = []


def free_port() -> int:
    """A port at which nothing listens, and which no other program is given until this process ends.

    It stays bound here. On Linux a server that reuses addresses, as all here do, may listen at it all the same;
    elsewhere it is given up at once.
    """
    holder = socket.socket()
    holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    holder.bind(("127.0.0.1", 0))
    port = int(holder.getsockname()[1])
    if sys.platform == "linux":
        _held.append(holder)
    else:
        holder.close()
    return port


@contextlib.contextmanager
def running(words: list[str], log: Path, **environment: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process that is gone afterwards, and its children with it, even if the tests are killed."""
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-c", WATCH, *words],
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=os.environ | environment,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@contextlib.contextmanager
def mlflow_server(folder: Path, backend: str) -> Iterator[str]:
    """Address of an mlflow server that keeps its files in `folder`; the commands are those of docs/server.md."""
    port = free_port()
    words = [sys.executable, "-m", "mlflow", "server", "--host", "127.0.0.1", "--port", str(port), "--workers", "1"]
    words += ["--artifacts-destination", str(folder / "artifacts")]
    log = folder / "server.log"
    quiet = {"MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false", "MLFLOW_DISABLE_TELEMETRY": "true"}
    with running(words, log, **quiet, MLFLOW_BACKEND_STORE_URI=backend) as process:
        try:
            wait_until(lambda: _answers(f"http://127.0.0.1:{port}/health"), process)
        except TimeoutError as error:
            pytest.fail(f"the mlflow server does not answer, {error}: {log.read_text(errors='replace')[-2000:]}")
        with pytest.MonkeyPatch.context() as patient:
            for name in ("CONNECT_SECONDS", "HEALTH_SECONDS"):
                patient.setattr(client, name, PATIENCE)  # of the program: a busy machine answers late
            yield f"http://127.0.0.1:{port}"


def _answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=2) as response:
            return bool(response.status == 200)
    except OSError:
        return False


@contextlib.contextmanager
def best_database(folder: Path) -> Iterator[str]:
    """Address of an empty database: of PostgreSQL where it is installed and may run, else of sqlite."""
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    initdb = shutil.which("initdb") or (str(programs[-1]) if programs else None)
    somebody = _unprivileged()
    if initdb is None or somebody is None or importlib.util.find_spec("psycopg") is None:
        yield f"sqlite:///{folder / 'mlflow.db'}"
        return
    programs_folder = Path(initdb).resolve().parent
    drop, owner = somebody
    folder = Path(tempfile.mkdtemp(prefix="svm-postgres-"))  # pytest's folders are closed to other users
    try:
        os.chown(folder, *owner)
        data, port = folder / "data", free_port()
        make = [*drop, str(programs_folder / "initdb"), "-D", str(data), "-A", "trust", "-U", "svm", "--no-sync"]
        make += ["--encoding=UTF8", "--no-locale"]  # else those of the user: with LC_ALL=POSIX no text can be read
        subprocess.run(make, check=True, capture_output=True, cwd=folder)
        words = [*drop, str(programs_folder / "postgres"), "-D", str(data), "-p", str(port), "-k", str(folder)]
        with running([*words, "-c", "listen_addresses=127.0.0.1", "-c", "fsync=off"], folder / "log") as server:
            wait_until(lambda: _listens(port), server)
            yield f"postgresql://svm@127.0.0.1:{port}/postgres"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _unprivileged() -> tuple[list[str], tuple[int, int]] | None:
    """Words before a command that run it without root's rights, which PostgreSQL wants, and the user; None: no way."""
    if os.geteuid() != 0:
        return [], (os.geteuid(), os.getegid())
    try:
        user = pwd.getpwnam("postgres")
    except KeyError:
        return None
    if shutil.which("setpriv") is None:
        return None
    ids = [f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}"]
    return ["setpriv", *ids, "--clear-groups"], (user.pw_uid, user.pw_gid)


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


class Relay:
    """A way to a server that can be cut, and opened again at the same address."""

    def __init__(self, target: str) -> None:
        self._port = free_port()
        self._target = int(target.rpartition(":")[2])
        self._open: list[socket.socket] = []
        self._relay: socketserver.ThreadingTCPServer | None = None
        self.address = f"http://127.0.0.1:{self._port}"
        self.open()

    def open(self) -> None:
        relay = self

        class Handler(socketserver.BaseRequestHandler):
            def handle(self) -> None:
                with socket.create_connection(("127.0.0.1", relay._target)) as other:
                    back = threading.Thread(target=_copy, args=(other, self.request), daemon=True)
                    back.start()
                    _copy(self.request, other)
                    back.join()

        class RelayServer(socketserver.ThreadingTCPServer):
            allow_reuse_address = True
            daemon_threads = True
            block_on_close = False

            def get_request(self) -> tuple[socket.socket, Any]:
                connection, address = super().get_request()
                relay._open.append(connection)  # here and not in the handler's thread, which `cut` may overtake
                return connection, address

        self._relay = RelayServer(("127.0.0.1", self._port), Handler)
        threading.Thread(target=self._relay.serve_forever, args=(0.05,), daemon=True).start()

    def cut(self) -> None:
        if self._relay is not None:
            self._relay.shutdown()
            self._relay.server_close()
            self._relay = None
        for connection in self._open:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        self._open.clear()


def _copy(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while content := source.recv(1 << 16):
            target.sendall(content)
    for end in (source, target):
        with contextlib.suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)


@contextlib.contextmanager
def answering(status: int, content: bytes, kind: str = "application/json") -> Iterator[str]:
    """Address of a server that gives the same answer to every question."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_POST = do_GET  # noqa: N815

        def log_message(self, *_: Any) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


@contextlib.contextmanager
def sending(answer: Callable[[str], Iterator[bytes]]) -> Iterator[str]:
    """Address of a server that sends, for the path of a request, whatever bytes `answer` yields; then it hangs up."""

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            with contextlib.suppress(OSError, IndexError):
                path = self.rfile.readline().split()[1].decode()
                length = 0
                while (line := self.rfile.readline()).strip():
                    if line.lower().startswith(b"content-length:"):
                        length = int(line.split(b":")[1])
                self.rfile.read(length)
                for content in answer(path):
                    self.wfile.write(content)

    class Server(socketserver.ThreadingTCPServer):
        allow_reuse_address = True
        daemon_threads = True
        block_on_close = False

    with Server(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
