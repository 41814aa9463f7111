"""Check a launcher: its extra is installed, its cluster answers, Slurm takes jobs; else SettingsError."""

from __future__ import annotations

import importlib.util
import logging
import re
import shutil
import socket

from ...support.errors import SettingsError
from ...support.text import LONGEST_MESSAGE, quoted
from ..configuration.choices import install_command
from ..processes.streams import CONNECT_SECONDS, print_error

LOCAL, RAY, SLURM = "local", "ray", "submitit_slurm"
_EXTRAS = {RAY: "ray", SLURM: "slurm", "submitit_local": "slurm"}
"""Launchers that an extra brings; the others are always there."""
_PACKAGES = {"ray": "ray", "slurm": "hydra_plugins.hydra_submitit_launcher"}


def check_launcher(name: str, written: str) -> None:
    """Check that a launcher of ``hydra/launcher=`` can be used here; `written` is the word on the command line."""
    extra = _EXTRAS.get(name)
    if extra is not None and not _installed(_PACKAGES[extra]):
        raise SettingsError(f"{written} is not installed: {install_command(extra)}")
    if extra == "slurm":
        _quiet_submitit()
    if name == SLURM and shutil.which("sbatch") is None:
        raise SettingsError(f"{written}: there is no sbatch here: start the sweep where Slurm takes jobs")


def check_address(address: str) -> None:
    """Check that something answers at the address of a cluster; Ray itself would wait for it for minutes."""
    if address == "auto":  # Ray's word for the cluster that this machine is part of
        return
    host, _, port = address.rpartition(":")
    if not host or "/" in host or not port.isdecimal() or not 0 < int(port) < 2**16:
        raise SettingsError(f"the address of a Ray cluster is HOST:PORT or auto, got {address!r}")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=CONNECT_SECONDS).close()
    except TimeoutError:
        raise SettingsError(f"the Ray cluster {address} does not answer within {CONNECT_SECONDS:g} seconds") from None
    except OSError as error:
        raise SettingsError(f"the Ray cluster {address} does not answer: {error.strerror or error}") from error


def refusal(error: Exception) -> str:
    """Return one line on what a launcher of another library has raised: of ``sbatch``, the lines on its errors."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()] or [type(error).__name__]
    errors = [line for line in lines if "error" in line.lower()]
    return quoted("; ".join(errors or lines[-1:]), LONGEST_MESSAGE)


class _Once(logging.Filter):
    """Writes a warning of submitit once: it has one at each question to Slurm, and writes it to both streams."""

    def __init__(self) -> None:
        super().__init__()
        self._said: set[str] = set()

    def filter(self, record: logging.LogRecord) -> bool:
        """Write what is new; submitit's own handlers get nothing."""
        text = record.getMessage()
        kind = re.sub(r"\d+", "", text)  # the number of the call
        if record.levelno >= logging.WARNING and kind not in self._said:
            self._said.add(kind)
            print_error(f"submitit: {quoted(' '.join(text.split()))}")
        return False


def _quiet_submitit() -> None:
    logger = logging.getLogger("submitit")
    if not any(isinstance(present, _Once) for present in logger.filters):
        logger.addFilter(_Once())


def _installed(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:  # the package that it would be in
        return False
