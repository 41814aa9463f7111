"""Checks of a user's choices: a file of options, a word of a list, a folder, memory, a picture's style, an engine."""

from __future__ import annotations

import importlib.util
import itertools
import math
import os
import re
import shutil
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ...support.errors import LARGEST_INTEGER, SettingsError
from ...support.paths import expanded, named_by
from ...support.text import made_by_make, quoted
from ..processes.streams import mpi_process
from ..provenance import PROJECT_ROOT

CONF: Final = PROJECT_ROOT / "conf"
CONFIG_DIR: Final = "SVM_CONFIG_DIR"
"""Environment variable with the user's folders of options, separated as in ``PATH``; ``--config-dir`` adds to it."""
CONFIG_OPTIONS: Final = ("--config-dir", "-cd")
EXPERIMENT: Final = "experiment"
GROUPS: Final = ("dataset", "budget", "store")
"""Groups whose options are files of settings (`configuration.options`), in ``conf/`` or in the user's folders."""
LONGEST_NAME, LONGEST_PATH = 255, 4095
"""Bytes of a file's name and of a path that Linux allows."""
_UNITS = {"": 1, "B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12} | {
    f"{prefix}iB": 1024**power for power, prefix in enumerate("KMGT", start=1)
}

STYLE_SETTINGS: Final = ("style", "width", "format")
STYLES: Final = ("screen", "paper")
FORMATS: Final = ("pdf", "svg", "png", "pgf")
LATEX: Final = ("xelatex", "lualatex", "pdflatex")

ENGINES: Final = ("local", "mpi")
NO_SWEEPS = "processes that mpirun has started make one run: leave out -m, or say ranks=2 to have them started for each"
MPI = "engine=mpi"
MAX_RANKS = 4096
"""Processes that one command starts at most, all on this machine."""
CHECKPOINT_SECONDS = 600.0
"""Between two checkpoints with engine=mpi: a machine of a large job fails now and then."""


class EngineMissingError(SettingsError):
    """The engine is not installed."""


@dataclass(frozen=True)
class PaperStyle:
    """A picture for a paper: its width in inches, and some of `FORMATS`."""

    width: float = 6.75  # of a paper with two columns
    formats: tuple[str, ...] = ("pdf", "png")


def user_folders() -> list[Path]:
    """Return the folders of `CONFIG_DIR`."""
    return named_by(CONFIG_DIR)


def add_config_folders(arguments: Sequence[str]) -> None:
    """Add the folders that ``--config-dir`` names to those of the environment: jobs of sweeps find options there, too.

    Raises
    ------
    SettingsError
        There is no such folder.
    """
    named = [after for flag, after in itertools.pairwise([*arguments, ""]) if flag in CONFIG_OPTIONS]
    named += [word.partition("=")[2] for word in arguments if word.partition("=")[0] in CONFIG_OPTIONS and "=" in word]
    for name in named:
        if not name or os.pathsep in name or not Path(name).is_dir():
            raise SettingsError(f"--config-dir {quoted(name)}: there is no such folder, or its path has a {os.pathsep}")
    folders = [*(str(Path(name).absolute()) for name in named), *map(str, user_folders())]
    if folders:
        os.environ[CONFIG_DIR] = os.pathsep.join(dict.fromkeys(folders))


def missing_folders() -> list[Path]:
    """Return those of `user_folders` that are not there."""
    return [folder for folder in user_folders() if not folder.is_dir()]


def option_files(group: str) -> dict[str, Path]:
    """Return the files of a group by the options' names: those of `user_folders`, then those of ``conf/``."""
    of_user = user_folders() if group in (*GROUPS, EXPERIMENT) or group.startswith("preset/") else []
    return {
        path.stem: path for folder in (CONF, *reversed(of_user)) for path in sorted((folder / group).glob("*.yaml"))
    }


def check_choice(name: str, value: str, allowed: Collection[str], also: str = "") -> None:
    """Raise SettingsError for a word that is not allowed; `also` names further allowed values, for the message."""
    if value not in allowed:
        raise SettingsError(f"{name} must be one of {', '.join(filter(None, [*allowed, also]))}; got {value!r}")


def switch(name: str, value: bool | str, automatic: bool) -> bool:
    """Return whether something is on: `automatic` for ``auto``."""
    if isinstance(value, str):
        check_choice(name, value, ("auto",), also="true, false")
        return automatic
    return value


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
    path = expanded(text, name)
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
    path = expanded(text, "model")
    if path.suffix != ".npz":
        raise SettingsError(f"model must be the path of a file that ends in .npz, got {shown(text)}")
    if not path.parent.is_dir() or not os.access(path.parent, os.W_OK) or path.is_dir():
        raise SettingsError(f"model = {shown(text)}: its folder must exist, and a file can be written there")
    return path


def parse_memory(value: int | str) -> int:
    """Return the bytes of ``12GiB``, ``800 MB``, ``1e9`` or ``auto`` (75 % of the machine's or the container's)."""
    from ...datasets.types import machine_memory

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


def check_environment() -> None:
    """Check the environment of a command that makes runs or downloads, before the command does anything.

    Raises
    ------
    SettingsError, DataError
        The user has no home folder, as in some containers: mlflow imports only with one. ``SVM_DATA_MIRROR`` or
        ``SVM_DOWNLOAD_LIMIT`` has a wrong value.
    """
    from ...datasets.fetch import places_from_environment

    places_from_environment()
    try:
        Path.home()
    except RuntimeError as error:
        raise SettingsError("this user has no home folder: set HOME to a folder that can be written") from error


def style_of(settings: Mapping[str, str | None]) -> PaperStyle | None:
    """Return the style of `STYLE_SETTINGS`, of which None means not given; None without ``style=paper``."""
    given = {name: value for name in STYLE_SETTINGS if (value := settings.get(name)) is not None}
    style = given.get("style", "screen")
    check_choice("style", style, STYLES)
    extra = [name for name in given if name != "style"]
    if style == "screen":
        if extra:
            whose = "has it" if len(extra) == 1 else "has them"
            listed = " and ".join(f"{name}=" for name in extra)
            raise SettingsError(f"{listed}: only a picture for a paper {whose}: add style=paper")
        return None
    formats = tuple(dict.fromkeys(given["format"].split(","))) if "format" in given else PaperStyle.formats
    for name in formats:
        check_choice("format", name, FORMATS)
    if "pgf" in formats and latex() is None:
        raise SettingsError("format=pgf needs LaTeX, which measures the text: install xelatex, lualatex or pdflatex")
    text = given.get("width", str(PaperStyle.width))
    try:
        width = float(text)
    except ValueError:
        width = math.nan
    if not 1 <= width <= 40:
        raise SettingsError(f"width must be a number of inches from 1 to 40, got {text!r}")
    return PaperStyle(width, formats)


def latex() -> str | None:
    """Return the LaTeX program that measures the text of a pgf file; None if none is installed."""
    return next((name for name in LATEX if shutil.which(name)), None)


def check_engine(name: str, solver: Any) -> None:
    """Check that an engine can run a solver's class."""
    check_choice("engine", name, ENGINES)
    if name == "local":
        if (started := mpi_process().ranks) > 1:
            raise SettingsError(
                f"mpirun has started {started} processes, each of which would do all of it: add engine=mpi"
            )
        return
    if not solver.shardable:
        from ... import solvers  # imports the core, which a figure from evidence does not need

        sharded = " and ".join(f"algo={name}" for name in solvers.names() if solvers.get(name).shardable)
        raise SettingsError(f"algo={solver.name} has no shards: engine=mpi works with {sharded}")
    if importlib.util.find_spec("mpi4py") is None:
        raise EngineMissingError(f"{MPI} needs mpi4py, which is not installed: {install_command('mpi')}")


def choose_ranks(value: int | str, engine: str, jobs: int | None) -> int | None:
    """Return the number of processes to start for a run; None: start none. `jobs` is None without a sweep."""
    if isinstance(value, str):
        check_choice("ranks", value, ("auto",), also="a number of processes")
        if engine == "mpi" and jobs is not None:
            raise SettingsError(NO_SWEEPS)
        return None
    if not 1 <= value <= MAX_RANKS:
        raise SettingsError(f"ranks must be auto or a whole number from 1 to {MAX_RANKS}, got {value:g}")
    if engine != "mpi":
        raise SettingsError(f"ranks={value} is for engine=mpi")
    if (started := mpi_process().ranks) > 1:
        raise SettingsError(f"mpirun has started {started} processes: leave out ranks={value}")
    mpirun()
    return value


def mpirun() -> str:
    """Return the path of ``mpirun``: beside this Python, else the first in PATH, else EngineMissingError."""
    beside = Path(sys.executable).with_name("mpirun")
    path = str(beside) if beside.exists() else shutil.which("mpirun")
    if path is None:
        raise EngineMissingError(f"there is no mpirun to start ranks with: {install_command('mpi')} brings one")
    return path


def choose_checkpoint_seconds(value: float | str | None, engine: str) -> float | None:
    """Return the wall seconds between two checkpoints; infinite: one only at SIGTERM; None: no checkpoints."""
    if isinstance(value, str):
        check_choice("checkpoint_seconds", value, ("auto",), also="null, a number > 0")
        return CHECKPOINT_SECONDS if engine == "mpi" else math.inf
    if value is None:
        return None
    if not (math.isfinite(value) and value > 0):
        raise SettingsError(f"checkpoint_seconds must be auto, null or a number > 0, got {value:g}")
    return float(value)
