"""Nested values: as JSON holds them, and flat."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any


def plain(value: Any, where: str) -> Any:
    """JSON-able copy of a value; numbers that are not finite become None.

    Raises
    ------
    TypeError
        A value has no form in JSON; the message names its place, which begins with `where`.
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
    raise TypeError(f"{where} is a {type(value).__name__}, which result.json cannot hold")


def flatten(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Return the leaves of nested dictionaries with dotted names."""
    for name, value in values.items():
        if isinstance(value, dict):  # many times faster than to ask for a Mapping
            yield from flatten(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value
