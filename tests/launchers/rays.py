"""Ray clusters on the loopback that leave no process behind, however a test ends."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from servers import free_port
from waiting import PATIENCE

RAY = Path(sys.executable).with_name("ray")


class Nodes:
    """Two nodes of a cluster: their address, and the environment of the command that uses them."""

    def __init__(self, folder: Path) -> None:
        self.address = f"127.0.0.1:{free_port()}"
        token = folder / "token"
        token.write_text("a token of the tests" * 2)
        self.environment = {
            "RAY_AUTH_MODE": "token",
            "RAY_AUTH_TOKEN_PATH": str(token),
            "RAY_USAGE_STATS_ENABLED": "0",
            "RAY_ADDRESS": self.address,
        }
        self._temporary = folder

    def start(self, cores: int, *, head: bool = False) -> psutil.Process:
        """Start a node and return its raylet, which ends with the node and its workers."""
        before = {process.pid for process in raylets()}
        where = ["--head", f"--port={self.address.rpartition(':')[2]}", "--include-dashboard=false"]
        words = [*where, f"--temp-dir={self._temporary}"] if head else [f"--address={self.address}"]
        words += ["--node-ip-address=127.0.0.1", f"--num-cpus={cores}", f"--object-store-memory={10**8}"]
        done = subprocess.run(
            [RAY, "start", *words],
            env=os.environ | {name: value for name, value in self.environment.items() if name != "RAY_ADDRESS"},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        (raylet,) = [process for process in raylets() if process.pid not in before]
        return raylet


def raylets() -> list[psutil.Process]:
    """Ray's own process of each node on this machine."""
    return [process for process in psutil.process_iter(["name"]) if process.info["name"] == "raylet"]


@contextlib.contextmanager
def cluster() -> Iterator[Nodes]:
    """Nodes that are gone afterwards: those processes that name their folder or their address."""
    pytest.importorskip("ray", reason="Ray is not installed: make extras")
    folder = Path(tempfile.mkdtemp(prefix="svm-ray-", dir="/tmp"))  # paths of sockets are short
    nodes = Nodes(folder)
    try:
        yield nodes
    finally:
        for process in psutil.process_iter(["cmdline"]):
            words = " ".join(process.info["cmdline"] or [])
            if process.pid != os.getpid() and (str(folder) in words or nodes.address in words):
                with contextlib.suppress(psutil.Error):
                    for child in process.children(recursive=True):
                        child.kill()
                    process.kill()
        shutil.rmtree(folder, ignore_errors=True)
