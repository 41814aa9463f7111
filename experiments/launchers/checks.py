"""Check a launcher: its extra is installed, its cluster answers, Slurm takes jobs; else SettingsError."""

from __future__ import annotations

import importlib.util
import shutil
import socket

from svm_cost_curves.experiments.configuration.choices import install_command
from svm_cost_curves.support.errors import SettingsError

LOCAL, RAY, SLURM = "local", "ray", "submitit_slurm"
_EXTRAS = {RAY: "ray", SLURM: "slurm", "submitit_local": "slurm"}
"""Launchers that an extra brings; the others are always there."""
_PACKAGES = {"ray": "ray", "slurm": "hydra_plugins.hydra_submitit_launcher"}
ANSWER_SECONDS = 3.0


def check_launcher(name: str, written: str) -> None:
    """Check that a launcher of ``hydra/launcher=`` can be used here; `written` is the word on the command line."""
    extra = _EXTRAS.get(name)
    if extra is not None and not _installed(_PACKAGES[extra]):
        raise SettingsError(f"{written} is not installed: {install_command(extra)}")
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
        socket.create_connection((host.strip("[]"), int(port)), timeout=ANSWER_SECONDS).close()
    except TimeoutError:
        raise SettingsError(f"the Ray cluster {address} does not answer within {ANSWER_SECONDS:g} seconds") from None
    except OSError as error:
        raise SettingsError(f"the Ray cluster {address} does not answer: {error.strerror or error}") from error


def _installed(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:  # the package that it would be in
        return False
