"""Read a file of settings in YAML, which may come from somebody else: plain values only, of bounded size, no code."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

import yaml  # type: ignore[import-untyped]

from .errors import SettingsError
from .files import open_plain

MOST_BYTES: Final = 2**20
MOST_VALUES: Final = 20_000
"""Values, names, lists and groups of a file, each alias (``*name``) counted with all that it stands for."""
DEEPEST: Final = 50
"""Lists and groups within one another."""
_FAST: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times as fast where PyYAML has it
_EXPONENT: Final = re.compile(r"^[-+]?(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9][0-9_]*)[eE][-+]?[0-9]+$")
_TIMESTAMP: Final = "tag:yaml.org,2002:timestamp"


def read_yaml(path: Path) -> Any:
    """Return the content of a YAML file: nested dictionaries and lists of texts, numbers, booleans and None.

    ``1e-3`` is a number, as on the command line, and a date is a text.

    Raises
    ------
    SettingsError
        The file cannot be read; it is not UTF-8 or not YAML; it has tags (``!name``), a name twice, or aliases that
        contain themselves; it is larger than `MOST_BYTES`, `MOST_VALUES` or `DEEPEST`. The message names the file.
    """
    try:
        if not path.is_file():  # a pipe would be waited for
            raise SettingsError(f"{path}: {'it is not a file' if path.exists() else 'there is no such file'}")
        with open_plain(path) as file:
            content = file.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise SettingsError(f"{path}: a file of settings has at most {MOST_BYTES // 2**20} MiB")
        text = content.decode("utf-8-sig")
        _check_events(text)
        return yaml.load(text, _Loader)
    except SettingsError:
        raise
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise SettingsError(f"{path}: it is not text in UTF-8 (byte {error.start + 1})") from error
    except _NotPlainError as error:
        raise SettingsError(f"{path}, line {error.line}: {error}") from error
    except yaml.MarkedYAMLError as error:
        line = f", line {error.problem_mark.line + 1}" if error.problem_mark else ""
        problem = " ".join(filter(None, (error.context, error.problem)))
        raise SettingsError(f"{path}{line}: it is not YAML: {problem}") from error
    except Exception as error:  # of the parser: a character, or a number that Python does not read
        raise SettingsError(f"{path}: it is not YAML: {' '.join(str(error).split())}") from error


class _NotPlainError(Exception):
    """What a file of settings may not have, and the line on which it is."""

    def __init__(self, message: str, mark: Any) -> None:
        super().__init__(message)
        self.line = mark.line + 1


class _Loader(_FAST):  # type: ignore[misc]
    """Makes plain values; a name that occurs twice in a group is refused."""

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:
        names = set()
        for key, _ in node.value:
            name = (key.tag, key.value) if isinstance(key, yaml.ScalarNode) else None
            if name is None:
                raise _NotPlainError("a name must be a text", key.start_mark)
            if name in names:
                raise _NotPlainError(f"{key.value} occurs twice", key.start_mark)
            names.add(name)
        return super().construct_mapping(node, deep=deep)


# OmegaConf reads files by the same rules
_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != _TIMESTAMP]
    for first, resolvers in _FAST.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver("tag:yaml.org,2002:float", _EXPONENT, [*"-+0123456789."])


def _check_events(text: str) -> None:
    """Refuse tags, recursion, depth and size, in time proportional to the text: nothing is built yet."""
    sizes: dict[str, int] = {}  # of what an anchor names, once it has ended
    open_: list[tuple[str | None, int]] = []  # the lists and groups around: anchor, size so far
    size = 0
    for event in yaml.parse(text, _FAST):
        if getattr(event, "tag", None) not in (None, "!"):
            raise _NotPlainError("tags (!name) are not allowed: write a plain value", event.start_mark)
        match event:
            case yaml.AliasEvent():
                if event.anchor not in sizes:
                    why = "contains itself" if any(event.anchor == name for name, _ in open_) else "is not defined"
                    raise _NotPlainError(f"*{event.anchor} {why}", event.start_mark)
                size += sizes[event.anchor]
            case yaml.ScalarEvent():
                size += 1
                if "\0" in event.value:
                    raise _NotPlainError("the character \\0 is not allowed", event.start_mark)
                if event.anchor is not None:
                    sizes[event.anchor] = 1
            case yaml.CollectionStartEvent():
                if event.anchor is not None:
                    sizes.pop(event.anchor, None)
                open_.append((event.anchor, size))
                size = 1
                if len(open_) > DEEPEST:
                    raise _NotPlainError(f"more than {DEEPEST} lists or groups within one another", event.start_mark)
            case yaml.CollectionEndEvent():
                anchor, before = open_.pop()
                if anchor is not None:
                    sizes[anchor] = size
                size += before
        if size > MOST_VALUES:
            raise _NotPlainError(f"more than {MOST_VALUES:,} values", event.start_mark)
