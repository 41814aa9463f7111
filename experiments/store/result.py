"""The form of a run's result.json: what the readers of runs rely on. It is checked once, when the file is read."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime
from functools import cache
from typing import Annotated, Any, Final, Literal, NotRequired

from pydantic import AfterValidator, ConfigDict, Field, InstanceOf, TypeAdapter, with_config
from typing_extensions import TypedDict

from ...support.errors import LARGEST_INTEGER

MOST_DIGITS: Final = 20
"""Of a whole number: 64 bits have 20."""
DEEPEST: Final = 30
"""Levels of nested values; a run's result has six."""


def _moment(text: str) -> str:
    datetime.fromisoformat(text).astimezone(UTC).timestamp()
    return text


Text = InstanceOf[str]  # pydantic's own type refuses names of files that are not UTF-8
Number = Annotated[float, Field(allow_inf_nan=False)]
Amount = Annotated[float, Field(allow_inf_nan=False, ge=0)]
Count = Annotated[int, Field(ge=0)]
Cost = Count | Amount | None
Entries = InstanceOf[dict]  # type: ignore[type-arg]  # its keys are texts, as in all JSON


@with_config(ConfigDict(strict=True))
class _Rows(TypedDict):
    n: Count
    d: Count


@with_config(ConfigDict(strict=True))
class _Counts(TypedDict):
    train: _Rows
    test: _Rows


@with_config(ConfigDict(strict=True))
class _Data(TypedDict):
    counts: NotRequired[_Counts]
    files: NotRequired[list[Entries]]
    source: NotRequired[Text]


@with_config(ConfigDict(strict=True))
class _Provenance(TypedDict):
    build: Entries
    data: NotRequired[_Data]
    versions: NotRequired[Entries]
    started: NotRequired[Annotated[Text, AfterValidator(_moment)]]


@with_config(ConfigDict(strict=True))
class _DataSettings(TypedDict):
    train: NotRequired[Text | None]


@with_config(ConfigDict(strict=True))
class _Settings(TypedDict):
    dataset: _DataSettings
    algo: NotRequired[Entries]
    kernel: NotRequired[Entries]
    problem: NotRequired[Entries]
    budget: NotRequired[Entries]
    origins: NotRequired[Entries]


@with_config(ConfigDict(strict=True))
class _Failed(TypedDict):
    """The content of result.json for a run that failed before it began: its key and its error."""

    key: Text
    status: Literal["failed"]
    error: Text


@with_config(ConfigDict(strict=True))
class _Ended(TypedDict):
    key: Text
    status: Literal["finished", "interrupted", "failed"]
    algo: Text
    dataset: Text
    kernel: Text
    seed: int
    settings: _Settings
    counters: dict[Text, Cost]
    cpu_seconds: Amount
    wall_seconds: Amount
    elapsed_seconds: Amount
    final: dict[Text, Number | None]
    provenance: _Provenance
    remarks: NotRequired[list[Text]]
    error: NotRequired[Text]


@cache
def _form(short: bool) -> TypeAdapter[Any]:
    """Return pydantic's check of a result, which takes milliseconds to make."""
    return TypeAdapter(_Failed if short else _Ended)


def checked_result(content: bytes) -> dict[str, Any]:
    """Return the content of a result.json, with further entries as they are; numbers are finite, integers of 64 bits.

    Raises ValueError, RecursionError: it is no JSON, or of another form.
    """
    result = json.loads(content, parse_constant=_finite, parse_float=_finite, parse_int=_integer)
    _check_depth(result, DEEPEST)
    is_short = isinstance(result, dict) and result.get("status") == "failed" and "settings" not in result
    _form(is_short).validate_python(result)
    checked: dict[str, Any] = result
    return checked


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"the number {text[:MOST_DIGITS]} is not finite")
    return number


def _integer(text: str) -> int:
    if len(text) > MOST_DIGITS:
        raise ValueError(f"the number {text[:MOST_DIGITS]}... has more than 64 bits")
    if abs(number := int(text)) > LARGEST_INTEGER:
        raise ValueError(f"the number {text} has more than 64 bits")
    return number


def _check_depth(value: Any, levels: int) -> None:
    if not levels:
        raise ValueError(f"values are nested more than {DEEPEST} deep")
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        if isinstance(item, dict | list):
            _check_depth(item, levels - 1)
