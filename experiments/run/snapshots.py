"""Snapshots as arrays and plain values, for a file: without what all snapshots of a run have in common."""

from __future__ import annotations

import copy
import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.snapshots import DeferredResponses

_DEFERRED = "on_features.weights"


@dataclass(frozen=True)
class Packed:
    """What a snapshot has of its own.

    Attributes
    ----------
    arrays : dict of str to arrays
    plain : dict of str to None, bool, int, float or str
    """

    arrays: dict[str, NDArray[Any]]
    plain: dict[str, Any]


def pack(snapshot: Any) -> Packed:
    """Return a snapshot's own arrays and values; other objects (a problem, a basis) are those of all of its run."""
    arrays, plain = {}, {}
    for name, value in vars(snapshot).items():
        if isinstance(value, np.ndarray):
            arrays[name] = value
        elif value is None or isinstance(value, bool | int | float | str):
            plain[name] = value
        elif isinstance(value, DeferredResponses):
            arrays[_DEFERRED] = value.weights
    return Packed(arrays, plain)


def unpack(packed: Packed, present: Any) -> Any:
    """Return a snapshot that was packed.

    Parameters
    ----------
    packed : Packed
    present : Snapshot
        Any other one of the same run: what they have in common is taken from it.
    """
    snapshot, arrays = copy.copy(present), dict(packed.arrays)
    own: dict[str, Any] = {**packed.plain}
    if _DEFERRED in arrays:
        own["deferred"] = dataclasses.replace(present.deferred, weights=arrays.pop(_DEFERRED))
    vars(snapshot).update(own | arrays)  # past the lock of frozen ones: this one is not seen by anybody yet
    return snapshot
