"""The identity of a run: one short key for everything that can change its result.

Two runs with the same key would give the same curve, so a finished run with that key is never run again.
The key is a hash of the resolved settings, the identity of the data, the identity of the compiled core and the
instruction set that it runs on: the last bits of a result differ between instruction sets.

Decisions, each held by a test:

* Numbers that compare equal give the same key: ``1``, ``1.0`` and ``numpy.float32(1)``; ``0.0`` and ``-0.0``. The
  command line does not say which of them the user meant, and no solver tells them apart. Other floats enter by
  ``repr``, so every float64 is distinct. ``True`` is not ``1`` and ``"1"`` is not ``1``.
* NaN and infinities are refused: they are not settings, and NaN is not even equal to itself.
* The order of keys in a mapping does not matter; the order in a list does. A tuple is a list.
* A missing setting and a setting of ``None`` differ: settings are resolved (defaults filled in) before they come here.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from enum import Enum
from pathlib import PurePath
from typing import Any

import numpy as np

KEY_LENGTH = 32
"""Hexadecimal digits of a key: 128 bits, far beyond any chance of a collision."""

NOT_INFLUENTIAL: tuple[str, ...] = (
    # resources: results do not depend on them
    "threads",
    "memory",
    "rows",
    "cache_dir",
    "gram_dir",
    "mirrors",
    # where the record goes, and what is shown on the way
    "store",
    "output",
    "progress",
    "checkpoint_seconds",
    "verbose",
    "plot",
    # why the run is made, and who chose its settings: figures share runs
    "paper",
    "figure",
    "preset",
    "hydra",
    # the data are identified by their fingerprint, not by how they are described or found
    "dataset",
)
"""Top-level settings that cannot change a result and therefore never enter the key."""


def run_key(settings: Mapping[str, Any], data_fingerprint: str, build_id: str, isa: str) -> str:
    """Key of the run that these settings, data and core make.

    Parameters
    ----------
    settings : mapping
        Resolved settings: nested mappings with string keys; leaves are None, booleans, numbers, strings, enumeration
        members, paths, or lists and tuples of these. The top-level entries in `NOT_INFLUENTIAL` are left out.
    data_fingerprint : str
        Identity of the data (`datasets.fingerprint`).
    build_id : str
        Identity of the compiled core (``solvers.build_info()["build_id"]``).
    isa : str
        The instruction set that it runs on (``solvers.build_info()["isa"]``).

    Returns
    -------
    str
        The first `KEY_LENGTH` hexadecimal digits of a SHA-256.

    Raises
    ------
    ValueError
        A number is NaN or infinite, or an identity is empty.
    TypeError
        A setting has a type that has no canonical form.
    """
    return _key(settings, data_fingerprint=data_fingerprint, build_id=build_id, isa=isa)


def settings_key(settings: Mapping[str, Any], data_fingerprint: str) -> str:
    """Key of settings and data alone, the same for any core: names the file that a run is continued from.

    Parameters and errors are those of `run_key`.
    """
    return _key(settings, data_fingerprint=data_fingerprint)


def _key(settings: Mapping[str, Any], **identities: str) -> str:
    for what, value in identities.items():
        if not isinstance(value, str) or not value:
            raise ValueError(f"{what} must be a non-empty string, got {value!r}")
    influential = {name: value for name, value in settings.items() if name not in NOT_INFLUENTIAL}
    text = canonical_json({"settings": influential, **identities})
    return hashlib.sha256(text.encode()).hexdigest()[:KEY_LENGTH]


def canonical_json(value: Any) -> str:
    """JSON text that is the same for equal values: sorted keys, no spaces, ASCII, equal numbers written alike.

    Raises
    ------
    ValueError
        A number is NaN or infinite.
    TypeError
        A value has no canonical form; the message names the place.
    """
    return json.dumps(_canonical(value, "settings"), sort_keys=True, separators=(",", ":"), allow_nan=False)


def _canonical(value: Any, where: str) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, Enum):
        return _canonical(value.value, where)
    if value is None or isinstance(value, bool | int | str):
        # an int or str subclass could bring its own way of printing itself
        return (
            value if value is None or isinstance(value, bool) else int(value) if isinstance(value, int) else str(value)
        )
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{where} is {value}: settings must be finite numbers (use null for 'no limit')")
        return int(value) if value.is_integer() else float(value)
    if isinstance(value, PurePath):
        return str(value)
    if isinstance(value, Mapping):
        for name in value:
            if not isinstance(name, str):
                raise TypeError(f"{where} has the key {name!r}: keys of settings must be strings")
        return {str(name): _canonical(item, f"{where}.{name}") for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_canonical(item, f"{where}[{index}]") for index, item in enumerate(value)]
    raise TypeError(
        f"{where} is a {type(value).__name__}: allowed are None, booleans, numbers, strings, paths, lists and mappings"
    )
