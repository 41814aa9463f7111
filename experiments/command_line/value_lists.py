"""``logspace`` and ``linspace`` in a sweep: ``problem.lambda_=logspace(-6,-2,9)`` becomes a list of nine values."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Final

import numpy as np

from svm_cost_curves.solvers import SettingsError

_CALL: Final = re.compile(r"(?P<setting>[^=]+)=\s*(?P<name>logspace|linspace)\((?P<arguments>.*)\)\s*")
_MOST: Final = 10_000


def expanded(words: Sequence[str], *, sweeps: bool) -> list[str]:
    """Return a command line in which the calls are lists of values; Hydra's own ``range`` stays.

    ``logspace(a,b,n)`` has n values from 10^a to 10^b whose logarithms are evenly spaced, ``linspace(a,b,n)`` n evenly
    spaced values from a to b; both include the ends. Values are written with twelve digits.

    Parameters
    ----------
    words : sequence of str
    sweeps : bool
        Whether the command is a sweep (``-m``).

    Raises
    ------
    SettingsError
        The arguments are wrong, or the command is not a sweep.
    """
    return [_expanded(match, sweeps) if (match := _CALL.fullmatch(word)) else word for word in words]


def _expanded(match: re.Match[str], sweeps: bool) -> str:
    word, name = match[0], match["name"]
    try:
        first, last, count = (float(part) for part in match["arguments"].split(","))
    except ValueError:
        raise SettingsError(f"{word}: {name} needs three numbers: first, last, number of values") from None
    if not (math.isfinite(first) and math.isfinite(last) and count.is_integer() and 1 <= count <= _MOST):
        raise SettingsError(f"{word}: first and last must be finite, the number of values from 1 to {_MOST:,}")
    values = np.linspace(first, last, int(count))
    if name == "logspace":
        if max(abs(first), abs(last)) > 300:
            raise SettingsError(f"{word}: logspace takes exponents of 10, from -300 to 300")
        values = np.power(10.0, values)
    if not sweeps:
        raise SettingsError(f"{word}: several values are a sweep, which needs -m (or --multirun)")
    return f"{match['setting']}={','.join(f'{value:.12g}' for value in values)}"
