"""Values as JSON and as text: what result.json, mlflow's parameters and tags, and filters on them are made of."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from experiments.store.errors import StoreError

PARAM_LENGTH = 6000
TAG_LENGTH = 8000
"""Characters that mlflow keeps of a parameter's and of a tag's value."""


def plain(value: Any, where: str) -> Any:
    """JSON-able copy of a value; numbers that are not finite become None.

    Raises
    ------
    StoreError
        Something in it has no form in JSON; `where` begins the name of that place in the message.
    """
    if hasattr(value, "tolist"):  # numpy's scalars and arrays
        value = value.tolist()
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Mapping):
        return {str(name): plain(item, f"{where}.{name}") for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item, f"{where}[{index}]") for index, item in enumerate(value)]
    raise StoreError(f"{where} is a {type(value).__name__}, which result.json cannot hold")


def entries(values: Mapping[str, Any], length: int) -> dict[str, str]:
    """Flat mapping for mlflow: names joined with dots and made of the characters that it allows, texts.

    Parameters
    ----------
    values : mapping
        May be nested.
    length : int
        Characters that a text may have; longer ones are cut.
    """
    result: dict[str, str] = {}
    for path, value in _flatten(values):
        name = re.sub(r"[^A-Za-z0-9_.\- :]", "_", path)[:240]
        if not name.strip(".") or name.startswith(".."):
            name = f"_{name}"
        while name in result:  # two settings must not be taken for one because their names were made alike
            name += "_"
        text = _text(value)
        result[name] = text if len(text) <= length else text[: length - 3] + "..."
    return result


def allowed(value: Any) -> set[str]:
    """Texts under which a filter's value, or one of several, may be recorded: 10 also finds the setting 10.0."""
    if isinstance(value, list | tuple | set | frozenset | range):
        return {text for item in value for text in allowed(item)}
    texts = {_text(value)}
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        texts.add(_text(float(value)))
        if float(value).is_integer():
            texts.add(_text(int(value)))
    return texts


def _flatten(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from _flatten(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def _text(value: Any) -> str:
    """Text as on the command line: true, false, null; numbers by repr, so that they can be read back exactly."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, bool):
        return str(value).lower()
    if value is None:
        return "null"
    if isinstance(value, list | tuple):
        return "[" + ",".join(_text(item) for item in value) + "]"
    return repr(value) if isinstance(value, float) else str(value)
