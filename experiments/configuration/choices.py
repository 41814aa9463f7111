"""What a user chooses: a named file of options, one of a few words, the path of a folder, an amount of memory."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Collection
from pathlib import Path
from typing import Final

from svm_cost_curves.experiments.provenance import PROJECT_ROOT
from svm_cost_curves.support.errors import LARGEST_INTEGER, SettingsError
from svm_cost_curves.support.text import made_by_make

CONF: Final = PROJECT_ROOT / "conf"
CONFIG_DIR: Final = "SVM_CONFIG_DIR"
"""Environment variable with the user's folders of options, separated as in ``PATH``; ``--config-dir`` sets it."""
LONGEST_NAME, LONGEST_PATH = 255, 4095
"""Bytes of a file's name and of a path that Linux allows."""
_UNITS = {"": 1, "B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12} | {
    f"{prefix}iB": 1024**power for power, prefix in enumerate("KMGT", start=1)
}


def option_files(group: str) -> dict[str, Path]:
    """Return the files of a group by the options' names: those of `CONFIG_DIR`, then those of ``conf/``."""
    folders = [*map(Path, filter(None, os.environ.get(CONFIG_DIR, "").split(os.pathsep))), CONF]
    return {path.stem: path for folder in reversed(folders) for path in sorted((folder / group).glob("*.yaml"))}


def check_choice(name: str, value: str, allowed: Collection[str], also: str = "") -> None:
    """Raise SettingsError for a word that is not allowed; `also` names further allowed values, for the message."""
    if value not in allowed:
        raise SettingsError(f"{name} must be one of {', '.join(filter(None, [*allowed, also]))}; got {value!r}")


def folder(name: str, text: str) -> Path:
    """Return the path of a folder that a setting names; refuse text that is not a path.

    An address is not repeated: it could contain a password.
    """
    if not text:
        raise SettingsError(f"{name} is empty: it must be the path of a folder")
    if scheme := re.match(r"\s*([A-Za-z][A-Za-z0-9+.-]*):/", text):
        server = "; a server is named by store=server store.uri=http://HOST:5000" if "store" in name else ""
        raise SettingsError(
            f"{name} must be the path of a folder, got an address that begins with {scheme[1]}:{server}"
        )
    path = Path(text)
    longest = max(len(part.encode(errors="replace")) for part in path.parts or [""])
    if len(text.encode(errors="replace")) > LONGEST_PATH or longest > LONGEST_NAME:
        raise SettingsError(
            f"{name} is too long for a path ({len(text)} characters): at most {LONGEST_PATH} bytes, {LONGEST_NAME} "
            "between two slashes"
        )
    return path


def check_model(text: str | None) -> Path | None:
    """Return the path of the file for a run's predictor; refuse one that could not be written when the run ends."""
    if text is None:
        return None
    path = Path(text)
    if path.suffix != ".npz":
        raise SettingsError(f"model must be the path of a file that ends in .npz, got {shown(text)}")
    if not path.parent.is_dir() or not os.access(path.parent, os.W_OK) or path.is_dir():
        raise SettingsError(f"model = {shown(text)}: its folder must exist, and a file can be written there")
    return path


def parse_memory(value: int | str) -> int:
    """Return the bytes of ``12GiB``, ``800 MB``, ``1e9`` or ``auto`` (75 % of the machine's or the container's)."""
    from svm_cost_curves.datasets.memory import machine_memory

    text = str(value).strip()
    if text.lower() == "auto":
        return int(0.75 * machine_memory())
    match = re.fullmatch(r"(\d+(?:\.\d*)?(?:[eE][+]?\d+)?)\s*([A-Za-z]*)", text, re.ASCII)
    units = {unit.lower(): factor for unit, factor in _UNITS.items()}
    size = float(match[1]) * units.get(match[2].lower(), math.nan) if match else math.nan
    if not 0 < size <= LARGEST_INTEGER:
        raise SettingsError(
            f"memory must be auto, or a positive number and one of the units {', '.join(filter(None, _UNITS))}"
            f" (as in 12GiB), less than 2^63 bytes; got {shown(value)}"
        )
    return int(size)


def shown(value: int | str) -> str:
    """Return a value for a message, cut if it is long."""
    text = repr(value) if isinstance(value, str) or value.bit_length() < 512 else hex(value)
    return text if len(text) < 100 else f"{text[:80]}..."


def install_command(extra: str) -> str:
    """Return the command that installs an extra of ``pyproject.toml`` where this program runs.

    The environment of ``make`` has no pip: there it is ``make extras``, which installs all extras, pinned.
    """
    return "make extras" if made_by_make() else f"pip install '.[{extra}]'"


def check_home() -> None:
    """Raise SettingsError for a user without a home folder, as in some containers: mlflow imports only with one."""
    try:
        Path.home()
    except RuntimeError as error:
        raise SettingsError("this user has no home folder: set HOME to a folder that can be written") from error
