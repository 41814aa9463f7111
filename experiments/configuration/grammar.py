"""Words ``NAME=VALUE`` in Hydra's grammar, and the quotes that it needs around texts."""

from __future__ import annotations

import re
from functools import cache
from typing import Final, get_args

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override, Quote, QuotedString
from hydra.errors import HydraException

from ...solvers import SettingsError
from ...support.text import setting_name
from .explain import hint_of, unreadable

_OPENING: Final = tuple("'\"[{")
"""A value that begins with one of them follows Hydra's grammar."""
_MARKS: Final = ",[]{}():"
_PIECE: Final = re.compile(r"""'(?:\\'|[^'])*'|"(?:\\"|[^"])*"|[,\[\]{}():]|[^,\[\]{}():'"]+""")
IN_A_JOB: Final = re.compile(r"\$\\?\{\s*(hydra|now)\b")
"""Stands for something that only a job of a sweep knows, as ``${hydra:job.num}``, also with backslashes."""
_READ: Final = re.compile(r"[\w/\-\\+.$%*@?|\s]*", re.ASCII)
"""What Hydra's grammar reads without quotes."""


@cache  # 0.14 ms each time: the words of a run take as long as the rest, and a figure repeats them
def parsed(word: str) -> Override:
    """Return a word ``NAME=VALUE`` as Hydra's grammar understands it."""
    try:
        (override,) = OverridesParser.create().parse_overrides([word])
    except Exception as error:  # also a number of too many digits, and brackets that are nested too deep
        is_function = isinstance(error, HydraException)
        raise SettingsError(unreadable(word, str(error) if is_function else f"while evaluating '': {error}")) from error
    if not override.key_or_group:
        raise SettingsError(unreadable("", ""))
    return override


def parsed_or_none(word: str) -> Override | None:
    """Return a word ``NAME=VALUE`` as `parsed` does, or None if Hydra cannot read it."""
    try:
        return parsed(word)
    except SettingsError:
        return None


def is_sweep(word: str) -> bool:
    """Return whether a word has several values."""
    override = parsed_or_none(word)
    return override is not None and bool(override.is_sweep_override())


def as_text(text: str) -> str:
    """Return a text in quotes where Hydra's grammar would read it as something else, as the text ``3``."""
    override = parsed_or_none(f"x={text}")
    return text if override is not None and override.value() == text else in_quotes(text)


def with_quotes(word: str) -> str:
    """Return a word ``NAME=VALUE`` with quotes around what Hydra's grammar would not read as it is written.

    The value of a setting that is a text (a path, a name) is taken as it is: ``dä.svm``, ``a(1).svm``, ``1e3``; at
    commas it is several. A value in quotes or brackets, and one with a backslash, is Hydra's if Hydra can read it.
    Nothing is changed where quotes do not help.
    """
    name, _, value = word.partition("=")
    if not value or value.startswith(_OPENING[:2]):
        return word
    override, text = parsed_or_none(word), is_text(setting_name(word))
    if override is not None:
        same = override.is_sweep_override() or value.startswith(_OPENING) or str(override.value()) == value
        return word if same or not text or "\\" in value or value == "null" else f"{name}={in_quotes(value)}"
    if not text:
        changed = "".join(map(_readable, _PIECE.findall(value)))
    elif "," in value:
        changed = ",".join(with_quotes(f"{name}={part}").partition("=")[2] for part in value.split(","))
    else:
        changed = in_quotes(value)
    return word if parsed_or_none(f"{name}={changed}") is None else f"{name}={changed}"


def _readable(piece: str) -> str:
    """Return a piece of a value, with quotes if Hydra's grammar would not read it."""
    return piece if piece in _MARKS or piece[0] in "'\"" or _READ.fullmatch(piece) else in_quotes(piece.strip())


def in_quotes(text: str) -> str:
    """Return a text in the quotes of Hydra's grammar."""
    return str(QuotedString(text=text, quote=Quote.single).with_quotes())


def plain_value(word: str) -> str:
    """Return the value of a word ``NAME=VALUE`` for a table: without the quotes and backslashes of Hydra's grammar."""
    value = word.partition("=")[2]
    return str(parsed(word).value()) if value.startswith(("'", '"')) or "\\" in value else value


def is_text(setting: str) -> bool:
    """Return whether a setting is a text, as a path or a name is; also ``dataset``, for ``dataset=file:PATH``."""
    hint = hint_of(setting)
    return setting == "dataset" or {*(get_args(hint) or [hint])} - {type(None)} == {str}
