"""Read files of options (data sets, experiments, ...), which may come from somebody else: they have settings only."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from ...support.errors import SettingsError
from ...support.settings_file import read_yaml
from ...support.text import quoted

File = tuple[Path, int, int]
"""A file, its time and its size: it is read again when they have changed."""
LONGEST_TEXT: Final = 20_000
"""Most characters of a text in a file of options: an experiment's are parsed as words of the command line."""
_NAME: Final = re.compile(r"[A-Za-z0-9_.-][A-Za-z0-9_.+-]*")
_RESERVED: Final = re.compile(r"_\w+_|defaults|hydra(\..*)?")
"""Names to which Hydra gives a meaning."""
_REFERENCE: Final = re.compile(r"\$\{(?!\.*hydra\b)[\w.]+\}")
"""Stands for another setting."""


def state(path: Path) -> File:
    """Return a file as it is now."""
    now = path.stat()
    return path, now.st_mtime_ns, now.st_size


def read_options(path: Path) -> dict[str, Any]:
    """Return the settings of a file: data, of which nothing is executed.

    Raises
    ------
    SettingsError
        It cannot be read (`read_yaml`), does not have lines ``NAME: VALUE``, or has more than settings: names to which
        Hydra gives a meaning, at any depth, or resolvers (``${oc.env:HOME}``). The message names the file.
    """
    content = read_yaml(path)
    if not isinstance(content, dict):
        raise SettingsError(f"{path}: it must have lines NAME: VALUE, as algo: sbp")
    for name, value in _parts(content):
        if name is not None and (not _NAME.fullmatch(name) or any(map(_RESERVED.fullmatch, (name, *name.split("."))))):
            raise SettingsError(f"{path}: a file of options has settings only, and {quoted(name)!r} is none of them")
        if isinstance(value, str) and "${" in _REFERENCE.sub("", value):
            raise SettingsError(
                f"{path}: {quoted(value)!r} is not allowed: ${{...}} in a file of options may name another setting, as "
                "${problem.C}"
            )
        if isinstance(value, str) and len(value) > LONGEST_TEXT:
            raise SettingsError(f"{path}: a text has {len(value):,} characters; at most {LONGEST_TEXT:,} are allowed")
    return content


def _parts(value: Any) -> Iterator[tuple[str | None, Any]]:
    """Yield each name with its value, and each value of a list, at any depth."""
    pairs = value.items() if isinstance(value, dict) else ((None, item) for item in value)
    for name, item in pairs:
        yield None if name is None else str(name), item
        if isinstance(item, dict | list):
            yield from _parts(item)
