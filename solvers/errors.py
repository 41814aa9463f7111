"""Errors in settings, and a check that numbers are finite and fit in 64 bits."""

from __future__ import annotations

import contextlib
import dataclasses
import math
from collections.abc import Iterator, Mapping
from typing import Any

from ..support.errors import LARGEST_INTEGER as LARGEST_INTEGER
from ..support.errors import SettingsError as SettingsError
from . import _core

CoreError = _core.InvalidArgument
"""Raised by the compiled core for an invalid argument."""


class FeatureRangeError(SettingsError):
    """The values of points are too large or too small to compute with; the message ends with what to do about it."""


@contextlib.contextmanager
def core_errors(algo: str) -> Iterator[None]:
    """Turn what the core refuses into a SettingsError that names the solver."""
    try:
        yield
    except CoreError as error:
        raise SettingsError(f"algo={algo}: {error}") from error


LEAST_SETTING, LARGEST_SETTING = 1e-30, 1e30
"""The core's range of lambda, C and other settings that scale steps, weights or bounds.

No product of them with features is 0 or infinite by rounding.
"""


def check_setting(name: str, value: float) -> None:
    """Raise SettingsError, with the name and the value, for a setting outside that range."""
    if not LEAST_SETTING <= value <= LARGEST_SETTING:
        raise SettingsError(f"{name} = {value!r}: it must be positive, from {LEAST_SETTING:g} to {LARGEST_SETTING:g}")


def check_numbers(name: str, value: Any) -> None:
    """Raise SettingsError, with the name and the value, for NaN, infinities, and integers beyond 64 bits.

    `name` is that of the setting on the command line (``algo.eta``), or of a group of settings (``algo``), or empty;
    the value is a number, or a dataclass, list or mapping of settings. Values of other types are accepted.
    """
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        for key, item in value.items():
            check_numbers(f"{name}.{key}" if name else str(key), item)
    elif isinstance(value, list | tuple):
        for position, item in enumerate(value):
            check_numbers(f"{name}[{position}]", item)
    elif isinstance(value, float) and not math.isfinite(value):
        raise SettingsError(f"{name} = {value}: it must be a finite number")
    elif isinstance(value, int) and not -LARGEST_INTEGER <= value <= LARGEST_INTEGER:
        shown = str(value) if value.bit_length() < 256 else f"a number of {value.bit_length()} bits"
        raise SettingsError(f"{name} = {shown}: whole numbers lie between -(2^63 - 1) and 2^63 - 1")
