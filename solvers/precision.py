"""The arithmetic of explicit weights."""

from __future__ import annotations

import enum


class Precision(enum.Enum):
    """float64, or float32 as in the programs of Bottou and of Bordes et al.: half the memory, seven digits."""

    float64 = "float64"
    float32 = "float32"
